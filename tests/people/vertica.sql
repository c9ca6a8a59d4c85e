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
