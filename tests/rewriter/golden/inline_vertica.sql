SELECT NEW_TIME(action_event_time, 'America/New_York', 'Europe/Paris'), NEW_TIME(action_event_time, 'UTC', 'EST')
FROM actions
WHERE action_event_time >= '2026-03-01' AND action_event_time < '2026-04-15'
