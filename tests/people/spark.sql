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
-- >>> lateral_view_zone_of_shop
SELECT code, to_date(from_utc_timestamp(o.paid_at, s.tz)) AS day, count(*) AS n FROM orders o JOIN shops s ON s.id = o.shop_id
LATERAL VIEW explode(split(o.currency, '')) c AS code GROUP BY code, to_date(from_utc_timestamp(o.paid_at, s.tz))
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
-- >>> unity_catalog_local_day
SELECT s.name, to_date(from_utc_timestamp(o.paid_at, s.tz)) AS paid_day, sum(o.total_cents) / 100 AS revenue
FROM main.sales.orders AS o
JOIN main.sales.shops AS s ON s.id = o.shop_id
WHERE o.paid_at IS NOT NULL
GROUP BY s.name, paid_day
-- >>> unity_catalog_backticks
select
  date_trunc('HOUR', convert_timezone('UTC', 'America/Los_Angeles', `main`.`sales`.`orders`.`created_at`)) as `Hour (PT)`,
  count(*) as `Orders`
from `main`.`sales`.`orders`
where `main`.`sales`.`orders`.`status` = 'paid'
group by 1
-- >>> dbt_compiled_table
/* {"app": "dbt", "dbt_databricks_version": "1.8.5", "node_id": "model.lake.fct_invoices"} */
create or replace table `main`.`sales`.`fct_invoices`
using delta
as
with invoices as (

    select * from `main`.`sales`.`invoices`

),

accounts as (

    select id as account_id, coalesce(billing_zone, time_zone) as billing_zone
    from `main`.`sales`.`accounts`

),

localised as (

    select
        invoices.id as invoice_id,
        accounts.account_id,
        from_utc_timestamp(invoices.issued_at, accounts.billing_zone) as issued_at_local,
        last_day(from_utc_timestamp(invoices.issued_at, accounts.billing_zone)) as billing_month_end,
        invoices.amount
    from invoices
    inner join accounts
        on invoices.account_id = accounts.account_id

)

select * from localised
-- >>> window_of_site_clock
SELECT site, w.start AS window_start, w.end AS window_end, round(avg(value), 3) AS avg_value
FROM (
  SELECT si.name AS site, window(from_utc_timestamp(r.time, si.timezone), '15 minutes') AS w, r.value
  FROM readings r
  JOIN devices d ON d.id = r.device_id
  JOIN sites si ON si.id = d.site_id
)
GROUP BY site, w
-- >>> current_timezone_source
SELECT id, convert_timezone(current_timezone(), 'Asia/Singapore', logged_at) AS logged_sg
FROM audit_log
WHERE action <> 'export'
-- >>> session_zone_to_utc
SELECT id, to_utc_timestamp(started_at, current_timezone()) AS started_utc FROM subscriptions
-- >>> dashboard_legacy_parameter
-- {{ timezone }} = Europe/Madrid
-- {{ since }} = 2022-10-30
SELECT date_format(from_utc_timestamp(i.issued_at, '{{ timezone }}'), 'yyyy-MM') AS month,
       i.status,
       sum(i.amount) AS amount
FROM invoices i
WHERE to_date(from_utc_timestamp(i.issued_at, '{{ timezone }}')) >= '{{ since }}'
GROUP BY ALL
-- >>> named_parameter_marker
-- :tz = 'Australia/Lord_Howe'
-- :from_day = '2023-04-02'
SELECT dayofweek(from_utc_timestamp(pv.viewed_at, :tz)) AS dow, hour(from_utc_timestamp(pv.viewed_at, :tz)) AS hod, count(*) AS views
FROM page_views AS pv
WHERE pv.viewed_at >= to_utc_timestamp(:from_day, :tz)
GROUP BY dow, hod
-- >>> dbt_source_macro
-- {{ source('sales', 'tickets') }} = main.sales.tickets
-- {{ ref('stg_accounts') }} = main.sales.accounts
select
    t.id as ticket_id,
    to_date(from_utc_timestamp(t.opened_at, a.time_zone)) as opened_on,
    date_diff(to_date(from_utc_timestamp(t.first_reply_at, a.time_zone)), to_date(from_utc_timestamp(t.opened_at, a.time_zone))) as days_to_reply
