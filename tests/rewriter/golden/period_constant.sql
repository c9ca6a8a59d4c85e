SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tehran')::date AS day, count(*)
FROM actions
GROUP BY day
