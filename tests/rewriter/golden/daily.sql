SELECT date_trunc('day', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name), count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
