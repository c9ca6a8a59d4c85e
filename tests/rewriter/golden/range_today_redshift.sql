SELECT COUNT(*)
FROM actions
WHERE TRUNC(CONVERT_TIMEZONE('America/New_York', action_event_time)) = TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE()));
