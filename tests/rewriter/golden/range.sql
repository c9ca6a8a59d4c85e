SELECT count(*)
FROM actions
WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/St_Johns')::date = DATE '2009-11-01'
  AND action_name = 'click'
