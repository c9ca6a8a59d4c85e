SELECT (a.seen AT TIME ZONE p.time_zone_name)::date, count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= '2026-03-01 00:00:00+00' AND a.seen < '2026-04-01 00:00:00+00' AND p.id < 100
GROUP BY 1;
