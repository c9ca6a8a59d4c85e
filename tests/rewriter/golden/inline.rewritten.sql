SELECT date_trunc('day', make_timestamp(epoch_us(action_event_time) + CASE WHEN action_event_time < TIMESTAMP '2026-03-08 07:00:00' THEN -18000000000 WHEN action_event_time < TIMESTAMP '2026-11-01 06:00:00' THEN -14400000000 ELSE -18000000000 END)) AS "date_trunc('day', timezone('America/New_York', timezone('UTC', action_event_time)))", count(*)
FROM actions
WHERE action_event_time >= TIMESTAMP '2026-01-01' AND action_event_time < TIMESTAMP '2026-12-01'
GROUP BY 1
