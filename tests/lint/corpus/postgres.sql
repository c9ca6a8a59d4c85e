-- Each statement is preceded by the codes that a person finds in it, or by none.
-- events (t timestamp, seen timestamptz, day date, n integer, price numeric, rate double precision,
-- customer_id integer), customers (id integer, zone text)

-- expect: TZ001
SELECT date_trunc('hour', t AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin') AS h, count(*) FROM events GROUP BY 1;

-- expect: TZ001
SELECT (e.seen AT TIME ZONE c.zone)::date AS day, sum(e.n) FROM events e JOIN customers c ON c.id = e.customer_id GROUP BY 1;

-- expect: TZ001
SELECT timezone('Asia/Kolkata', timezone('UTC', t)) AS local FROM events WHERE n > 5;

-- expect: TZ001
SELECT max(seen) FROM events GROUP BY (seen AT TIME ZONE 'America/New_York')::date;

-- expect: TZ001
SELECT u.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS local FROM users u;

-- expect: TZ001
CREATE TABLE daily AS SELECT (seen AT TIME ZONE 'Asia/Tokyo')::date AS d, count(*) AS c FROM events GROUP BY 1;

-- expect: TZ002
SELECT count(*) FROM events WHERE t >= NOW() - INTERVAL '1 day';

-- expect: TZ002
SELECT count(*) FROM events WHERE t BETWEEN NOW() - INTERVAL '7 days' AND CURRENT_TIMESTAMP;

-- expect: TZ002
SELECT n FROM events WHERE CURRENT_TIMESTAMP - INTERVAL '1 hour' < t AND n > 3;

-- expect: TZ002
SELECT count(*) FROM events WHERE t < TIMESTAMPTZ '2026-01-01 00:00:00+00';

-- expect: TZ001
SELECT count(*) FROM events e JOIN customers c ON c.id = e.customer_id WHERE e.t >= (TIMESTAMP '2026-01-01' AT TIME ZONE c.zone AT TIME ZONE 'UTC') AND e.t < (TIMESTAMP '2026-02-01' AT TIME ZONE c.zone AT TIME ZONE 'UTC');

-- expect: TZ003
SELECT count(*) FROM events WHERE (t AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = DATE '2026-03-08';

-- expect: TZ003
SELECT count(*) FROM events WHERE date_trunc('month', seen AT TIME ZONE 'Europe/Berlin') = TIMESTAMP '2026-03-01';

-- expect: TZ003
SELECT n FROM events WHERE seen AT TIME ZONE 'Asia/Kolkata' >= TIMESTAMP '2026-01-01' AND seen AT TIME ZONE 'Asia/Kolkata' < TIMESTAMP '2026-02-01';

-- expect: TZ001 TZ003
SELECT (seen AT TIME ZONE 'Europe/Berlin')::date AS d, count(*) FROM events WHERE (seen AT TIME ZONE 'Europe/Berlin')::date >= DATE '2026-01-01' GROUP BY 1;

-- expect: TZ004
SELECT NOW() AT TIME ZONE 'EST' AS in_new_york;

-- expect: TZ001 TZ004
SELECT x.created AT TIME ZONE 'UTC' AT TIME ZONE 'PDT' AS local FROM orders x;

-- expect: TZ004
SELECT max(seen) AT TIME ZONE 'CET' AS newest FROM events;

-- expect: TZ005
SELECT count(*) FROM events WHERE t BETWEEN '2026-01-01 00:00:00' AND '2026-01-31 23:59:59';

-- expect: TZ005
SELECT count(*) FROM events WHERE seen >= '2026-01-01' AND seen <= TIMESTAMPTZ '2026-01-31 23:59:59.999+00';

-- expect: TZ005
SELECT e.n FROM events e JOIN time_zone_daily_conversion d ON e.t BETWEEN d.day_starts_at_utc AND d.day_ends_at_utc WHERE d.time_zone_name = 'Asia/Tokyo';

-- expect: TZ005
SELECT count(*) FROM events WHERE t <= date_trunc('day', TIMESTAMP '2026-01-31') + INTERVAL '1 day' - INTERVAL '1 second';

-- expect: TZ001 TZ006
SELECT date_trunc('hour', seen) AT TIME ZONE 'Asia/Kolkata' AS h, count(*) FROM events GROUP BY 1;

-- expect: TZ001 TZ006
SELECT date_trunc('hour', e.t) AT TIME ZONE 'UTC' AT TIME ZONE c.zone AS h FROM events e JOIN customers c ON c.id = e.customer_id;

-- expect: TZ006
SELECT h.hour_at_time_zone, count(*) FROM events e JOIN time_zone_hourly_conversion h ON h.time_zone_name = 'Asia/Kolkata' AND h.hour_at_utc = date_trunc('hour', e.t) GROUP BY 1;

-- expect: TZ007
SELECT sum(CASE WHEN n > 0 THEN price ELSE rate END) FROM events;

-- expect: TZ007
SELECT CASE WHEN n = 0 THEN 0.0 ELSE n::double precision / 3 END AS share FROM events;

-- expect: TZ007
SELECT CASE n WHEN 1 THEN CAST(price AS numeric(10, 2)) WHEN 2 THEN 1 ELSE CAST(rate AS real) END AS v FROM events;

-- expect: TZ008
SELECT h.hour_at_time_zone, count(*) FROM events e JOIN customers c ON c.id = e.customer_id JOIN time_zone_hourly_conversion h ON h.time_zone_name = c.zone GROUP BY 1;

-- expect: TZ008
SELECT count(*) FROM customers c JOIN time_zone_daily_conversion d ON d.time_zone_name = c.zone WHERE c.id = 7;

-- expect: TZ009
CREATE MATERIALIZED VIEW recent AS SELECT count(*) AS n FROM events WHERE seen > now() - INTERVAL '1 day';

-- expect: TZ009
CREATE MATERIALIZED VIEW today AS SELECT n, CURRENT_DATE AS made_on FROM events;

-- expect: none
SELECT count(*) FROM events WHERE t >= TIMESTAMP '2026-01-01' AND t < TIMESTAMP '2026-02-01';

-- expect: none
SELECT count(*) FROM events WHERE seen >= NOW() - INTERVAL '1 day';

-- expect: none
SELECT count(*) FROM events WHERE day = CURRENT_DATE AND day BETWEEN DATE '2026-01-01' AND DATE '2026-01-31';

-- expect: none
SELECT 'x AT TIME ZONE ''EST''' AS text, n FROM events; -- t AT TIME ZONE 'EST' > NOW()

-- expect: none
SELECT n FROM events WHERE t >= (TIMESTAMP '2026-01-01' AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC');

-- expect: none
SELECT max(seen) AT TIME ZONE 'Europe/Berlin' AS newest FROM events;

-- expect: none
SELECT t AT TIME ZONE 'UTC' AS instant, seen AT TIME ZONE 'UTC' AS utc FROM events;

-- expect: none
SELECT CASE WHEN n > 0 THEN price ELSE 0.00 END AS a, CASE WHEN n > 0 THEN rate ELSE 0 END AS b FROM events;

-- expect: none
SELECT date_trunc('hour', seen) AS h, date_trunc('hour', seen AT TIME ZONE 'UTC') AS u FROM events;

-- expect: none
SELECT h.day, count(*) FROM events e JOIN time_zone_hourly_conversion h ON h.time_zone_name = 'Asia/Kolkata' AND e.t >= h.starts_at_utc AND e.t < h.ends_before_utc GROUP BY 1;

-- expect: none
SELECT count(*) FROM events e JOIN time_zone_daily_conversion d ON d.time_zone_name = 'Asia/Tokyo' AND d.day = DATE '2026-01-01' WHERE e.t >= d.day_starts_at_utc AND e.t < d.day_ends_before_utc;

-- expect: none
SELECT * FROM time_zone_hourly_conversion WHERE time_zone_name = 'Asia/Tokyo';

-- expect: none
CREATE VIEW recent AS SELECT count(*) AS n FROM events WHERE seen > now() - INTERVAL '1 day';

-- expect: none
CREATE MATERIALIZED VIEW hours AS SELECT n, 'now()' AS words FROM events;

-- expect: none
INSERT INTO log SELECT now(), count(*) FROM events;

-- expect: none
SELECT seen AT TIME ZONE 'Europe/Berlin' AS d FROM events; -- tzconv: ignore[TZ001]

-- expect: none
-- tzconv: ignore[TZ002, TZ005]
SELECT count(*)
FROM events
WHERE t >= NOW() - INTERVAL '1 day'
  AND t <= '2026-01-31 23:59:59';

-- expect: TZ005
-- tzconv: ignore[TZ002]
SELECT count(*)
FROM events
WHERE t >= NOW() - INTERVAL '1 day'
  AND t <= '2026-01-31 23:59:59';

-- expect: none
SELECT day <= DATE '2026-01-31' AS early, n <= 5 AS few FROM events WHERE n BETWEEN 1 AND 235959;

-- expect: none
SELECT c.zone, to_char(max(e.seen) AT TIME ZONE c.zone, 'HH24:MI') FROM events e JOIN customers c ON c.id = e.customer_id GROUP BY c.zone;
