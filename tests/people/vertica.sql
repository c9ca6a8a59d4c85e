-- Statements for Vertica over the tables of tests/people/data.py, one after each line that begins with `-- >>>`.
-- `once:N`: N of its conversions are computed once.
-- >>> hourly_report_zone_of_shop
SELECT date_trunc('hour', NEW_TIME(o.created_at, 'UTC', s.tz)) AS hour, s.name, count(*) AS orders, sum(o.total_cents) AS cents
FROM orders o JOIN shops s ON s.id = o.shop_id
WHERE o.created_at BETWEEN NEW_TIME('2023-01-01 00:00:00', s.tz, 'UTC') AND NEW_TIME('2025-12-31 23:59:59', s.tz, 'UTC')
GROUP BY 1, 2 ORDER BY 1;
-- >>> constant_zone_day
SELECT NEW_TIME(created_at, 'UTC', 'America/New_York')::DATE AS day, count(*) FROM orders GROUP BY 1
-- >>> constant_zone_month_text
SELECT to_char(NEW_TIME(created_at, 'GMT', 'America/Los_Angeles'), 'YYYY-MM') AS month, sum(total_cents) FROM orders WHERE status = 'paid' GROUP BY 1
-- >>> group_by_expression
SELECT DATE(NEW_TIME(o.created_at, 'GMT', 'Europe/London')) AS d, count(*) FROM orders o GROUP BY DATE(NEW_TIME(o.created_at, 'GMT', 'Europe/London')) ORDER BY DATE(NEW_TIME(o.created_at, 'GMT', 'Europe/London'))
-- >>> filter_on_local_day
SELECT count(*) FROM orders WHERE DATE(NEW_TIME(created_at, 'UTC', 'America/Chicago')) BETWEEN '2024-03-01' AND '2024-12-31'
-- >>> filter_today
SELECT count(*) + 1 AS n FROM orders WHERE NEW_TIME(created_at, 'UTC', 'Asia/Tokyo')::date = NEW_TIME(GETUTCDATE(), 'UTC', 'Asia/Tokyo')::date
-- >>> filter_last_days_zone_of_row
SELECT s.id, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE NEW_TIME(o.created_at, 'UTC', s.tz)::date > NEW_TIME(GETUTCDATE(), 'UTC', s.tz)::date - 40 GROUP BY s.id
-- >>> naive_now
SELECT count(*) FROM audit_log WHERE logged_at >= NOW() - INTERVAL '90 days'
-- >>> naive_now_between
SELECT action, count(*) FROM audit_log WHERE logged_at BETWEEN CURRENT_TIMESTAMP - INTERVAL '400 days' AND CURRENT_TIMESTAMP GROUP BY action
-- >>> getdate_filter
SELECT count(*) + 1 FROM audit_log WHERE logged_at > GETDATE() - INTERVAL '1 day'
-- >>> at_timezone_one_word
SELECT DATE(viewed_at AT TIMEZONE 'America/New_York') AS day, count(*) AS n FROM page_views GROUP BY 1 ORDER BY 1
-- >>> at_timezone_double
SELECT DATE(created_at AT TIMEZONE 'UTC' AT TIMEZONE 'Asia/Kolkata') AS day, status, count(*) FROM orders GROUP BY 1, 2
-- >>> at_time_zone_of_user
SELECT u.email, (pv.viewed_at AT TIME ZONE u.timezone)::DATE AS day, count(*) FROM page_views pv JOIN users u ON u.id = pv.user_id GROUP BY 1, 2
-- >>> left_joined_zone
SELECT pv.id, pv.viewed_at AT TIME ZONE u.timezone AS seen FROM page_views pv LEFT OUTER JOIN users u ON u.id = pv.user_id AND u.digest_hour > 6
-- >>> coalesce_zone
SELECT i.id, i.issued_at AT TIME ZONE COALESCE(a.billing_zone, a.time_zone) AS local FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> coalesce_zone_two_tables
SELECT n.id, NEW_TIME(n.scheduled_at, COALESCE(u.timezone, a.time_zone), 'UTC') AS utc FROM notifications n JOIN users u ON u.id = n.user_id JOIN accounts a ON a.id = u.account_id
-- >>> local_to_utc
SELECT r.device_id, NEW_TIME(r.recorded_local, si.timezone, 'UTC') AS at_utc, r.value FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
-- >>> local_to_utc_constant
SELECT NEW_TIME(recorded_local, 'America/New_York', 'UTC') AS at_utc FROM readings WHERE recorded_local >= '2020-01-01'
-- >>> zone_to_zone
SELECT NEW_TIME(r.recorded_local, si.timezone, 'America/New_York') AS ny FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
-- >>> nested_calls
SELECT NEW_TIME(NEW_TIME(recorded_local, 'Asia/Tokyo', 'UTC'), 'UTC', 'Europe/Berlin') AS berlin FROM readings
-- >>> many_measures
SELECT NEW_TIME(o.created_at, 'UTC', s.tz)::date AS day,
  SUM(CASE WHEN EXTRACT(HOUR FROM NEW_TIME(o.created_at, 'UTC', s.tz)) < 12 THEN o.total_cents ELSE 0 END) AS morning,
  SUM(CASE WHEN EXTRACT(HOUR FROM NEW_TIME(o.created_at, 'UTC', s.tz)) >= 12 THEN o.total_cents ELSE 0 END) AS afternoon,
  MAX(NEW_TIME(o.created_at, 'UTC', s.tz)) AS last_local
FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1
-- >>> cte_chain
WITH local_orders AS (
  SELECT o.*, NEW_TIME(o.created_at, 'UTC', s.tz) AS created_local FROM orders o JOIN shops s ON s.id = o.shop_id
), days AS (SELECT shop_id, created_local::date AS day, count(*) AS n FROM local_orders GROUP BY 1, 2)
SELECT day, sum(n) FROM days GROUP BY day
-- >>> window_rank
SELECT o.id, RANK() OVER (PARTITION BY o.shop_id, DATE (NEW_TIME (o.created_at, 'UTC', s.tz)) ORDER BY o.total_cents DESC) AS rnk FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> subquery_star
SELECT * FROM (SELECT o.id, o.status, NEW_TIME(o.created_at, 'UTC', 'Australia/Sydney') AS sydney FROM orders o) q WHERE q.sydney >= '2023-04-02 02:00:00'
-- >>> union_of_branches
SELECT 'order' AS kind, NEW_TIME(created_at, 'UTC', 'Europe/Madrid')::date AS day, count(*) FROM orders GROUP BY 2 UNION ALL SELECT 'log', NEW_TIME(logged_at, 'UTC', 'Europe/Madrid')::date, count(*) FROM audit_log GROUP BY 2
-- >>> after_aggregate
SELECT s.id, NEW_TIME(MAX(o.created_at), 'UTC', s.tz) AS latest FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY s.id, s.tz
-- >>> after_aggregate_constant
SELECT shop_id, NEW_TIME(MIN(created_at), 'UTC', 'America/Sao_Paulo') AS first_local FROM orders GROUP BY shop_id
-- >>> having_local
SELECT o.shop_id FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY o.shop_id HAVING MAX(NEW_TIME(o.created_at, 'UTC', s.tz)) > '2024-06-01 00:00:00'
-- >>> abbreviation_zones
SELECT NEW_TIME(created_at, 'GMT', 'EST') AS est, NEW_TIME(created_at, 'GMT', 'PST') AS pst FROM orders
-- >>> unnamed_output
SELECT NEW_TIME(o.created_at, 'UTC', s.tz), o.id FROM orders o JOIN shops s ON s.id = o.shop_id ORDER BY o.id
-- >>> hint_and_comment
SELECT /*+ LABEL(daily_orders) */ NEW_TIME(o.created_at, 'UTC', 'America/Phoenix')::date AS day, -- local day
  count(*) /* orders */ FROM orders o GROUP BY 1
