-- Queries over the tables of tests/events.py, one after each line that begins with `-- >>>`.
-- A name that ends in `!left` must be left as it is; all others must be changed.
-- >>> taboola_hourly duckdb:2
SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name), count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '2017-03-10 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
  AND TIMESTAMP '2017-11-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
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
GROUP BY ALL ORDER BY ALL
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
       strftime(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name, '%Y-%m') AS month,
       CASE WHEN (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::time < TIME '06:00' THEN 'night' ELSE 'day' END AS part,
       count(*) FILTER (WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date > DATE '2019-03-10') AS later,
       sum(a.n)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2019-03-01' AND a.action_event_time < TIMESTAMP '2019-04-01'
GROUP BY 1, 2, 3
HAVING max(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) > TIMESTAMP '2019-03-02'
ORDER BY 1, 2, 3
-- >>> window_function
SELECT a.n, row_number() OVER (PARTITION BY (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date ORDER BY a.n, a.action_event_time, p.id) AS r
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '2010-03-01' AND TIMESTAMP '2010-05-01' AND p.id < 200
QUALIFY r < 4
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
-- >>> zone_column_with_a_dot_in_its_name duckdb:2
SELECT count(*), max(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p."billing.zone") AS last
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '2012-01-01' AT TIME ZONE "billing.zone" AT TIME ZONE 'UTC' AND TIMESTAMP '2012-12-01' AT TIME ZONE p."billing.zone" AT TIME ZONE 'UTC'
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
SELECT p.id, (SELECT max(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tehran') FROM actions a WHERE a.action_publisher_id = p.id)
FROM publishers p
-- >>> in_subquery
SELECT count(*) FROM publishers
WHERE id IN (SELECT a.action_publisher_id FROM actions a
             WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Sao_Paulo')::date = DATE '2017-10-15')
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
SELECT seen AT TIME ZONE 'Africa/Casablanca' AS local, count(*) FROM actions WHERE seen < TIMESTAMPTZ '2021-01-01 00:00:00+00' GROUP BY 1
-- >>> constant_zone_in_where_or
SELECT count(*) FROM actions WHERE n = 5 OR action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Dublin' > '2015-06-01 12:00:00'
-- >>> constant_zone_left_join
SELECT p.id, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Antarctica/Casey' AS local
FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND a.action_event_time BETWEEN '2020-01-01' AND '2021-01-01'
-- >>> constant_zone_left_join_where
SELECT p.id, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Antarctica/Casey' AS local
FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id
WHERE a.action_event_time >= '2020-01-01' AND a.action_event_time < '2021-01-01'
-- >>> day_constant_zone
SELECT count(*), sum(n) FROM actions WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Sao_Paulo')::date = DATE '2017-10-15'
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
SELECT count(*) FROM actions WHERE (seen AT TIME ZONE 'Asia/Tehran')::date >= '2022-03-21' AND (seen AT TIME ZONE 'Asia/Tehran')::date < '2022-09-30'
-- >>> window_in_two_pieces
SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS local FROM actions
WHERE (action_event_time >= '2015-01-01' AND action_event_time < '2015-06-01' OR (action_event_time BETWEEN '2018-01-01' AND '2018-12-31' AND n < 5))
-- >>> day_in_two_pieces_and_another_zone
SELECT seen AT TIME ZONE 'Europe/Paris' AS local FROM actions
WHERE seen AT TIME ZONE 'America/St_Johns' >= '2009-10-31 12:00:00' AND seen AT TIME ZONE 'America/St_Johns' < '2009-11-01 00:00:30'
-- >>> now_interval
SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'
-- >>> now_both_sides
select level, count(*) from logs where log_time between now() - interval 30 day and current_timestamp group by level
-- >>> now_reversed
SELECT count(*) FROM logs WHERE CURRENT_TIMESTAMP - INTERVAL 2 HOUR < log_time OR transaction_timestamp() > log_time
-- >>> now_in_join
SELECT count(*) FROM logs l JOIN sites s ON s.n = l.level AND l.log_time > now() - INTERVAL '7 days'
-- >>> now_truncated
SELECT count(*) FROM logs WHERE date_trunc('day', log_time) >= date_trunc('day', now()) - INTERVAL 3 DAY
-- >>> now_in_filter_and_case
SELECT count(*) FILTER (WHERE log_time > now() - INTERVAL '1 hour') AS h, sum(CASE WHEN log_time <= get_current_timestamp() THEN 1 ELSE 0 END) FROM logs
-- >>> timestamptz_literal
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
-- >>> fixed_offset_zone !left duckdb:2
SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'UTC+3' AS local FROM actions
-- >>> two_columns_one_zone
SELECT a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS one, a.loaded AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS other
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01'
-- >>> whole_row
SELECT p, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01'
-- >>> bound_compared_for_equality !left
SELECT count(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time = TIMESTAMP '2017-03-12 02:00:00' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
-- >>> aggregate_in_the_order_of_rows !left
SELECT p.id, list(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS all_of_them
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01' GROUP BY p.id
-- >>> aggregate_in_an_order_of_its_own
SELECT p.id, list(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name ORDER BY a.action_event_time, a.n) AS all_of_them
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

-- >>> local_to_utc_in_a_window
SELECT p.time_zone_name, a.loaded AT TIME ZONE p.time_zone_name AS instant FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.loaded >= '2008-01-01' AND a.loaded < '2029-01-01'
-- >>> local_to_utc_of_a_constant_zone
SELECT loaded AT TIME ZONE 'Pacific/Apia' AS a, loaded AT TIME ZONE 'Australia/Lord_Howe' AT TIME ZONE 'UTC' AS b, action_event_time AT TIME ZONE 'America/New_York' AS c
FROM actions WHERE action_event_time BETWEEN '2008-01-01' AND '2030-01-01' AND loaded < '2012-06-01'
-- >>> zone_to_zone
SELECT a.loaded AT TIME ZONE p.time_zone_name AT TIME ZONE p."billing.zone" AS billed, a.loaded AT TIME ZONE 'Europe/Paris' AT TIME ZONE 'Asia/Tokyo' AS shown
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.loaded BETWEEN '2010-01-01' AND '2012-01-01'
-- >>> round_trip
SELECT p.time_zone_name, date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name AS day, count(*)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.seen >= TIMESTAMPTZ '2010-01-01 00:00:00+00' AND a.seen < TIMESTAMPTZ '2012-01-01 00:00:00+00' GROUP BY 1, 2
-- >>> grouped_by_the_columns !left
SELECT a.seen AT TIME ZONE p.time_zone_name AS local, count(*) FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN TIMESTAMPTZ '2010-01-01 00:00:00+00' AND TIMESTAMPTZ '2012-01-01 00:00:00+00' GROUP BY a.seen, p.time_zone_name
-- >>> types_through_a_union
WITH u AS (SELECT action_event_time AS t, n FROM actions WHERE n < 5 UNION ALL SELECT loaded, n FROM actions WHERE n >= 5)
SELECT date_trunc('day', u.t AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') AS day, count(*) FROM u WHERE u.t >= '2014-01-01' AND u.t < '2019-01-01' GROUP BY 1
-- >>> types_through_a_list_of_column_names
WITH c (seen, n, zone) AS (SELECT action_event_time, n, time_zone_name FROM actions JOIN publishers ON id = action_publisher_id)
SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS local FROM c
-- >>> column_of_unnest_beside_one_of_its_name !left
SELECT x.t AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS l FROM (SELECT * FROM unnest([TIMESTAMPTZ '2026-01-01 00:00:00+00']) t, (SELECT opened AS t FROM sites) s) x
-- >>> union_of_two_types !left
WITH u AS (SELECT action_event_time AS t FROM actions WHERE n < 5 UNION ALL SELECT seen FROM actions WHERE n >= 5)
SELECT u.t AT TIME ZONE 'Europe/Paris' AS x FROM u
-- >>> union_by_name !left
WITH u AS (SELECT action_event_time AS t, seen AS s FROM actions UNION ALL BY NAME SELECT action_event_time AS s, seen AS t FROM actions)
SELECT u.t AT TIME ZONE 'Europe/Paris' AS x FROM u
-- >>> today_in_the_zone_of_the_row
SELECT s.name, count(*) FROM logs l JOIN publishers s ON s.id = l.level + 100
WHERE (l.log_time AT TIME ZONE 'UTC' AT TIME ZONE s.time_zone_name)::date = (now() AT TIME ZONE s.time_zone_name)::date GROUP BY s.name
-- >>> today_in_a_constant_zone
SELECT count(*) FROM logs WHERE date_trunc('day', CURRENT_TIMESTAMP AT TIME ZONE 'Pacific/Apia') <= date_trunc('day', log_time AT TIME ZONE 'UTC' AT TIME ZONE 'Pacific/Apia')
-- >>> windows_that_end_long_ago_or_begin_late
SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS york FROM actions WHERE action_event_time <= '2011-06-01'
UNION ALL
SELECT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' FROM actions WHERE action_event_time >= '2029-01-01'
-- >>> columns_for_one_timestamp_and_a_window_too_long_for_the_other
SELECT a.seen AT TIME ZONE p.time_zone_name AS seen,
       a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2009-01-01' AND a.action_event_time < TIMESTAMP '2030-01-01'
-- >>> first_part_of_coalesce_whose_value_may_fail
SELECT coalesce(CAST(CAST(a.action_event_time AS VARCHAR) AS TIMESTAMP) AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name,
                TIMESTAMP '1970-01-01') AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
-- >>> the_unit_of_a_row_in_a_column_with_the_name_of_a_unit
SELECT a.n, a.month, count(*) AS c
FROM (SELECT seen, n, CASE WHEN n < 3 THEN 'year' ELSE 'month' END AS month FROM actions) a
WHERE date_trunc(month, seen AT TIME ZONE 'Asia/Tokyo') = TIMESTAMP '2017-01-01' GROUP BY 1, 2
-- >>> the_part_of_a_row_in_a_column_with_the_name_of_a_part
SELECT a.n, a.year, count(*) AS c
FROM (SELECT seen, n, CASE WHEN n < 3 THEN 'isoyear' ELSE 'year' END AS year FROM actions) a
WHERE date_part(year, seen AT TIME ZONE 'Asia/Tokyo') = 2015 GROUP BY 1, 2
-- >>> clock_of_utc_read_in_the_zone_of_a_row
SELECT a.n, a.seen AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS t FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
