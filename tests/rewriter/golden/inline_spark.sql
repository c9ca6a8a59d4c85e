SELECT to_date(from_utc_timestamp(action_event_time, 'America/New_York')) AS day, count(*)
FROM actions
WHERE action_event_time >= '2026-01-01' AND action_event_time < '2026-06-01'
GROUP BY 1
