-- Queries for Vertica over the tables of tests/events_postgres.py, one after each `-- >>>`.
-- A name that ends in `!left` must be left as it is; all others must be changed.
-- >>> taboola_as_published
SELECT date_trunc('hour',
new_time(action_event_time,p.time_zone_name, 'UTC')
), count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN new_time('2017-03-10 00:00:00.0',p.time_zone_name, 'UTC') AND new_time('2017-11-24 23:59:59.999', p.time_zone_name,'UTC')
GROUP BY 1;
-- >>> taboola_to_the_local_hour
SELECT date_trunc('hour', new_time(action_event_time, 'UTC', p.time_zone_name)) AS hour, count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN new_time('2017-03-10 00:00:00.0', p.time_zone_name, 'UTC')
  AND new_time('2017-11-24 23:59:59.999', p.time_zone_name, 'UTC')
GROUP BY 1
-- >>> adform_now
SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'
-- >>> now_in_all_spellings
SELECT count(*), count(CASE WHEN log_time < statement_timestamp() THEN 1 END) FROM logs
WHERE log_time BETWEEN CURRENT_TIMESTAMP - INTERVAL '2' HOUR AND transaction_timestamp() AND NOW() > log_time
-- >>> now_beside_getdate
SELECT level, count(*) FROM logs WHERE log_time > NOW() - INTERVAL '3 days' AND log_time < GETDATE() AND log_time < sysdate + INTERVAL '1 day' AND log_time > sysdate() - 30 GROUP BY level
-- >>> only_getdate !left
SELECT count(*) + 1 AS n, max(new_time(now(), 'UTC', 'Asia/Tokyo') - log_time) > INTERVAL '0' AS some, new_time(log_time, 'EST', 'PST') < getdate() AS e FROM logs WHERE log_time >= GETUTCDATE() - INTERVAL '1 day' AND log_time > sysdate - 30 GROUP BY 3
-- >>> today_in_the_zone_of_the_row
SELECT p.name, count(*) FROM logs l JOIN publishers p ON p.id = l.level + 100
WHERE new_time(l.log_time, 'UTC', p.time_zone_name)::date = new_time(NOW(), 'UTC', p.time_zone_name)::date GROUP BY p.name
-- >>> bound_of_the_word_now
SELECT count(*), max(l.log_time) FROM logs l JOIN publishers p ON p.id = l.level + 100 WHERE l.log_time <= new_time('now', p.time_zone_name, 'UTC')
-- >>> today_by_getutcdate
SELECT count(*) FROM logs l JOIN publishers p ON p.id = l.level + 100
WHERE DATE(new_time(l.log_time, 'GMT', p.time_zone_name)) >= DATE(new_time(GETUTCDATE() - INTERVAL '1 day', 'GMT', p.time_zone_name))
-- >>> constant_zone_bounded
SELECT date_trunc('day', new_time(action_event_time, 'UTC', 'America/New_York')), count(*)
FROM actions WHERE action_event_time >= TIMESTAMP '2016-01-01' AND action_event_time < '2018-01-01'
GROUP BY date_trunc('day', new_time(action_event_time, 'UTC', 'America/New_York'))
-- >>> constant_zone_open
SELECT new_time(action_event_time,'UTC','Australia/Lord_Howe')::date, count(*) FROM actions GROUP BY 1
-- >>> constant_zone_half_open
SELECT NEW_TIME(action_event_time, 'gmt', 'australia/adelaide') AS local FROM actions WHERE action_event_time >= TIMESTAMP '2024-01-01'
-- >>> constant_zone_without_transitions
SELECT NEW_TIME(action_event_time, 'UTC', 'Asia/Kathmandu') FROM actions WHERE action_event_time BETWEEN '2010-01-01' AND '2011-01-01'
-- >>> constant_zone_to_utc
SELECT new_time(loaded, 'Pacific/Apia', 'UTC') AS a, new_time(action_event_time, 'America/New_York', 'GMT') AS b FROM actions
WHERE action_event_time BETWEEN '2008-01-01' AND '2030-01-01' AND loaded < '2012-06-01'
-- >>> constant_zone_to_constant_zone
SELECT new_time(loaded, 'America/St_Johns', 'Australia/Lord_Howe') AS a, new_time(action_event_time, 'Pacific/Apia', 'Asia/Gaza'), n
FROM actions WHERE loaded >= '2009-01-01' AND loaded < '2013-01-01'
-- >>> constant_zone_to_constant_zone_open
SELECT date(NEW_TIME(action_event_time, 'America/New_York', 'Europe/Paris')) AS day, count(*) FROM actions GROUP BY 1
-- >>> at_timezone
SELECT DATE(action_event_time at timezone 'UTC' at timezone 'America/New_York') AS d, count(*) FROM actions GROUP BY 1
-- >>> at_time_zone_of_a_row
SELECT p.name, (a.seen AT TIME ZONE p.time_zone_name)::date, count(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= '2015-01-01 00:00:00+00' AND a.seen < TIMESTAMP WITH TIMEZONE '2016-01-01 00:00:00Z' GROUP BY 1, 2
-- >>> at_time_zone_to_utc
SELECT a.loaded AT TIMEZONE p.time_zone_name AS instant, a.loaded AT TIME ZONE 'Asia/Gaza' FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.loaded BETWEEN '2010-01-01' AND '2012-12-31'
-- >>> zone_of_a_row_in_a_window
SELECT p.name, new_time(a.action_event_time, 'UTC', p.time_zone_name)::date AS day, count(*) AS n
FROM actions a, publishers p
WHERE a.action_publisher_id = p.id AND a.action_event_time >= '2011-01-01' AND a.action_event_time < '2012-02-01'
GROUP BY 1, 2 ORDER BY 1, 2
-- >>> two_joins_after_one_comma
SELECT s.n, new_time(a.loaded, 'UTC', s.time_zone_name) AS local, new_time(coalesce(a.action_event_time, s.opened), 'UTC', 'Asia/Tokyo') AS tokyo
FROM actions a, sites s WHERE s.n = a.n AND a.action_publisher_id < 40
-- >>> zone_of_a_row_to_utc
SELECT p.time_zone_name, a.loaded, new_time(a.loaded, p.time_zone_name, 'UTC') AS utc FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.loaded >= '2009-01-01' AND a.loaded < '2029-01-01'
-- >>> zone_of_a_row_open
SELECT p.name, date_trunc('month', new_time(a.action_event_time, 'UTC', p.time_zone_name)) AS month, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY 1, 2
-- >>> zone_of_a_row_left_join
SELECT p.id, new_time(a.action_event_time, 'UTC', p.time_zone_name) AS local
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 50 WHERE a.action_event_time > '2016-06-01'
-- >>> two_values_and_two_zones
SELECT new_time(a.action_event_time, 'UTC', p.time_zone_name) AS a, new_time(a.loaded, 'UTC', p.time_zone_name) AS b, new_time(a.loaded, 'UTC', p."billing.zone") AS c
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n < 4
-- >>> zone_expression
SELECT new_time(a.action_event_time, 'UTC', COALESCE(p.time_zone_name, 'Europe/Paris')) AS local, p.name
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id AND p.id > 50
-- >>> local_day_constant_zone
SELECT count(*), sum(n) FROM actions WHERE new_time(action_event_time, 'UTC', 'America/Asuncion')::date = '2017-10-15'
-- >>> local_day_in_two_pieces
SELECT n FROM actions WHERE CAST(new_time(action_event_time, 'UTC', 'America/St_Johns') AS DATE) = DATE '2009-11-01'
-- >>> local_times_between
SELECT count(*) FROM actions WHERE new_time(action_event_time, 'UTC', 'America/New_York') BETWEEN '2017-11-05 01:15:00' AND '2017-11-05 01:45:00'
  AND date_trunc('month', new_time(action_event_time, 'UTC', 'America/New_York')) = '2017-11-01 00:00:00'
-- >>> local_day_zone_of_a_row
SELECT p.name, count(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE date(new_time(a.action_event_time, 'UTC', p.time_zone_name)) = '2011-12-29' GROUP BY 1
-- >>> bounds_alone
SELECT p.time_zone_name, count(*), min(a.action_event_time) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= new_time(TIMESTAMP '2017-03-12 02:30:00', p.time_zone_name, 'UTC')
  AND new_time('2017-11-05 01:30:00', p.time_zone_name, 'GMT') > a.action_event_time
GROUP BY p.time_zone_name
-- >>> bounds_of_local_times
SELECT count(*) FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.loaded >= new_time('2017-03-12 02:30:00', 'UTC', p.time_zone_name) AND a.loaded < new_time('2017-06-12', 'UTC', p.time_zone_name)
-- >>> case_of_local_times
SELECT SUM(CASE WHEN new_time(a.action_event_time, 'UTC', p.time_zone_name) >= '2016-07-01' THEN n ELSE 0 END) AS later,
       extract(hour FROM new_time(a.action_event_time, 'UTC', p.time_zone_name)) AS hour
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2016-01-01' AND '2016-12-31' GROUP BY 2 HAVING count(*) > 3
-- >>> window_functions
SELECT n, rank() OVER (PARTITION BY DATE(new_time(a.action_event_time, 'UTC', p.time_zone_name)) ORDER BY a.n) AS r
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2016-01-01' AND '2016-06-30'
-- >>> hints_and_comments
SELECT /*+LABEL(daily)*/ new_time(a.action_event_time, 'UTC', p.time_zone_name) AS t -- new_time(a.t, 'UTC', 'Asia/Tokyo')
FROM actions a JOIN /*+DISTRIB(L,B)*/ publishers p ON a.action_publisher_id = p.id /* new_time */
WHERE a.action_event_time >= '2018-01-01' AND a.action_event_time < '2019-01-01'
-- >>> cte_and_union
WITH local AS (SELECT new_time(action_event_time, 'UTC', 'Europe/Lisbon') AS t, n FROM actions WHERE action_event_time >= '2014-01-01' AND action_event_time < '2015-01-01')
SELECT t::date, sum(n) FROM local GROUP BY 1 UNION ALL SELECT DATE(new_time(loaded, 'UTC', 'Asia/Tokyo')), n FROM actions WHERE n > 7 AND loaded BETWEEN '2015-01-01' AND '2016-01-01'
-- >>> nested_calls
SELECT new_time(new_time(a.loaded, 'Asia/Tokyo', 'UTC'), 'UTC', p.time_zone_name) AS local FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.loaded >= '2015-01-01' AND a.loaded < '2016-01-01'
-- >>> differences
SELECT DATEDIFF('day', new_time(action_event_time, 'UTC', 'Asia/Kolkata'), new_time(loaded, 'UTC', 'Asia/Kolkata')) AS d, TIME_SLICE(new_time(loaded, 'UTC', 'Asia/Kolkata'), 15, 'MINUTE', 'START') AS slice
FROM actions WHERE action_event_time BETWEEN '2010-01-01' AND '2014-01-01' AND loaded BETWEEN '2010-01-01' AND '2014-01-01'
-- >>> scalar_subquery
SELECT p.id, (SELECT max(new_time(a.action_event_time, 'UTC', 'Asia/Gaza')) FROM actions a WHERE a.action_publisher_id = p.id) AS last FROM publishers p
-- >>> insert_select
INSERT INTO sink SELECT new_time(action_event_time, 'UTC', 'Europe/London')::date, count(*) FROM actions WHERE action_event_time BETWEEN '2016-01-01' AND '2018-01-01' GROUP BY 1
-- >>> create_table_as
CREATE TABLE made AS SELECT new_time(a.action_event_time, 'UTC', p.time_zone_name) AS local FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.action_event_time BETWEEN '2016-01-01' AND '2018-01-01'
-- >>> after_the_grouping !left
SELECT p.id, new_time(max(a.action_event_time), 'UTC', p.time_zone_name) AS last FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY p.id, p.time_zone_name
-- >>> abbreviations !left
SELECT new_time(action_event_time, 'EST', 'PST') AS a, new_time(action_event_time, 'UTC', 'est') AS b, new_time(loaded, 'UTC', 'CET') AS c FROM actions
-- >>> zone_of_a_row_to_zone_of_a_row
SELECT new_time(a.loaded, p.time_zone_name, p."billing.zone") AS a, new_time(a.loaded, 'Europe/Paris', p.time_zone_name) AS b, new_time(a.loaded, p.time_zone_name, 'Europe/Paris') AS c
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.loaded BETWEEN '2015-01-01' AND '2016-01-01'
-- >>> times_before_summer_time !left
SELECT new_time(action_event_time, 'UTC', 'Europe/Paris') AS t FROM actions WHERE action_event_time BETWEEN '1800-01-01' AND '1890-01-01'
-- >>> of_a_timestamptz !left
SELECT new_time(seen, 'UTC', 'Europe/Paris') AS t, new_time(seen::date, 'UTC', 'Europe/Paris') AS d FROM actions
-- >>> star_and_zone_of_a_row
SELECT * FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n = 3 AND a.n + extract(hour FROM new_time(a.action_event_time, 'UTC', p.time_zone_name)) > 12
-- >>> outer_join_condition
SELECT p.id, count(a.n) FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND new_time(a.action_event_time, 'UTC', 'America/New_York')::date = '2017-03-12' GROUP BY p.id
-- >>> distinct_local_days
SELECT DISTINCT new_time(action_event_time, 'UTC', 'America/Sao_Paulo')::date AS day FROM actions WHERE action_event_time >= '2016-01-01' AND action_event_time < '2019-01-01' ORDER BY day