-- >>> cast_forms
SELECT CAST(NEW_TIME(created_at, 'UTC', 'Pacific/Auckland') AS DATE) AS d, NEW_TIME(created_at::timestamp, 'UTC', 'Pacific/Auckland') AS t FROM orders
-- >>> external_text
SELECT NEW_TIME(external_ts::timestamp, 'UTC', 'Asia/Singapore') AS t FROM orders
-- >>> arithmetic_value
SELECT NEW_TIME(o.created_at + INTERVAL '30 minutes', 'UTC', s.tz) AS ready FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> business_hours
SELECT count(*) FROM tickets t JOIN accounts a ON a.id = t.account_id WHERE EXTRACT(HOUR FROM NEW_TIME(t.closed_at, 'UTC', a.time_zone)) BETWEEN 9 AND 17
-- >>> bounds_half_open
SELECT a.id, count(*) FROM subscriptions sb JOIN accounts a ON a.id = sb.account_id
WHERE sb.started_at >= NEW_TIME('2022-01-01', a.time_zone, 'UTC') AND sb.started_at < NEW_TIME('2024-01-01', a.time_zone, 'UTC') GROUP BY a.id
-- >>> create_view
CREATE OR REPLACE VIEW orders_local AS SELECT o.id, NEW_TIME(o.created_at, 'UTC', s.tz) AS created_local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> create_table_as
CREATE TABLE orders_copy AS SELECT id, NEW_TIME(created_at, 'UTC', 'America/New_York') AS created_ny FROM orders
-- >>> insert_select
INSERT INTO daily_stats SELECT s.account_id, NEW_TIME(o.created_at, 'UTC', s.tz)::date, count(*), sum(o.total_cents) FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1, 2
-- >>> delete_retention
DELETE FROM audit_log WHERE NEW_TIME(logged_at, 'UTC', 'Europe/Berlin')::date < '2018-01-01'
-- >>> update_day
UPDATE orders SET placed_on = NEW_TIME(created_at, 'UTC', 'Asia/Tokyo')::date WHERE status = 'paid'
-- >>> explain
EXPLAIN SELECT NEW_TIME(created_at, 'UTC', 'America/New_York')::date, count(*) FROM orders GROUP BY 1
-- >>> distinct_days
SELECT DISTINCT a.id, DATE_TRUNC('DAY', i.issued_at AT TIME ZONE a.time_zone) AS day FROM invoices i INNER JOIN accounts a ON a.id = i.account_id
-- >>> comma_join
SELECT EXTRACT(ISODOW FROM NEW_TIME(o.created_at, 'UTC', s.tz)) AS dow, count(*) FROM orders o, shops s WHERE o.shop_id = s.id GROUP BY 1
-- >>> settings_row
SELECT NEW_TIME(created_at, 'UTC', (SELECT timezone FROM app_settings WHERE id = 1))::DATE AS day, count(*) FROM orders GROUP BY 1
-- >>> dashboard_zone
SELECT date_trunc('$period', NEW_TIME(o.created_at, 'UTC', '$tz')) AS period, count(*) AS n FROM orders o GROUP BY 1
-- $period = month
-- $tz = America/New_York
-- >>> database_in_the_name
SELECT date(NEW_TIME(o.created_at, 'UTC', s.tz)) AS day, sum(o.total_cents) FROM shop.public.orders o JOIN shop.public.shops s ON s.id = o.shop_id GROUP BY 1
-- >>> settings_row_any
SELECT NEW_TIME(logged_at, 'UTC', (SELECT value FROM settings WHERE key = 'timezone' LIMIT 1)) AS logged_local, action FROM audit_log
-- >>> publisher_hourly_pnl
SELECT p.id AS publisher_id,
       TIME_SLICE(NEW_TIME(o.created_at, 'UTC', p.time_zone), 1, 'HOUR', 'START') AS hour_local,
       COUNT(*) AS impressions,
       SUM(o.total_cents) / 100.0 AS revenue
FROM orders o
JOIN shops s ON s.id = o.shop_id
JOIN accounts p ON p.id = s.account_id
WHERE o.created_at >= NEW_TIME('2022-07-01', p.time_zone, 'UTC')
  AND o.created_at <  NEW_TIME('2024-07-01', p.time_zone, 'UTC')
