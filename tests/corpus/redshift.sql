-- Queries for Redshift over the tables of tests/events_postgres.py, one after each `-- >>>`.
-- A name that ends in `!left` must be left as it is; all others must be changed.
-- >>> two_arguments_from_utc
SELECT TRUNC(CONVERT_TIMEZONE('America/New_York', action_event_time)) AS day, COUNT(*) AS n
FROM actions WHERE action_event_time >= '2016-01-01' AND action_event_time < '2018-01-01' GROUP BY 1 ORDER BY 1;
-- >>> three_arguments
SELECT DATE_TRUNC('hour', CONVERT_TIMEZONE('UTC', 'Asia/Kolkata', action_event_time)) AS hour, COUNT(DISTINCT action_publisher_id)
FROM actions WHERE action_event_time BETWEEN '2015-01-01' AND '2016-12-31 23:59:59' GROUP BY 1
-- >>> lower_case_and_gmt
select convert_timezone('gmt','Europe/Paris',action_event_time)::date as d, sum(n) from actions where action_event_time>='2019-01-01' and action_event_time<'2020-01-01' group by d
-- >>> zone_with_half_hours
SELECT CONVERT_TIMEZONE('UTC', 'Australia/Lord_Howe', loaded) AS local_time FROM actions WHERE loaded >= TIMESTAMP '2012-01-01' AND loaded < TIMESTAMP '2013-06-01'
-- >>> link_of_a_zone
SELECT DATE(CONVERT_TIMEZONE('UTC', 'US/Pacific', actions.action_event_time)) AS "actions.created_date", COUNT(*) AS "actions.count"
FROM actions AS actions
WHERE ((( actions.action_event_time ) >= ((TIMESTAMP '2017-01-01')) AND ( actions.action_event_time ) < ((TIMESTAMP '2017-06-01'))))
GROUP BY 1 ORDER BY 1 DESC LIMIT 500
-- >>> week_of_a_looker_dimension
SELECT TO_CHAR(DATE_TRUNC('week', CONVERT_TIMEZONE('UTC', 'America/Los_Angeles', actions.action_event_time )), 'YYYY-MM-DD') AS "week", COUNT(*)
FROM actions WHERE actions.action_event_time >= '2018-01-01' AND actions.action_event_time < '2018-12-01' GROUP BY DATE_TRUNC('week', CONVERT_TIMEZONE('UTC', 'America/Los_Angeles', actions.action_event_time ))
-- >>> bounds_of_a_looker_filter
SELECT DATE(CONVERT_TIMEZONE('UTC', 'America/Los_Angeles', actions.action_event_time)) AS "actions.created_date", COALESCE(SUM(actions.n), 0) AS "actions.n"
FROM actions
WHERE (((actions.action_event_time) >= ((CONVERT_TIMEZONE('America/Los_Angeles', 'UTC', TIMESTAMP '2017-03-01')))
  AND (actions.action_event_time) < ((CONVERT_TIMEZONE('America/Los_Angeles', 'UTC', TIMESTAMP '2017-04-01')))))
