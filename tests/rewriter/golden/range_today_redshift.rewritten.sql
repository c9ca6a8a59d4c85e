SELECT COUNT(*)
FROM actions
WHERE TRUNC(CONVERT_TIMEZONE('America/New_York', action_event_time)) = TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE()))
  AND action_event_time >= CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) - INTERVAL '24 hours' AND action_event_time <= CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) + INTERVAL '48 hours';