GROUP BY 1, 2
ORDER BY 1, 2
-- >>> publisher_day_tz_cast
select v.path as placement, (v.viewed_at::timestamptz at time zone coalesce(u.timezone, 'UTC'))::date as report_day, count(*) as hits
from page_views v
join users u on u.id = v.user_id
group by 1, 2
-- >>> naive_column_cast_to_tz
SELECT o.id, (o.created_at::TIMESTAMPTZ AT TIME ZONE s.tz) AS created_local FROM orders o INNER JOIN shops s ON s.id=o.shop_id WHERE o.currency='EUR'
-- >>> quarter_hour_slices
SELECT d.serial, TIME_SLICE(r.time AT TIME ZONE si.timezone, 15, 'MINUTE', 'START') AS slice, AVG(r.value)::NUMERIC(12,4) AS avg_value
FROM readings r, devices d, sites si
WHERE r.device_id = d.id AND d.site_id = si.id AND r.value IS NOT NULL
GROUP BY d.serial, slice
-- >>> report_zone_from_settings
SELECT NEW_TIME(l.logged_at, 'UTC', (SELECT value FROM settings WHERE key = 'timezone'))::DATE AS day, l.action, COUNT(*)
FROM audit_log l
GROUP BY 1, 2
-- >>> network_zone_cross_join
WITH cfg AS (
    SELECT MAX(timezone) AS tz FROM app_settings
)
SELECT o.shop_id, TO_CHAR(NEW_TIME(o.created_at, 'UTC', cfg.tz), 'YYYY-MM-DD HH24:00') AS hour, SUM(o.total_cents) AS spend
FROM orders o CROSS JOIN cfg
WHERE o.status = 'paid'
GROUP BY 1, 2
-- >>> account_zone_scalar
SELECT sb.id, NEW_TIME(sb.started_at, 'UTC', (SELECT a.time_zone FROM accounts a WHERE a.id = 5)) AS started, NEW_TIME(sb.canceled_at, 'UTC', (SELECT a.time_zone FROM accounts a WHERE a.id = 5)) AS canceled FROM subscriptions sb
-- >>> database_schema_table
SELECT "o"."status", CAST(NEW_TIME("o"."created_at", 'UTC', "s"."tz") AS DATE) AS "day", SUM("o"."total_cents") AS "cents"
FROM "shop"."public"."orders" "o"
JOIN "shop"."public"."shops" "s" ON ("s"."id" = "o"."shop_id")
GROUP BY 1, 2
-- >>> dbt_compiled_view
/* {"app": "dbt", "dbt_version": "1.6.0", "node_id": "model.ads.v_shift_hours"} */
create or replace view shop.public.v_shift_hours as (
    with shifts as (select * from shop.public.shifts),
    shops as (select * from shop.public.shops)
    select
        shifts.id as shift_id,
        shops.name as shop_name,
        shifts.clock_in at time zone shops.tz as clock_in_local,
        shifts.clock_out at time zone shops.tz as clock_out_local
    from shifts
    left join shops on shops.id = shifts.shop_id
)
-- >>> tableau_nested_selects
SELECT "t0"."hr" AS "hr:local:ok", SUM("t0"."cnt") AS "sum:cnt:ok"
FROM (
  SELECT "t1"."name" AS "name", EXTRACT(HOUR FROM "t1"."local_ts") AS "hr", COUNT(1) AS "cnt"
  FROM (
    SELECT "shops"."name" AS "name", NEW_TIME("orders"."created_at", 'UTC', "shops"."tz") AS "local_ts"
    FROM "public"."orders" "orders"
    INNER JOIN "public"."shops" "shops" ON ("orders"."shop_id" = "shops"."id")
  ) "t1"
  WHERE ("t1"."local_ts" >= TIMESTAMP '2019-03-31 00:00:00.000')
  GROUP BY 1, 2
) "t0"
GROUP BY 1
HAVING (SUM("t0"."cnt") > 0)
-- >>> campaign_start_local_to_utc
-- a booked slot starts at the publisher's midnight
SELECT i.id,
       NEW_TIME(i.due_on::TIMESTAMP, COALESCE(a.billing_zone, a.time_zone), 'UTC') AS flight_start_utc,
       NEW_TIME((i.due_on + 1)::TIMESTAMP, COALESCE(a.billing_zone, a.time_zone), 'UTC') AS flight_end_utc
FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> shift_planned_vs_clocked
select sh.id, (sh.work_date + sh.starts) at time zone s.tz as planned, sh.clock_in,
  sh.clock_in > (sh.work_date + sh.starts) at time zone s.tz + interval '10 minutes' as late
from shifts sh
join shops s on s.id = sh.shop_id
-- >>> month_range_of_account_zone
SELECT a.name, COUNT(*) AS paid, SUM(i.amount) AS amount
FROM invoices i
JOIN accounts a ON a.id = i.account_id
WHERE i.paid_at >= TIMESTAMP '2020-01-01 00:00:00' AT TIME ZONE a.time_zone
  AND i.paid_at <  TIMESTAMP '2025-01-01 00:00:00' AT TIME ZONE a.time_zone
GROUP BY a.name
-- >>> billing_month_round_trip
SELECT sb.id, NEW_TIME(DATE_TRUNC('MONTH', NEW_TIME(sb.started_at, 'UTC', a.time_zone)), a.time_zone, 'UTC') AS month_start_utc
FROM subscriptions sb JOIN accounts a ON a.id = sb.account_id
WHERE sb.started_at IS NOT NULL
-- >>> last_28_days_getdate
SELECT s.name, NEW_TIME(o.created_at, 'UTC', s.tz)::date AS d, COUNT(*) AS n
FROM shops s
JOIN orders o ON o.shop_id = s.id AND NEW_TIME(o.created_at, 'UTC', s.tz)::date >= NEW_TIME(GETDATE(), 'UTC', s.tz)::date - 28
WHERE s.is_active
GROUP BY 1, 2
-- >>> stale_subscriptions_naive
SELECT plan, COUNT(*) AS n FROM subscriptions WHERE canceled_at IS NULL AND started_at <= NOW() - INTERVAL '1 year' GROUP BY plan
-- >>> merge_publisher_days
MERGE /*+ DIRECT */ INTO daily_stats t
USING (
    SELECT s.account_id, DATE(NEW_TIME(o.created_at, 'UTC', s.tz)) AS day, COUNT(*) AS n, SUM(o.total_cents) AS total
    FROM orders o JOIN shops s ON s.id = o.shop_id
    GROUP BY s.account_id, DATE(NEW_TIME(o.created_at, 'UTC', s.tz))
) src
ON t.account_id = src.account_id AND t.day = src.day
WHEN MATCHED THEN UPDATE SET n = src.n, total = src.total
WHEN NOT MATCHED THEN INSERT (account_id, day, n, total) VALUES (src.account_id, src.day, src.n, src.total)
-- >>> update_from_join
UPDATE /*+ DIRECT */ orders SET placed_on = NEW_TIME(orders.created_at, 'UTC', s.tz)::DATE FROM shops s WHERE orders.shop_id = s.id AND orders.status = 'pending'
-- >>> local_temp_table
CREATE LOCAL TEMP TABLE tmp_views ON COMMIT PRESERVE ROWS AS
SELECT pv.id, pv.session_id, (pv.viewed_at AT TIMEZONE 'Pacific/Auckland') AS viewed_nz
FROM page_views pv
WHERE (pv.viewed_at AT TIMEZONE 'Pacific/Auckland')::TIME BETWEEN '06:00' AND '11:59:59'
-- >>> sessions_per_local_day
SELECT day, COUNT(*) AS sessions, MAX(hits) AS longest
FROM (
  SELECT v.user_id, v.session_id, MIN(v.viewed_at AT TIME ZONE u.timezone)::DATE AS day, COUNT(*) AS hits
  FROM page_views v
  JOIN users u ON u.id = v.user_id
  WHERE u.timezone IS NOT NULL
  GROUP BY v.user_id, v.session_id
) x
GROUP BY day
-- >>> new_vs_returning
WITH days AS (
  SELECT DISTINCT o.user_id, NEW_TIME(o.created_at, 'UTC', 'Europe/Berlin')::DATE AS d FROM orders o
),
ranked AS (SELECT user_id, d, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY d) AS rn, LAG(d) OVER (PARTITION BY user_id ORDER BY d) AS prev FROM days)
SELECT d, SUM(CASE WHEN rn = 1 THEN 1 ELSE 0 END) AS new_users, SUM(CASE WHEN d - prev <= 30 THEN 1 ELSE 0 END) AS returning_users
FROM ranked GROUP BY d
-- >>> reconcile_feeds
SELECT COALESCE(x.day, y.day) AS day, x.n AS orders, y.n AS views
FROM (SELECT CAST(NEW_TIME(created_at, 'GMT', 'America/New_York') AS DATE) AS day, COUNT(*) AS n FROM orders GROUP BY 1) x
FULL OUTER JOIN (SELECT CAST(viewed_at AT TIME ZONE 'America/New_York' AS DATE) AS day, COUNT(*) AS n FROM page_views GROUP BY 1) y
ON x.day = y.day
-- >>> partner_file_local_stamps
INSERT /*+ DIRECT */ INTO audit_log (id, actor_id, action, logged_at)
SELECT 100000 + r.device_id * 1000 + ROW_NUMBER() OVER (PARTITION BY r.device_id ORDER BY r.time, r.value, r.recorded_local), d.site_id, 'import', NEW_TIME(r.recorded_local, si.timezone, 'UTC')
FROM readings r
JOIN devices d ON d.id = r.device_id
JOIN sites si ON si.id = d.site_id
WHERE si.is_active AND r.recorded_local > '2021-10-01'
-- >>> vsql_date_bounds
-- :'first' = '2017-02-18'
-- :'last' = '2019-11-01'
\timing on
SELECT DATE_TRUNC('day', NEW_TIME(created_at, 'GMT', 'America/Sao_Paulo')) AS day, status, COUNT(DISTINCT user_id) AS users
FROM public.orders
WHERE created_at BETWEEN NEW_TIME(:'first', 'America/Sao_Paulo', 'GMT') AND NEW_TIME(:'last', 'America/Sao_Paulo', 'GMT')
GROUP BY 1, 2;
-- >>> looker_condition_publisher_zone
-- {% condition day_filter %} = (
-- {% endcondition %} = >= '2021-01-01')
SELECT
    DATE(NEW_TIME(orders.created_at, 'UTC', shops.tz)) AS "orders.created_date",
    COUNT(*) AS "orders.count"