GROUP BY 1
-- >>> day_equals
SELECT COUNT(*), MIN(n) FROM actions WHERE CONVERT_TIMEZONE('UTC', 'America/New_York', action_event_time)::date = '2017-03-12'
-- >>> trunc_equals
SELECT n FROM actions WHERE TRUNC(CONVERT_TIMEZONE('America/St_Johns', action_event_time)) = '2009-11-01'
-- >>> day_that_was_skipped
SELECT COUNT(*) + 1 FROM actions WHERE TRUNC(CONVERT_TIMEZONE('Pacific/Apia', action_event_time)) BETWEEN '2011-12-29' AND DATE '2011-12-31'
-- >>> month_equals
SELECT COUNT(*) FROM actions WHERE DATE_TRUNC('month', CONVERT_TIMEZONE('America/Sao_Paulo', action_event_time)) = TIMESTAMP '2017-10-01'
-- >>> local_times_between
SELECT COUNT(*) AS c FROM actions WHERE CONVERT_TIMEZONE('UTC', 'Europe/London', action_event_time) BETWEEN '2017-10-29 00:30:00' AND '2017-10-29 02:30:00'
-- >>> or_of_two_days
SELECT COUNT(*) FROM actions WHERE TRUNC(CONVERT_TIMEZONE('Asia/Tokyo', action_event_time)) = '2016-02-29' OR CAST(CONVERT_TIMEZONE('Asia/Tokyo', action_event_time) AS DATE) = '2020-02-29'
-- >>> not_a_day
SELECT COUNT(*) FROM actions WHERE NOT (TRUNC(CONVERT_TIMEZONE('America/Asuncion', action_event_time)) = '2017-10-15') AND action_event_time BETWEEN '2017-10-01' AND '2017-11-01'
-- >>> today_by_getdate
SELECT COUNT(*) FROM logs WHERE TRUNC(CONVERT_TIMEZONE('America/New_York', log_time)) = TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE()))
-- >>> today_by_current_date
SELECT level, COUNT(*) FROM logs WHERE CONVERT_TIMEZONE('UTC', 'America/New_York', log_time)::date = CURRENT_DATE GROUP BY level
-- >>> yesterday_by_sysdate
SELECT COUNT(*) AS yesterday FROM logs WHERE CONVERT_TIMEZONE('Asia/Kolkata', log_time)::DATE = CONVERT_TIMEZONE('Asia/Kolkata', SYSDATE)::DATE - 1
-- >>> last_seven_local_days
SELECT DATE_TRUNC('day', CONVERT_TIMEZONE('UTC', 'Europe/Berlin', log_time)) AS day, COUNT(*) FROM logs
WHERE CONVERT_TIMEZONE('UTC', 'Europe/Berlin', log_time) >= DATEADD(day, -7, DATE_TRUNC('day', CONVERT_TIMEZONE('UTC', 'Europe/Berlin', GETDATE()))) GROUP BY 1
-- >>> month_to_date
SELECT COUNT(*) FROM logs WHERE CONVERT_TIMEZONE('Pacific/Auckland', log_time) >= DATE_TRUNC('month', CONVERT_TIMEZONE('Pacific/Auckland', SYSDATE)) AND level <> 3
-- >>> last_month_with_dateadd
SELECT COUNT(*) + 1 FROM logs WHERE DATE_TRUNC('month', CONVERT_TIMEZONE('America/Chicago', log_time)) = DATEADD(month, -1, DATE_TRUNC('month', CONVERT_TIMEZONE('America/Chicago', GETDATE())))
-- >>> dateadd_of_current_date
SELECT level FROM logs WHERE TRUNC(CONVERT_TIMEZONE('UTC', 'America/Denver', log_time)) BETWEEN DATEADD(day, -3, CURRENT_DATE) AND CURRENT_DATE
-- >>> interval_before_sysdate
SELECT COUNT(*) FROM logs WHERE CONVERT_TIMEZONE('America/Bogota', log_time) > CONVERT_TIMEZONE('America/Bogota', SYSDATE) - INTERVAL '36 hours'
-- >>> today_in_the_zone_of_the_row
SELECT p.name, COUNT(*) FROM logs l JOIN publishers p ON p.id = l.level + 100
WHERE CONVERT_TIMEZONE('UTC', p.time_zone_name, l.log_time)::date = CONVERT_TIMEZONE('UTC', p.time_zone_name, GETDATE())::date GROUP BY p.name
-- >>> last_days_in_the_zone_of_the_row
SELECT p.name, TRUNC(CONVERT_TIMEZONE(p.time_zone_name, l.log_time)) AS day, COUNT(*) FROM logs l INNER JOIN publishers p ON p.id = l.level + 200
WHERE TRUNC(CONVERT_TIMEZONE(p.time_zone_name, l.log_time)) >= TRUNC(DATEADD(day, -2, CONVERT_TIMEZONE(p.time_zone_name, SYSDATE))) GROUP BY 1, 2
-- >>> thirty_days_by_dateadd
SELECT p.name, CONVERT_TIMEZONE('UTC', p.time_zone_name, l.log_time) AS local FROM logs l, publishers p
WHERE p.id = l.level + 300 AND l.log_time >= DATEADD(day, -30, GETDATE()) AND l.log_time < GETDATE()
-- >>> zone_of_a_row_open
SELECT p.name, DATE_TRUNC('month', CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS month, COUNT(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY 1, 2
-- >>> zone_of_a_row_in_a_window
SELECT p.time_zone_name, TRUNC(CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS day, SUM(a.n)
FROM actions AS a, publishers AS p
WHERE a.action_publisher_id = p.id AND a.action_event_time >= '2011-01-01' AND a.action_event_time < '2012-02-01' GROUP BY 1, 2 ORDER BY 1, 2
-- >>> two_joins_after_one_comma
SELECT s.n, CONVERT_TIMEZONE('UTC', s.time_zone_name, a.loaded) AS local, CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', COALESCE(a.action_event_time, s.opened)) AS tokyo
FROM actions a, sites s WHERE s.n = a.n AND a.action_publisher_id < 40
-- >>> zone_of_a_row_left_join
SELECT p.id, CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time) AS local
FROM actions a LEFT OUTER JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 50 WHERE a.action_event_time > '2016-06-01'
-- >>> zone_by_nvl
SELECT CONVERT_TIMEZONE('UTC', NVL(p.time_zone_name, 'America/New_York'), a.action_event_time) AS local, p.name
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 100
-- >>> zone_by_coalesce_and_case
SELECT TRUNC(CONVERT_TIMEZONE(COALESCE(p.time_zone_name, p."billing.zone"), a.loaded)) AS d1, CONVERT_TIMEZONE(CASE WHEN p.name IS NULL THEN 'Europe/Paris' ELSE p."billing.zone" END, a.loaded) AS d2
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n IN (1, 2)
-- >>> two_values_and_two_zones
SELECT CONVERT_TIMEZONE(p.time_zone_name, a.action_event_time) AS a, CONVERT_TIMEZONE(p.time_zone_name, a.loaded) AS b, CONVERT_TIMEZONE(p."billing.zone", a.loaded) AS c
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n < 4
-- >>> zone_of_a_row_to_utc
SELECT p.time_zone_name, a.loaded, CONVERT_TIMEZONE(p.time_zone_name, 'UTC', a.loaded) AS utc FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
-- >>> zone_of_a_row_to_utc_in_a_window
SELECT CONVERT_TIMEZONE(p."billing.zone", 'GMT', a.loaded) AS utc FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.loaded BETWEEN '2009-01-01' AND '2012-12-31'
-- >>> zone_of_a_row_to_zone_of_a_row
SELECT CONVERT_TIMEZONE(p.time_zone_name, p."billing.zone", a.loaded) AS there FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.loaded >= '2015-01-01' AND a.loaded < '2016-01-01'
-- >>> constant_zone_to_utc_without_changes
SELECT CONVERT_TIMEZONE('America/New_York', 'UTC', loaded) AS utc FROM actions WHERE loaded >= '2017-05-01' AND loaded < '2017-10-01'
-- >>> constant_zone_to_utc_with_changes
SELECT CONVERT_TIMEZONE('America/New_York', 'UTC', loaded) AS utc FROM actions WHERE loaded >= '2017-01-01' AND loaded < '2017-10-01'
-- >>> constant_zone_to_constant_zone
SELECT CONVERT_TIMEZONE('Asia/Tokyo', 'America/New_York', loaded) AS there, n FROM actions WHERE loaded >= '2015-01-01' AND loaded < '2017-01-01'
-- >>> constant_zone_open
SELECT CONVERT_TIMEZONE('UTC', 'Europe/Madrid', action_event_time)::date, COUNT(*) FROM actions GROUP BY 1
-- >>> of_a_timestamptz
SELECT DATE_TRUNC('day', CONVERT_TIMEZONE('UTC', 'America/New_York', seen)) AS day, COUNT(*) FROM actions
WHERE seen >= '2016-01-01 00:00:00+00' AND seen < TIMESTAMPTZ '2018-01-01 00:00:00+00' GROUP BY 1
-- >>> of_a_timestamptz_in_the_zone_of_the_row
SELECT CONVERT_TIMEZONE(p.time_zone_name, a.seen) AS local FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
-- >>> at_time_zone_chain
SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Halifax')::date AS d, COUNT(*) FROM actions WHERE action_event_time >= '2016-01-01' AND action_event_time < '2017-01-01' GROUP BY 1
-- >>> at_time_zone_of_a_timestamptz
SELECT p.name, (a.seen AT TIME ZONE p.time_zone_name)::date AS d, COUNT(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= '2015-01-01 00:00:00+00' AND a.seen < '2016-01-01 00:00:00+00' GROUP BY 1, 2
-- >>> timezone_function
SELECT TIMEZONE('Asia/Singapore', seen) AS local, timezone('Asia/Kathmandu', timezone('UTC', loaded)) AS l2 FROM actions WHERE seen BETWEEN '1990-01-01 00:00:00+00' AND '2017-01-01 00:00:00+00' AND loaded BETWEEN '1990-01-01' AND '2017-01-01'
-- >>> bounds_in_the_zone_of_the_row
SELECT p.time_zone_name, COUNT(*), MIN(a.action_event_time) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-03-12 02:30:00') AND a.action_event_time < CONVERT_TIMEZONE(p.time_zone_name, 'UTC', TIMESTAMP '2017-11-05 01:30:00') GROUP BY 1
-- >>> between_bounds_in_the_zone_of_the_row
SELECT DATE_TRUNC('hour', CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS hour, COUNT(action_name)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-03-10 00:00:00') AND CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-11-24 23:59:59') GROUP BY 1
-- >>> local_day_in_the_zone_of_the_row
SELECT p.name, COUNT(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)::date = '2011-12-29' GROUP BY 1
-- >>> now_as_timestamptz
SELECT COUNT(*) FROM logs WHERE log_time >= CURRENT_TIMESTAMP - INTERVAL '1 day'
-- >>> now_in_other_spellings
SELECT level, COUNT(*) FROM logs WHERE log_time BETWEEN NOW() - INTERVAL '3 days' AND CURRENT_TIMESTAMP AND log_time > SYSDATE - INTERVAL '2 days' GROUP BY 1
-- >>> getdate_with_a_zone
SELECT COUNT(*) FROM logs WHERE log_time > GETDATE() AT TIME ZONE 'UTC' - INTERVAL '12 hours' AND log_time < GETDATE()
-- >>> only_current_times !left
SELECT COUNT(*) + 1 AS n, CONVERT_TIMEZONE('EST', log_time) < GETDATE() AS e FROM logs WHERE log_time >= DATEADD(day, -1, SYSDATE) AND log_time < GETDATE() + INTERVAL '2 days' AND log_time > GETDATE() - 30 GROUP BY 2
-- >>> dateadd_of_a_converted_time
SELECT DATEADD(hour, -4, CONVERT_TIMEZONE('UTC', 'America/New_York', action_event_time))::date AS business_day, COUNT(*) FROM actions WHERE action_event_time BETWEEN '2016-01-01' AND '2016-12-31' GROUP BY 1
-- >>> conversion_of_a_moved_time
SELECT CONVERT_TIMEZONE(p.time_zone_name, DATEADD(minute, 90, a.action_event_time)) AS later FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n = 5
-- >>> conversion_of_an_interval_sum
SELECT CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time + INTERVAL '1 day') AS next_day FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n = 6
-- >>> datediff_of_local_days
SELECT DATEDIFF(day, CONVERT_TIMEZONE('UTC', 'Asia/Kolkata', action_event_time), CONVERT_TIMEZONE('UTC', 'Asia/Kolkata', loaded)) AS d, COUNT(*) FROM actions
WHERE action_event_time BETWEEN '2010-01-01' AND '2014-01-01' AND loaded BETWEEN '2010-01-01' AND '2014-01-01' GROUP BY 1
-- >>> hour_of_day
SELECT EXTRACT(hour FROM CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS hour, DATE_PART(dow, CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS weekday, COUNT(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2016-01-01' AND '2016-12-31' GROUP BY 1, 2 HAVING COUNT(*) > 3
-- >>> business_hours
SELECT COUNT(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE DATE_PART(hour, CONVERT_TIMEZONE(p.time_zone_name, a.action_event_time)) BETWEEN 9 AND 17 AND DATE_PART(dow, CONVERT_TIMEZONE(p.time_zone_name, a.action_event_time)) NOT IN (0, 6)
-- >>> case_of_local_times
SELECT SUM(CASE WHEN CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time) >= '2016-07-01' THEN n ELSE 0 END) AS later, p.name
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2016-01-01' AND '2016-12-31' GROUP BY 2
-- >>> group_by_the_expression
SELECT p.name, DATE_TRUNC('week', CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS week, COUNT(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
GROUP BY p.name, DATE_TRUNC('week', CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) ORDER BY DATE_TRUNC('week', CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time))
-- >>> unnamed_columns
SELECT CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', action_event_time), TRUNC(CONVERT_TIMEZONE('Asia/Tokyo', action_event_time)), CONVERT_TIMEZONE('Asia/Tokyo', action_event_time)::date, DATE_TRUNC('day', CONVERT_TIMEZONE('Asia/Tokyo', action_event_time)), MAX(n)
FROM actions WHERE action_event_time BETWEEN '2016-01-01' AND '2017-01-01' GROUP BY 1, 2, 3, 4
-- >>> distinct_local_days
SELECT DISTINCT TRUNC(CONVERT_TIMEZONE('America/Sao_Paulo', action_event_time)) AS day FROM actions WHERE action_event_time >= '2016-01-01' AND action_event_time < '2019-01-01' ORDER BY day
-- >>> window_function
SELECT n, ROW_NUMBER() OVER (PARTITION BY TRUNC(CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)), p.id ORDER BY a.action_event_time, a.n, a.loaded) AS r
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2016-01-01' AND '2016-06-30'
-- >>> several_times_of_a_row
SELECT a.action_publisher_id, CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time) AS created_at, CONVERT_TIMEZONE('UTC', p.time_zone_name, a.loaded) AS loaded_at,
       CONVERT_TIMEZONE('UTC', p.time_zone_name, a.seen) AS seen_at, TRUNC(CONVERT_TIMEZONE('UTC', p.time_zone_name, a.loaded)) AS loaded_on
FROM actions a INNER JOIN publishers p ON p.id = a.action_publisher_id WHERE a.action_event_time > '2020-01-01'
-- >>> dimensions_of_one_time
SELECT TO_CHAR(DATE_TRUNC('month', CONVERT_TIMEZONE('UTC', 'Europe/Amsterdam', action_event_time)), 'YYYY-MM') AS month, EXTRACT(dow FROM CONVERT_TIMEZONE('UTC', 'Europe/Amsterdam', action_event_time))::integer AS day_of_week,
       EXTRACT(hour FROM CONVERT_TIMEZONE('UTC', 'Europe/Amsterdam', action_event_time))::integer AS hour_of_day, COUNT(*) AS n
FROM actions WHERE action_event_time >= '2015-01-01' AND action_event_time < '2018-01-01' GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3
-- >>> pivot_by_hour
SELECT TRUNC(CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS day,
       SUM(CASE WHEN DATE_PART(hour, CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) < 12 THEN 1 ELSE 0 END) AS morning,
       SUM(CASE WHEN DATE_PART(hour, CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) >= 12 THEN 1 ELSE 0 END) AS rest
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY 1
-- >>> running_total_by_local_day
SELECT day, SUM(c) OVER (ORDER BY day ROWS UNBOUNDED PRECEDING) AS total
FROM (SELECT TRUNC(CONVERT_TIMEZONE('Europe/Rome', action_event_time)) AS day, COUNT(*) AS c FROM actions WHERE action_event_time >= '2017-01-01' AND action_event_time < '2017-07-01' GROUP BY 1) AS daily
-- >>> cte_of_local_times
WITH local AS (SELECT CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time) AS t, a.n, p.name FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.action_event_time >= '2014-01-01' AND a.action_event_time < '2015-01-01')
SELECT name, TRUNC(t) AS day, SUM(n) FROM local GROUP BY 1, 2
-- >>> two_ctes_and_a_join
WITH zones AS (SELECT id, time_zone_name AS tz FROM publishers WHERE id > 20), events AS (SELECT action_publisher_id AS pid, loaded AS ts FROM actions WHERE n < 5)
SELECT z.tz, TO_CHAR(CONVERT_TIMEZONE('UTC', z.tz, e.ts), 'YYYY-MM-DD HH24:MI') AS shown FROM events e JOIN zones z ON z.id = e.pid
-- >>> union_and_minus
SELECT TRUNC(CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', loaded)) AS d FROM actions WHERE loaded BETWEEN '2015-01-01' AND '2016-01-01'
UNION ALL SELECT CONVERT_TIMEZONE('Europe/Lisbon', action_event_time)::date FROM actions WHERE action_event_time >= '2014-01-01' AND action_event_time < '2015-01-01'
MINUS SELECT DATE '2015-02-03'
-- >>> approximate_count
SELECT TRUNC(CONVERT_TIMEZONE('America/Toronto', action_event_time)) AS d, APPROXIMATE COUNT(DISTINCT action_publisher_id) AS publishers FROM actions WHERE action_event_time BETWEEN '2016-01-01' AND '2017-01-01' GROUP BY 1
-- >>> nested_calls
SELECT CONVERT_TIMEZONE('UTC', p.time_zone_name, CONVERT_TIMEZONE(p."billing.zone", 'UTC', a.loaded)) AS local FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.loaded >= '2015-01-01' AND a.loaded < '2016-01-01'
-- >>> join_condition
SELECT p.id, COUNT(a.n) FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND TRUNC(CONVERT_TIMEZONE('UTC', 'America/New_York', a.action_event_time)) = '2017-03-12' GROUP BY p.id
-- >>> in_a_subquery
SELECT name FROM publishers WHERE id IN (SELECT action_publisher_id FROM actions WHERE CONVERT_TIMEZONE('UTC', 'America/Phoenix', action_event_time)::date = '2017-03-12')
-- >>> scalar_subquery
SELECT p.id, (SELECT MAX(TRUNC(CONVERT_TIMEZONE('Asia/Gaza', a.action_event_time))) FROM actions a WHERE a.action_publisher_id = p.id AND a.action_event_time BETWEEN '2014-01-01' AND '2016-01-01') AS last FROM publishers p
-- >>> insert_select
INSERT INTO sink SELECT TRUNC(CONVERT_TIMEZONE('UTC', 'Europe/London', action_event_time)), COUNT(*) FROM actions WHERE action_event_time BETWEEN '2016-01-01' AND '2018-01-01' GROUP BY 1
-- >>> create_table_as
CREATE TABLE made DISTKEY(day) SORTKEY(day) AS SELECT TRUNC(CONVERT_TIMEZONE(p.time_zone_name, a.action_event_time)) AS day, COUNT(*) AS n FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2016-01-01' AND '2018-01-01' GROUP BY 1
-- >>> comments_and_spaces
SELECT  TRUNC( CONVERT_TIMEZONE ( 'UTC' , /* the account's */ p.time_zone_name , a.action_event_time ) )  AS day -- convert_timezone('UTC', 'x', y)
     ,  COUNT( * )
FROM    actions   a
JOIN    publishers p ON a.action_publisher_id = p.id
WHERE   a.action_event_time >= '2018-01-01'  AND a.action_event_time < '2019-01-01'
GROUP BY 1
-- >>> star_and_zone_of_a_row
SELECT * FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n = 3 AND a.n + EXTRACT(hour FROM CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) > 12
-- >>> quoted_names
SELECT "a"."Action_Event_Time" AS utc, CONVERT_TIMEZONE('UTC', "p"."TIME_ZONE_NAME", "a"."ACTION_EVENT_TIME") AS "Local" FROM "Actions" "a" JOIN "publishers" "p" ON "p"."id" = "a"."action_publisher_id" WHERE "a"."n" = 7
-- >>> table_of_the_zone_itself
SELECT s.n, CONVERT_TIMEZONE('UTC', s.time_zone_name, s.opened) AS local, CONVERT_TIMEZONE(s.time_zone_name, 'UTC', s.opened) AS utc FROM sites s
-- >>> converted_type
SELECT CONVERT_TIMEZONE('UTC', p.time_zone_name, CONVERT(timestamp, seen)) AS local FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n = 8
-- >>> cast_before_the_conversion
SELECT CONVERT_TIMEZONE('UTC', 'America/Lima', CAST(seen AS timestamp))::date AS d, CONVERT_TIMEZONE(p.time_zone_name, a.seen::timestamp) AS l FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n = 9
-- >>> abbreviations !left
SELECT CONVERT_TIMEZONE('EST', 'PST', action_event_time) AS a, CONVERT_TIMEZONE('UTC', 'est', action_event_time) AS b, CONVERT_TIMEZONE('CET', loaded) AS c, CONVERT_TIMEZONE('America/New_York', 'CET', loaded) AS d FROM actions
-- >>> posix_zones !left
SELECT CONVERT_TIMEZONE('GMT', 'NEWZONE-2:15', action_event_time) AS a, CONVERT_TIMEZONE('UTC+3', loaded) AS b FROM actions WHERE action_event_time BETWEEN '2016-01-01' AND '2017-01-01'
-- >>> zone_in_another_case !left
SELECT CONVERT_TIMEZONE('UTC', 'america/new_york', action_event_time) AS a FROM actions WHERE action_event_time BETWEEN '2016-01-01' AND '2017-01-01'
-- >>> after_the_grouping !left
SELECT p.id, CONVERT_TIMEZONE('UTC', p.time_zone_name, MAX(a.action_event_time)) AS last FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY p.id, p.time_zone_name
-- >>> limit_without_order !left
SELECT CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time) IS NULL AS l FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time IS NOT NULL AND p.id > 20 LIMIT 10
-- >>> of_a_date !left
SELECT CONVERT_TIMEZONE('America/New_York', action_event_time::date) AS l FROM actions
-- >>> times_of_other_rules !left
SELECT CONVERT_TIMEZONE('UTC', 'Europe/Paris', action_event_time) AS t FROM actions WHERE action_event_time BETWEEN '1800-01-01' AND '1890-01-01'
-- >>> column_without_a_known_name !left
SELECT DATE_PART(hour, CONVERT_TIMEZONE('UTC', 'Europe/Paris', action_event_time)), COUNT(*) FROM actions WHERE action_event_time BETWEEN '2015-01-01' AND '2016-01-01' GROUP BY 1
