SELECT to_date(timestamp_micros(unix_micros(action_event_time) + 1000000L * CASE WHEN action_event_time < TIMESTAMP_LTZ '2026-03-08 07:00:00Z' THEN -18000 ELSE -14400 END)) AS day, count(*)
FROM actions
WHERE action_event_time >= '2026-01-01' AND action_event_time < '2026-06-01'
GROUP BY 1
