-- hourly: Taboola's hourly report: zone of each row, six weeks
SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS hour,
       count(a.action_name) AS actions
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN (TIMESTAMP '{first} 00:00:00' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
      AND (TIMESTAMP '{last} 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
GROUP BY 1
-- local-days: Local days: zone of each row, open window, two years of events
SELECT (h.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date AS day, count(*) AS actions
FROM history h JOIN publishers p ON h.action_publisher_id = p.id
GROUP BY 1
-- local-days-12: Local days: zone of each row, open window, 12 years of events
SELECT (h.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date AS day, count(*) AS actions
FROM history_12 h JOIN publishers p ON h.action_publisher_id = p.id
GROUP BY 1
-- local-days-50: Local days: zone of each row, open window, 50 years of events
SELECT (h.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date AS day, count(*) AS actions
FROM history_50 h JOIN publishers p ON h.action_publisher_id = p.id
GROUP BY 1
-- constant-days: Local days of one constant zone, open window
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, count(*) AS actions
FROM actions a
GROUP BY 1
-- constant-weeks: Local days of one constant zone, six weeks
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, count(*) AS actions
FROM actions a
WHERE a.action_event_time >= TIMESTAMP '{first}' AND a.action_event_time < TIMESTAMP '{last}'
GROUP BY 1
-- day-constant: One local day of one constant zone
SELECT count(*) AS actions
FROM actions a
WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{day}'
-- day-zone: One local day in the zone of each row
SELECT count(*) AS actions
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date = DATE '{day}'
-- now: Adform's filter: a TIMESTAMP compared with NOW()
SELECT count(*) AS actions
FROM actions a
WHERE a.action_event_time >= NOW() - INTERVAL '{now_days} days'
-- local-to-utc: Local times of each row's zone read as UTC, open window
SELECT date_trunc('hour', h.local_time AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC') AS hour, count(*) AS actions
FROM history h JOIN publishers p ON h.action_publisher_id = p.id
GROUP BY 1
-- two-timestamps: Begin and end of each action in the zone of its row, six weeks
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date AS day,
       (a.action_end_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date AS end_day,
       count(*) AS actions
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '{first}' AND a.action_event_time < TIMESTAMP '{last}'
GROUP BY 1, 2
-- timestamptz-days: Local days of a TIMESTAMPTZ: zone of each row, open window
SELECT (h.seen AT TIME ZONE p.time_zone_name)::date AS day, count(*) AS actions
FROM history h JOIN publishers p ON h.action_publisher_id = p.id
GROUP BY 1
