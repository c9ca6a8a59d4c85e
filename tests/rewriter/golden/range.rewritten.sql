SELECT count(*)
FROM actions
WHERE (action_event_time >= TIMESTAMP '2009-11-01 02:30:00' AND action_event_time < TIMESTAMP '2009-11-01 02:31:00' OR action_event_time >= TIMESTAMP '2009-11-01 03:30:00' AND action_event_time < TIMESTAMP '2009-11-02 03:30:00')
  AND action_name = 'click'
