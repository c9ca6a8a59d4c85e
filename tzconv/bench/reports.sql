-- active-users: Daily active users by local day, all history, zone of each account
SELECT (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone)::date AS day, count(DISTINCT e.user_id) AS users
FROM events e JOIN accounts a ON a.id = e.account_id
GROUP BY 1
ORDER BY 1
-- last-30-days: The last 30 days by local hour, zone of each account
SELECT date_trunc('hour', e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone) AS hour, count(*) AS events
FROM events e JOIN accounts a ON a.id = e.account_id
WHERE e.ts >= now() - INTERVAL '30 days'
GROUP BY 1
ORDER BY 1
-- month-to-date: The month so far in the zone of each account
SELECT a.id, count(*) AS events
FROM events e JOIN accounts a ON a.id = e.account_id
WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone >= date_trunc('month', now() AT TIME ZONE a.time_zone)
GROUP BY a.id
-- cohorts: Weekly cohorts: users by the local week of their first event
WITH firsts AS (
    SELECT account_id, user_id, min(ts) AS first_ts
    FROM events
    GROUP BY account_id, user_id
)
SELECT date_trunc('week', f.first_ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone) AS week, count(*) AS users
FROM firsts f JOIN accounts a ON a.id = f.account_id
GROUP BY 1
ORDER BY 1
-- business-hours: Events in business hours of each account, all history
SELECT a.id, count(*) AS events
FROM events e JOIN accounts a ON a.id = e.account_id
WHERE extract(hour FROM e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone) BETWEEN 9 AND 17
GROUP BY a.id
-- today: Today in New York
SELECT kind, count(*) AS events
FROM events
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = (now() AT TIME ZONE 'America/New_York')::date
GROUP BY kind
-- last-7-days: The last seven local days in New York
SELECT (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS day, count(*) AS events
FROM events
WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date >= (now() AT TIME ZONE 'America/New_York')::date - 7
GROUP BY 1
ORDER BY 1
-- two-months: Two months by local hour, zone of each account
SELECT date_trunc('hour', e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone) AS hour, count(*) AS events
FROM events e JOIN accounts a ON a.id = e.account_id
WHERE e.ts >= TIMESTAMP '{first} 00:00:00' AND e.ts < TIMESTAMP '{last} 00:00:00'
GROUP BY 1
ORDER BY 1
-- one-tenant: One account by local day, 90 days
SELECT (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone)::date AS day, count(*) AS events
FROM events e JOIN accounts a ON a.id = e.account_id
WHERE e.account_id = 42 AND e.ts >= now() - INTERVAL '90 days'
GROUP BY 1
ORDER BY 1
-- latest-50: The latest 50 events of an account, in its local time
SELECT e.id, e.kind, e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone AS happened_at
FROM events e JOIN accounts a ON a.id = e.account_id
WHERE e.account_id = 42
ORDER BY e.ts DESC
LIMIT 50
-- by-month: All history by month in New York
SELECT date_trunc('month', ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') AS month, count(*) AS events
FROM events
GROUP BY 1
ORDER BY 1
-- yesterday: The daily digest: yesterday in the zone of each account
SELECT a.id, count(*) AS events, count(DISTINCT e.user_id) AS users
FROM events e JOIN accounts a ON a.id = e.account_id
WHERE (e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone)::date = (now() AT TIME ZONE a.time_zone)::date - 1
GROUP BY a.id
