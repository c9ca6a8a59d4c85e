SELECT p.id,
       date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name AS day,
       max(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= '2026-01-01 00:00:00+00'
GROUP BY 1, 2;
