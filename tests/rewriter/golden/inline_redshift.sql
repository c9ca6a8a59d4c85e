SELECT TRUNC(CONVERT_TIMEZONE('America/New_York', action_event_time)) AS day, COUNT(*)
FROM actions
WHERE action_event_time >= '2017-01-01' AND action_event_time < '2017-12-01'
GROUP BY 1;
