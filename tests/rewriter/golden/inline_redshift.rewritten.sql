SELECT TRUNC(DATEADD(second, CASE WHEN action_event_time < TIMESTAMP '2017-03-12 07:00:00' THEN -18000 WHEN action_event_time < TIMESTAMP '2017-11-05 06:00:00' THEN -14400 ELSE -18000 END, action_event_time)) AS day, COUNT(*)
FROM actions
WHERE action_event_time >= '2017-01-01' AND action_event_time < '2017-12-01'
GROUP BY 1;
