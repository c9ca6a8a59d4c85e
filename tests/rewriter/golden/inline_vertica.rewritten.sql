SELECT (action_event_time + CASE WHEN action_event_time < TIMESTAMP '2026-03-08 03:00:00' THEN INTERVAL '6 hours' WHEN action_event_time < TIMESTAMP '2026-03-28 21:00:00' THEN INTERVAL '5 hours' ELSE INTERVAL '6 hours' END) AS "new_time", NEW_TIME(action_event_time, 'UTC', 'EST')
FROM actions
WHERE action_event_time >= '2026-03-01' AND action_event_time < '2026-04-15'
