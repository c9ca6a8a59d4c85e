-- Statements for DuckDB over the tables of tests/people/data.py, one after each line that begins with `-- >>>`.
-- `once:N`: N of its conversions are computed once. `-- $1 = value` below a name gives a parameter of the statement its value.
-- >>> report_group_by_all
SELECT s.name, date_trunc('day', o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz) AS day, count(*) AS n, sum(o.total_cents) AS cents
FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY ALL ORDER BY ALL
-- >>> from_first
FROM orders o JOIN shops s ON o.shop_id = s.id
SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::DATE AS d, count() AS n GROUP BY d
-- >>> timezone_function
SELECT timezone('America/New_York', viewed_at)::DATE AS day, count(*) FROM page_views GROUP BY 1
-- >>> timezone_function_nested
SELECT strftime(timezone('Asia/Kolkata', timezone('UTC', created_at)), '%Y-%m') AS month, sum(total_cents) FROM orders GROUP BY month ORDER BY month
-- >>> strftime_zone_of_user
SELECT u.email, strftime(pv.viewed_at AT TIME ZONE u.timezone, '%Y-%m-%d %H:00') AS hour, count(*) FROM page_views pv JOIN users u ON u.id = pv.user_id GROUP BY 1, 2
-- >>> constant_zone_year
SELECT dayname(created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin') AS day, hour(created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin') AS h, count(*) FROM orders
WHERE created_at >= TIMESTAMP '2023-01-01' AND created_at < TIMESTAMP '2024-01-01' GROUP BY 1, 2
-- >>> epoch_ms_local
SELECT make_timestamp(epoch_ms * 1000) AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles' AS local, path FROM page_views
-- >>> to_timestamp_epoch
SELECT date_trunc('week', to_timestamp(epoch_s) AT TIME ZONE 'Europe/London') AS week, count(DISTINCT user_id) FROM page_views GROUP BY week
-- >>> today_constant
SELECT count(*) + 1 AS n FROM page_views WHERE (viewed_at AT TIME ZONE 'America/Chicago')::DATE = (now() AT TIME ZONE 'America/Chicago')::DATE
-- >>> last_days_constant
SELECT count(*) FROM orders WHERE (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')::DATE >= (now() AT TIME ZONE 'Asia/Tokyo')::DATE - 30
-- >>> last_days_zone_of_row
SELECT a.id, count(*) FROM accounts a JOIN invoices i ON i.account_id = a.id
WHERE (i.issued_at AT TIME ZONE a.time_zone)::DATE > (now() AT TIME ZONE a.time_zone)::DATE - INTERVAL 40 DAY GROUP BY a.id
-- >>> day_start_of_user
SELECT u.id, count(*) FROM users u JOIN page_views pv ON pv.user_id = u.id
WHERE pv.viewed_at >= date_trunc('month', now() AT TIME ZONE u.timezone) AT TIME ZONE u.timezone - INTERVAL 1 YEAR GROUP BY u.id
-- >>> naive_now
SELECT count(*) FROM audit_log WHERE logged_at >= now() - INTERVAL 3 MONTH
-- >>> naive_now_current_timestamp
SELECT action, count(*) FROM audit_log WHERE logged_at BETWEEN CURRENT_TIMESTAMP - INTERVAL 300 DAY AND CURRENT_TIMESTAMP GROUP BY ALL
-- >>> bounds_in_zone_of_row
SELECT s.id, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id
WHERE o.created_at >= TIMESTAMP '2024-03-01' AT TIME ZONE s.tz AT TIME ZONE 'UTC' AND o.created_at < TIMESTAMP '2024-12-01' AT TIME ZONE s.tz AT TIME ZONE 'UTC' GROUP BY 1
-- >>> between_local_dates
SELECT count(*) FROM page_views WHERE CAST(viewed_at AT TIME ZONE 'Australia/Sydney' AS DATE) BETWEEN DATE '2022-04-01' AND DATE '2022-10-05'
-- >>> quoted_camel_case
SELECT "b"."id", "b"."startsAt" AT TIME ZONE "b"."timeZone" AS "startsLocal" FROM "Booking" "b" WHERE "b"."status" = 'CONFIRMED'
-- >>> qualify_first_of_local_day
SELECT o.id, o.shop_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::DATE AS day FROM orders o JOIN shops s ON s.id = o.shop_id
QUALIFY row_number() OVER (PARTITION BY o.shop_id, day ORDER BY o.created_at, o.id) = 1
-- >>> exclude_star
SELECT o.* EXCLUDE (created_at, external_ts), o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz AS created_local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> replace_star
SELECT * REPLACE (viewed_at AT TIME ZONE 'Europe/Madrid' AS viewed_at) FROM page_views WHERE user_id < 20
-- >>> aggregates_with_filter
SELECT user_id, count(*) FILTER (WHERE hour(viewed_at AT TIME ZONE 'America/New_York') < 12) AS mornings, max(viewed_at AT TIME ZONE 'America/New_York') AS latest FROM page_views GROUP BY user_id
-- >>> arg_max_local
SELECT shop_id, arg_max(total_cents, created_at), max(created_at) AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Madrid' AS latest FROM orders GROUP BY shop_id
-- >>> last_seen_zone_of_row
SELECT u.id, max(pv.viewed_at) AT TIME ZONE u.timezone AS seen FROM users u JOIN page_views pv ON pv.user_id = u.id GROUP BY u.id, u.timezone
-- >>> retention
WITH firsts AS (SELECT user_id, min(viewed_at) AS first_at FROM page_views GROUP BY user_id),
days AS (SELECT pv.user_id, date_diff('day', (f.first_at AT TIME ZONE u.timezone)::DATE, (pv.viewed_at AT TIME ZONE u.timezone)::DATE) AS d
  FROM page_views pv JOIN firsts f USING (user_id) JOIN users u ON u.id = pv.user_id)
SELECT d // 30 AS month, count(DISTINCT user_id) FROM days GROUP BY 1
-- >>> zone_coalesce_two_tables
SELECT i.id, i.issued_at AT TIME ZONE coalesce(a.billing_zone, a.time_zone, 'UTC') AS local FROM invoices i LEFT JOIN accounts a ON a.id = i.account_id
-- >>> zone_of_two_relations
SELECT n.id, n.sent_at AT TIME ZONE coalesce(u.timezone, a.time_zone) AS sent FROM notifications n JOIN users u ON u.id = n.user_id JOIN accounts a ON a.id = u.account_id
-- >>> zone_scalar_subquery
SELECT date_trunc('day', paid_at AT TIME ZONE (SELECT timezone FROM app_settings)) AS day, count(*) FROM orders GROUP BY day
-- >>> zone_parameter
-- $1 = 'America/St_Johns'
SELECT (viewed_at AT TIME ZONE $1)::DATE AS day, count(*) FROM page_views GROUP BY day
-- >>> zone_parameter_unnamed
-- ? = 'Europe/London'
SELECT path, hour(viewed_at AT TIME ZONE ?) AS h FROM page_views
-- >>> calendar_in_zone
WITH days AS (SELECT unnest(generate_series(DATE '2024-03-01', DATE '2024-03-31', INTERVAL 1 DAY))::DATE AS day)
SELECT d.day, count(o.id) FROM days d LEFT JOIN orders o ON (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::DATE = d.day GROUP BY d.day
-- >>> calendar_range_bounds
SELECT r.d, count(pv.id) FROM (SELECT range AS d FROM range(TIMESTAMP '2024-10-20', TIMESTAMP '2024-11-10', INTERVAL 1 DAY)) r
LEFT JOIN page_views pv ON pv.viewed_at >= r.d AT TIME ZONE 'Europe/Paris' AND pv.viewed_at < (r.d + INTERVAL 1 DAY) AT TIME ZONE 'Europe/Paris' GROUP BY 1
-- >>> date_plus_time
SELECT sh.id, (sh.work_date + sh.starts) AT TIME ZONE s.tz AS begins FROM shifts sh JOIN shops s ON s.id = sh.shop_id
-- >>> local_to_instant
SELECT avg(epoch(r.time) - epoch(r.recorded_local AT TIME ZONE si.timezone)) AS drift FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
-- >>> json_value
SELECT (payload->>'$.created')::TIMESTAMPTZ AT TIME ZONE 'Asia/Tokyo' AS created FROM audit_log
-- >>> text_cast
SELECT CAST(external_ts AS TIMESTAMP) AT TIME ZONE 'UTC' AT TIME ZONE 'America/Chicago' AS t, count(*) FROM orders GROUP BY ALL
-- >>> time_bucket
SELECT time_bucket(INTERVAL 15 MINUTE, r.time AT TIME ZONE si.timezone) AS bucket, round(avg(r.value), 3) FROM readings r JOIN devices d ON r.device_id = d.id JOIN sites si ON si.id = d.site_id GROUP BY bucket
-- >>> time_bucket_with_zone
SELECT time_bucket(INTERVAL 1 DAY, time, 'Europe/Berlin') AS bucket, count(*) FROM readings GROUP BY bucket
-- >>> asof_join_local
SELECT t.id, i.id FROM (SELECT id, account_id, opened_at AT TIME ZONE 'Europe/Madrid' AS at_local FROM tickets) t
ASOF JOIN (SELECT id, account_id, issued_at AT TIME ZONE 'Europe/Madrid' AS issued FROM invoices) i ON t.account_id = i.account_id AND t.at_local >= i.issued
-- >>> pivot_by_local_year
PIVOT (SELECT currency, year(created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Pacific/Auckland') AS y, total_cents FROM orders) ON y USING sum(total_cents) GROUP BY currency
-- >>> pivot_by_local_weekday_in_order
WITH d AS (SELECT s.name, dayname(o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz) AS day, o.total_cents FROM orders o JOIN shops s ON s.id = o.shop_id)
PIVOT d ON day IN ('Monday', 'Saturday', 'Sunday') USING sum(total_cents) AS cents GROUP BY name ORDER BY name
-- >>> unpivot_local_times
UNPIVOT (SELECT o.id, o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz AS created, o.paid_at AT TIME ZONE s.tz AS paid FROM orders o JOIN shops s ON s.id = o.shop_id)
ON created, paid INTO NAME event VALUE local_time ORDER BY id, event
-- >>> utc_only
SELECT (viewed_at AT TIME ZONE 'UTC')::DATE AS day, count(*) FROM page_views GROUP BY day
-- >>> utc_filter
SELECT count(*) FROM page_views WHERE viewed_at AT TIME ZONE 'UTC' >= TIMESTAMP '2024-01-01'
-- >>> round_trip
SELECT date_trunc('day', viewed_at AT TIME ZONE 'America/Sao_Paulo') AT TIME ZONE 'America/Sao_Paulo' AS starts, count(*) FROM page_views GROUP BY starts
-- >>> implicit_session_zone
SELECT date_trunc('day', viewed_at) AS day, count(*) FROM page_views WHERE viewed_at::TIMESTAMP > TIMESTAMP '2024-01-01' GROUP BY day
-- >>> create_table_as
CREATE OR REPLACE TABLE orders_local AS SELECT o.id, o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz AS created_local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> create_view
CREATE VIEW daily_views AS SELECT (viewed_at AT TIME ZONE 'America/New_York')::DATE AS day, count(*) AS n FROM page_views GROUP BY day
-- >>> insert_by_name
INSERT INTO daily_stats BY NAME SELECT i.account_id, (i.issued_at AT TIME ZONE a.time_zone)::DATE AS day, count(*) AS n, 0 AS total FROM invoices i JOIN accounts a ON a.id = i.account_id GROUP BY ALL
-- >>> update_local_date
UPDATE orders SET placed_on = (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Singapore')::DATE WHERE status = 'paid'
-- >>> delete_retention
DELETE FROM page_views WHERE (viewed_at AT TIME ZONE 'Europe/London')::DATE < DATE '2018-01-01'
-- >>> macro_local_day
CREATE MACRO local_day(ts, zone) AS (ts AT TIME ZONE zone)::DATE;
SELECT local_day(viewed_at, 'Asia/Kathmandu') AS day, count(*) FROM page_views GROUP BY day
-- >>> explain
EXPLAIN SELECT (viewed_at AT TIME ZONE 'America/New_York')::DATE, count(*) FROM page_views GROUP BY 1
-- >>> settings_then_query
SET threads = 2;
SELECT month(paid_at AT TIME ZONE 'America/Phoenix') AS m, count(*) FROM orders GROUP BY m
-- >>> list_of_hours
SELECT u.id, list_sort(list(hour(pv.viewed_at AT TIME ZONE u.timezone))) AS hours FROM users u JOIN page_views pv ON pv.user_id = u.id GROUP BY u.id
-- >>> union_by_name
SELECT 'order' AS kind, created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' AS at_local FROM orders UNION ALL BY NAME SELECT 'view' AS kind, viewed_at AT TIME ZONE 'Europe/Berlin' AS at_local FROM page_views
-- >>> correlated_count
SELECT s.id, (SELECT count(*) FROM orders o WHERE o.shop_id = s.id AND hour(o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz) >= 18) AS evenings FROM shops s
-- >>> window_range_local
SELECT id, count(*) OVER (PARTITION BY user_id ORDER BY viewed_at AT TIME ZONE 'Europe/Berlin' RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND CURRENT ROW) AS week FROM page_views
-- >>> day_of_week_names
SELECT CASE WHEN isodow(o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz) > 5 THEN 'weekend' ELSE 'week' END AS part, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY part
-- >>> semi_join_recent
SELECT count(*) FROM users u SEMI JOIN audit_log a ON a.actor_id = u.id AND a.logged_at >= now() - INTERVAL 3 YEAR
-- >>> in_now_list
SELECT count(*) FROM audit_log WHERE logged_at NOT IN (now(), now() - INTERVAL 1 DAY)
-- >>> due_on_now
SELECT count(*) FROM invoices WHERE due_on >= now() - INTERVAL 2000 DAY
-- >>> shown_in_utc_now
SELECT count(*) FROM page_views WHERE viewed_at AT TIME ZONE 'UTC' >= now() - INTERVAL 2 YEAR
-- >>> compare_across_join
SELECT count(*) FROM page_views pv JOIN users u ON u.id = pv.user_id JOIN accounts a ON a.id = u.account_id WHERE pv.viewed_at >= a.created_at AT TIME ZONE a.time_zone
-- >>> summarize_case
SELECT CASE WHEN shipped_at < now() THEN 'sent' WHEN placed_on <> now() THEN 'x' END AS c, count(*) FROM orders GROUP BY ALL
-- >>> filter_distinct_from
SELECT count(*) FILTER (shipped_at IS DISTINCT FROM now()) AS n FROM orders
-- >>> subquery_now
SELECT count(*) FROM orders WHERE created_at > (SELECT now() - INTERVAL 2 YEAR)
-- >>> session_zone_setting
SELECT (viewed_at AT TIME ZONE current_setting('TimeZone'))::DATE AS day, count(*) FROM page_views GROUP BY day
-- >>> settings_row_any
SELECT strftime(paid_at AT TIME ZONE (SELECT timezone FROM app_settings LIMIT 1), '%Y-%m') AS month, sum(total_cents) FROM orders GROUP BY ALL
-- >>> settings_aggregate
SELECT hour(created_at AT TIME ZONE 'UTC' AT TIME ZONE (SELECT max(value) FROM settings WHERE key = 'timezone')) AS h, count(*) FROM orders GROUP BY h
-- >>> evidence_input
SELECT date_trunc('day', o.created_at AT TIME ZONE 'UTC' AT TIME ZONE '${inputs.tz}') AS day, count(*) AS n FROM orders o GROUP BY 1
-- ${inputs.tz} = America/St_Johns
-- >>> dbt_grain_and_zone
select date_trunc('{{ var("grain") }}', i.issued_at at time zone '{{ var("tz") }}') as period, sum(i.amount) as amount from invoices i group by 1
-- {{ var("grain") }} = month
-- {{ var("tz") }} = Europe/Madrid
-- >>> jinja_condition
SELECT pv.user_id, timezone('{{ tz }}', pv.viewed_at) AS seen FROM page_views pv
{% if user_id %} WHERE pv.user_id < 9 {% endif %}
-- {{ tz }} = Pacific/Apia
-- {% if user_id %} =
-- {% endif %} =
-- >>> dbt_compiled_relation
select date_trunc('month', o.paid_at at time zone s.tz) as month, count(*) from "memory"."main"."orders" as o join "memory"."main"."shops" as s on s.id = o.shop_id group by 1
-- >>> database_without_quotes
SELECT (viewed_at AT TIME ZONE 'America/Los_Angeles')::date AS day, count(*) FROM memory.main.page_views GROUP BY 1
-- >>> temp_table_of_the_script
CREATE OR REPLACE TEMP TABLE base AS SELECT o.id, o.shop_id, o.created_at, s.tz FROM orders o JOIN shops s ON s.id = o.shop_id;
SELECT tz, strftime(created_at AT TIME ZONE 'UTC' AT TIME ZONE tz, '%Y-%m') AS m, count(*) FROM base GROUP BY ALL
-- >>> lateral_days_of_each_shop
SELECT s.id, x.d, x.n FROM shops s LEFT JOIN LATERAL (SELECT (o.paid_at AT TIME ZONE s.tz)::DATE AS d, count(*) AS n FROM orders o WHERE o.shop_id = s.id GROUP BY d) x ON true
-- >>> merge_shop_days
MERGE INTO daily_stats t USING (SELECT s.account_id, (o.paid_at AT TIME ZONE s.tz)::DATE AS day, count(*) AS n FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY ALL) s ON t.account_id = s.account_id AND t.day = s.day WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (account_id, day, n, total) VALUES (s.account_id, s.day, s.n, 0)
-- >>> view_then_hours
CREATE OR REPLACE VIEW recent AS SELECT pv.*, u.timezone FROM page_views pv JOIN users u ON u.id = pv.user_id;
SELECT timezone, hour(viewed_at AT TIME ZONE timezone) AS h, count(*) FROM recent GROUP BY ALL ORDER BY ALL
