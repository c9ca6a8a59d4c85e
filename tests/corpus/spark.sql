-- Queries over the tables of tests/events_spark.py, one after each line that begins with `-- >>>`.
-- A name that ends in `!left` must be left as it is; all others must be changed.
-- >>> taboola_hourly
SELECT date_trunc('hour', convert_timezone('UTC', p.time_zone_name, a.action_event_time)), count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN convert_timezone(p.time_zone_name, 'UTC', TIMESTAMP_NTZ '2017-03-10 00:00:00.0')
  AND convert_timezone(p.time_zone_name, 'UTC', TIMESTAMP_NTZ '2017-11-24 23:59:59.999')
GROUP BY 1
-- >>> taboola_bounds_in_gap
SELECT p.time_zone_name, count(*), min(a.action_event_time), max(a.action_event_time)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= convert_timezone(p.time_zone_name, 'UTC', TIMESTAMP_NTZ '2017-03-12 02:30:00')
  AND a.action_event_time < convert_timezone(p.time_zone_name, 'UTC', TIMESTAMP_NTZ '2017-11-05 01:30:00')
GROUP BY p.time_zone_name
-- >>> comma_join
SELECT (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date AS day, p.name, count(*) AS n
FROM actions a, publishers p
WHERE a.action_publisher_id = p.id
  AND a.action_event_time >= '2011-01-01' AND a.action_event_time < '2012-02-01'
GROUP BY ALL ORDER BY ALL
-- >>> owner_first
SELECT p.id, convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS local
FROM publishers p JOIN actions a ON (p.id = a.action_publisher_id)
WHERE a.action_event_time BETWEEN '2009-10-20' AND '2009-11-10'
-- >>> timestamptz_column
SELECT date_trunc('day', from_utc_timestamp(a.seen, p.time_zone_name)) AS day, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= TIMESTAMP '2020-01-01 00:00:00Z' AND a.seen < TIMESTAMP '2022-01-01 00:00:00Z'
GROUP BY 1
-- >>> timestamptz_bounds
SELECT count(*), p.name FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= to_utc_timestamp(TIMESTAMP '2020-01-01', p.time_zone_name)
  AND a.seen < to_utc_timestamp(TIMESTAMP '2020-07-01', p.time_zone_name)
GROUP BY 2
-- >>> unqualified_columns
SELECT date_trunc('month', convert_timezone('UTC', time_zone_name, action_event_time)) AS month, count(*) n
FROM actions JOIN publishers ON action_publisher_id = id
WHERE action_event_time >= TIMESTAMP_NTZ '2014-01-01' AND action_event_time < TIMESTAMP_NTZ '2015-01-01'
GROUP BY month
-- >>> quoted_names
SELECT convert_timezone('UTC', `P`.`time_zone_name`, `A`.`action_event_time`) AS `Local Time`
FROM `actions` AS `A` JOIN `publishers` AS `P` ON `A`.action_publisher_id = `P`.`id`
WHERE `A`.`action_event_time` >= TIMESTAMP_NTZ '2018-06-01' AND `A`.`action_event_time` < TIMESTAMP_NTZ '2018-12-01'
-- >>> many_places
SELECT extract(hour FROM convert_timezone('UTC', p.time_zone_name, a.action_event_time)) AS hour,
       date_format(convert_timezone('UTC', p.time_zone_name, a.action_event_time), 'yyyy-MM') AS month,
       CASE WHEN hour(convert_timezone('UTC', p.time_zone_name, a.action_event_time)) < 6 THEN 'night' ELSE 'day' END AS part,
       count(*) FILTER (WHERE (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date > DATE '2019-03-10') AS later,
       sum(a.n)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP_NTZ '2019-03-01' AND a.action_event_time < TIMESTAMP_NTZ '2019-04-01'
GROUP BY 1, 2, 3
HAVING max(convert_timezone('UTC', p.time_zone_name, a.action_event_time)) > TIMESTAMP_NTZ '2019-03-02'
ORDER BY 1, 2, 3
-- >>> window_function
SELECT * FROM (SELECT a.n, row_number() OVER (PARTITION BY (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date ORDER BY a.n, a.action_event_time, p.id) AS r
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP_NTZ '2010-03-01' AND TIMESTAMP_NTZ '2010-05-01' AND p.id < 200
) WHERE r < 4
-- >>> cte
WITH local AS (
    SELECT p.name, a.n, convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS local_time
    FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
    WHERE a.action_event_time >= TIMESTAMP_NTZ '2013-01-01' AND a.action_event_time < TIMESTAMP_NTZ '2013-12-01'
)
SELECT local_time::date, sum(n) FROM local GROUP BY 1
-- >>> owner_is_a_cte
WITH customers AS (SELECT id, time_zone_name AS zone FROM publishers WHERE id % 2 = 0)
SELECT (convert_timezone('UTC', c.zone, a.action_event_time))::date AS day, count(*)
FROM actions a JOIN customers c ON c.id = a.action_publisher_id
WHERE a.action_event_time BETWEEN TIMESTAMP_NTZ '2012-01-01' AND TIMESTAMP_NTZ '2012-12-31'
GROUP BY 1
-- >>> fact_is_a_subquery
SELECT convert_timezone('UTC', p.time_zone_name, f.t) AS local
FROM (SELECT action_event_time AS t, action_publisher_id AS pid FROM actions WHERE n > 3) f
JOIN publishers p ON f.pid = p.id
WHERE f.t >= TIMESTAMP_NTZ '2015-01-01' AND f.t < TIMESTAMP_NTZ '2016-01-01'
-- >>> window_is_an_or
SELECT p.name, a.n, convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2012-01-01' AND '2012-12-01' OR a.action_event_time BETWEEN '2014-01-01' AND '2015-12-01' AND a.n > 3
-- >>> two_zone_columns_of_one_table
SELECT convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS local,
       convert_timezone('UTC', p.`billing.zone`, a.action_event_time) AS billed
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2012-01-01' AND '2012-12-01'
-- >>> zone_column_with_a_dot_in_its_name
SELECT count(*), max(convert_timezone('UTC', p.`billing.zone`, a.action_event_time)) AS last
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN convert_timezone(`billing.zone`, 'UTC', TIMESTAMP_NTZ '2012-01-01') AND convert_timezone(p.`billing.zone`, 'UTC', TIMESTAMP_NTZ '2012-12-01')
-- >>> union_branches
SELECT (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date, 'even' AS which
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP_NTZ '2012-01-01' AND TIMESTAMP_NTZ '2012-06-01' AND p.id % 2 = 0
UNION ALL
SELECT (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date, 'odd'
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP_NTZ '2012-01-01' AND TIMESTAMP_NTZ '2012-06-01' AND p.id % 2 = 1
-- >>> same_table_twice
SELECT p.name, q.name, convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS one,
       convert_timezone('UTC', q.time_zone_name, a.action_event_time) AS other
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id JOIN publishers q ON q.id = p.id + 1
WHERE a.action_event_time BETWEEN TIMESTAMP_NTZ '2016-10-01' AND TIMESTAMP_NTZ '2016-12-01'
-- >>> using_clause
SELECT date_trunc('week', convert_timezone('UTC', s.time_zone_name, a.action_event_time)) AS week, count(*)
FROM actions a JOIN sites s USING (n)
WHERE a.action_event_time BETWEEN TIMESTAMP_NTZ '2016-10-01' AND TIMESTAMP_NTZ '2016-12-01'
GROUP BY 1
-- >>> scalar_subquery !left
SELECT p.id, (SELECT max(convert_timezone('UTC', 'Asia/Tehran', a.action_event_time)) FROM actions a WHERE a.action_publisher_id = p.id) AS last
FROM publishers p
-- >>> in_subquery
SELECT count(*) FROM publishers
WHERE id IN (SELECT a.action_publisher_id FROM actions a
             WHERE (convert_timezone('UTC', 'America/Sao_Paulo', a.action_event_time))::date = DATE '2017-10-15')
-- >>> local_day_with_zone_column
SELECT p.name, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date = DATE '2011-12-29'
GROUP BY 1
-- >>> local_month_with_zone_column
SELECT count(*), min(a.n)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE date_trunc('month', convert_timezone('UTC', p.time_zone_name, a.action_event_time)) = TIMESTAMP_NTZ '2014-03-01'
-- >>> local_range_beside_utc_or
SELECT count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.n = 1 OR a.n = 2) AND (convert_timezone('UTC', p.time_zone_name, a.action_event_time)) >= '2014-03-01'
  AND (convert_timezone('UTC', p.time_zone_name, a.action_event_time)) < '2014-04-01' -- the month
-- >>> star_in_fact_side
SELECT a.*, (convert_timezone('UTC', p.time_zone_name, a.action_event_time)) AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01'
-- >>> star_keeps_only_padding
SELECT * FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date = '2018-03-25'
-- >>> constant_zone_bounded
SELECT date_trunc('day', convert_timezone('UTC', 'America/New_York', action_event_time)), count(*)
FROM actions WHERE action_event_time >= TIMESTAMP_NTZ '2016-01-01' AND action_event_time < TIMESTAMP_NTZ '2018-01-01'
GROUP BY date_trunc('day', convert_timezone('UTC', 'America/New_York', action_event_time))
-- >>> constant_zone_open !left
SELECT (convert_timezone('UTC', 'Australia/Lord_Howe', action_event_time))::date, count(*) FROM actions GROUP BY 1
-- >>> constant_zone_half_open
SELECT date_trunc('hour', convert_timezone('UTC', 'Australia/Adelaide', action_event_time)) AS hour, count(*)
FROM actions WHERE action_event_time >= TIMESTAMP_NTZ '2024-01-01' GROUP BY hour
-- >>> constant_zone_without_transitions
SELECT convert_timezone('UTC', 'Asia/Kathmandu', action_event_time) FROM actions WHERE action_event_time BETWEEN '2010-01-01' AND '2011-01-01'
-- >>> constant_zone_timestamptz !left
SELECT from_utc_timestamp(seen, 'Africa/Casablanca') AS local, count(*) FROM actions WHERE seen < TIMESTAMP '2021-01-01 00:00:00Z' GROUP BY 1
-- >>> constant_zone_in_where_or
SELECT count(*) FROM actions WHERE n = 5 OR convert_timezone('UTC', 'Europe/Dublin', action_event_time) > '2015-06-01 12:00:00'
-- >>> constant_zone_left_join !left
SELECT p.id, convert_timezone('UTC', 'Antarctica/Casey', a.action_event_time) AS local
FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND a.action_event_time BETWEEN '2020-01-01' AND '2021-01-01'
-- >>> constant_zone_left_join_where
SELECT p.id, convert_timezone('UTC', 'Antarctica/Casey', a.action_event_time) AS local
FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id
WHERE a.action_event_time >= '2020-01-01' AND a.action_event_time < '2021-01-01'
-- >>> day_constant_zone
SELECT count(*), sum(n) FROM actions WHERE (convert_timezone('UTC', 'America/Sao_Paulo', action_event_time))::date = DATE '2017-10-15'
-- >>> day_in_two_pieces
SELECT * FROM actions WHERE CAST(convert_timezone('UTC', 'America/St_Johns', action_event_time) AS DATE) = '2009-11-01'
-- >>> skipped_day
SELECT n, action_event_time FROM actions
WHERE (convert_timezone('UTC', 'Pacific/Apia', action_event_time))::date BETWEEN DATE '2011-12-29' AND DATE '2011-12-31'
-- >>> local_bounds_in_fold
SELECT count(*) FROM actions WHERE convert_timezone('UTC', 'America/New_York', action_event_time) BETWEEN '2017-11-05 01:15:00' AND '2017-11-05 01:45:00'
-- >>> local_bounds_in_gap
SELECT count(*) FROM actions WHERE convert_timezone('UTC', 'America/New_York', action_event_time) > TIMESTAMP_NTZ '2017-03-12 02:30:00' AND n < 9
-- >>> local_reversed_operands
SELECT count(*) FROM actions WHERE TIMESTAMP_NTZ '2017-03-12 03:00:00' <= convert_timezone('UTC', 'America/New_York', action_event_time) AND DATE '2018-01-01' > (convert_timezone('UTC', 'America/New_York', action_event_time))::date
-- >>> local_quarter
SELECT count(*) FROM actions WHERE date_trunc('quarter', convert_timezone('UTC', 'Asia/Gaza', action_event_time)) = TIMESTAMP_NTZ '2010-01-01 00:00:00' OR date_trunc('week', convert_timezone('UTC', 'Asia/Gaza', action_event_time)) > '2029-01-03'
-- >>> local_in_case
SELECT CASE WHEN (convert_timezone('UTC', 'Europe/London', action_event_time))::date < DATE '2016-01-01' THEN 'old' ELSE 'new' END AS age, count(*) FROM actions GROUP BY 1
-- >>> local_negated
SELECT count(*) FROM actions WHERE NOT (convert_timezone('UTC', 'Europe/London', action_event_time))::date <= DATE '2016-03-27' AND NOT (from_utc_timestamp(seen, 'Europe/London') BETWEEN '2017-01-01' AND '2018-01-01')
-- >>> local_timestamptz_day
SELECT count(*) FROM actions WHERE (from_utc_timestamp(seen, 'Asia/Tehran'))::date >= '2022-03-21' AND (from_utc_timestamp(seen, 'Asia/Tehran'))::date < '2022-09-30'
-- >>> window_in_two_pieces
SELECT convert_timezone('UTC', 'Europe/Paris', action_event_time) AS local FROM actions
WHERE (action_event_time >= '2015-01-01' AND action_event_time < '2015-06-01' OR (action_event_time BETWEEN '2018-01-01' AND '2018-12-31' AND n < 5))
-- >>> day_in_two_pieces_and_another_zone
SELECT from_utc_timestamp(seen, 'Europe/Paris') AS local FROM actions
WHERE from_utc_timestamp(seen, 'America/St_Johns') >= '2009-10-31 12:00:00' AND from_utc_timestamp(seen, 'America/St_Johns') < '2009-11-01 00:00:30'
-- >>> now_interval !left
SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'
-- >>> now_both_sides !left
select level, count(*) from logs where log_time between now() - interval 30 day and current_timestamp group by level
-- >>> now_reversed !left
SELECT count(*) FROM logs WHERE CURRENT_TIMESTAMP - INTERVAL 2 HOUR < log_time OR current_timestamp() > log_time
-- >>> now_in_join !left
SELECT count(*) FROM logs l JOIN sites s ON s.n = l.level AND l.log_time > now() - INTERVAL '7 days'
-- >>> now_truncated
SELECT count(*) FROM logs WHERE date_trunc('day', log_time) >= date_trunc('day', now()) - INTERVAL 3 DAY
-- >>> now_in_filter_and_case !left
SELECT count(*) FILTER (WHERE log_time > now() - INTERVAL '1 hour') AS h, sum(CASE WHEN log_time <= current_timestamp() THEN 1 ELSE 0 END) AS s FROM logs
-- >>> timestamptz_literal !left
SELECT count(*) FROM logs WHERE log_time < TIMESTAMP '2026-01-01 00:00:00Z'
-- >>> comments_and_strings
SELECT /* convert_timezone('UTC', 'Asia/Tokyo', ts) */ 'convert_timezone(\'UTC\'' AS s, -- convert_timezone(
       convert_timezone /* odd */ (
         'UTC' -- here
         , "Asia/Tokyo",action_event_time ) AS local
FROM actions -- JOIN publishers p
WHERE action_event_time BETWEEN /* from */ '2010-01-01' AND /* to */ '2012-01-01'
-- >>> left_join_owner
SELECT a.n, convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS local
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= '2018-01-01' AND a.action_event_time < '2019-01-01'
-- >>> limit_without_order !left
SELECT convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01' AND p.id = 30 LIMIT 1
-- >>> open_window
SELECT (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time > '2020-01-01' GROUP BY 1
-- >>> local_to_utc
SELECT convert_timezone('America/New_York', 'UTC', action_event_time) AS instant FROM actions
WHERE action_event_time >= '2016-01-01' AND action_event_time < '2019-01-01'
-- >>> local_to_utc_at_any_time !left
SELECT convert_timezone('America/New_York', 'UTC', action_event_time) AS instant FROM actions
-- >>> constants_only !left
SELECT convert_timezone('UTC', 'Asia/Tokyo', TIMESTAMP_NTZ '2020-01-01') AS t, from_utc_timestamp(now(), 'Asia/Tokyo') > '2020-01-01' AS later
-- >>> zone_in_the_same_table
SELECT convert_timezone('UTC', s.time_zone_name, s.opened) AS local FROM sites s WHERE s.opened BETWEEN '2000-01-01' AND '2030-01-01'
-- >>> zone_expression
SELECT convert_timezone('UTC', coalesce(p.time_zone_name, 'UTC'), a.action_event_time) AS local
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01'
-- >>> fixed_offset_zone !left
SELECT convert_timezone('UTC', 'UTC+3', action_event_time) AS local FROM actions
-- >>> two_columns_one_zone
SELECT convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS one, convert_timezone('UTC', p.time_zone_name, a.loaded) AS other
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2019-01-01'
-- >>> bound_compared_for_equality !left
SELECT count(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE p.id < 100 AND a.action_event_time = convert_timezone(p.time_zone_name, 'UTC', TIMESTAMP_NTZ '2017-03-12 02:00:00')
-- >>> aggregate_in_the_order_of_rows !left
SELECT p.id, collect_list(convert_timezone('UTC', p.time_zone_name, a.action_event_time)) AS all_of_them
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01' GROUP BY p.id
-- >>> aggregate_in_an_order_of_its_own
SELECT p.id, sort_array(collect_set(convert_timezone('UTC', p.time_zone_name, a.action_event_time))) AS all_of_them
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01' GROUP BY p.id
-- >>> date_compared_with_a_text_that_has_a_time
SELECT count(*) FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE (convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date >= TIMESTAMP_NTZ '2018-03-08 10:00:00'
-- >>> date_in_parentheses_compared_with_a_text_that_has_a_time
SELECT count(*) FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE ((convert_timezone('UTC', p.time_zone_name, a.action_event_time))::date) >= '2018-03-08 10:00:00'
-- >>> after_aggregation !left
SELECT p.id, convert_timezone('UTC', p.time_zone_name, max(a.action_event_time)) AS last
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2018-01-01' AND '2018-02-01' GROUP BY p.id, p.time_zone_name

-- >>> local_to_utc_in_a_window
SELECT p.time_zone_name, convert_timezone(p.time_zone_name, 'UTC', a.loaded) AS instant FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.loaded >= '2008-01-01' AND a.loaded < '2029-01-01'
-- >>> local_to_utc_of_a_constant_zone
SELECT convert_timezone('Pacific/Apia', 'UTC', loaded) AS a, convert_timezone('Australia/Lord_Howe', 'UTC', loaded) AS b, convert_timezone('America/New_York', 'UTC', action_event_time) AS c
FROM actions WHERE action_event_time BETWEEN '2009-06-01' AND '2012-06-01' AND loaded BETWEEN '2009-06-01' AND '2012-06-01'
-- >>> zone_to_zone
SELECT convert_timezone(p.time_zone_name, p.`billing.zone`, a.loaded) AS billed, convert_timezone('Europe/Paris', 'Asia/Tokyo', a.loaded) AS shown
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.loaded BETWEEN '2010-01-01' AND '2012-01-01'
-- >>> round_trip
SELECT p.time_zone_name, to_utc_timestamp(date_trunc('day', from_utc_timestamp(a.seen, p.time_zone_name)), p.time_zone_name) AS day, count(*)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.seen >= TIMESTAMP '2010-01-01 00:00:00Z' AND a.seen < TIMESTAMP '2012-01-01 00:00:00Z' GROUP BY 1, 2
-- >>> grouped_by_the_columns !left
SELECT from_utc_timestamp(a.seen, p.time_zone_name) AS local, count(*) FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.seen BETWEEN TIMESTAMP '2010-01-01 00:00:00Z' AND TIMESTAMP '2012-01-01 00:00:00Z' GROUP BY a.seen, p.time_zone_name
-- >>> types_through_a_union
WITH u AS (SELECT action_event_time AS t, n FROM actions WHERE n < 5 UNION ALL SELECT loaded, n FROM actions WHERE n >= 5)
SELECT date_trunc('day', convert_timezone('UTC', 'Europe/Paris', u.t)) AS day, count(*) FROM u WHERE u.t >= '2014-01-01' AND u.t < '2019-01-01' GROUP BY 1
-- >>> types_through_a_list_of_column_names
WITH c (seen, n, zone) AS (SELECT action_event_time, n, time_zone_name FROM actions JOIN publishers ON id = action_publisher_id)
SELECT convert_timezone('UTC', zone, seen) AS local FROM c
-- >>> union_of_two_types !left
WITH u AS (SELECT action_event_time AS t FROM actions WHERE n < 5 UNION ALL SELECT seen FROM actions WHERE n >= 5)
SELECT from_utc_timestamp(u.t, 'Europe/Paris') AS x FROM u
-- >>> today_in_the_zone_of_the_row
SELECT s.name, count(*) FROM logs l JOIN publishers s ON s.id = l.level + 100
WHERE (convert_timezone('UTC', s.time_zone_name, l.log_time))::date = (from_utc_timestamp(now(), s.time_zone_name))::date GROUP BY s.name
-- >>> today_in_a_constant_zone
SELECT count(*) FROM logs WHERE date_trunc('day', from_utc_timestamp(CURRENT_TIMESTAMP, 'Pacific/Apia')) <= date_trunc('day', convert_timezone('UTC', 'Pacific/Apia', log_time))
-- >>> windows_that_end_long_ago_or_begin_late
SELECT convert_timezone('UTC', 'America/New_York', action_event_time) AS york FROM actions WHERE action_event_time <= '2011-06-01'
UNION ALL
SELECT convert_timezone('UTC', 'America/New_York', action_event_time) FROM actions WHERE action_event_time >= '2029-01-01'
-- >>> column_names
SELECT from_utc_timestamp(a.seen, 'Asia/Tokyo'), Date_Trunc('Hour', from_utc_timestamp(seen, "Asia/Tokyo")), convert_timezone('Asia/Tokyo', action_event_time),
  Max(to_utc_timestamp(seen, 'Asia/Kolkata')), hour(from_utc_timestamp(seen, 'Asia/Kolkata')), (convert_timezone('UTC', 'Asia/Tokyo', a.action_event_time))::date,
  CAST(from_utc_timestamp(SEEN, 'Asia/Tokyo') AS DATE), to_date(from_utc_timestamp(a.seen, 'Asia/Tokyo')), date(from_utc_timestamp(seen, 'Asia/Tokyo'))
FROM actions a WHERE a.seen >= '2018-01-01' AND a.action_event_time >= '2018-01-01' GROUP BY ALL
-- >>> mixed_kinds
SELECT a.n, from_utc_timestamp(a.action_event_time, p.time_zone_name) AS one, convert_timezone('UTC', p.time_zone_name, a.seen) AS other,
  convert_timezone(p.time_zone_name, a.seen) AS third, from_utc_timestamp(a.loaded, 'America/New_York') AS fourth, convert_timezone('Asia/Tokyo', 'America/New_York', a.seen) AS fifth
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2015-01-01' AND '2018-01-01' AND a.seen < TIMESTAMP '2017-12-01 00:00:00Z'
-- >>> fixed_names !left
SELECT from_utc_timestamp(seen, 'EST') AS est, from_utc_timestamp(seen, 'PST') AS pst, from_utc_timestamp(seen, '+05:45') AS plain FROM actions
-- >>> text_and_date_values !left
SELECT from_utc_timestamp(CAST(seen AS STRING), 'Asia/Tokyo') AS t, from_utc_timestamp(CAST(seen AS DATE), 'Asia/Tokyo') AS d FROM actions
-- >>> folds_of_constant_zones
SELECT to_utc_timestamp(seen, 'America/New_York') AS ny, to_utc_timestamp(seen, 'Australia/Lord_Howe') AS lh, convert_timezone('Pacific/Apia', 'UTC', action_event_time) AS apia,
  convert_timezone('Africa/Casablanca', 'America/St_Johns', action_event_time) AS further FROM actions WHERE seen BETWEEN '2009-06-01' AND '2012-06-01' AND action_event_time BETWEEN '2009-06-01' AND '2012-06-01'
-- >>> ntz_and_timestamp !left
SELECT count(*) FROM logs WHERE log_time > TIMESTAMP '2026-01-01 00:00:00+00:00' AND log_time <= now() - INTERVAL '5:30' HOUR TO MINUTE
-- >>> zoned_bounds
SELECT from_utc_timestamp(a.seen, p.time_zone_name) AS local FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id WHERE a.seen > '2016-01-01T00:00:00Z' AND a.seen <= TIMESTAMP_LTZ '2018-01-01 00:00:00Z'
-- >>> two_arguments_today
SELECT count(*) FROM logs l JOIN publishers s ON s.id = l.level + 100 WHERE CAST(convert_timezone(s.time_zone_name, l.log_time) AS DATE) = to_date(from_utc_timestamp(current_timestamp(), s.time_zone_name))
-- >>> insert_select !left
INSERT INTO sink SELECT CAST(from_utc_timestamp(seen, 'Asia/Tokyo') AS DATE) AS day, count(*) AS n FROM actions GROUP BY 1
-- >>> now_beside_an_expression
SELECT count(*) FROM logs WHERE log_time + INTERVAL '1' HOUR >= now() - INTERVAL 1 DAY AND date_trunc('hour', log_time) <= TIMESTAMP '2031-01-01 00:00:00Z'
-- >>> grouped_by_more_than_its_hour
SELECT date_trunc('hour', convert_timezone('UTC', p.time_zone_name, a.action_event_time)) AS hour, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP_NTZ '2018-03-01' AND a.action_event_time < TIMESTAMP_NTZ '2018-12-01'
GROUP BY convert_timezone('UTC', p.time_zone_name, a.action_event_time)
-- >>> timestamptz_truncated
SELECT date_trunc('DAY', convert_timezone('UTC', p.time_zone_name, a.seen)) AS day, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= TIMESTAMP '2018-03-01 00:00:00Z' AND a.seen < TIMESTAMP '2018-12-01 00:00:00Z'
GROUP BY 1
-- >>> zone_of_an_outer_join_in_a_year
SELECT p.name, date_trunc('week', convert_timezone('UTC', COALESCE(p.time_zone_name, 'UTC'), a.action_event_time)) AS week, count(*)
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id % 3 = 0
WHERE a.action_event_time >= TIMESTAMP_NTZ '2018-01-01' AND a.action_event_time < TIMESTAMP_NTZ '2019-01-01'
GROUP BY 1, 2
-- >>> bounds_alone_in_a_year
SELECT count(*), max(a.seen) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen BETWEEN to_utc_timestamp(TIMESTAMP '2019-01-01', p.`billing.zone`) AND to_utc_timestamp(TIMESTAMP '2019-12-01', p.`billing.zone`)
-- >>> constant_zone_truncated !left
SELECT date_trunc('month', convert_timezone('UTC', 'Australia/Lord_Howe', a.action_event_time)) AS month, count(*) AS n
FROM actions a
GROUP BY 1
-- >>> computed_in_a_lateral
SELECT x.t, count(*) AS c FROM actions a JOIN publishers p ON a.action_publisher_id = p.id, LATERAL (SELECT date_trunc('DAY', convert_timezone('UTC', p.time_zone_name, a.action_event_time)) AS t) x
WHERE a.action_event_time >= TIMESTAMP_NTZ '2014-01-01' AND a.action_event_time < TIMESTAMP_NTZ '2015-01-01' GROUP BY 1
-- >>> a_filter_by_the_zone_alone
SELECT s.n, from_utc_timestamp(a.seen, s.time_zone_name) AS local FROM actions a JOIN sites s ON s.n = a.n
WHERE a.seen > TIMESTAMP '2015-01-01 00:00:00Z' AND hour(from_utc_timestamp(TIMESTAMP '2024-05-01 12:00:00', s.time_zone_name)) NOT BETWEEN 2 AND 12
