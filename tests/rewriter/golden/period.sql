SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE COALESCE(p.time_zone_name, 'UTC'))::date AS day, count(*)
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id -- the zone may be missing
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
