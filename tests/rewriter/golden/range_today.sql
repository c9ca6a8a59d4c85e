SELECT action_name, count(*)
FROM actions
WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date
    BETWEEN (now() AT TIME ZONE 'Asia/Tokyo')::date - 7 AND CURRENT_DATE - 1
GROUP BY action_name
