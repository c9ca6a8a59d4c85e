SELECT p.id, CONVERT_TIMEZONE(p.time_zone_name, 'UTC', a.action_event_time) AS utc
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id;
