-- hourly report: Taboola's hourly report: actions by hour of each publisher's time zone
SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS hour,
       count(*) AS actions
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
GROUP BY hour
-- local days: A local-day report: clicks of six weeks by day in New York
SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::DATE AS day,
       count(*) AS clicks
FROM actions
WHERE action_name = 'click'
  AND action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' >= '{first}'
  AND action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' < '{last}'
GROUP BY day
ORDER BY day
-- NOW() filter: Adform's filter: how many actions in the last eight weeks
SELECT count(*)
FROM actions
WHERE action_event_time >= NOW() - INTERVAL '8 weeks'
