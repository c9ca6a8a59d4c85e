-- Statements for Spark over the tables of tests/people/data.py, one after each line that begins with `-- >>>`.
-- `once:N`: N of its conversions are computed once.
-- >>> daily_orders_constant
SELECT to_date(convert_timezone('UTC', 'America/New_York', created_at)) AS day, count(*) AS n FROM orders GROUP BY 1
-- >>> daily_views_constant
SELECT date(from_utc_timestamp(viewed_at, 'America/Los_Angeles')) AS day, count(DISTINCT user_id) AS users FROM page_views GROUP BY day
-- >>> hour_zone_of_shop
SELECT s.name, hour(convert_timezone('UTC', s.tz, o.created_at)) AS h, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY s.name, h
-- >>> date_format_zone_of_user
SELECT date_format(from_utc_timestamp(pv.viewed_at, u.timezone), 'yyyy-MM-dd HH') AS hour, count(1) AS views FROM page_views pv INNER JOIN users u ON u.id = pv.user_id GROUP BY 1
-- >>> three_levels
WITH base AS (
  SELECT o.*, from_utc_timestamp(o.paid_at, s.tz) AS paid_local FROM orders o LEFT JOIN shops s ON o.shop_id = s.id
), daily AS (SELECT shop_id, date_trunc('DAY', paid_local) AS day, sum(total_cents) AS cents FROM base WHERE paid_local IS NOT NULL GROUP BY shop_id, date_trunc('DAY', paid_local))
SELECT day, sum(cents) FROM daily GROUP BY day
-- >>> filter_local_date
SELECT count(*) FROM page_views WHERE to_date(from_utc_timestamp(viewed_at, 'Europe/Berlin')) >= '2024-03-31'
-- >>> filter_between_dates
SELECT count(*) FROM page_views WHERE CAST(from_utc_timestamp(viewed_at, 'Asia/Tokyo') AS DATE) BETWEEN DATE'2022-01-01' AND DATE'2023-06-30'
-- >>> filter_today
SELECT count(*) + 1 AS n FROM page_views WHERE to_date(from_utc_timestamp(viewed_at, 'America/Chicago')) = to_date(from_utc_timestamp(current_timestamp(), 'America/Chicago'))
-- >>> filter_last_days
SELECT count(*) FROM page_views WHERE to_date(from_utc_timestamp(viewed_at, 'Australia/Sydney')) > date_sub(to_date(from_utc_timestamp(current_timestamp(), 'Australia/Sydney')), 40)
-- >>> filter_last_days_zone_of_row
SELECT a.id, count(*) FROM accounts a JOIN invoices i ON i.account_id = a.id WHERE to_date(from_utc_timestamp(i.issued_at, a.time_zone)) > date_sub(to_date(from_utc_timestamp(current_timestamp(), a.time_zone)), 40) GROUP BY a.id
-- >>> bounds_to_utc
SELECT s.id, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE o.paid_at >= to_utc_timestamp('2023-03-01 00:00:00', s.tz) AND o.paid_at < to_utc_timestamp('2024-12-01 00:00:00', s.tz) GROUP BY s.id
-- >>> bounds_ntz
SELECT s.id, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE o.created_at >= convert_timezone(s.tz, 'UTC', TIMESTAMP_NTZ'2023-03-01 00:00:00') GROUP BY s.id
-- >>> local_to_utc
SELECT r.device_id, convert_timezone(si.timezone, 'UTC', r.recorded_local) AS utc, r.value FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
-- >>> local_to_utc_constant
SELECT convert_timezone('America/New_York', 'UTC', recorded_local) AS utc FROM readings WHERE value > 10
-- >>> zone_to_zone
SELECT convert_timezone(si.timezone, 'America/New_York', r.recorded_local) AS ny FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
-- >>> zone_to_zone_constant
SELECT convert_timezone('Asia/Kolkata', 'Europe/London', recorded_local) AS london FROM readings
-- >>> coalesce_zone
SELECT i.id, from_utc_timestamp(i.issued_at, coalesce(a.billing_zone, a.time_zone)) AS local FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> coalesce_two_tables
SELECT n.id, from_utc_timestamp(n.sent_at, coalesce(u.timezone, a.time_zone)) AS sent FROM notifications n JOIN users u ON u.id = n.user_id JOIN accounts a ON a.id = u.account_id
-- >>> left_joined_zone
SELECT pv.id, from_utc_timestamp(pv.viewed_at, u.timezone) AS seen FROM page_views pv LEFT JOIN users u ON u.id = pv.user_id AND u.digest_hour < 12
-- >>> window_lag
SELECT id, from_utc_timestamp(viewed_at, 'Europe/Madrid') AS local, lag(viewed_at) OVER (PARTITION BY user_id ORDER BY viewed_at, id) AS previous FROM page_views
-- >>> rank_per_local_day
SELECT o.id, rank() OVER (PARTITION BY o.shop_id, to_date(convert_timezone('UTC', s.tz, o.created_at)) ORDER BY o.total_cents DESC) AS rnk FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> lead_effective_to
SELECT id, from_utc_timestamp(coalesce(lead(viewed_at) OVER (PARTITION BY user_id ORDER BY viewed_at, id), TIMESTAMP'2030-01-01 00:00:00'), 'Australia/Sydney') AS until FROM page_views
-- >>> after_aggregate
SELECT u.id, from_utc_timestamp(max(pv.viewed_at), u.timezone) AS seen FROM users u JOIN page_views pv ON pv.user_id = u.id GROUP BY u.id, u.timezone
-- >>> after_aggregate_constant
SELECT shop_id, from_utc_timestamp(min(paid_at), 'America/Sao_Paulo') AS first_paid FROM orders GROUP BY shop_id
-- >>> inside_aggregate
SELECT max(from_utc_timestamp(paid_at, 'America/Sao_Paulo')) AS latest, count_if(hour(from_utc_timestamp(paid_at, 'America/Sao_Paulo')) < 6) AS nights FROM orders
-- >>> measures_with_filter
SELECT shop_id, count(*) FILTER (WHERE dayofweek(from_utc_timestamp(paid_at, 'America/New_York')) IN (1, 7)) AS weekend, sum(CASE WHEN month(from_utc_timestamp(paid_at, 'America/New_York')) = 12 THEN total_cents ELSE 0 END) AS december FROM orders GROUP BY shop_id
-- >>> text_value
SELECT from_utc_timestamp(to_timestamp(external_ts, 'yyyy-MM-dd HH:mm:ss'), 'Asia/Singapore') AS t FROM orders
-- >>> text_cast_value
SELECT from_utc_timestamp(CAST(external_ts AS TIMESTAMP), 'Asia/Singapore') AS t FROM orders
-- >>> epoch_value
SELECT from_utc_timestamp(timestamp_seconds(epoch_s), 'America/Chicago') AS t FROM page_views
-- >>> epoch_millis_value
SELECT date_format(from_utc_timestamp(timestamp_millis(epoch_ms), 'Europe/London'), 'EEEE') AS d, count(*) FROM page_views GROUP BY 1
-- >>> json_value
SELECT from_utc_timestamp(CAST(get_json_object(payload, '$.created') AS TIMESTAMP), 'Asia/Tokyo') AS created FROM audit_log
-- >>> naive_now
SELECT count(*) FROM audit_log WHERE logged_at >= current_timestamp() - INTERVAL 90 DAYS
-- >>> explode_calendar
WITH days AS (SELECT explode(sequence(DATE'2024-03-01', DATE'2024-03-31', INTERVAL 1 DAY)) AS day)
SELECT d.day, count(o.id) FROM days d LEFT JOIN orders o ON to_date(from_utc_timestamp(o.paid_at, 'America/New_York')) = d.day GROUP BY d.day
-- >>> lateral_view
SELECT hour, count(*) FROM (SELECT date_format(from_utc_timestamp(p.viewed_at, 'America/New_York'), 'HH') AS hour, tag FROM page_views p LATERAL VIEW explode(split(p.path, '/')) t AS tag) GROUP BY hour
-- >>> union_all
SELECT 'order' AS kind, from_utc_timestamp(paid_at, 'Asia/Kolkata') AS t FROM orders UNION ALL SELECT 'view', from_utc_timestamp(viewed_at, 'Asia/Kolkata') FROM page_views
-- >>> semi_join
SELECT u.id FROM users u LEFT SEMI JOIN page_views pv ON pv.user_id = u.id AND hour(from_utc_timestamp(pv.viewed_at, 'Asia/Kathmandu')) < 6
-- >>> correlated
SELECT s.id, (SELECT count(*) FROM orders o WHERE o.shop_id = s.id AND hour(from_utc_timestamp(o.paid_at, s.tz)) >= 18) AS evenings FROM shops s
-- >>> camel_case
SELECT b.id, from_utc_timestamp(b.startsAt, b.timeZone) AS startsLocal FROM Booking b WHERE b.status = 'CONFIRMED'
-- >>> backticks
SELECT `o`.`id`, convert_timezone('UTC', `s`.`tz`, `o`.`created_at`) AS `Local Time` FROM `orders` AS `o` JOIN `shops` AS `s` ON `s`.`id` = `o`.`shop_id`
-- >>> two_argument_convert
SELECT convert_timezone('Europe/Paris', created_at) AS paris FROM orders
-- >>> create_view
CREATE OR REPLACE TEMPORARY VIEW orders_local AS SELECT o.id, convert_timezone('UTC', s.tz, o.created_at) AS created_local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> explain
EXPLAIN SELECT to_date(from_utc_timestamp(viewed_at, 'America/New_York')), count(*) FROM page_views GROUP BY 1
-- >>> round_trip
SELECT to_utc_timestamp(date_trunc('DAY', from_utc_timestamp(viewed_at, 'America/New_York')), 'America/New_York') AS day_start, count(*) FROM page_views GROUP BY 1
-- >>> group_by_expression_repeated
SELECT year(from_utc_timestamp(paid_at, 'Pacific/Auckland')) AS y, month(from_utc_timestamp(paid_at, 'Pacific/Auckland')) AS m, sum(total_cents) FROM orders GROUP BY year(from_utc_timestamp(paid_at, 'Pacific/Auckland')), month(from_utc_timestamp(paid_at, 'Pacific/Auckland'))
-- >>> local_time_of_shift
SELECT r.device_id, to_utc_timestamp(r.time, si.timezone) AS utc, r.value FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id WHERE r.value > 20
-- >>> local_to_utc_in_a_year
SELECT d.site_id, date(convert_timezone(si.timezone, 'UTC', r.recorded_local)) AS day, count(*) AS n FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
WHERE r.recorded_local >= TIMESTAMP_NTZ'2021-01-01 00:00:00' AND r.recorded_local < TIMESTAMP_NTZ'2022-01-01 00:00:00' GROUP BY 1, 2
-- >>> zone_of_the_session
SELECT date_format(from_utc_timestamp(viewed_at, current_timezone()), 'yyyy-MM-dd') AS day, count(*) AS n FROM page_views GROUP BY 1
-- >>> dbt_var_zone
select to_date(from_utc_timestamp(o.paid_at, '{{ var("tz") }}')) as paid_on, count(*) as orders from orders o group by 1
-- {{ var("tz") }} = America/Sao_Paulo
-- >>> databricks_widget
SELECT date_trunc('{{ grain }}', convert_timezone('UTC', '{{ tz }}', created_at)) AS period, sum(total_cents) AS cents FROM orders GROUP BY 1
-- {{ grain }} = MONTH
-- {{ tz }} = Asia/Tokyo
-- >>> settings_row
SELECT id, from_utc_timestamp(issued_at, (SELECT max(timezone) FROM app_settings)) AS issued_local FROM invoices
