SELECT date_trunc('day', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York'), count(*)
FROM actions
WHERE action_event_time >= TIMESTAMP '2026-01-01' AND action_event_time < TIMESTAMP '2026-12-01'
GROUP BY 1