from {{ source('sales', 'tickets') }} t
left join {{ ref('stg_accounts') }} a on a.id = t.account_id
-- >>> zone_from_settings
select from_utc_timestamp(n.sent_at, (select value from settings where key = 'timezone')) as sent_local, n.kind, u.email
from notifications n
join users u on u.id = n.user_id
where n.sent_at is not null
-- >>> company_zone_cross_join
WITH cfg AS (SELECT timezone AS tz FROM main.sales.app_settings LIMIT 1)
SELECT to_date(convert_timezone('UTC', cfg.tz, o.created_at)) AS day, o.currency, sum(o.total_cents) AS cents
FROM main.sales.orders o
CROSS JOIN cfg
GROUP BY 1, 2
-- >>> digest_send_time_utc
SELECT n.id, to_utc_timestamp(concat(n.send_on, ' ', n.send_time), u.timezone) AS send_utc
FROM notifications n
INNER JOIN users u ON n.user_id = u.id
WHERE n.kind = 'digest' AND u.timezone IS NOT NULL
-- >>> roster_against_clock_in
with roster as (
  select sh.id, sh.shop_id, sh.user_id, to_utc_timestamp(to_timestamp(concat_ws(' ', sh.work_date, sh.starts)), s.tz) as starts_utc, sh.clock_in
  from shifts sh join shops s on s.id = sh.shop_id
)
select id, user_id, starts_utc, timestampdiff(MINUTE, starts_utc, clock_in) as minutes_late
from roster
where clock_in > starts_utc
-- >>> billing_cycle_start
SELECT sb.id,
       convert_timezone(a.time_zone, 'UTC', date_trunc('MONTH', convert_timezone('UTC', a.time_zone, sb.started_at))) AS cycle_start_utc,
       convert_timezone(a.time_zone, 'UTC', add_months(date_trunc('MONTH', convert_timezone('UTC', a.time_zone, sb.started_at)), 1)) AS cycle_end_utc
FROM subscriptions sb
JOIN accounts a ON a.id = sb.account_id
-- >>> sla_in_working_hours
SELECT t.priority,
       count_if(hour(from_utc_timestamp(t.opened_at, a.time_zone)) BETWEEN 9 AND 16 AND weekday(from_utc_timestamp(t.opened_at, a.time_zone)) < 5) AS in_hours,
       count_if(unix_timestamp(t.first_reply_at) - unix_timestamp(t.opened_at) > 4 * 3600) AS breached,
       count(*) AS n
FROM tickets t
JOIN accounts a ON a.id = t.account_id
GROUP BY t.priority
ORDER BY t.priority
-- >>> weekly_retention
WITH seen AS (
  SELECT DISTINCT user_id, date_trunc('WEEK', from_utc_timestamp(viewed_at, 'America/Chicago')) AS wk FROM page_views
),
cohorts AS (SELECT user_id, min(wk) AS cohort FROM seen GROUP BY user_id)
SELECT c.cohort, CAST(datediff(s.wk, c.cohort) / 7 AS INT) AS week_number, count(*) AS users
FROM cohorts c JOIN seen s USING (user_id)
GROUP BY c.cohort, week_number
-- >>> sessions_by_gap
SELECT user_id, to_date(from_utc_timestamp(min(viewed_at), 'Asia/Kathmandu')) AS session_day, count(*) AS hits
FROM (
  SELECT *, sum(is_new) OVER (PARTITION BY user_id ORDER BY viewed_at, id) AS sess
  FROM (
    SELECT id, user_id, viewed_at,
           CASE WHEN unix_timestamp(viewed_at) - unix_timestamp(lag(viewed_at) OVER (PARTITION BY user_id ORDER BY viewed_at, id)) < 1800 THEN 0 ELSE 1 END AS is_new
    FROM page_views
  ) a
) b
GROUP BY user_id, sess
-- >>> insert_gold_rows
INSERT INTO main.sales.daily_stats
SELECT s.account_id, to_date(convert_timezone('UTC', s.tz, o.created_at)) AS day, count(*) AS n, sum(o.total_cents) AS total
FROM main.sales.orders o
JOIN main.sales.shops s ON o.shop_id = s.id
GROUP BY s.account_id, to_date(convert_timezone('UTC', s.tz, o.created_at))
-- >>> pivot_by_weekday
SELECT * FROM (
  SELECT shop_id, date_format(from_utc_timestamp(paid_at, 'Europe/London'), 'E') AS dow, total_cents FROM orders
) PIVOT (sum(total_cents) FOR dow IN ('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'))
-- >>> lateral_column_alias
SELECT o.id,
       from_utc_timestamp(o.paid_at, s.tz) AS paid_local,
       to_date(paid_local) AS paid_date,
       CASE WHEN hour(paid_local) >= 17 THEN 'evening' ELSE 'day' END AS part
