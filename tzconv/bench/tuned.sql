-- ny-day: One day in New York, by kind (index on the local day)
SELECT kind, count(*) AS events FROM events
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{first}'
GROUP BY kind
-- ny-week: A week in New York by local day (index on the local day)
SELECT (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, count(*) AS events FROM events
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date BETWEEN DATE '{first}' AND DATE '{first}' + 6
GROUP BY 1 ORDER BY 1
-- ny-yesterday: Yesterday in New York (index on the local day)
SELECT count(*) AS events, count(DISTINCT account_id) AS accounts FROM events
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = (now() AT TIME ZONE 'America/New_York')::date - 1
-- ny-latest-day: The last local day that has events (index on the local day)
SELECT max((ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date) AS day FROM events
-- ny-three-days: Three days in New York (index on the local day)
SELECT count(*) AS events FROM events
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date IN (DATE '{first}', DATE '{last}', DATE '{last}' + 1)
-- ny-newest-rows: The newest rows by local day (index on the local day)
SELECT id, kind FROM events
ORDER BY (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date DESC, id DESC LIMIT 20
-- tenant-day: One account, one day in New York (index on account and local day)
SELECT count(*) AS events FROM events
WHERE account_id = 42 AND (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{first}'
-- tenant-year: One account by local day since a date (index on account and local day)
SELECT (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, count(*) AS events FROM events
WHERE account_id = 42 AND (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date >= DATE '{first}' - 365
GROUP BY 1 ORDER BY 1
-- tenants-of-a-zone: Accounts of a zone, one day (index on account and local day)
SELECT a.name, count(*) AS events FROM accounts a JOIN events e ON e.account_id = a.id
WHERE a.time_zone = 'America/Mexico_City'
  AND (e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{first}'
GROUP BY a.name
-- tenant-own-day: One account, one day in its own zone (index on account and time)
SELECT e.kind, count(*) AS events FROM accounts a JOIN events e ON e.account_id = a.id
WHERE a.id = 42 AND (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone)::date = DATE '{first}'
GROUP BY e.kind
-- tenant-own-week: One account by day of its own zone, 60 days (index on account and time)
SELECT (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone)::date AS day, count(*) AS events
FROM accounts a JOIN events e ON e.account_id = a.id
WHERE a.id = 42 AND e.ts >= TIMESTAMP '{first}' AND e.ts < TIMESTAMP '{last}'
GROUP BY 1 ORDER BY 1
-- tenant-latest: Latest event of ten accounts, local time (index on account and time)
SELECT a.id, (SELECT max(e.ts) FROM events e WHERE e.account_id = a.id) AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone AS latest
FROM accounts a WHERE a.id BETWEEN 40 AND 49
-- tenant-page: A page of an account's events in its local time (index on account and time)
SELECT e.id, e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone AS local
FROM accounts a JOIN events e ON e.account_id = a.id
WHERE a.id = 42 ORDER BY e.ts LIMIT 25
-- exports-day: Exports of one day in New York (partial index)
SELECT account_id, count(*) AS exports FROM events
WHERE kind = 'export' AND (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{first}'
GROUP BY account_id
-- exports-month: Exports of a month by local hour (partial index)
SELECT date_trunc('hour', ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') AS hour, count(*) AS exports FROM events
WHERE kind = 'export' AND ts >= TIMESTAMP '{first}' AND ts < TIMESTAMP '{first}' + INTERVAL '30 days'
GROUP BY 1 ORDER BY 1
-- clicks-open: Clicks since a local day (partial index on the local day)
SELECT count(*) AS clicks FROM events
WHERE kind = 'click' AND (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date >= DATE '{first}'
-- days-by-kind: All days by kind (extended statistics on the local day)
SELECT (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, kind, count(*) AS events FROM events
GROUP BY 1, 2 ORDER BY 1, 2
-- busy-days: Days with many events (extended statistics on the local day)
SELECT (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, count(*) AS events FROM events
GROUP BY 1 HAVING count(*) > 10 ORDER BY 2 DESC, 1 LIMIT 10
-- hours: Events by hour of the local day (extended statistics on the local hour)
SELECT extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') AS hour, count(*) AS events FROM events
GROUP BY 1 ORDER BY 1
-- partition-day: One local day (partitions by local day)
SELECT kind, count(*) AS events FROM events_by_day
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{first}'
GROUP BY kind
-- partition-quarter: A quarter by local month (partitions by local day)
SELECT date_trunc('month', ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') AS month, count(*) AS events FROM events_by_day
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date >= DATE '{first}'
  AND (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date < DATE '{first}' + 90
GROUP BY 1 ORDER BY 1
-- partition-accounts: Accounts of one local day (partitions by local day)
SELECT a.time_zone, count(*) AS events FROM events_by_day e JOIN accounts a ON a.id = e.account_id
WHERE (e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{last}'
GROUP BY 1
-- time-partition-day: One local day (partitions by time, with BRIN)
SELECT kind, count(*) AS events FROM events_by_time
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '{first}'
GROUP BY kind
-- time-partition-rows: One day in the zone of each account (partitions by time, with BRIN)
SELECT a.id, count(*) AS events FROM events_by_time e JOIN accounts a ON a.id = e.account_id
WHERE (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone)::date = DATE '{first}'
GROUP BY a.id
-- time-partition-month: Two months by local day, zone of each account (partitions by time, with BRIN)
SELECT (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone)::date AS day, count(*) AS events
FROM events_by_time e JOIN accounts a ON a.id = e.account_id
WHERE e.ts >= TIMESTAMP '{first}' AND e.ts < TIMESTAMP '{last}'
GROUP BY 1 ORDER BY 1
-- time-partition-all: All history by local month (partitions by time, with BRIN)
SELECT date_trunc('month', ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') AS month, count(*) AS events
FROM events_by_time GROUP BY 1 ORDER BY 1
-- one-event: One event in its account's local time (primary key)
SELECT e.id, e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone AS local
FROM events e JOIN accounts a ON a.id = e.account_id WHERE e.id = 4711
-- first-seen: Users by the local day of their first event (index on account and time)
SELECT (f.first AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, count(*) AS users
FROM (SELECT account_id, min(ts) AS first FROM events GROUP BY account_id) f GROUP BY 1 ORDER BY 1
