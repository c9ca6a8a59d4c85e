-- Statements for Redshift over the tables of tests/people/data.py, one after each line that begins with `-- >>>`.
-- `once:N`: N of its conversions are computed once.
-- >>> dashboard_day_constant
SELECT CONVERT_TIMEZONE('UTC', 'America/New_York', created_at)::date AS day, COUNT(*) AS orders FROM orders GROUP BY 1 ORDER BY 1
-- >>> two_arguments
SELECT DATE_TRUNC('month', CONVERT_TIMEZONE('America/Los_Angeles', created_at)) AS month, SUM(total_cents) AS cents FROM orders WHERE status = 'paid' GROUP BY 1
-- >>> zone_of_shop
SELECT s.name, TRUNC(CONVERT_TIMEZONE('UTC', s.tz, o.created_at)) AS day, COUNT(DISTINCT o.user_id) FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1, 2
-- >>> zone_of_shop_two_arguments
SELECT s.id, EXTRACT(hour FROM CONVERT_TIMEZONE(s.tz, o.created_at)) AS h, COUNT(*) FROM orders o INNER JOIN shops s ON o.shop_id = s.id GROUP BY 1, 2
-- >>> bounds_zone_of_shop
SELECT s.id, COUNT(*) FROM orders o JOIN shops s ON s.id = o.shop_id
WHERE o.created_at >= CONVERT_TIMEZONE(s.tz, 'UTC', '2023-01-01'::timestamp) AND o.created_at < CONVERT_TIMEZONE(s.tz, 'UTC', '2025-01-01'::timestamp) GROUP BY 1
-- >>> filter_local_date
SELECT COUNT(*) FROM orders WHERE CONVERT_TIMEZONE('UTC', 'Asia/Kolkata', created_at)::date BETWEEN '2024-03-01' AND '2024-12-31'
-- >>> filter_trunc
SELECT id FROM orders WHERE TRUNC(CONVERT_TIMEZONE('UTC', 'Europe/London', created_at)) = '2024-03-31' OR TRUNC(CONVERT_TIMEZONE('UTC', 'Europe/London', created_at)) > '2025-03-01'
-- >>> filter_today
SELECT COUNT(*) + 1 AS n FROM orders WHERE CONVERT_TIMEZONE('UTC', 'America/Chicago', created_at)::date = CONVERT_TIMEZONE('UTC', 'America/Chicago', GETDATE())::date
-- >>> filter_last_days
SELECT COUNT(*) FROM orders WHERE CONVERT_TIMEZONE('UTC', 'America/Chicago', created_at)::date >= DATEADD(day, -30, CONVERT_TIMEZONE('UTC', 'America/Chicago', GETDATE()))::date
-- >>> filter_last_days_zone_of_row
SELECT a.id, COUNT(*) FROM accounts a JOIN subscriptions sb ON sb.account_id = a.id WHERE CONVERT_TIMEZONE('UTC', a.time_zone, sb.started_at)::date > CONVERT_TIMEZONE('UTC', a.time_zone, GETDATE())::date - 300 GROUP BY a.id
-- >>> current_date_beside_local
SELECT COUNT(*) + 1 FROM orders WHERE CONVERT_TIMEZONE('UTC', 'America/New_York', created_at)::date = CURRENT_DATE
-- >>> month_to_date
SELECT COUNT(*) + 1 FROM orders WHERE DATE_TRUNC('month', CONVERT_TIMEZONE('America/New_York', created_at)) = DATE_TRUNC('month', CONVERT_TIMEZONE('America/New_York', GETDATE()))
-- >>> getdate_only
SELECT COUNT(*) + 1 FROM audit_log WHERE logged_at >= DATEADD(day, -7, GETDATE())
-- >>> sysdate_filter
SELECT COUNT(*) + 1 FROM audit_log WHERE logged_at >= SYSDATE - INTERVAL '90 days'
-- >>> naive_now
SELECT COUNT(*) FROM audit_log WHERE logged_at < CURRENT_TIMESTAMP - INTERVAL '90 days'
-- >>> local_to_utc
SELECT r.device_id, CONVERT_TIMEZONE(si.timezone, 'UTC', r.recorded_local) AS at_utc FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
-- >>> local_to_utc_constant
SELECT CONVERT_TIMEZONE('America/New_York', 'UTC', recorded_local) AS utc_recorded_at FROM readings
-- >>> zone_to_zone_constant
SELECT CONVERT_TIMEZONE('America/Los_Angeles', 'America/New_York', recorded_local) AS ny FROM readings
-- >>> same_zone_twice
SELECT CONVERT_TIMEZONE('America/New_York', 'America/New_York', recorded_local) AS ny FROM readings
-- >>> timestamptz_column
SELECT CONVERT_TIMEZONE('America/Chicago', viewed_at) AS chicago FROM page_views
-- >>> at_time_zone_tz
SELECT (viewed_at AT TIME ZONE 'Europe/Berlin')::date AS day, COUNT(*) FROM page_views GROUP BY 1
-- >>> at_time_zone_double
SELECT (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin')::date AS day, COUNT(*) FROM orders GROUP BY 1
-- >>> timezone_function
SELECT TIMEZONE('Asia/Tokyo', viewed_at) AS tokyo FROM page_views
-- >>> coalesce_zone
SELECT i.id, CONVERT_TIMEZONE('UTC', COALESCE(a.billing_zone, a.time_zone), sb.started_at) FROM subscriptions sb JOIN accounts a ON a.id = sb.account_id JOIN invoices i ON i.account_id = a.id
-- >>> coalesce_zone_two_tables
SELECT n.id, CONVERT_TIMEZONE('UTC', COALESCE(u.timezone, a.time_zone, 'UTC'), n.scheduled_at) AS local FROM notifications n JOIN users u ON u.id = n.user_id JOIN accounts a ON a.id = u.account_id
-- >>> nvl_zone
SELECT n.id, CONVERT_TIMEZONE('UTC', NVL(u.timezone, 'UTC'), n.scheduled_at) AS local FROM notifications n LEFT JOIN users u ON u.id = n.user_id
-- >>> case_on_city
SELECT o.id, CASE WHEN s.account_id < 10 THEN CONVERT_TIMEZONE('America/Chicago', o.created_at) ELSE CONVERT_TIMEZONE('Europe/Madrid', o.created_at) END AS local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> renamed_source_cte
WITH source AS (SELECT * FROM orders), renamed AS (
  SELECT id AS order_id, CONVERT_TIMEZONE('UTC', 'America/New_York', created_at) AS created_at_et, CONVERT_TIMEZONE('UTC', 'America/New_York', shipped_at) AS shipped_at_et FROM source
) SELECT * FROM renamed
-- >>> cte_join
WITH o AS (SELECT id, shop_id, created_at, total_cents FROM orders WHERE status <> 'canceled'), z AS (SELECT id, tz FROM shops)
SELECT CONVERT_TIMEZONE('UTC', z.tz, o.created_at)::date AS d, SUM(o.total_cents) FROM o JOIN z ON z.id = o.shop_id GROUP BY 1
-- >>> window_over_local_day
SELECT o.id, ROW_NUMBER() OVER (PARTITION BY o.shop_id, TRUNC(CONVERT_TIMEZONE('UTC', s.tz, o.created_at)) ORDER BY o.created_at, o.id) AS nth FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> quoted_dotted_aliases
SELECT DATE(CONVERT_TIMEZONE('UTC', 'America/Los_Angeles', orders.created_at)) AS "orders.created_date", COUNT(*) AS "orders.count" FROM public.orders AS orders
WHERE ((orders.created_at >= CONVERT_TIMEZONE('America/Los_Angeles', 'UTC', TIMESTAMP '2024-01-01')) AND (orders.created_at < CONVERT_TIMEZONE('America/Los_Angeles', 'UTC', DATEADD(year, 1, TIMESTAMP '2024-01-01')))) GROUP BY 1 ORDER BY 1 DESC
-- >>> looker_today
SELECT COUNT(*) + 1 FROM orders WHERE created_at >= CONVERT_TIMEZONE('America/Los_Angeles', 'UTC', DATE_TRUNC('day', CONVERT_TIMEZONE('UTC', 'America/Los_Angeles', GETDATE())))
-- >>> after_aggregate
SELECT shop_id, CONVERT_TIMEZONE('UTC', 'Europe/Madrid', MAX(created_at)) AS latest FROM orders GROUP BY shop_id
-- >>> after_aggregate_zone_of_row
SELECT s.id, CONVERT_TIMEZONE('UTC', s.tz, MAX(o.created_at)) AS latest FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY s.id, s.tz
-- >>> count_distinct_day
SELECT o.user_id, COUNT(DISTINCT CONVERT_TIMEZONE('UTC', s.tz, o.created_at)::date) AS days FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY o.user_id
-- >>> epoch_value
SELECT CONVERT_TIMEZONE('UTC', 'America/Chicago', TIMESTAMP 'epoch' + epoch_s * INTERVAL '1 second') AS t FROM page_views
-- >>> text_value
SELECT CONVERT_TIMEZONE('UTC', 'Asia/Singapore', external_ts::timestamp) AS t FROM orders
-- >>> datediff_local
SELECT o.id, DATEDIFF(day, CONVERT_TIMEZONE('UTC', s.tz, o.created_at), CONVERT_TIMEZONE('UTC', s.tz, o.shipped_at)) AS days_to_ship FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> to_char_label
SELECT TO_CHAR(CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', created_at), 'YYYY-MM-DD HH24') AS label, COUNT(*) FROM orders GROUP BY TO_CHAR(CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', created_at), 'YYYY-MM-DD HH24')
-- >>> date_part_dow
SELECT DATE_PART(dow, CONVERT_TIMEZONE('UTC', 'Australia/Sydney', created_at)) AS dow, COUNT(*) FROM orders GROUP BY 1
-- >>> union_all_branches
SELECT 'created' AS what, CONVERT_TIMEZONE('UTC', 'America/Phoenix', created_at) AS t FROM orders UNION ALL SELECT 'shipped', CONVERT_TIMEZONE('UTC', 'America/Phoenix', shipped_at) FROM orders
-- >>> left_join_nullable_zone
SELECT l.id, CONVERT_TIMEZONE('UTC', u.timezone, l.logged_at) AS at_local FROM audit_log l LEFT JOIN users u ON u.id = l.actor_id AND u.digest_hour < 12
-- >>> create_table_as
CREATE TABLE orders_local AS SELECT o.id, CONVERT_TIMEZONE('UTC', s.tz, o.created_at) AS created_local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> create_view_binding
CREATE VIEW daily_orders AS SELECT CONVERT_TIMEZONE('UTC', 'America/New_York', created_at)::date AS day, COUNT(*) AS n FROM orders GROUP BY 1
-- >>> insert_select
INSERT INTO daily_stats SELECT s.account_id, TRUNC(CONVERT_TIMEZONE('UTC', s.tz, o.created_at)), COUNT(*), SUM(o.total_cents) FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1, 2
-- >>> delete_retention
DELETE FROM audit_log WHERE CONVERT_TIMEZONE('UTC', 'Europe/Berlin', logged_at) < '2018-01-01'
-- >>> update_local_day
UPDATE orders SET placed_on = CONVERT_TIMEZONE('UTC', 'Asia/Tokyo', created_at)::date WHERE status = 'paid'
-- >>> arithmetic_value
SELECT CONVERT_TIMEZONE('UTC', s.tz, o.created_at + INTERVAL '30 minutes') AS ready FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> dateadd_value
SELECT CONVERT_TIMEZONE('UTC', s.tz, DATEADD(minute, 30, o.created_at)) AS ready FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> business_hours
SELECT COUNT(*) FROM tickets t JOIN accounts a ON a.id = t.account_id WHERE EXTRACT(hour FROM CONVERT_TIMEZONE('UTC', a.time_zone, t.closed_at)) BETWEEN 9 AND 17
-- >>> cohort
WITH firsts AS (SELECT o.user_id, MIN(CONVERT_TIMEZONE('UTC', s.tz, o.created_at))::date AS first_day FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1)
SELECT DATE_TRUNC('week', first_day) AS cohort, COUNT(*) FROM firsts GROUP BY 1
-- >>> explain
EXPLAIN SELECT CONVERT_TIMEZONE('UTC', 'America/New_York', created_at)::date, COUNT(*) FROM orders GROUP BY 1
-- >>> dbt_compiled_relation
select date_trunc('month', convert_timezone('UTC', 'America/New_York', o.created_at)) as month, count(*) as orders from "shop"."public"."orders" as o group by 1
-- >>> dbt_compiled_join
with o as (select * from "shop"."public"."orders"), s as (select * from "shop"."public"."shops")
select o.id, convert_timezone('UTC', s.tz, o.created_at) as created_local from o left join s on s.id = o.shop_id
-- >>> dbt_var_zone
select convert_timezone('UTC', '{{ var("tz") }}', o.created_at)::date as created_on, sum(o.total_cents) as cents from orders o group by 1
-- {{ var("tz") }} = Europe/Berlin
-- >>> dbt_var_both_zones
select r.device_id, convert_timezone('{{ var("source_tz") }}', 'UTC', r.recorded_local) as recorded_at from readings r
-- {{ var("source_tz") }} = America/Chicago
-- >>> looker_granularity
SELECT DATE_TRUNC('{{ granularity }}', CONVERT_TIMEZONE('UTC', s.tz, o.created_at)) AS period, COUNT(*) AS n FROM orders o JOIN shops s ON s.id = o.shop_id
WHERE {% condition created_date %} o.created_at {% endcondition %} GROUP BY 1
-- {{ granularity }} = week
-- {% condition created_date %} = (
-- {% endcondition %} = > '2019-01-01')
-- >>> looker_condition
SELECT COUNT(*) FROM orders WHERE {% condition created_date %} CONVERT_TIMEZONE('UTC', 'America/Los_Angeles', orders.created_at) {% endcondition %}
-- {% condition created_date %} =
-- {% endcondition %} = >= '2022-11-06'
-- >>> settings_row
SELECT CONVERT_TIMEZONE('UTC', (SELECT timezone FROM app_settings WHERE id = 1), created_at)::date AS day, COUNT(*) FROM orders GROUP BY 1
-- >>> settings_row_any
SELECT CONVERT_TIMEZONE((SELECT timezone FROM app_settings LIMIT 1), created_at) AS created_local FROM orders WHERE status = 'paid'
-- >>> two_zones_of_rows
SELECT r.device_id, CONVERT_TIMEZONE(si.timezone, 'America/New_York', r.recorded_local) AS ny FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