FROM orders AS orders
LEFT JOIN shops AS shops ON shops.id = orders.shop_id
WHERE {% condition day_filter %} NEW_TIME(orders.created_at, 'UTC', shops.tz) {% endcondition %}
GROUP BY 1
ORDER BY 1 DESC
LIMIT 500
-- >>> months_in_the_zone_of_settings
SELECT DATE_TRUNC('month', NEW_TIME(o.created_at, 'UTC', (SELECT MAX(timezone) FROM app_settings))) AS m, SUM(o.total_cents) FROM orders o WHERE o.created_at >= '2020-01-01' GROUP BY 1
-- >>> one_day_in_the_zone_of_settings
SELECT o.id FROM orders o WHERE NEW_TIME(o.created_at, 'UTC', (SELECT value FROM settings WHERE key = 'timezone'))::DATE = DATE '2024-03-10'
-- >>> local_temp_table_then_days
CREATE LOCAL TEMP TABLE l ON COMMIT PRESERVE ROWS AS SELECT o.id, o.created_at, s.tz FROM orders o JOIN shops s ON s.id = o.shop_id;
SELECT tz, NEW_TIME(created_at, 'UTC', tz)::DATE AS d, COUNT(*) FROM l GROUP BY 1, 2
-- >>> first_known_time_and_zone
SELECT t.id, NVL(t.first_reply_at, t.opened_at) AT TIME ZONE NVL(a.billing_zone, a.time_zone) AS replied, GREATEST(t.opened_at, t.first_reply_at) AT TIME ZONE ISNULL(a.billing_zone, 'UTC') AS latest FROM tickets t JOIN accounts a ON a.id = t.account_id
-- >>> month_as_text
SELECT COUNT(*) FROM tickets WHERE TO_CHAR(opened_at AT TIME ZONE 'Europe/Berlin', 'YYYY-MM') IN ('2024-03', '2024-10')
