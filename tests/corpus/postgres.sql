-- Queries over the tables of tests/events_postgres.py, one after each line that begins with `-- >>>`.
-- A name that ends in `!left` must be left as it is; all others must be changed.
-- >>> taboola_hourly
SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name), count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN (TIMESTAMP '2017-03-10 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
  AND (TIMESTAMP '2017-11-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
GROUP BY 1
-- >>> taboola_bounds_in_gap
SELECT p.time_zone_name, count(*), min(a.action_event_time), max(a.action_event_time)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2017-03-12 02:30:00' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
  AND a.action_event_time < TIMESTAMP '2017-11-05 01:30:00' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
GROUP BY p.time_zone_name
-- >>> comma_join
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date AS day, p.name, count(*) AS n
FROM actions a, publishers p
WHERE a.action_publisher_id = p.id
  AND a.action_event_time >= '2011-01-01' AND a.action_event_time < '2012-02-01'
GROUP BY 1, 2 ORDER BY 1, 2
-- >>> owner_first
SELECT p.id, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM publishers p JOIN actions a ON (p.id = a.action_publisher_id)
WHERE a.action_event_time BETWEEN '2009-10-20' AND '2009-11-10'
-- >>> function_form
SELECT timezone(p.time_zone_name, timezone('UTC', a.action_event_time)) AS local, a.n
FROM actions a INNER JOIN publishers AS p ON a.action_publisher_id = p.id
WHERE a.action_event_time > TIMESTAMP '2016-01-01 00:00:00' AND a.action_event_time <= TIMESTAMP '2018-01-01 00:00:00'
-- >>> literal_cast_again
SELECT x.id, x.since AT TIME ZONE x.zone AS t
FROM (SELECT p.id, a.n, timestamp '2017-07-01 12:00:00'::timestamptz AT TIME ZONE 'America/Havana' + a.n * interval '1 day' AS since,
    p.time_zone_name AS zone
  FROM actions a JOIN publishers p ON a.action_publisher_id = p.id) x
-- >>> timestamptz_column
SELECT date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AS day, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= TIMESTAMPTZ '2020-01-01 00:00:00+00' AND a.seen < TIMESTAMPTZ '2022-01-01 00:00:00Z'
GROUP BY 1
-- >>> timestamptz_bounds
SELECT count(*), p.name FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= TIMESTAMP '2020-01-01' AT TIME ZONE p.time_zone_name
  AND a.seen < TIMESTAMP '2020-07-01' AT TIME ZONE p.time_zone_name
GROUP BY 2
-- >>> unqualified_columns
SELECT date_trunc('month', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name) AS month, count(*) n
FROM actions JOIN publishers ON action_publisher_id = id
WHERE action_event_time >= TIMESTAMP '2014-01-01' AND action_event_time < TIMESTAMP '2015-01-01'
GROUP BY month
-- >>> quoted_names
SELECT "A"."action_event_time" AT TIME ZONE 'UTC' AT TIME ZONE "P"."time_zone_name" AS "Local Time"
FROM "actions" AS "A" JOIN "publishers" AS "P" ON "A".action_publisher_id = "P"."id"
WHERE "A"."action_event_time" >= TIMESTAMP '2018-06-01' AND "A"."action_event_time" < TIMESTAMP '2018-12-01'
-- >>> many_places
SELECT extract(hour FROM a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS hour,
       to_char(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name, 'YYYY-MM') AS month,
       CASE WHEN (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::time < TIME '06:00' THEN 'night' ELSE 'day' END AS part,
       count(*) FILTER (WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date > DATE '2019-03-10') AS later,
       sum(a.n)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2019-03-01' AND a.action_event_time < TIMESTAMP '2019-04-01'
GROUP BY 1, 2, 3
HAVING max(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) > TIMESTAMP '2019-03-02'
ORDER BY 1, 2, 3
-- >>> window_function
SELECT n FROM (
SELECT a.n, row_number() OVER (PARTITION BY (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date ORDER BY a.n, a.action_event_time, p.id) AS r
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '2010-03-01' AND TIMESTAMP '2010-05-01' AND p.id < 200
) q WHERE r < 4
-- >>> cte
WITH local AS (
    SELECT p.name, a.n, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local_time
    FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
    WHERE a.action_event_time >= TIMESTAMP '2013-01-01' AND a.action_event_time < TIMESTAMP '2013-12-01'
)
SELECT local_time::date, sum(n) FROM local GROUP BY 1
-- >>> owner_is_a_cte
WITH customers AS (SELECT id, time_zone_name AS zone FROM publishers WHERE id % 2 = 0)
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE c.zone)::date AS day, count(*)
FROM actions a JOIN customers c ON c.id = a.action_publisher_id
WHERE a.action_event_time BETWEEN TIMESTAMP '2012-01-01' AND TIMESTAMP '2012-12-31'
GROUP BY 1
-- >>> fact_is_a_subquery
SELECT f.t AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM (SELECT action_event_time AS t, action_publisher_id AS pid FROM actions WHERE n > 3) f
JOIN publishers p ON f.pid = p.id
WHERE f.t >= TIMESTAMP '2015-01-01' AND f.t < TIMESTAMP '2016-01-01'
-- >>> window_is_an_or
SELECT p.name, a.n, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2012-01-01' AND '2012-12-01' OR a.action_event_time BETWEEN '2014-01-01' AND '2015-12-01' AND a.n > 3
-- >>> two_zone_columns_of_one_table
SELECT a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local,
       a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p."billing.zone" AS billed
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2012-01-01' AND '2012-12-01'
-- >>> zone_column_with_a_dot_in_its_name
SELECT count(*), max(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p."billing.zone") AS last
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN (TIMESTAMP '2012-01-01' AT TIME ZONE "billing.zone" AT TIME ZONE 'UTC') AND (TIMESTAMP '2012-12-01' AT TIME ZONE p."billing.zone" AT TIME ZONE 'UTC')
-- >>> union_branches
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date, 'even'
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '2012-01-01' AND TIMESTAMP '2012-06-01' AND p.id % 2 = 0
UNION ALL
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date, 'odd'
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '2012-01-01' AND TIMESTAMP '2012-06-01' AND p.id % 2 = 1
-- >>> same_table_twice
SELECT p.name, q.name, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS one,
       a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE q.time_zone_name AS other
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id JOIN publishers q ON q.id = p.id + 1
WHERE a.action_event_time BETWEEN TIMESTAMP '2016-10-01' AND TIMESTAMP '2016-12-01'
-- >>> using_clause
SELECT date_trunc('week', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE s.time_zone_name) AS week, count(*)
FROM actions a JOIN sites s USING (n)
WHERE a.action_event_time BETWEEN TIMESTAMP '2016-10-01' AND TIMESTAMP '2016-12-01'
GROUP BY 1
-- >>> scalar_subquery
SELECT p.id, (SELECT max(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Gaza') FROM actions a WHERE a.action_publisher_id = p.id)
FROM publishers p
-- >>> in_subquery
SELECT count(*) FROM publishers
WHERE id IN (SELECT a.action_publisher_id FROM actions a
             WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Asuncion')::date = DATE '2017-10-15')
-- >>> local_day_with_zone_column
SELECT p.name, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date = DATE '2011-12-29'
GROUP BY 1
-- >>> local_month_with_zone_column
SELECT count(*), min(a.n)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE date_trunc('month', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) = TIMESTAMP '2014-03-01'
-- >>> local_range_beside_utc_or
SELECT count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.n = 1 OR a.n = 2) AND (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) >= '2014-03-01'
  AND (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) < '2014-04-01' -- the month
-- >>> star_in_fact_side
SELECT a.*, (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01'
-- >>> star_keeps_only_padding
SELECT * FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date = '2018-03-25'
-- >>> constant_zone_bounded
SELECT date_trunc('day', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York'), count(*)
FROM actions WHERE action_event_time >= TIMESTAMP '2016-01-01' AND action_event_time < TIMESTAMP '2018-01-01'
GROUP BY date_trunc('day', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')
-- >>> constant_zone_open
SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Australia/Lord_Howe')::date, count(*) FROM actions GROUP BY 1
-- >>> constant_zone_half_open
SELECT date_trunc('hour', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Australia/Adelaide') AS hour, count(*)
FROM actions WHERE action_event_time >= TIMESTAMP '2024-01-01' GROUP BY hour
-- >>> constant_zone_without_transitions
SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kathmandu' FROM actions WHERE action_event_time BETWEEN '2010-01-01' AND '2011-01-01'
-- >>> constant_zone_lower_case
select n, action_event_time at time zone 'utc' at time zone 'america/st_johns' as l from actions where action_event_time between '2009-01-01' and '2011-12-31'
-- >>> constant_zone_timestamptz
SELECT seen AT TIME ZONE 'Asia/Amman' AS local, count(*) FROM actions WHERE seen < TIMESTAMPTZ '2021-01-01 00:00:00+00' GROUP BY 1
-- >>> constant_zone_in_where_or
SELECT count(*) FROM actions WHERE n = 5 OR action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Lisbon' > '2015-06-01 12:00:00'
-- >>> constant_zone_left_join
SELECT p.id, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Antarctica/Casey' AS local
FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND a.action_event_time BETWEEN '2020-01-01' AND '2021-01-01'
-- >>> constant_zone_left_join_where
SELECT p.id, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Antarctica/Casey' AS local
FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id
WHERE a.action_event_time >= '2020-01-01' AND a.action_event_time < '2021-01-01'
-- >>> day_constant_zone
SELECT count(*), sum(n) FROM actions WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Asuncion')::date = DATE '2017-10-15'
-- >>> day_in_two_pieces
SELECT * FROM actions WHERE CAST(action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/St_Johns' AS DATE) = '2009-11-01'
-- >>> skipped_day
SELECT n, action_event_time FROM actions
WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Pacific/Apia')::date BETWEEN DATE '2011-12-29' AND DATE '2011-12-31'
-- >>> local_bounds_in_fold
SELECT count(*) FROM actions WHERE action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' BETWEEN '2017-11-05 01:15:00' AND '2017-11-05 01:45:00'
-- >>> local_bounds_in_gap
SELECT count(*) FROM actions WHERE action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' > TIMESTAMP '2017-03-12 02:30:00' AND n < 9
-- >>> local_reversed_operands
SELECT count(*) FROM actions WHERE TIMESTAMP '2017-03-12 03:00:00' <= action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AND DATE '2018-01-01' > (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date
-- >>> local_quarter
SELECT count(*) FROM actions WHERE date_trunc('quarter', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Gaza') = TIMESTAMP '2010-01-01 00:00:00' OR date_trunc('week', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Gaza') > '2029-01-03'
-- >>> local_in_case
SELECT CASE WHEN (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/London')::date < DATE '2016-01-01' THEN 'old' ELSE 'new' END AS age, count(*) FROM actions GROUP BY 1
-- >>> local_negated
SELECT count(*) FROM actions WHERE NOT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/London')::date <= DATE '2016-03-27' AND NOT (seen AT TIME ZONE 'Europe/London' BETWEEN '2017-01-01' AND '2018-01-01')
-- >>> local_timestamptz_day
SELECT count(*) FROM actions WHERE (seen AT TIME ZONE 'Asia/Gaza')::date >= '2022-03-21' AND (seen AT TIME ZONE 'Asia/Gaza')::date < '2022-09-30'
-- >>> window_in_two_pieces
SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS local FROM actions
WHERE (action_event_time >= '2015-01-01' AND action_event_time < '2015-06-01' OR (action_event_time BETWEEN '2018-01-01' AND '2018-12-31' AND n < 5))
-- >>> day_in_two_pieces_and_another_zone
SELECT seen AT TIME ZONE 'Europe/Paris' AS local FROM actions
WHERE seen AT TIME ZONE 'America/St_Johns' >= '2009-10-31 12:00:00' AND seen AT TIME ZONE 'America/St_Johns' < '2009-11-01 00:00:30'
-- >>> now_interval !left
SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'
-- >>> now_both_sides !left
select level, count(*) from logs where log_time between now() - interval '30 day' and current_timestamp group by level
-- >>> now_reversed !left
SELECT count(*) FROM logs WHERE CURRENT_TIMESTAMP - INTERVAL '2 HOUR' < log_time OR transaction_timestamp() > log_time
-- >>> now_in_join !left
SELECT count(*) FROM logs l JOIN sites s ON s.n = l.level AND l.log_time > now() - INTERVAL '7 days'
-- >>> now_truncated
SELECT count(*) FROM logs WHERE date_trunc('day', log_time) >= date_trunc('day', now()) - INTERVAL '3 DAY'
-- >>> now_in_filter_and_case
SELECT count(*) FILTER (WHERE log_time > now() - INTERVAL '1 hour') AS h, sum(CASE WHEN log_time <= statement_timestamp() THEN 1 ELSE 0 END) FROM logs
-- >>> timestamptz_literal !left
SELECT count(*) FROM logs WHERE log_time < TIMESTAMPTZ '2026-01-01 00:00:00+00'
-- >>> comments_and_strings
SELECT /* ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' */ 'x AT TIME ZONE ''UTC''' AS s, -- AT TIME ZONE
       action_event_time /* odd */ AT TIME ZONE
         'UTC' -- here
         AT   TIME ZONE 'Asia/Tokyo' AS local
FROM actions -- JOIN publishers p
WHERE action_event_time BETWEEN /* from */ '2010-01-01' AND /* to */ '2012-01-01'
-- >>> insert_select
INSERT INTO sink SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date, count(*) FROM actions GROUP BY 1
-- >>> create_table_as
CREATE TABLE made AS SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date, max(n) FROM actions GROUP BY 1
-- >>> left_join_owner
SELECT a.n, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= '2018-01-01' AND a.action_event_time < '2019-01-01'
-- >>> limit_without_order !left
SELECT a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01' AND p.id = 3 AND a.n = 2 LIMIT 1
-- >>> open_window
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time > '2020-01-01' GROUP BY 1
-- >>> local_to_utc
SELECT action_event_time AT TIME ZONE 'America/New_York' AS instant FROM actions
-- >>> constants_only !left
SELECT TIMESTAMP '2020-01-01' AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS t, now() AT TIME ZONE 'Asia/Tokyo' > '2020-01-01' AS later
-- >>> zone_in_the_same_table
SELECT s.opened AT TIME ZONE 'UTC' AT TIME ZONE s.time_zone_name AS local FROM sites s WHERE s.opened BETWEEN '2000-01-01' AND '2030-01-01'
-- >>> zone_expression
SELECT a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE coalesce(p.time_zone_name, 'UTC') AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01'
-- >>> fixed_offset_zone !left
SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'UTC+3' AS local FROM actions
-- >>> two_columns_one_zone
SELECT a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS one, a.loaded AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS other
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01'
-- >>> whole_row
SELECT p, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01'
-- >>> bound_compared_for_equality !left
SELECT count(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE p.id = 15 AND a.action_event_time = TIMESTAMP '2017-03-12 02:00:00' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
-- >>> aggregate_in_the_order_of_rows !left
SELECT p.id, array_agg(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS all_of_them
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01' GROUP BY p.id
-- >>> aggregate_in_an_order_of_its_own
SELECT p.id, array_agg(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name ORDER BY a.action_event_time, a.n) AS all_of_them
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01' GROUP BY p.id
-- >>> date_compared_with_a_text_that_has_a_time
SELECT count(*) FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date >= TIMESTAMP '2018-03-08 10:00:00'
-- >>> date_in_parentheses_compared_with_a_text_that_has_a_time
SELECT count(*) FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE ((a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date) >= '2018-03-08 10:00:00'
-- >>> after_aggregation !left
SELECT p.id, max(a.action_event_time) AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS last
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01' GROUP BY p.id, p.time_zone_name
-- >>> view
CREATE VIEW made AS SELECT timezone('Asia/Tokyo'::text, timezone('UTC'::text, action_event_time)) FROM actions
-- >>> materialized_view
CREATE MATERIALIZED VIEW made AS SELECT p.name, date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AS day, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= '2019-01-01 00:00:00+00' AND a.seen < '2020-01-01 00:00:00+00' GROUP BY 1, day
-- >>> two_columns_of_one_name
SELECT a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name, timezone(p.time_zone_name, a.seen), (a.seen AT TIME ZONE 'Asia/Tokyo')::text
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2018-06-01' AND a.action_event_time < TIMESTAMP '2018-12-01'
-- >>> names_of_all_kinds
SELECT a.seen AT TIME ZONE 'Asia/Kolkata', (a.seen AT TIME ZONE 'Asia/Kolkata')::date, CAST(a.seen AT TIME ZONE 'Asia/Kolkata' AS text) || 'x',
       EXTRACT(dow FROM a.seen AT TIME ZONE 'Asia/Kolkata'), TO_CHAR(a.seen AT TIME ZONE 'Asia/Kolkata', 'YYYY "(x)"'), trim(both ' ' from to_char(a.seen AT TIME ZONE 'Asia/Kolkata', ' YYYY ')),
       CASE WHEN n > 3 THEN a.seen AT TIME ZONE 'Asia/Kolkata' END, CASE WHEN n > 3 THEN 1 ELSE date_part('year', a.seen AT TIME ZONE 'Asia/Kolkata') END,
       coalesce(a.seen AT TIME ZONE 'Asia/Kolkata', '2000-01-01'), "date"(a.seen AT TIME ZONE 'Asia/Kolkata'), pg_catalog.date_part('hour', a.seen AT TIME ZONE 'Asia/Kolkata'),
       a.seen AT TIME ZONE 'Asia/Kolkata' > '2015-01-01', (SELECT a.seen AT TIME ZONE 'Asia/Kolkata'), ARRAY[a.seen AT TIME ZONE 'Asia/Kolkata'], (ARRAY[a.seen AT TIME ZONE 'Asia/Kolkata'])[1],
       lag(a.seen AT TIME ZONE 'Asia/Kolkata') OVER (ORDER BY a.seen, a.loaded, a.action_publisher_id), greatest(a.seen AT TIME ZONE 'Asia/Kolkata', a.loaded)
FROM actions a WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z'
-- >>> names_of_aggregates
SELECT max(a.seen AT TIME ZONE 'Asia/Kolkata') FILTER (WHERE n > 2), count(DISTINCT (a.seen AT TIME ZONE 'Asia/Kolkata')::date), percentile_disc(0.5) WITHIN GROUP (ORDER BY a.seen AT TIME ZONE 'Asia/Kolkata'),
       min(a.seen AT TIME ZONE 'Asia/Kolkata')::text, string_agg(to_char(a.seen AT TIME ZONE 'Asia/Kolkata', 'YYYY'), ',' ORDER BY a.seen)
FROM actions a WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z'
-- >>> short_timestamps
SELECT p.id, a."shortenedAt" AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a."shortenedAt" BETWEEN '2012-01-01' AND '2014-01-01'
-- >>> precedence_of_the_function_form
SELECT timezone('America/New_York', seen)::date AS day, n + date_part('hour', timezone('America/New_York', seen))::int * 2 AS x, timezone('America/New_York', timezone('UTC', action_event_time)) - action_event_time AS d
FROM actions WHERE seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z' AND action_event_time > '2010-01-01' AND action_event_time < '2012-01-01'
-- >>> value_is_a_sum
SELECT (seen + interval '3 hours') AT TIME ZONE p.time_zone_name AS later, seen AT TIME ZONE 'Asia/Tokyo' AS t
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE p.id < 50 AND seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z'
-- >>> lateral_without_an_alias
SELECT l.*, l.timezone FROM sites s, LATERAL (SELECT s.opened AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') l
-- >>> lateral_beside_it
SELECT a.seen AT TIME ZONE 'Asia/Tokyo' AS t, g.i, l.x FROM actions a CROSS JOIN generate_series(1, 2) AS g(i), LATERAL (SELECT a.n * g.i AS x) l
-- >>> distinct_on
SELECT DISTINCT ON ((a.seen AT TIME ZONE p.time_zone_name)::date) (a.seen AT TIME ZONE p.time_zone_name)::date AS day, a.n
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z'
ORDER BY (a.seen AT TIME ZONE p.time_zone_name)::date, a.seen DESC, a.n, p.id
-- >>> rollup
SELECT p.name, (a.seen AT TIME ZONE p.time_zone_name)::date, count(*), grouping(p.name)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2010-06-01 00:00:00Z'
GROUP BY ROLLUP (p.name, (a.seen AT TIME ZONE p.time_zone_name)::date)
-- >>> interval_zone_beside_it
SELECT a.seen AT TIME ZONE s.shift AS shifted, a.seen AT TIME ZONE 'Asia/Tokyo' AS t FROM actions a JOIN shifts s ON s.id = a.action_publisher_id
-- >>> fixed_abbreviations_in_the_zone_column
SELECT p.time_zone_name, a.seen AT TIME ZONE p.time_zone_name AS local FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE p.time_zone_name IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET', 'cet', 'MSK', 'UTC+3') AND a.seen BETWEEN '1900-01-01 00:00:00+00' AND '2030-06-01 00:00:00Z'
-- >>> cte_that_has_the_name_of_a_table_but_for_case
WITH "Actions" AS (SELECT 1 AS one), Actions AS (SELECT action_event_time AT TIME ZONE 'Asia/Tokyo' AS action_event_time FROM public.actions)
SELECT action_event_time AT TIME ZONE 'UTC' AS x, action_event_time AT TIME ZONE 'Asia/Tokyo' AS y FROM ACTIONS
-- >>> grouped_by_the_primary_key
SELECT p.name, max(a.seen AT TIME ZONE p.time_zone_name) AS last FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z' GROUP BY p.id
-- >>> grouped_by_the_columns !left
SELECT a.seen AT TIME ZONE p.time_zone_name AS local, count(*) FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z' GROUP BY a.seen, p.time_zone_name
-- >>> for_update !left
SELECT a.n, a.seen AT TIME ZONE p.time_zone_name AS local FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z' FOR UPDATE
-- >>> for_update_of
SELECT a.n, a.seen AT TIME ZONE p.time_zone_name AS local FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z' FOR UPDATE OF p
-- >>> whole_row_counted
SELECT count(p.*), max(a.seen AT TIME ZONE p.time_zone_name) AS last FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z'
-- >>> system_column
SELECT p.ctid, a.seen AT TIME ZONE p.time_zone_name AS local FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN '2010-01-01 00:00:00+00' AND '2012-01-01 00:00:00Z'
-- >>> fixed_abbreviation !left
SELECT seen AT TIME ZONE 'CET' AS a, seen AT TIME ZONE 'mst' AS b FROM actions WHERE seen > '1900-01-01 00:00:00Z'
-- >>> interval_zones !left
SELECT a.seen AT TIME ZONE s.shift AS shifted, a.seen AT TIME ZONE INTERVAL '1 hour' AS hour, a.seen AT TIME ZONE 'UTC+3' AS posix
FROM actions a JOIN shifts s ON s.id = a.action_publisher_id
-- >>> now_by_a_function_that_varies !left
SELECT count(*) > 0 AS some FROM logs WHERE log_time < clock_timestamp()::timestamptz
-- >>> local_to_utc_with_zone_column
SELECT p.time_zone_name, a.loaded, a.loaded AT TIME ZONE p.time_zone_name AS instant, a.action_event_time AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC' AS utc
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
-- >>> local_to_utc_in_a_window
SELECT p.time_zone_name, a.loaded AT TIME ZONE p.time_zone_name AS instant FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.loaded >= '2010-01-01' AND a.loaded < '2029-01-01'
-- >>> local_to_utc_of_a_constant_zone
SELECT loaded AT TIME ZONE 'Pacific/Apia' AS a, loaded AT TIME ZONE 'Australia/Lord_Howe' AT TIME ZONE 'UTC' AS b, action_event_time AT TIME ZONE 'America/New_York' AS c
FROM actions WHERE action_event_time BETWEEN '2008-01-01' AND '2030-01-01' AND loaded < '2012-06-01'
-- >>> zone_to_zone
SELECT a.loaded AT TIME ZONE p.time_zone_name AT TIME ZONE p."billing.zone" AS billed, a.loaded AT TIME ZONE 'Europe/Paris' AT TIME ZONE p.time_zone_name AS shown,
       a.loaded AT TIME ZONE p.time_zone_name AT TIME ZONE 'Europe/Paris' AS paris
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
-- >>> round_trip
SELECT p.time_zone_name, date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name AS day, count(*)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id GROUP BY 1, 2
-- >>> round_trip_grouped_by_its_text
SELECT date_trunc('week', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC' AS week, count(*)
FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id AND p.id % 3 = 0
GROUP BY date_trunc('week', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
-- >>> round_trip_in_a_window
SELECT date_trunc('hour', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name AS hour, sum(n)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.seen >= '2011-01-01 00:00:00+00' AND a.seen < '2013-01-01 00:00:00+00' GROUP BY 1
-- >>> round_trip_half_grouped
SELECT date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE 'Asia/Tokyo' AS day, count(*)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id GROUP BY date_trunc('day', a.seen AT TIME ZONE p.time_zone_name)
-- >>> right_and_full_joins
SELECT p.id, q.id, a.seen AT TIME ZONE p.time_zone_name AS one, timezone(q.time_zone_name, a.seen) AS two
FROM publishers p RIGHT JOIN actions a ON a.action_publisher_id = p.id AND p.id < 300 FULL JOIN publishers q ON q.id = a.n
-- >>> nullable_zone_and_bounds !left
SELECT p.id, count(*) FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 100
WHERE p.id IS NULL OR a.seen >= TIMESTAMP '2017-03-12 02:30:00' AT TIME ZONE p.time_zone_name GROUP BY p.id
-- >>> site_in_the_on_clause_of_an_outer_join
SELECT p.id, count(a.n) FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND (a.seen AT TIME ZONE p.time_zone_name)::date = DATE '2017-03-12' GROUP BY p.id, p.name
-- >>> zone_with_a_default
SELECT (a.seen AT TIME ZONE COALESCE(p.time_zone_name, 'Europe/Paris'))::date AS day, p.name, count(*)
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 50
GROUP BY 1, p.name
-- >>> zone_that_may_be_empty
SELECT a.seen AT TIME ZONE COALESCE(NULLIF(time_zone_name, ''), 'Asia/Tokyo') AS local FROM actions a JOIN publishers ON a.action_publisher_id = id
-- >>> zone_of_another_default
SELECT a.seen AT TIME ZONE COALESCE(p.time_zone_name, q.time_zone_name) AS local
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 100 JOIN publishers q ON q.id = a.action_publisher_id
-- >>> three_timestamps_and_two_zones
SELECT a.seen AT TIME ZONE p.time_zone_name AS a, a.loaded AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS b, a.action_event_time AT TIME ZONE p.time_zone_name AS c,
       a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p."billing.zone" AS d, least(a.seen AT TIME ZONE p.time_zone_name, a.loaded)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.seen > '2015-01-01 00:00:00+00'
-- >>> half_open_bounds
SELECT p.name, count(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2017-03-12 02:30:00' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC' AND p.id > 20 AND p.name LIKE 'publisher 1%' GROUP BY p.name
-- >>> conditions_of_the_owner
SELECT count(*), max(a.seen AT TIME ZONE time_zone_name) AS last FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE time_zone_name <> 'Asia/Tokyo' AND (p.name = 'publisher 7' OR name LIKE '%9') AND NOT p.id BETWEEN 50 AND 60 AND p.id IN (17, 19, 27, 29, 39, 49, 57, 59, 67, 69, 77) AND a.n < 8
-- >>> zone_from_a_cte
WITH customers AS (SELECT id, lower(name) AS name, time_zone_name::text AS tz FROM publishers WHERE id < 400)
SELECT c.name, (a.seen AT TIME ZONE c.tz)::date AS day, count(*) FROM actions a LEFT JOIN customers c ON c.id = a.action_publisher_id GROUP BY 1, 2
-- >>> union_of_two_conversions
SELECT a.seen AT TIME ZONE p.time_zone_name FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n = 3
UNION
SELECT a.loaded AT TIME ZONE 'UTC' AT TIME ZONE p."billing.zone" FROM actions a, publishers p WHERE a.action_publisher_id = p.id AND a.n = 5
-- >>> natural_join !left
SELECT n, s.opened, x.seen AT TIME ZONE time_zone_name AS local FROM sites s NATURAL JOIN (SELECT n, seen FROM actions) x
-- >>> join_that_the_engine_may_drop !left
SELECT a.n, a.seen FROM actions a LEFT JOIN publishers q ON q.id = a.action_publisher_id AND a.seen AT TIME ZONE q.time_zone_name > '2015-01-01'
-- >>> bound_beside_an_outer_join_that_becomes_an_inner_one !left
SELECT p.id, a.n FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id
WHERE a.action_event_time < '2009-11-01' OR a.seen BETWEEN (TIMESTAMP '2009-11-01 00:00:30' AT TIME ZONE p.time_zone_name) AND (TIMESTAMP '2009-11-01 00:00:30' AT TIME ZONE p.time_zone_name)
-- >>> types_through_a_union
WITH u AS (SELECT action_event_time AS t, n FROM actions WHERE n < 5 UNION ALL SELECT loaded, n FROM actions WHERE n >= 5)
SELECT date_trunc('day', u.t AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') AS day, count(*) FROM u WHERE u.t >= '2014-01-01' AND u.t < '2019-01-01' GROUP BY 1
-- >>> types_through_a_list_of_column_names
WITH c (seen, n, zone) AS (SELECT action_event_time, n, time_zone_name FROM actions JOIN publishers ON id = action_publisher_id)
SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS local, d.t AT TIME ZONE 'Asia/Tokyo' AS tokyo FROM c JOIN (SELECT seen, 77 FROM actions WHERE n = 3 AND seen > '2030-11-01 00:00:00Z') AS d (t, k) ON k = n + 74
-- >>> types_through_a_recursive_cte
WITH RECURSIVE steps AS (SELECT min(seen) FILTER (WHERE seen > '2000-01-01 00:00:00Z') AS t, 1 AS i FROM actions UNION ALL SELECT t + INTERVAL '40 days', i + 1 FROM steps WHERE i < 100)
SELECT t AT TIME ZONE 'America/New_York' AS local FROM steps
-- >>> types_of_expressions
SELECT (n * INTERVAL '1 day' + TIMESTAMP '2020-01-01') AS no_site, (action_event_time - n * INTERVAL '1 day') AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS a,
       (CASE WHEN n > 3 THEN seen END) AT TIME ZONE p.time_zone_name AS b, CAST(seen AS timestamp) AT TIME ZONE p.time_zone_name AS c, least(seen, seen + INTERVAL '1 hour') AT TIME ZONE p.time_zone_name AS d
FROM actions JOIN publishers p ON p.id = action_publisher_id WHERE isfinite(seen)
-- >>> union_of_two_types !left
WITH u AS (SELECT action_event_time AS t FROM actions WHERE n < 5 UNION ALL SELECT seen FROM actions WHERE n >= 5)
SELECT u.t AT TIME ZONE 'Europe/Paris' AS x FROM u
-- >>> column_list_that_swaps_names !left
WITH c (seen, action_event_time) AS (SELECT action_event_time::date, to_char(seen, 'YYYY') FROM actions)
SELECT seen AT TIME ZONE 'Europe/Paris' AS x FROM c
-- >>> today_in_the_zone_of_the_row
SELECT s.name, count(*) FROM logs l JOIN publishers s ON s.id = l.level + 100
WHERE (l.log_time AT TIME ZONE 'UTC' AT TIME ZONE s.time_zone_name)::date = (now() AT TIME ZONE s.time_zone_name)::date GROUP BY s.name
-- >>> today_in_a_constant_zone
SELECT count(*) FROM logs WHERE date_trunc('day', now() AT TIME ZONE 'Pacific/Apia') - INTERVAL '0' <= '3000-01-01'
  AND date_trunc('day', CURRENT_TIMESTAMP AT TIME ZONE 'Pacific/Apia') <= date_trunc('day', log_time AT TIME ZONE 'UTC' AT TIME ZONE 'Pacific/Apia')
-- >>> yesterday_of_a_timestamptz
SELECT count(*) FROM (SELECT log_time AT TIME ZONE 'UTC' AS at, level FROM logs) l JOIN publishers p ON p.id = l.level + 100
WHERE date(l.at AT TIME ZONE p.time_zone_name) < date((now() - INTERVAL '1 day') AT TIME ZONE p."billing.zone")
-- >>> date_function
SELECT count(*) FROM actions WHERE date(seen AT TIME ZONE 'America/New_York') BETWEEN '2017-03-01' AND '2017-03-12'
-- >>> truncation_in_a_zone !left
SELECT date_trunc('day', a.seen, p.time_zone_name), date_trunc('hour', a.seen, p.time_zone_name) AS hour, date_trunc('month', a.seen, p."billing.zone") AS month, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY 1, 2, 3
-- >>> truncations_of_all_units !left
SELECT date_trunc('week', a.seen, p.time_zone_name), date_trunc('quarter', a.seen, p.time_zone_name), date_trunc('year', a.seen, p.time_zone_name) AT TIME ZONE p.time_zone_name AS year,
       date_trunc('minute', a.seen + INTERVAL '1 hour', p.time_zone_name), date_trunc('second', a.seen, p.time_zone_name) AS second
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 9
-- >>> truncation_in_a_constant_zone !left
SELECT date_trunc('day', seen, 'Europe/Paris') AS day, date_trunc('day', loaded, 'Europe/Paris') AS session, date_trunc('decade', seen, 'Europe/Paris') AS decade FROM actions
-- >>> truncation_in_a_zone_since
SELECT count(*), min(seen) FROM actions WHERE date_trunc('month', seen, 'Asia/Tokyo') >= date_trunc('month', now(), 'Asia/Tokyo') - INTERVAL '9 years'
-- >>> truncation_in_a_zone_since_a_local_time !left
SELECT count(*), min(seen) FROM actions WHERE date_trunc('day', seen, 'Asia/Tokyo') >= now()::timestamp - INTERVAL '9 years'
-- >>> truncation_in_a_zone_until_a_time !left
SELECT count(*), max(seen) FROM actions WHERE date_trunc('day', seen, 'Asia/Tokyo') <= '2016-03-01'
-- >>> window_that_ended_long_ago
SELECT a.seen AT TIME ZONE p.time_zone_name AS local, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS york
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.seen < '2011-06-01 00:00:00+00' AND a.action_event_time <= '2011-06-01'
-- >>> lower_case_with_many_places
select p.name as "Kunde", (a.seen at time zone p.time_zone_name)::date as tag, extract(isodow from a.seen at time zone p.time_zone_name) as wochentag,
       count(*) filter (where extract(hour from a.seen at time zone p.time_zone_name) between 6 and 21) as tags, max(a.seen at time zone p.time_zone_name) as zuletzt
from actions a inner join publishers p on (p.id = a.action_publisher_id)
where a.seen >= '2019-01-01 00:00:00+00' group by p.name, (a.seen at time zone p.time_zone_name)::date, extract(isodow from a.seen at time zone p.time_zone_name)
order by p.name, (a.seen at time zone p.time_zone_name)::date, 3
-- >>> window_over_a_grouped_conversion
SELECT name, day, n, sum(n) OVER (PARTITION BY name ORDER BY day) AS total FROM (
  SELECT p.name, date_trunc('month', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS day, count(*) AS n
  FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id AND p.time_zone_name LIKE 'A%'
  WHERE a.n IN (1, 2, 3) GROUP BY 1, 2) monthly
-- >>> exists_with_a_conversion
SELECT p.id, p.name FROM publishers p WHERE EXISTS (SELECT 1 FROM actions a JOIN publishers q ON q.id = a.action_publisher_id
  WHERE a.action_publisher_id = p.id AND (a.seen AT TIME ZONE q.time_zone_name)::date = DATE '2017-03-12' AND a.loaded AT TIME ZONE 'UTC' AT TIME ZONE q.time_zone_name > '2017-03-12 03:00:00')
-- >>> the_unit_of_a_row_in_a_column_with_the_name_of_a_unit
SELECT a.n, a.month, count(*) AS c
FROM (SELECT seen, n, CASE WHEN n < 3 THEN 'year' ELSE 'month' END AS month FROM actions) a
WHERE date_trunc(month, seen AT TIME ZONE 'Asia/Tokyo') = TIMESTAMP '2017-01-01' GROUP BY 1, 2
-- >>> the_part_of_a_row_in_a_column_with_the_name_of_a_part
SELECT a.n, a.year, count(*) AS c
FROM (SELECT seen, n, CASE WHEN n < 3 THEN 'isoyear' ELSE 'year' END AS year FROM actions) a
WHERE date_part(a.year, seen AT TIME ZONE 'Asia/Tokyo') = 2015 GROUP BY 1, 2
-- >>> grouped_by_a_turned_comparison !left
SELECT DATE '2016-03-13' = date(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo') AS x, count(*) AS n
FROM actions a
GROUP BY DATE '2016-03-13' = (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date
-- >>> computed_in_a_lateral
SELECT l.day, h.hour, count(*) AS c FROM actions a JOIN publishers p ON p.id = a.action_publisher_id CROSS JOIN LATERAL (SELECT a.seen AT TIME ZONE p.time_zone_name AS t) x
CROSS JOIN LATERAL (SELECT x.t::date AS day) l, LATERAL (SELECT extract(hour FROM t) AS hour) h WHERE p.id < 50 GROUP BY 1, 2
-- >>> computed_in_lateral_values
SELECT v.which, v.t::date AS day, count(*) AS c FROM publishers p, actions a, LATERAL (VALUES ('seen', seen AT TIME ZONE time_zone_name), ('logged', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')) v (which, t)
WHERE p.id = a.action_publisher_id AND p.id < 50 GROUP BY 1, 2
-- >>> computed_in_an_outer_lateral_without_an_alias
SELECT a.n, l.* FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id AND p.id % 3 = 0 LEFT JOIN LATERAL (SELECT (loaded AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date) l ON l.timezone > '2012-01-01' WHERE a.n < 9
-- >>> the_name_of_a_query_further_out !left
SELECT a.n, (SELECT y.t FROM (SELECT q.loaded AT TIME ZONE 'UTC' AS action_event_time FROM actions q WHERE q.loaded IS NOT NULL ORDER BY q.loaded LIMIT 1) x, (SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS t) y) AS t FROM actions a WHERE a.n < 9