FROM orders o JOIN shops s ON s.id = o.shop_id
WHERE o.status = 'paid'
-- >>> offices_from_values
SELECT z.office, count_if(hour(convert_timezone('UTC', z.tz, l.logged_at)) BETWEEN 8 AND 18) AS at_work
FROM audit_log l
CROSS JOIN (VALUES ('Berlin', 'Europe/Berlin'), ('Tokyo', 'Asia/Tokyo'), ('Sao Paulo', 'America/Sao_Paulo')) AS z(office, tz)
GROUP BY z.office
-- >>> expired_trials_naive
SELECT id, plan FROM subscriptions WHERE canceled_at IS NULL AND started_at < now() - INTERVAL 14 DAYS -- started_at has no zone
-- >>> not_on_a_holiday
SELECT b.id, b.shopId, from_utc_timestamp(b.startsAt, b.timeZone) AS starts_local
FROM Booking b
LEFT ANTI JOIN holidays h ON h.country = 'US' AND h.day = to_date(from_utc_timestamp(b.startsAt, b.timeZone))
WHERE b.status <> 'CANCELLED'
-- >>> bronze_text_union
SELECT 'orders' AS src, date(from_utc_timestamp(to_timestamp(external_ts), 'America/Phoenix')) AS d, count(*) AS n FROM main.sales.orders GROUP BY ALL
UNION ALL
SELECT 'audit', date(from_utc_timestamp(to_timestamp(get_json_object(payload, '$.epoch')::bigint), get_json_object(payload, '$.tz'))), count(*) FROM main.sales.audit_log GROUP BY ALL
-- >>> evening_share_by_country
SELECT si.country,
       round(100.0 * count_if(hour(from_utc_timestamp(r.time, si.timezone)) >= 18) / count(*), 2) AS evening_pct
FROM main.sales.readings r
JOIN main.sales.devices d ON d.id = r.device_id
JOIN main.sales.sites si ON si.id = d.site_id
GROUP BY si.country
-- >>> hours_of_shops_by_window
SELECT window(from_utc_timestamp(o.paid_at, s.tz), '1 hour') AS w, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE o.paid_at >= '2023-01-01' AND o.paid_at < '2023-12-01' GROUP BY window(from_utc_timestamp(o.paid_at, s.tz), '1 hour')
-- >>> one_local_year
SELECT month(from_utc_timestamp(pv.viewed_at, 'Europe/Lisbon')) AS m, count(*) AS n FROM page_views pv WHERE year(from_utc_timestamp(pv.viewed_at, 'Europe/Lisbon')) = 2024 GROUP BY 1
-- >>> one_local_month_as_text
SELECT count(*) AS n FROM page_views WHERE date_format(from_utc_timestamp(viewed_at, 'America/New_York'), 'yyyy-MM') = '2024-03'
-- >>> last_thirty_local_days
SELECT to_date(from_utc_timestamp(viewed_at, 'America/New_York')) AS d, count(*) AS n FROM page_views WHERE to_date(from_utc_timestamp(viewed_at, 'America/New_York')) >= date_sub(to_date(from_utc_timestamp(current_timestamp(), 'America/New_York')), 30) GROUP BY 1
-- >>> last_month_until_yesterday
SELECT count(*) AS n FROM page_views WHERE from_utc_timestamp(viewed_at, 'Asia/Kolkata') >= date_sub(current_date(), 30) AND to_date(from_utc_timestamp(viewed_at, 'Asia/Kolkata')) <= date_add(date_sub(current_date(), 2), 1)
-- >>> first_known_time
SELECT t.id, from_utc_timestamp(nvl(t.first_reply_at, t.opened_at), nvl(a.time_zone, 'UTC')) AS l FROM tickets t JOIN accounts a ON a.id = t.account_id
