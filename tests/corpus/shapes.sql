-- The shapes in which people write such queries, over the tables of tests/events.py on DuckDB and of
-- tests/events_postgres.py on PostgreSQL: one query after each `-- >>>`. After its name stand the
-- numbers of the shapes it stands for (see tests/rewriter/test_shapes.py), `!left` where it must be left
-- as it is, and `!left:duckdb` or `!left:postgres` where one engine must leave it.
-- >>> many_calls_of_one_site_below_outer_joins 1 2
WITH raw AS (
    SELECT a.action_publisher_id AS pid, CAST(a.action_event_time AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' AS date) AS day,
        SUM(CASE WHEN a.action_event_time AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' < '2016-07-01' THEN a.n ELSE 0 END) AS before,
        SUM(CASE WHEN a.action_event_time AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' >= '2016-07-01' THEN a.n ELSE 0 END) AS after
        -- SUM(CASE WHEN a.action_event_time AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' > '2017-01-01' THEN a.n END) AS never
    FROM actions a LEFT OUTER JOIN publishers p ON p.id = a.action_publisher_id
    WHERE a.action_event_time >= '2016-01-01' AND a.action_event_time < '2016-12-31' GROUP BY 1, 2
)
SELECT COALESCE(r.day, d.day) AS day, sum(r.before), sum(r.after), count(d.x)
FROM raw r FULL JOIN (SELECT DISTINCT CAST(opened AS date) AS day, 1 AS x FROM sites) d ON d.day = r.day GROUP BY 1
-- >>> star_beside_a_site_without_alias 4 7 35
SELECT wl.*, wl.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Sao_Paulo'
FROM actions wl WHERE wl.action_event_time > TIMESTAMP '2018-01-01' - INTERVAL '1 day' AND wl.action_event_time < '2018-06-01'
-- >>> abbreviation_with_a_fixed_offset !left 5 10 98 166
SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'UTC+4')::date AS d, count(*) FROM actions WHERE n < 3 GROUP BY 1 ORDER BY 1
-- >>> rank_by_a_converted_day_in_a_star 7 8
SELECT * FROM (
    SELECT *, RANK () OVER (PARTITION BY action_publisher_id, CAST (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' AS date) ORDER BY action_event_time, n) AS r
    FROM actions WHERE action_event_time BETWEEN '2015-01-01' AND '2015-12-31' AND n > 2) q
WHERE r = 1
-- >>> converted_and_unconverted_days_side_by_side 8 85
SELECT action_event_time::date AS "DATE", min((action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date) AS local
FROM actions WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::date >= '2017-03-01' AND action_event_time < '2019-01-01' GROUP BY action_event_time::date
-- >>> ordinals_and_outer_joins 10
SELECT s.n, (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date, count(p.id)
FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id LEFT JOIN publishers q ON q.id = p.id + 1 LEFT JOIN sites s ON s.n = a.n
WHERE (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date BETWEEN '2014-03-01' AND '2014-03-31' GROUP BY 1, 2 ORDER BY 1, 2
-- >>> alias_in_quotes_in_group_by 11
SELECT (a.seen AT TIME ZONE 'America/New_York')::date AS "Local Day", count(*) FROM actions a
WHERE a.seen >= TIMESTAMPTZ '2014-01-01 00:00:00+00' GROUP BY "Local Day"
-- >>> constants_only_range_frame !left 13 14 20
SELECT log_time::date AS d, sum(count(*)) OVER (ORDER BY log_time::date RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) AS week
FROM logs WHERE log_time::date > (CURRENT_TIMESTAMP AT TIME ZONE 'America/New_York' - INTERVAL '60 days')::date GROUP BY 1
-- >>> union_of_three_with_two_converted 16 43 44
(SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date AS d, count(*) AS c FROM actions
 WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date BETWEEN '2017-03-01' AND '2017-04-01' GROUP BY (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date)
UNION ALL
(SELECT (loaded AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date, sum(n) FROM actions WHERE loaded >= '2017-03-01' AND loaded < '2017-04-01' GROUP BY 1)
UNION ALL
(SELECT opened::date, 1 FROM sites)
-- >>> site_inside_an_outer_joined_subquery 17
SELECT p.id, q.c FROM publishers p LEFT JOIN (
    SELECT action_publisher_id AS pid, count(*) AS c FROM actions
    WHERE (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Chicago') BETWEEN '2012-01-01' AND '2013-01-01 00:00:00' GROUP BY action_publisher_id
) q ON q.pid = p.id WHERE p.id NOT IN (SELECT action_publisher_id FROM actions GROUP BY action_publisher_id HAVING count(*) > 60) AND p.name <> 'a "quoted" word'
-- >>> constants_only_nullable_side !left 19 22 23
SELECT DISTINCT (l.level) AS "Level", CASE WHEN l.level = 1 THEN 'one' ELSE 'more' END AS kind
FROM logs l LEFT JOIN sites c ON c.n = l.level LEFT JOIN sites d ON d.n = l.level + 1
WHERE (c.n IS NULL OR c.opened <= (CURRENT_TIMESTAMP AT TIME ZONE 'America/New_York') - INTERVAL '24 hours') AND (CASE WHEN l.level = 1 THEN l.level < 2 AND 1 = 1 ELSE true END)
-- >>> zone_of_an_outer_joined_view_in_two_conversions 25 107
SELECT a.n, COALESCE(a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name, a.loaded AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS local
FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id AND p.id % 2 = 0
-- >>> zone_with_a_default_in_a_join 26 !left
SELECT g.d, count(a.n), SUM(CASE WHEN a.n > 3 THEN 1 ELSE 0 END) AS many
FROM (SELECT TIMESTAMP '2017-03-01' + i * INTERVAL '1 day' AS d FROM generate_series(0, 40) AS s(i)) g
LEFT JOIN (actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id AND p.id < 150) ON (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE COALESCE(p.time_zone_name, 'UTC')) BETWEEN g.d AND g.d + INTERVAL '1 day'
GROUP BY g.d
-- >>> aggregates_first_and_inside 28 31 32
SELECT p.id, p.time_zone_name, max(a.action_event_time) AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS last, min(m.first) AS first
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
LEFT JOIN (SELECT b.action_publisher_id AS pid, min(b.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE q.time_zone_name) AS first FROM actions b, publishers q WHERE q.id = b.action_publisher_id GROUP BY b.action_publisher_id) m ON m.pid = p.id
GROUP BY p.id, p.time_zone_name ORDER BY 1
-- >>> zone_of_the_min_aggregate 32 !left
SELECT DISTINCT (MIN(a.action_event_time) AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date AS day FROM actions a JOIN publishers p ON p.id = a.action_publisher_id GROUP BY p.time_zone_name ORDER BY 1 DESC
-- >>> text_cast_to_a_timestamp 29 46 !left:postgres
SELECT DISTINCT CAST(CAST(a.action_event_time AS varchar) AS timestamp) AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS local, row_number() OVER (PARTITION BY a.action_publisher_id ORDER BY a.n, a.action_event_time) AS r
FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id WHERE p.time_zone_name LIKE 'Europe/%'
-- >>> both_sides_of_an_outer_join_converted 31 !left:duckdb
SELECT p.id, count(b.n) FROM publishers p LEFT JOIN actions b ON b.action_publisher_id = p.id AND (b.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris')::date = (b.loaded AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris')::date GROUP BY p.id
-- >>> differences_of_local_times 34
select concat(count(*), ' rows'), sum(extract(epoch from (loaded at time zone 'utc' at time zone 'europe/london') - (action_event_time at time zone 'utc' at time zone 'europe/london'))) as s
from actions where action_event_time between '2009-01-01' and '2029-01-01' and loaded between '2009-01-01' and '2029-01-01' group by action_publisher_id
-- >>> alias_that_shadows_its_column 35 64 77
SELECT q.*, q.action_event_time::date AS day FROM (
    SELECT n, action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS action_event_time, row_number() OVER (PARTITION BY n ORDER BY action_event_time, loaded, action_publisher_id) AS r
    FROM actions WHERE action_event_time >= '2013-01-01' AND action_event_time < '2013-07-01') q WHERE r < 20
-- >>> lead_over_a_converted_alias 37
SELECT n, t, lead(CAST(t AS date)) OVER (PARTITION BY n ORDER BY t, i) AS next FROM (
    SELECT n, seen AT TIME ZONE 'Europe/Rome' AS t, action_publisher_id AS i FROM actions WHERE seen < TIMESTAMPTZ '2012-01-01 00:00:00Z'
    UNION SELECT n, loaded, action_publisher_id FROM actions WHERE loaded > '2028-01-01' AND loaded < '2029-01-01') u LEFT JOIN sites USING (n)
-- >>> values_as_the_table_of_zones 38 161
WITH timezone (id, zone) AS (VALUES (10, 'US/Eastern'), (11, 'US/Pacific'), (12, 'Asia/Kolkata'))
SELECT t.zone, (a.seen AT TIME ZONE t.zone)::date, min(b.seen) AT TIME ZONE t.zone AS first, count(*)
FROM actions a JOIN actions b ON b.action_publisher_id = a.action_publisher_id AND b.n = a.n JOIN timezone t ON t.id = a.action_publisher_id
WHERE a.seen >= TIMESTAMPTZ '2009-01-01 00:00:00+00' AND a.seen < TIMESTAMPTZ '2029-01-01 00:00:00+00' GROUP BY 1, 2
-- >>> alias_used_again_in_the_outer_where 40 41
WITH base AS (SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Australia/Sydney')::date AS date, a.action_event_time AS "timestamp", n FROM actions a WHERE a.action_event_time >= '2018-01-01' AND a.action_event_time <= '2019-01-01')
SELECT date, sum(n) FROM base WHERE date > '2018-02-01' GROUP BY 1 UNION SELECT "timestamp"::date, 0 FROM base WHERE "timestamp" < '2018-02-01'
-- >>> the_case_that_decides_the_day 46
SELECT CASE WHEN min(extract(hour FROM a.seen AT TIME ZONE p.time_zone_name)) < 6 THEN (a.seen AT TIME ZONE p.time_zone_name)::date - 1 ELSE (a.seen AT TIME ZONE p.time_zone_name)::date END AS day, count(*)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.seen >= TIMESTAMPTZ '2018-01-01 00:00:00+00' AND a.seen < TIMESTAMPTZ '2019-01-01 00:00:00+00' GROUP BY (a.seen AT TIME ZONE p.time_zone_name)::date
-- >>> times_out_of_numbers 47 61 103 167
SELECT (TIMESTAMP '1970-01-01 00:00:00' + a.n * INTERVAL '100000000 seconds')   AT   TIME ZONE 'UTC'   AT   TIME ZONE p.time_zone_name AS readable, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY 1
-- >>> constants_only_current_time !left 49 70 82 100 101 169 172
SELECT CASE WHEN CURRENT_TIMESTAMP AT TIME ZONE 'America/New_York' > '2020-01-01' THEN 0.5 * 3 ELSE 1 END AS a, CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' IS NULL AS b FROM sites
-- >>> local_buckets_of_a_nullable_zone 50 62
SELECT date_trunc('day', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE n.time_zone_name), n.time_zone_name, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE n.time_zone_name, a.loaded AT TIME ZONE 'UTC' AT TIME ZONE n.time_zone_name
FROM actions a LEFT JOIN publishers n ON n.id = a.action_publisher_id AND n.name <> 'publisher 3' WHERE a.n = 4
-- >>> truncated_before_it_is_converted 52
SELECT date_trunc('day', a.action_event_time) AT TIME ZONE 'Europe/Paris' AS day, (date_trunc('hour', a.seen) AT TIME ZONE 'Europe/Paris')::date AS local, seen AT TIME ZONE 'Europe/Paris' AS x FROM actions a
-- >>> innermost_of_three_levels 53
SELECT day, coalesce(round(avg(c), 2), 0.0) AS mean FROM (SELECT date_trunc('month', hour) AS day, hour, sum(c) AS c FROM (
    SELECT date_trunc('hour', seen AT TIME ZONE 'Australia/Brisbane') AS hour, n AS c FROM actions WHERE seen >= TIMESTAMPTZ '2010-01-01 00:00:00Z') i GROUP BY 1, 2) o GROUP BY 1 ORDER BY 1
-- >>> two_zones_for_one_column 55
SELECT a.seen AT TIME ZONE 'Australia/Melbourne' AS m, a.seen AT TIME ZONE 'Australia/Lord_Howe' AS l, s.opened
FROM actions a LEFT JOIN sites s ON s.opened = (a.seen AT TIME ZONE 'Australia/Melbourne') WHERE a.n < 4
-- >>> session_dependent_comparison_beside_a_site 56 58 137
SELECT (a.seen AT TIME ZONE 'Asia/Tokyo')::date AS d, avg(a.n) FROM actions a WHERE a.seen > TIMESTAMP '2015-01-01' - INTERVAL '1 day' AND a.seen < now() AT TIME ZONE 'Asia/Tokyo' GROUP BY 1
-- >>> zone_with_two_defaults 59
SELECT DISTINCT (a.seen + a.n * INTERVAL '1 hour') AT TIME ZONE COALESCE(p.time_zone_name, q.time_zone_name, 'UTC') AS local
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id LEFT JOIN publishers q ON q.id = p.id + 1 WHERE isfinite(a.seen)
-- >>> lag_by_local_week 61
SELECT n, i, lag(i) OVER (PARTITION BY date_trunc('week', s AT TIME ZONE 'Europe/Vienna') ORDER BY i, n, s) AS before FROM (SELECT seen AS s, action_publisher_id AS i, n FROM actions WHERE seen >= TIMESTAMPTZ '2016-01-01 00:00:00+00' AND seen < TIMESTAMPTZ '2016-03-01 00:00:00+00') x
-- >>> filter_that_needs_nothing 65 !left
SELECT a.seen AT TIME ZONE p.time_zone_name AS "events.local time" FROM actions a JOIN publishers p ON p.id = a.action_publisher_id
WHERE a.action_event_time >= (TIMESTAMP '2016-03-01' AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC') AND p.name = 'publisher 7' AND a.n + 0 < 5 LIMIT 100000
-- >>> to_utc_needs_no_table !left 67 68 136 202 206 218 224
SELECT (date_trunc('hour', seen) AT TIME ZONE 'UTC')::date AS day, seen at time zone 'utc' as u, max(seen AT TIME ZONE 'GMT') AS last, seen AT TIME ZONE 'Bogus/Zone' IS NULL AS never FROM actions WHERE n > 90 GROUP BY 1, 2, 4 UNION ALL SELECT NULL, NULL, NULL, true
-- >>> percentile_by_the_function_form 73 71
SELECT p.name, timezone('Europe/Kyiv', timezone('UTC', a.action_event_time))::date AS day, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a.n) AS median
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE p.id < 60 GROUP BY 1, timezone('Europe/Kyiv', timezone('UTC', a.action_event_time))::date
-- >>> grouped_by_an_expression_of_it 74 89
SELECT extract(year FROM (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) * 100 + extract(month FROM (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS month, a.loaded, count(*)
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE a.action_event_time >= '2016-01-01' AND a.action_event_time < '2017-01-01'
GROUP BY extract(year FROM (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) * 100 + extract(month FROM (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)), a.loaded
HAVING count(*) > 0 ORDER BY extract(year FROM (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) * 100 + extract(month FROM (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name))
-- >>> lag_with_a_default_beside_it 76
SELECT 'a', (seen AT TIME ZONE 'Africa/Cairo')::date, lag(n, 1, 0) OVER (PARTITION BY action_publisher_id ORDER BY seen, n) FROM actions WHERE n = 3 UNION ALL SELECT 'b', opened::date, n FROM sites
-- >>> calls_inside_comments 77 79
CREATE TABLE batch AS /* SELECT seen AT TIME ZONE 'Asia/Tokyo' */ WITH b AS (SELECT DISTINCT action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Denver' AS t, n FROM actions -- action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'
WHERE loaded BETWEEN '2012-01-01' AND '2013-01-01' /*+ hint */) SELECT t, n, row_number() OVER (ORDER BY t, n) AS r FROM b
-- >>> insert_grouped_by_a_long_expression 80 130
INSERT INTO sink WITH l AS (SELECT action_event_time AS created, n FROM actions WHERE n < 4 UNION ALL SELECT loaded, n FROM actions WHERE n >= 4)
SELECT (date_trunc('hour', l.created) AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles')::date, count(*) FROM l WHERE l.created IN (SELECT action_event_time FROM actions WHERE action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles' > '2010-01-01')
GROUP BY (date_trunc('hour', l.created) AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles')::date, l.n
-- >>> correlated_subquery_over_comma_joins 83 86
SELECT p.id, (SELECT count(*) FROM actions a, sites s WHERE a.action_publisher_id = p.id AND s.n = a.n AND a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/Halifax' > s.opened AND s.n = 3 OR a.n = 99) AS c
FROM publishers p WHERE p.id < 300
-- >>> aggregate_of_conversion_in_one_branch 88
SELECT 'constant', TIMESTAMP '2017-01-01' AT TIME ZONE 'UTC' AT TIME ZONE 'America/Denver' AS t, 0.5 AS d UNION ALL SELECT 'row', max(seen AT TIME ZONE 'America/Denver'), 1.5 FROM actions
-- >>> two_owners_in_a_join_predicate 91
WITH b AS (SELECT a.seen, a.action_publisher_id AS i, a.n FROM actions a WHERE a.n = 1 AND a.action_publisher_id < 90), c AS (SELECT DISTINCT B.seen, B.action_publisher_id AS i FROM actions B WHERE B.n IN (2))
SELECT p.id, count(*) FROM b, c, publishers p WHERE b.i = p.id AND c.i = p.id AND b.seen AT TIME ZONE p.time_zone_name < (c.seen AT TIME ZONE p.time_zone_name) + INTERVAL '1 hour' GROUP BY p.id
-- >>> names_with_dollars 92
SELECT "a$x".action_event_time AT TIME ZONE 'America/Los_Angeles' AT TIME ZONE 'UTC' AS "utc$" FROM actions AS "a$x" LEFT JOIN publishers p ON p.id = "a$x".action_publisher_id WHERE p.id<50 AND "a$x".action_event_time<'2012-01-01'
-- >>> constant_in_the_row_zone_beside_an_outer_join !left 104
SELECT p.id, sum(COALESCE(a.n, 0)) FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND a.seen >= TIMESTAMP '2017-03-12 02:30:00' AT TIME ZONE p.time_zone_name WHERE p.id < 5 GROUP BY p.id
-- >>> a_relation_named_values 106
WITH "values" AS (SELECT seen AS "timestamp", n, action_publisher_id AS station FROM actions ORDER BY n)
SELECT s.id, (v."timestamp" AT TIME ZONE s.time_zone_name)::date AS day, avg(v.n) FROM publishers s LEFT JOIN "values" v ON v.station = s.id GROUP BY s.id, (v."timestamp" AT TIME ZONE s.time_zone_name)::date
-- >>> distinct_days_of_a_zone_without_alias 109 196
SELECT DISTINCT (seen AT TIME ZONE time_zone_name)::date::varchar AS "Day" FROM actions JOIN publishers ON action_publisher_id = id WHERE seen >= TIMESTAMPTZ '2011-01-01 00:00:00Z' AND seen < TIMESTAMPTZ '2013-01-01 00:00:00Z' ORDER BY "Day" LIMIT 5000
-- >>> anti_join_on_the_local_day 110 !left:duckdb
SELECT p.* FROM publishers p LEFT JOIN actions h ON h.action_publisher_id = p.id AND (h.seen AT TIME ZONE p.time_zone_name)::date = DATE '2017-03-12' WHERE h.n IS NULL
-- >>> conversion_in_an_or_with_is_null 112
SELECT b.n, count(*) FROM actions b JOIN publishers p ON p.id = b.action_publisher_id -- it's the publisher's day, isn't it
WHERE b.action_event_time IS NULL OR (b.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)::date < DATE '2010-01-01' AND NOT EXISTS (SELECT 1 FROM sites s WHERE s.n = b.n + 20) GROUP BY b.n
-- >>> round_trip_of_a_computed_time 113 173
SELECT (date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) + INTERVAL '1 day') AT TIME ZONE p.time_zone_name AS tomorrow, date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name = TIMESTAMPTZ '2017-03-12 05:00:00+00' AS that_day
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id WHERE isfinite(a.seen)
-- >>> zone_of_the_outer_query 115
SELECT u.id, EXISTS (SELECT 1 FROM actions a WHERE a.action_publisher_id = u.id AND (a.seen AT TIME ZONE u.time_zone_name)::date BETWEEN DATE '2017-03-12' - 3 AND DATE '2017-03-12') AS active FROM publishers u WHERE u.id < 200
-- >>> constants_only_now_by_zone !left 116 118 119 127 128 145 158 208
WITH d AS (SELECT id, (now() AT TIME ZONE COALESCE(NULLIF(time_zone_name, ''), 'UTC'))::date AS today FROM publishers WHERE id BETWEEN 20 AND 40)
SELECT DISTINCT d.today, EXISTS (SELECT 1 FROM logs WHERE log_time::date > d.today + 3) AS later FROM d WHERE NOT EXISTS (SELECT 1 FROM sites s WHERE s.opened::date > d.today) ORDER BY today
-- >>> whole_table_beside_a_conversion_plus_intervals 122
(SELECT t.*, t.seen AT TIME ZONE c.time_zone_name + INTERVAL '1 hour' + INTERVAL '1 minute' AS "timestamp" FROM actions t JOIN publishers c ON c.id = t.action_publisher_id WHERE t.n = 1 AND isfinite(t.seen) AND t.seen BETWEEN TIMESTAMPTZ '2009-01-01 00:00:00Z' AND TIMESTAMPTZ '2029-01-01 00:00:00Z')
UNION ALL (SELECT t.*, t.loaded FROM actions t WHERE t.n = 2) UNION ALL (SELECT t.*, t.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' FROM actions t JOIN sites c ON c.n = t.n WHERE t.n = 3)
-- >>> types_through_two_stars 125
SELECT seen AT TIME ZONE 'Pacific/Auckland' AS t, row_number() OVER (ORDER BY seen, n, i) FROM (SELECT *, 1 AS one FROM (SELECT seen, n, action_publisher_id AS i FROM actions) x) y WHERE n < 3
-- >>> local_time_of_a_case_guarded_by_null 134 143
WITH zones AS (SELECT id, time_zone_name AS zone FROM publishers)
SELECT CASE WHEN z.zone IS NOT NULL THEN COALESCE(a.action_event_time, a.loaded) AT TIME ZONE z.zone AT TIME ZONE 'UTC' ELSE a.loaded END AS utc, row_number() OVER (ORDER BY CASE WHEN z.zone IS NOT NULL THEN COALESCE(a.action_event_time, a.loaded) AT TIME ZONE z.zone END, a.n, z.id, a.loaded) AS r
FROM actions a JOIN zones z ON z.id = a.action_publisher_id WHERE a.n < 5
-- >>> constants_only_days !left 139 151 152
SELECT count(*), (SELECT count(*) FROM logs l JOIN logs m ON m.log_time = l.log_time WHERE l.log_time::date BETWEEN TIMESTAMP '2020-01-01' AND TIMESTAMP '2030-01-01') AS b FROM actions a WHERE a.n > 90
-- >>> lower_case_group_and_order 140 188 191
select date_trunc('day', a.seen at time zone p.time_zone_name) as "time", rank() over (order by count(*)) as r, count(*) from actions a inner join publishers p on p.id = a.action_publisher_id
where a.seen >= timestamptz '2016-01-01 00:00:00+00' and a.seen < timestamptz '2016-07-01 00:00:00+00' and p.id < 40 group by date_trunc('day', a.seen at time zone p.time_zone_name) order by date_trunc('day', a.seen at time zone p.time_zone_name)
-- >>> line_break_inside_the_operator 142 164
SELECT x.at at
  time zone
  'Europe/Paris' AS local, x.at at time zone 'Europe/Paris' AS same FROM (SELECT seen AS at FROM actions) x WHERE x.at < TIMESTAMPTZ '2020-01-01 00:00:00Z'
-- >>> lateral_over_an_aggregate !left 148
SELECT p.id, l.day FROM publishers p CROSS JOIN LATERAL (SELECT (max(a.seen) AT TIME ZONE p.time_zone_name)::date AS day FROM actions a WHERE a.action_publisher_id = p.id AND a.n < 5) l WHERE p.id < 60
-- >>> filters_on_the_nullable_side 149
SELECT count(*), count(*) FILTER (WHERE (a.seen AT TIME ZONE p.time_zone_name)::date = DATE '2017-03-12') AS that_day, /* it's "quoted" */ count(*) FILTER (WHERE EXISTS (SELECT 1 FROM sites s WHERE s.n = a.n)) AS known
FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id AND a.n < 8
-- >>> no_time_at_all_in_a_case !left 154 155 211 212 214 215
SELECT CASE WHEN n > 2 THEN 0.00 ELSE CAST(n AS double precision) END AS d, CASE WHEN n > 2 THEN CAST(n AS numeric(10, 2)) ELSE 0.00 END / 2 AS e, 'it''s' AS s, max(seen) AT TIME ZONE 'Asia/Tokyo' AS t FROM actions WHERE n > 90 GROUP BY 1, 2 UNION ALL SELECT 1, 1, '', NULL ORDER BY 2, 1
-- >>> three_types_three_meanings 157
SELECT a.action_event_time AT TIME ZONE 'Asia/Kathmandu', a.seen AT TIME ZONE 'Asia/Kathmandu', CAST(a.seen AS timestamp) AT TIME ZONE 'Asia/Kathmandu' IS NULL AS c FROM actions a WHERE a.action_event_time BETWEEN '2012-01-01' AND '2012-03-01' AND a.seen < TIMESTAMPTZ '2012-02-01 00:00:00Z'
-- >>> to_utc_and_on_to_another_zone 160 178 184
SELECT (a.loaded AT TIME ZONE p.time_zone_name) AT TIME ZONE 'America/Los_Angeles' AS shown, x.t AT TIME ZONE 'Europe/Paris' AS again
FROM actions a JOIN publishers p ON p.id = a.action_publisher_id LEFT JOIN (SELECT action_publisher_id AS i, max(seen AT TIME ZONE 'Europe/Paris') AS t FROM actions GROUP BY 1) x ON x.i = p.id
-- >>> constants_only_no_relation !left 163 170 221 223
SELECT CURRENT_TIMESTAMP AT TIME ZONE 'America/New_York' > TIMESTAMP '2020-01-01' AS later, TIMESTAMP '2017-03-12 02:30:00' AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' BETWEEN '2017-01-01' AND '2018-01-01' AS b
-- >>> round_trips_in_two_levels 173 175 176 190
SELECT q.day, sum(q.c) FROM (SELECT date_trunc('day', r.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name AS day, count(*) AS c FROM actions r LEFT JOIN publishers p ON p.id = r.action_publisher_id
  WHERE r.seen AT TIME ZONE p.time_zone_name >= '2012-01-01' GROUP BY date_trunc('day', r.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name, p.id ORDER BY 1) q GROUP BY q.day
-- >>> lateral_with_a_limit 179
SELECT p.id, l.t, date_trunc('hour', a.seen AT TIME ZONE p.time_zone_name) AS hour FROM publishers p INNER JOIN LATERAL (SELECT s.opened AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS t FROM sites s WHERE s.n = p.id % 10 LIMIT 1) l ON true JOIN actions a ON a.action_publisher_id = p.id
WHERE a.seen >= TIMESTAMPTZ '2016-01-01 00:00:00+00' AND a.seen < TIMESTAMPTZ '2016-07-01 00:00:00+00'
-- >>> star_over_converted_columns_compared_outside 181 187
select * from (select n, seen at time zone 'Europe/Oslo' as t, loaded as u from actions) q /* größer */ left join sites s on cast(q.t as date) = cast(s.opened as date) where q.n in (1, 2) and q.t < q.u or q.n = 3 and q.t > '2020-01-01'
-- >>> full_join_of_two_grouped_subqueries 182
SELECT coalesce(a.day, b.day) AS day, a.c::float / NULLIF(b.c, 0.0) AS share FROM (SELECT date_trunc('day', seen AT TIME ZONE 'Asia/Manila') AS day, count(*) AS c FROM actions WHERE n < 3 GROUP BY 1) a
FULL OUTER JOIN (SELECT date_trunc('day', action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Manila') AS day, count(*) AS c FROM actions WHERE n > 5 GROUP BY 1) b ON a.day = b.day
-- >>> lag_in_a_rollup 185
SELECT (q.seen AT TIME ZONE 'Asia/Seoul')::date AS day, q.n, count(q.before) FROM (SELECT seen, n, lag(n) OVER (ORDER BY seen, n, action_publisher_id) AS before FROM actions WHERE TIMESTAMP '2015-01-01' AT TIME ZONE 'Asia/Seoul' < seen AND seen < TIMESTAMPTZ '2016-01-01 00:00:00Z') q GROUP BY ROLLUP ((q.seen AT TIME ZONE 'Asia/Seoul')::date, q.n)
-- >>> offset_by_subtraction 193
SELECT COUNT(DISTINCT (s.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE l.time_zone_name)::date) AS days, EXTRACT(HOUR FROM (s.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE l.time_zone_name) - s.action_event_time) AS shift
FROM actions s JOIN publishers l ON l.id = s.action_publisher_id WHERE s.action_event_time >= '2015-01-01' AND s.action_event_time < '2018-01-01' GROUP BY 2
-- >>> nullable_zone_with_a_limit !left 194
SELECT a.seen AT TIME ZONE l.time_zone_name AS local FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id LEFT JOIN publishers l ON l.id = p.id AND l.id > 9 WHERE p.id IN (8, 9) LIMIT 100000
-- >>> window_over_the_grouped_conversion 197 133
SELECT (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Dhaka')::date AS "día", sum(count(*)) OVER (ORDER BY (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Dhaka')::date) AS total
FROM actions a WHERE a.action_event_time >= '2009-01-01' AND a.action_event_time < '2010-06-01' GROUP BY (a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Dhaka')::date
-- >>> whole_rows_beside_a_conversion 199
WITH r AS (SELECT a.*, a.seen AT TIME ZONE 'Asia/Dubai' AS local FROM actions a WHERE a.n = 2), m AS (SELECT max(n) AS n FROM sites) SELECT r.*, m.*, CAST(r AS varchar) IS NULL AS none FROM r, m WHERE r.n IN (SELECT n FROM m UNION SELECT 2) AND r.local::time > TIME '06:00'
-- >>> distinct_on_the_conversion 200 209
SELECT DISTINCT ON ((a.seen AT TIME ZONE 'America/Sao_Paulo')::date) (a.seen AT TIME ZONE 'America/Sao_Paulo')::date AS day, (array_agg(a.n) FILTER (WHERE a.n > 2) OVER (PARTITION BY a.seen ORDER BY a.n, a.loaded))[1] AS first, a.n
FROM actions a WHERE a.seen >= TIMESTAMPTZ '2017-01-01 00:00:00+00' AND a.seen < TIMESTAMPTZ '2019-06-01 00:00:00+00' ORDER BY (a.seen AT TIME ZONE 'America/Sao_Paulo')::date, a.seen, a.n, a.action_publisher_id LIMIT 1000
-- >>> ordinals_with_filters 203
SELECT (e.at at time zone 'Asia/Karachi')::date, count(*) FILTER (WHERE e.n > 4) AS many FROM (SELECT seen AS at, n FROM actions) e GROUP BY 1
-- >>> correlated_with_a_lateral_day 205
SELECT d.dia, (SELECT count(*) FROM actions a WHERE (a.seen AT TIME ZONE 'America/Bogota')::date = d.dia) AS c -- `ticks` and "quotes"
FROM sites s, LATERAL (SELECT s.opened::date AS dia) d
-- >>> star_of_a_created_table 217
CREATE TABLE grown AS SELECT *, CAST(CAST(t AS timestamp) AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS date) AS d FROM (SELECT loaded AS t, n FROM actions WHERE n < 3) v
-- >>> several_zones_of_one_source 131 95
SELECT o.loaded AT TIME ZONE 'UTC' AT TIME ZONE c.time_zone_name AS a, o.loaded AT TIME ZONE 'UTC' AT TIME ZONE d.time_zone_name AS b, o.loaded AT TIME ZONE 'UTC' AT TIME ZONE c."billing.zone" AS e
FROM actions o JOIN publishers c ON c.id = o.action_publisher_id JOIN publishers d ON d.id = c.id + 2 WHERE c.id < 300
-- >>> view_of_a_conversion 107 122
CREATE VIEW shown AS SELECT p.id, (a.seen AT TIME ZONE COALESCE(p.time_zone_name, 'UTC'))::date AS day, count(*) AS c FROM actions a LEFT JOIN publishers p ON p.id = a.action_publisher_id AND p.id % 2 = 1 GROUP BY p.id, (a.seen AT TIME ZONE COALESCE(p.time_zone_name, 'UTC'))::date
-- >>> bounds_converted_from_a_constant_zone
SELECT CAST(action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS date) AS day, count(*) AS n, min(seen AT TIME ZONE 'Asia/Tokyo') AS first FROM actions
WHERE action_event_time >= (TIMESTAMP '2016-03-01' AT TIME ZONE 'Europe/Paris' AT TIME ZONE 'UTC') AND action_event_time < (TIMESTAMP '2016-04-01' AT TIME ZONE 'Europe/Paris' AT TIME ZONE 'UTC')
  AND seen >= (TIMESTAMP '2016-03-01' AT TIME ZONE 'Europe/Paris') AND seen < (TIMESTAMP '2016-04-01' AT TIME ZONE 'Europe/Paris') GROUP BY 1
-- >>> value_of_a_date_and_an_interval
SELECT (a.action_event_time::date + INTERVAL '90 minutes') AT TIME ZONE p.time_zone_name AS opens, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= '2012-01-01' AND a.action_event_time < '2022-01-01' GROUP BY 1
-- >>> value_of_a_date_and_a_time
SELECT (a.action_event_time::date + TIME '02:30') AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC' AS at, a.n
FROM actions a WHERE a.action_event_time >= '2012-01-01' AND a.action_event_time < '2022-01-01'
-- >>> value_moved_by_a_number_of_minutes
SELECT (a.action_event_time + a.n * INTERVAL '1 hour' - INTERVAL '1 day') AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name AS l
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id WHERE a.n > 6
-- >>> value_chosen_by_conditions
SELECT CASE WHEN a.n > 5 AND a.action_name LIKE 'c%' THEN a.seen WHEN a.n IN (1, 2) THEN NULL ELSE COALESCE(a.seen, TIMESTAMPTZ '2020-03-08 07:00:00+00') END
  AT TIME ZONE p.time_zone_name AS l, greatest(a.seen, NULLIF(a.seen, a.seen)) AT TIME ZONE p.time_zone_name AS g
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
-- >>> value_of_an_epoch
WITH x AS (
    SELECT to_timestamp(extract(epoch FROM a.seen)) AS at, a.action_publisher_id AS id FROM actions a
    WHERE a.action_event_time BETWEEN '2011-01-01' AND '2021-01-01')
SELECT date_trunc('day', x.at AT TIME ZONE p.time_zone_name) AS day, count(*) FROM x JOIN publishers p ON p.id = x.id GROUP BY 1
-- >>> value_of_a_window_function_below
WITH x AS (
    SELECT a.n, p.time_zone_name AS tz, lag(a.action_event_time) OVER (PARTITION BY a.action_publisher_id ORDER BY a.action_event_time) AS before
    FROM actions a JOIN publishers p ON a.action_publisher_id = p.id)
SELECT x.n, x.before AT TIME ZONE 'UTC' AT TIME ZONE x.tz AS l FROM x
-- >>> value_of_a_window_function_in_a_window
SELECT a.n, min(a.action_event_time) OVER (PARTITION BY a.action_publisher_id) AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' AS first
FROM actions a WHERE a.action_event_time >= '2015-01-01' AND a.action_event_time < '2016-01-01'
-- >>> value_of_a_window_function_in_a_row_zone !left
SELECT a.n, lead(a.seen) OVER (PARTITION BY a.action_publisher_id ORDER BY a.seen) AT TIME ZONE p.time_zone_name AS l
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
-- >>> value_of_a_series
SELECT g.day AT TIME ZONE p.time_zone_name AS starts, p.id
FROM generate_series(TIMESTAMP '2019-10-20', TIMESTAMP '2020-04-20', INTERVAL '7 days') AS g(day) CROSS JOIN publishers p WHERE p.id BETWEEN 100 AND 140
-- >>> value_of_values_and_unions
SELECT q.at AT TIME ZONE 'America/Sao_Paulo' AS l
FROM (SELECT v.t + INTERVAL '1 hour' AS at FROM (VALUES (TIMESTAMPTZ '2018-11-04 02:30:00+00'), (NULL)) v(t)
  UNION ALL SELECT greatest(a.seen, a.seen - INTERVAL '1 day') FROM actions a) q
-- >>> aggregate_in_a_window
SELECT a.action_publisher_id, max(a.action_event_time) AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS last,
  min(a.action_event_time) FILTER (WHERE a.n > 3) AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS first
FROM actions a WHERE a.action_event_time >= '2015-01-01' AND a.action_event_time < '2017-01-01'
GROUP BY 1 HAVING (max(a.action_event_time) AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') > TIMESTAMP '2015-01-05'
-- >>> aggregate_without_a_window !left
SELECT a.action_publisher_id, max(a.seen) AT TIME ZONE 'America/New_York' AS last, (min(a.action_event_time) AT TIME ZONE 'UTC') AT TIME ZONE p.time_zone_name AS first
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY 1, p.time_zone_name
-- >>> zone_of_a_condition
SELECT a.seen AT TIME ZONE CASE WHEN a.n > 5 THEN 'America/New_York' WHEN a.n = 3 THEN 'UTC' ELSE 'Asia/Kolkata' END AS l FROM actions a
-- >>> zone_of_a_join_of_texts
SELECT date_trunc('hour', a.seen AT TIME ZONE (p.time_zone_name || '')) AS hour, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id GROUP BY 1
-- >>> zone_of_two_relations
SELECT a.seen AT TIME ZONE COALESCE(NULLIF(p.time_zone_name, 'america/new_york'), s.time_zone_name, 'UTC') AS l
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id LEFT JOIN sites s ON s.n = a.n
-- >>> zone_of_a_subquery
SELECT date_trunc('day', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE (SELECT p.time_zone_name FROM publishers p WHERE p.id = 150)) AS day, count(*)
FROM actions a GROUP BY 1
-- >>> zone_of_a_cte_in_a_subquery
WITH given AS (SELECT 'Australia/Lord_Howe' AS tz)
SELECT a.seen AT TIME ZONE (SELECT tz FROM given) AS l, a.n FROM actions a WHERE a.n < 8
-- >>> zone_of_a_correlated_subquery !left
SELECT a.seen AT TIME ZONE (SELECT p.time_zone_name FROM publishers p WHERE p.id = a.action_publisher_id) AS l FROM actions a
-- >>> zone_of_any_row
SELECT a.seen AT TIME ZONE (SELECT p.time_zone_name FROM publishers p WHERE p.time_zone_name LIKE 'America%' LIMIT 1) AS l FROM actions a WHERE a.n < 0 OR 1 = 0 OR a.n IS NOT NULL
-- >>> now_in_the_zone_of_a_row
SELECT p.time_zone_name, now() AT TIME ZONE p.time_zone_name AS l, CURRENT_TIMESTAMP - INTERVAL '100 days' AS t,
  (CURRENT_TIMESTAMP - INTERVAL '100 days') AT TIME ZONE p.time_zone_name AS before
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
-- >>> constant_in_the_zone_of_a_row
SELECT a.n, TIMESTAMP '2019-11-03 01:30:00' AT TIME ZONE p.time_zone_name AS utc, TIMESTAMPTZ '2019-11-03 06:30:00+00' AT TIME ZONE p.time_zone_name AS l
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
-- >>> beginning_of_the_local_year
SELECT a.n, a.seen FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE (a.seen AT TIME ZONE p.time_zone_name) >= date_trunc('year', now() AT TIME ZONE p.time_zone_name) - INTERVAL '2 years'
  AND a.seen < (date_trunc('year', now() AT TIME ZONE p.time_zone_name) + INTERVAL '1 year') AT TIME ZONE p.time_zone_name
-- >>> beginning_of_the_local_year_alone !left:duckdb
SELECT a.n, a.seen FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen >= date_trunc('year', now() AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name
-- >>> local_now_beside_a_column
SELECT s.time_zone_name FROM sites s WHERE s.opened::date < (now() AT TIME ZONE s.time_zone_name)::date AND s.opened < (now() AT TIME ZONE s.time_zone_name) - INTERVAL '1 day'
-- >>> local_time_against_local_now
SELECT s.n, (s.opened AT TIME ZONE 'UTC' AT TIME ZONE s.time_zone_name)::date < (now() AT TIME ZONE s.time_zone_name)::date AS past
FROM sites s ORDER BY s.opened AT TIME ZONE 'UTC' AT TIME ZONE s.time_zone_name < now() AT TIME ZONE s.time_zone_name, 1
-- >>> local_today_of_another_relation !left
SELECT count(*), sum(s.n) FROM sites s JOIN logs l ON l.log_time::date = (now() AT TIME ZONE s.time_zone_name)::date
-- >>> local_column_against_a_time
SELECT a.n, a.action_event_time FROM actions a
WHERE (a.action_event_time AT TIME ZONE 'America/New_York') >= TIMESTAMPTZ '2016-11-06 05:30:00+00' AND a.action_event_time AT TIME ZONE 'America/New_York' < now() - INTERVAL '1 year'
-- >>> local_column_of_a_row_zone_against_now
SELECT a.n, a.action_event_time FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time AT TIME ZONE p.time_zone_name >= now() - INTERVAL '2 years'
-- >>> utc_against_constants
SELECT a.n, a.seen FROM actions a
WHERE a.seen AT TIME ZONE 'UTC' >= TIMESTAMP '2015-01-01' AND TIMESTAMP '2017-01-01' > a.seen AT TIME ZONE 'GMT'
  OR a.seen AT TIME ZONE 'UTC' BETWEEN '2018-01-01' AND '2018-06-01 12:00' OR (a.action_event_time AT TIME ZONE 'UTC') = TIMESTAMPTZ '2012-03-11 10:00:00+00'
-- >>> utc_day_against_constants
SELECT a.n, a.seen FROM actions a
WHERE (a.seen AT TIME ZONE 'UTC')::date > DATE '2015-01-01' AND date_trunc('month', a.seen AT TIME ZONE 'UTC') <= TIMESTAMP '2019-05-02'
  AND NOT date(a.seen AT TIME ZONE 'UTC') = DATE '2016-03-13' AND NOT (a.n > 5 AND (a.seen AT TIME ZONE 'UTC')::date < '2016-11-07')
-- >>> utc_day_against_today
SELECT l.level, count(*) FROM logs l
WHERE date(l.log_time AT TIME ZONE 'UTC' AT TIME ZONE 'UTC') = CURRENT_DATE OR (l.log_time AT TIME ZONE 'UTC') >= now() - INTERVAL '3 days' GROUP BY 1
-- >>> utc_against_now
SELECT a.n, a.seen FROM actions a
WHERE date(a.seen AT TIME ZONE 'UTC') >= CURRENT_DATE - 700 AND (a.seen AT TIME ZONE 'UTC')::date <= (now() AT TIME ZONE 'UTC')::date + 100
  AND a.seen AT TIME ZONE 'UTC' < (now() AT TIME ZONE 'UTC') + INTERVAL '1 year'
  AND date_trunc('year', a.seen AT TIME ZONE 'UTC') = date_trunc('year', now() AT TIME ZONE 'UTC')
-- >>> star_beside_using !left
SELECT * FROM actions a JOIN sites s USING (n) WHERE a.seen >= TIMESTAMPTZ '2016-11-05 00:00:00+00' AND a.seen < TIMESTAMPTZ '2016-11-08 00:00:00+00'
ORDER BY a.seen AT TIME ZONE s.time_zone_name
-- >>> conversion_beside_a_bound_and_an_outer_join_that_becomes_an_inner_one !left
SELECT p.id, a.n FROM publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id
WHERE a.seen AT TIME ZONE p.time_zone_name < TIMESTAMP '2009-11-01' OR a.seen BETWEEN (TIMESTAMP '2009-11-01 00:00:30' AT TIME ZONE p.time_zone_name) AND (TIMESTAMP '2009-11-01 00:00:30' AT TIME ZONE p.time_zone_name)
-- >>> units_of_each_row
SELECT date_trunc(hour, a.seen AT TIME ZONE p.time_zone_name), date_trunc(u.hour, a.action_event_time) AT TIME ZONE p.time_zone_name AS since
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id CROSS JOIN (SELECT 'day' AS hour) AS u WHERE a.n < 3
-- >>> days_not_between
SELECT a.n, a.seen, a.seen AT TIME ZONE 'America/New_York' NOT BETWEEN '2016-03-13' AND '2016-11-06' AS x FROM actions a
WHERE (a.seen AT TIME ZONE 'America/New_York')::date NOT BETWEEN '2012-03-11' AND '2016-03-13' AND date_trunc('month', a.seen AT TIME ZONE 'America/New_York') NOT BETWEEN '2019-01-01' AND '2030-01-01'
-- >>> time_since
SELECT l.level, count(*) AS n, min(date_trunc('day', now() - l.log_time)) AS newest, max(age(now(), l.log_time)) > INTERVAL '1 day' AS is_old
FROM logs l WHERE now() - l.log_time < INTERVAL '90 years' GROUP BY 1
-- >>> kept_for_as_long_as_each_row_says
SELECT l.log_time, l.level FROM logs l
WHERE l.log_time < now() - l.level * INTERVAL '1 month' AND coalesce(l.log_time, now()) - l.log_time < INTERVAL '1 hour'
  AND greatest(l.log_time, now() - INTERVAL '1 day') <= now()
