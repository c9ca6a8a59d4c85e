SELECT *
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date = DATE '2026-03-08'
ORDER BY a.action_event_time
