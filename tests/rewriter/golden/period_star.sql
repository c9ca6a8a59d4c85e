SELECT *, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE "P".time_zone_name AS local
FROM actions a, publishers AS "P"
WHERE a.action_publisher_id = "P".id
