-- Statements for PostgreSQL over the tables of tests/people/data.py, one after each line that begins with `-- >>>`.
-- `once:N`: N of its conversions are computed once. `-- $1 = value` below a name gives a parameter of the statement its value.
-- >>> grafana_orders_per_local_day
SELECT date_trunc('day', o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz) AS "time", s.name AS metric, count(*) AS value
FROM orders o
INNER JOIN shops s ON s.id = o.shop_id
WHERE o.created_at BETWEEN '2023-01-01T00:00:00Z' AND '2025-12-31T23:59:59Z'
GROUP BY 1, 2
ORDER BY 1
-- >>> grafana_heatmap_hour_of_week
SELECT
  extract(isodow FROM pv.viewed_at AT TIME ZONE 'Europe/Berlin') AS dow,
  extract(hour FROM pv.viewed_at AT TIME ZONE 'Europe/Berlin') AS hour,
  count(*) AS views
FROM page_views pv
WHERE pv.viewed_at > now() - interval '400 days'
GROUP BY 1, 2
-- >>> grafana_epoch_buckets
SELECT floor(extract(epoch FROM r.time) / 3600) * 3600 AS time, d.serial AS metric, avg(r.value) AS value
FROM readings r JOIN devices d ON d.id = r.device_id
WHERE r.time >= '2024-01-01T00:00:00Z'::timestamptz AND (r.time AT TIME ZONE 'Asia/Tokyo')::time BETWEEN '09:00' AND '18:00'
GROUP BY 1, 2 ORDER BY 1
-- >>> metabase_question_by_month
SELECT CAST(DATE_TRUNC('month', "public"."orders"."created_at" AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles') AS date) AS "created_at", SUM("public"."orders"."total_cents") AS "sum"
FROM "public"."orders"
WHERE "public"."orders"."status" = 'paid'
GROUP BY CAST(DATE_TRUNC('month', "public"."orders"."created_at" AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles') AS date)
ORDER BY CAST(DATE_TRUNC('month', "public"."orders"."created_at" AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles') AS date) ASC
-- >>> metabase_source_subquery
SELECT "source"."day" AS "day", COUNT(*) AS "count" FROM (
  SELECT "public"."page_views"."id" AS "id", DATE_TRUNC('day', ("public"."page_views"."viewed_at" AT TIME ZONE 'Europe/Madrid')) AS "day"
  FROM "public"."page_views"
  WHERE "public"."page_views"."path" <> '/'
) AS "source"
GROUP BY "source"."day" ORDER BY "source"."day" ASC LIMIT 2000
-- >>> superset_virtual_dataset
SELECT DATE_TRUNC('week', local_created) AS __timestamp, status AS status, SUM(total_cents) AS "SUM(total_cents)"
FROM (
  SELECT o.*, o.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS local_created
  FROM orders o
) AS virtual_table
WHERE local_created >= TO_TIMESTAMP('2022-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')::timestamp
  AND local_created < TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')::timestamp
GROUP BY DATE_TRUNC('week', local_created), status
-- >>> redash_table_for_support
select t.id, t.opened_at at time zone a.time_zone as opened, t.first_reply_at at time zone a.time_zone as replied,
       t.closed_at at time zone 'UTC' at time zone a.time_zone as closed
from tickets t join accounts a on a.id = t.account_id
where t.priority <= 2
order by t.id desc
-- >>> groupdate_day
SELECT COUNT(*) AS "count_all", (DATE_TRUNC('day', "orders"."created_at"::timestamptz AT TIME ZONE 'America/New_York'))::date AS "date_trunc_day"
FROM "orders" WHERE ("orders"."created_at" IS NOT NULL)
GROUP BY (DATE_TRUNC('day', "orders"."created_at"::timestamptz AT TIME ZONE 'America/New_York'))::date
-- >>> groupdate_week_start_sunday
SELECT COUNT(*), DATE_TRUNC('week', (o.created_at::timestamptz - INTERVAL '-1 day') AT TIME ZONE 'America/Sao_Paulo') - INTERVAL '1 day' AS wk
FROM orders o GROUP BY 2
-- >>> groupdate_day_start_offset
SELECT COUNT(*) AS n, (DATE_TRUNC('day', "page_views"."viewed_at" AT TIME ZONE 'Australia/Sydney' - INTERVAL '5 hour') + INTERVAL '5 hour') AT TIME ZONE 'Australia/Sydney' AS bucket
FROM "page_views"
GROUP BY (DATE_TRUNC('day', "page_views"."viewed_at" AT TIME ZONE 'Australia/Sydney' - INTERVAL '5 hour') + INTERVAL '5 hour') AT TIME ZONE 'Australia/Sydney'
-- >>> groupdate_hour_of_day
SELECT COUNT(*) AS count_all, EXTRACT(HOUR FROM "orders"."created_at"::timestamptz AT TIME ZONE 'Pacific/Auckland' - INTERVAL '0 second')::integer AS extract_hour
FROM "orders" GROUP BY extract_hour
-- >>> rails_scope_today_for_account
SELECT "orders".* FROM "orders" INNER JOIN "shops" ON "shops"."id" = "orders"."shop_id"
WHERE "shops"."account_id" = 7
  AND (("orders"."created_at" AT TIME ZONE 'UTC') AT TIME ZONE 'Asia/Kolkata')::date >= '2024-03-01'
ORDER BY "orders"."created_at" DESC, "orders"."id"
-- >>> rails_time_zone_from_user
SELECT "users"."id", "users"."email", DATE("page_views"."viewed_at" AT TIME ZONE COALESCE("users"."timezone", 'UTC')) AS viewed_on, COUNT(*) AS hits
FROM "users" INNER JOIN "page_views" ON "page_views"."user_id" = "users"."id"
GROUP BY "users"."id", "users"."email", DATE("page_views"."viewed_at" AT TIME ZONE COALESCE("users"."timezone", 'UTC'))
-- >>> rails_digest_due
SELECT "users".* FROM "users"
WHERE "users"."timezone" IS NOT NULL
  AND "users"."digest_hour" >= EXTRACT(HOUR FROM (NOW() AT TIME ZONE "users"."timezone"))
-- >>> rails_birthday_today
SELECT u.id FROM users u WHERE u.timezone IS NOT NULL
 AND to_char(u.birthday, 'MM') >= to_char(now() AT TIME ZONE u.timezone, 'MM')
-- >>> django_trunc_day
SELECT DATE_TRUNC('day', "orders"."paid_at" AT TIME ZONE 'America/Chicago') AS "day", COUNT("orders"."id") AS "n"
FROM "orders" WHERE "orders"."paid_at" IS NOT NULL
GROUP BY 1 ORDER BY "day" ASC
-- >>> django_date_lookup
SELECT "orders"."id", "orders"."status" FROM "orders"
WHERE (("orders"."paid_at" AT TIME ZONE 'America/Chicago')::date = '2024-03-10'::date OR ("orders"."paid_at" AT TIME ZONE 'America/Chicago')::date > '2026-01-01'::date)
-- >>> django_year_lookup
SELECT COUNT(*) AS "__count" FROM "page_views"
WHERE "page_views"."viewed_at" BETWEEN '2023-01-01T06:00:00+00:00'::timestamptz AND '2024-01-01T05:59:59.999999+00:00'::timestamptz
  AND EXTRACT(MONTH FROM "page_views"."viewed_at" AT TIME ZONE 'America/Chicago') = 3
-- >>> django_trunc_date_distinct
SELECT DISTINCT ("invoices"."issued_at" AT TIME ZONE 'Europe/London')::date AS "datefield" FROM "invoices"
WHERE ("invoices"."issued_at" AT TIME ZONE 'Europe/London')::date IS NOT NULL
ORDER BY 1 ASC
-- >>> ecto_fragment_date
SELECT s0."name", count(o1."id") FROM "shops" AS s0 INNER JOIN "orders" AS o1 ON o1."shop_id" = s0."id"
WHERE ((o1."created_at" AT TIME ZONE 'UTC' AT TIME ZONE s0."tz")::date = DATE '2024-03-10')
   OR ((o1."created_at" AT TIME ZONE 'UTC' AT TIME ZONE s0."tz")::date > DATE '2025-06-01')
GROUP BY s0."name"
-- >>> hibernate_select
select o1_0.id,o1_0.status,cast(o1_0.created_at at time zone 'UTC' at time zone s1_0.tz as date) from orders o1_0 join shops s1_0 on s1_0.id=o1_0.shop_id where o1_0.total_cents>50000
-- >>> typeorm_camel_case
SELECT "b"."id" AS "b_id", ("b"."startsAt" AT TIME ZONE "s"."timeZone") AS "localStart", ("b"."endsAt" AT TIME ZONE "s"."timeZone") AS "localEnd"
FROM "Booking" "b" INNER JOIN "Shop" "s" ON "s"."id" = "b"."shopId"
WHERE "b"."status" = 'CONFIRMED'
-- >>> prisma_raw_bookings_per_day
SELECT DATE("startsAt" AT TIME ZONE "timeZone") AS day, COUNT(*)::int AS bookings
FROM "Booking" WHERE "status" <> 'CANCELLED' GROUP BY 1 ORDER BY 1
-- >>> prisma_created_utc
SELECT date_trunc('month', "createdAt" AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin') AS month, COUNT(*) FROM "Booking" GROUP BY 1
-- >>> sequelize_literal
SELECT to_char("Booking"."startsAt" AT TIME ZONE 'Asia/Tokyo', 'YYYY-MM-DD HH24:MI') AS "label", "Booking"."id" FROM "Booking" AS "Booking" WHERE "Booking"."shopId" IN (1, 2, 3, 5, 8, 13)
-- >>> knex_timezone_function
select date(timezone('America/New_York', timezone('UTC', created_at))) as day, count(*) as total from orders where status = 'paid' group by date(timezone('America/New_York', timezone('UTC', created_at)))
-- >>> laravel_selectraw
select date(created_at at time zone 'utc' at time zone 'europe/london') as d, sum(total_cents) as revenue from "orders" where "shop_id" in (1, 2, 3, 4, 5, 6) group by "d" order by "d" asc
-- >>> sqlc_named
SELECT count(*) AS c, (viewed_at AT TIME ZONE 'America/Phoenix')::date AS d FROM page_views WHERE user_id = ANY(ARRAY[3, 5, 9, 20, 21]) GROUP BY d
-- >>> param_zone_numbered
-- $1 = 'America/New_York'
SELECT (created_at AT TIME ZONE 'UTC' AT TIME ZONE $1)::date AS day, count(*) FROM orders GROUP BY 1
-- >>> param_zone_and_bounds
-- $1 = 'Europe/Berlin'
-- $2 = '2022-01-01'
-- $3 = '2025-01-01'
SELECT date_trunc('month', viewed_at AT TIME ZONE $1) AS month, count(*) FROM page_views
WHERE viewed_at >= $2::timestamptz AND viewed_at < $3::timestamptz GROUP BY 1 ORDER BY 1
-- >>> param_zone_day_filter
-- $1 = 'Asia/Kolkata'
-- $2 = '2024-03-10'
SELECT id, path FROM page_views WHERE (viewed_at AT TIME ZONE $1)::date >= $2::date
-- >>> param_named_zone
-- :tz = 'Australia/Lord_Howe'
SELECT extract(dow FROM paid_at AT TIME ZONE :tz) AS dow, count(*) FROM orders WHERE paid_at IS NOT NULL GROUP BY 1
-- >>> param_pyformat_zone
-- %(tz)s = 'America/St_Johns'
-- %(since)s = '2023-01-01'
SELECT to_char(issued_at AT TIME ZONE %(tz)s, 'YYYY-MM') AS month, sum(amount) FROM invoices WHERE issued_at >= %(since)s GROUP BY 1
-- >>> param_day_start
-- $1 = 'America/Chicago'
SELECT COUNT(*) FILTER (WHERE created_at >= date_trunc('day', NOW() AT TIME ZONE $1) AT TIME ZONE $1)::int AS today, COUNT(*)::int AS total FROM invoices i JOIN users ON users.account_id = i.account_id
-- >>> param_bounds_in_zone
-- $1 = '2024-03-10'
-- $2 = 'America/New_York'
SELECT count(*) FROM page_views WHERE viewed_at >= ($1::date)::timestamp AT TIME ZONE $2 AND viewed_at < ($1::date + 300)::timestamp AT TIME ZONE $2
-- >>> today_constant_zone
SELECT count(*) + 1 AS n FROM orders WHERE (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/Chicago')::date = (now() AT TIME ZONE 'America/Chicago')::date
-- >>> today_zone_of_shop
SELECT s.id, s.name, count(o.id) AS orders_today FROM shops s
LEFT JOIN orders o ON o.shop_id = s.id AND (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date = (now() AT TIME ZONE s.tz)::date
GROUP BY s.id, s.name
-- >>> today_zone_of_shop_inner
SELECT s.id, count(*) FROM shops s JOIN orders o ON o.shop_id = s.id
WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date >= (now() AT TIME ZONE s.tz)::date - 30
GROUP BY s.id
-- >>> month_to_date_zone_of_account
SELECT a.id, sum(i.amount) FROM accounts a JOIN invoices i ON i.account_id = a.id
WHERE i.issued_at AT TIME ZONE a.time_zone >= date_trunc('month', now() AT TIME ZONE a.time_zone) - interval '2 years'
GROUP BY a.id
-- >>> round_trip_day_start_of_user
SELECT u.id, count(pv.id) FROM users u JOIN page_views pv ON pv.user_id = u.id
WHERE pv.viewed_at >= date_trunc('day', now() AT TIME ZONE u.timezone) AT TIME ZONE u.timezone - interval '1 year'
GROUP BY u.id
-- >>> yesterday_constant_zone
SELECT shop_id, sum(total_cents) FROM orders
WHERE created_at >= (date_trunc('day', now() AT TIME ZONE 'Europe/Berlin') - interval '30 days') AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC'
  AND created_at < date_trunc('day', now() AT TIME ZONE 'Europe/Berlin') AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC'
GROUP BY shop_id
-- >>> week_to_date_dashboard_card
SELECT count(*) AS n, coalesce(sum(total_cents), 0) / 100.0 AS revenue FROM orders
WHERE date_trunc('week', created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/London') = date_trunc('week', now() AT TIME ZONE 'Europe/London')
-- >>> filters_for_cards
SELECT currency,
  coalesce(sum(total_cents) FILTER (WHERE (paid_at AT TIME ZONE 'Asia/Tokyo')::date = (now() AT TIME ZONE 'Asia/Tokyo')::date), 0) AS today,
  coalesce(sum(total_cents) FILTER (WHERE date_trunc('month', paid_at AT TIME ZONE 'Asia/Tokyo') = date_trunc('month', now() AT TIME ZONE 'Asia/Tokyo')), 0) AS month
FROM orders GROUP BY currency
-- >>> last_seven_days_series
WITH days AS (
  SELECT generate_series((now() AT TIME ZONE 'America/New_York')::date - 30, (now() AT TIME ZONE 'America/New_York')::date, interval '1 day')::date AS day
)
SELECT days.day, count(o.id) AS n FROM days
LEFT JOIN orders o ON (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = days.day
GROUP BY days.day ORDER BY days.day
-- >>> calendar_range_join
WITH days AS (
  SELECT d::date AS day, d AT TIME ZONE 'America/New_York' AS starts, (d + interval '1 day') AT TIME ZONE 'America/New_York' AS ends
  FROM generate_series(timestamp '2024-03-01', timestamp '2024-03-31', interval '1 day') AS d
)
SELECT days.day, count(pv.id) FROM days LEFT JOIN page_views pv ON pv.viewed_at >= days.starts AND pv.viewed_at < days.ends GROUP BY 1 ORDER BY 1
-- >>> calendar_with_spine_cross_shops
SELECT s.id, day::date, count(o.id)
FROM shops s CROSS JOIN generate_series('2025-01-01'::date, '2025-02-01'::date, '1 day'::interval) AS day
LEFT JOIN orders o ON o.shop_id = s.id AND (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date = day::date
GROUP BY s.id, day
-- >>> cohort_retention
WITH firsts AS (
  SELECT pv.user_id, date_trunc('week', min(pv.viewed_at AT TIME ZONE u.timezone))::date AS cohort
  FROM page_views pv JOIN users u ON u.id = pv.user_id GROUP BY pv.user_id
), activity AS (
  SELECT DISTINCT pv.user_id, date_trunc('week', pv.viewed_at AT TIME ZONE u.timezone)::date AS week
  FROM page_views pv JOIN users u ON u.id = pv.user_id
)
SELECT f.cohort, (a.week - f.cohort) / 7 AS week_number, count(DISTINCT a.user_id) AS users
FROM firsts f JOIN activity a USING (user_id) GROUP BY 1, 2
-- >>> cohort_after_aggregate
SELECT date_trunc('month', first_at AT TIME ZONE 'America/Los_Angeles')::date AS cohort, count(*) FROM (
  SELECT user_id, min(viewed_at) AS first_at FROM page_views GROUP BY user_id
) f GROUP BY 1
-- >>> last_seen_per_user_local
SELECT u.id, max(pv.viewed_at) AT TIME ZONE u.timezone AS last_view
FROM users u JOIN page_views pv ON pv.user_id = u.id GROUP BY u.id
-- >>> first_and_last_order_per_shop
SELECT s.id, (min(o.created_at) AT TIME ZONE 'UTC') AT TIME ZONE s.tz AS first_order, (max(o.created_at) AT TIME ZONE 'UTC') AT TIME ZONE s.tz AS last_order
FROM shops s JOIN orders o ON o.shop_id = s.id GROUP BY s.id, s.tz
-- >>> max_in_constant_zone
SELECT shop_id, to_char(max(created_at) AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Madrid', 'DD/MM/YYYY HH24:MI') AS latest FROM orders GROUP BY shop_id
-- >>> streaks
WITH days AS (SELECT DISTINCT pv.user_id, (pv.viewed_at AT TIME ZONE u.timezone)::date AS day FROM page_views pv JOIN users u ON u.id = pv.user_id),
islands AS (SELECT user_id, day, day - (row_number() OVER (PARTITION BY user_id ORDER BY day))::int AS grp FROM days)
SELECT user_id, min(day), max(day), count(*) AS streak FROM islands GROUP BY user_id, grp HAVING count(*) > 1
-- >>> sessions_by_gap
SELECT user_id, viewed_at AT TIME ZONE 'Europe/Berlin' AS local, viewed_at - lag(viewed_at) OVER (PARTITION BY user_id ORDER BY viewed_at, id) > interval '30 minutes' AS starts_session FROM page_views
-- >>> lead_converted
SELECT o.id, o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz AS created, lead(o.created_at) OVER (PARTITION BY o.shop_id ORDER BY o.created_at, o.id) AT TIME ZONE 'UTC' AT TIME ZONE s.tz AS next_created
FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> rank_per_local_day
SELECT * FROM (
  SELECT o.id, o.shop_id, rank() OVER (PARTITION BY o.shop_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date ORDER BY o.total_cents DESC) AS rnk
  FROM orders o JOIN shops s ON s.id = o.shop_id
) ranked WHERE rnk <= 3
-- >>> running_total_by_local_month
SELECT month, sum(total) OVER (ORDER BY month) AS running FROM (
  SELECT date_trunc('month', i.issued_at AT TIME ZONE coalesce(a.billing_zone, a.time_zone)) AS month, sum(i.amount) AS total
  FROM invoices i JOIN accounts a ON a.id = i.account_id GROUP BY 1
) m
-- >>> distinct_on_latest_local
SELECT DISTINCT ON (o.shop_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date) o.shop_id, o.id
FROM orders o JOIN shops s ON s.id = o.shop_id
ORDER BY o.shop_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date, o.created_at DESC, o.id
-- >>> rollup_by_local_date
SELECT s.account_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date AS day, sum(o.total_cents)
FROM orders o JOIN shops s ON s.id = o.shop_id
GROUP BY ROLLUP (s.account_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date)
-- >>> zone_two_tables_coalesce
SELECT n.id, n.sent_at AT TIME ZONE COALESCE(u.timezone, a.time_zone, 'UTC') AS sent_local
FROM notifications n JOIN users u ON u.id = n.user_id JOIN accounts a ON a.id = u.account_id
-- >>> zone_left_joined
SELECT pv.id, pv.viewed_at AT TIME ZONE u.timezone AS seen FROM page_views pv LEFT JOIN users u ON u.id = pv.user_id AND u.digest_hour < 12
-- >>> zone_case
SELECT i.id, (i.issued_at AT TIME ZONE CASE WHEN a.billing_zone IS NULL THEN a.time_zone ELSE a.billing_zone END)::date AS billed_on
FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> zone_nullif
SELECT u.id, u.last_seen_at AT TIME ZONE COALESCE(NULLIF(u.timezone, ''), 'UTC') AS seen FROM users u
-- >>> zone_scalar_subquery
SELECT date(o.paid_at AT TIME ZONE (SELECT timezone FROM app_settings LIMIT 1)) AS day, count(*) FROM orders o GROUP BY 1
-- >>> zone_scalar_subquery_key_value
SELECT id, (issued_at AT TIME ZONE (SELECT value FROM settings WHERE key = 'timezone'))::date AS d FROM invoices
-- >>> zone_cte_params
WITH params AS (SELECT 'Europe/London'::text AS tz, date '2023-01-01' AS from_day)
SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE p.tz)::date AS day, count(*) FROM orders o CROSS JOIN params p
WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE p.tz)::date >= p.from_day GROUP BY 1
-- >>> zone_settings_cross_join
SELECT date_trunc('week', i.issued_at AT TIME ZONE st.timezone) AS week, count(*) FROM invoices i, app_settings st WHERE st.id = 1 GROUP BY 1
-- >>> zone_derived_table
SELECT x.id, (x.opened_at AT TIME ZONE x.zone)::date FROM (SELECT t.id, t.opened_at, coalesce(a.billing_zone, a.time_zone) AS zone FROM tickets t JOIN accounts a ON a.id = t.account_id) x
-- >>> zone_lateral
SELECT s.id, l.day, l.n FROM shops s CROSS JOIN LATERAL (
  SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date AS day, count(*) AS n FROM orders o WHERE o.shop_id = s.id GROUP BY 1
) l
-- >>> zone_correlated_subquery
SELECT s.id, (SELECT count(*) FROM orders o WHERE o.shop_id = s.id AND (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::time < s.opens_at) AS early FROM shops s
-- >>> exists_local_day
SELECT u.id FROM users u WHERE EXISTS (SELECT 1 FROM page_views pv WHERE pv.user_id = u.id AND (pv.viewed_at AT TIME ZONE u.timezone)::date = u.birthday + 20000) OR u.id < 5
-- >>> not_exists_notification_today
SELECT u.id FROM users u WHERE u.timezone IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM notifications n WHERE n.user_id = u.id AND n.send_on = (now() AT TIME ZONE u.timezone)::date)
-- >>> current_setting_zone
SELECT count(*), (issued_at AT TIME ZONE current_setting('TimeZone'))::date AS d FROM invoices GROUP BY d
-- >>> jsonb_value
SELECT (payload::jsonb ->> 'created')::timestamptz AT TIME ZONE 'America/New_York' AS created, count(*) FROM audit_log GROUP BY 1
-- >>> jsonb_zone
SELECT id, logged_at AT TIME ZONE 'UTC' AT TIME ZONE (payload::jsonb ->> 'tz') AS local FROM audit_log
-- >>> text_cast
SELECT external_ts::timestamp AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Singapore' AS at, count(*) FROM orders GROUP BY 1
-- >>> epoch_seconds
SELECT date_trunc('day', to_timestamp(epoch_s) AT TIME ZONE 'America/New_York') AS day, count(*) FROM page_views GROUP BY 1
-- >>> epoch_millis
SELECT to_char(to_timestamp(epoch_ms / 1000.0) AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM-DD') AS day, count(DISTINCT session_id) FROM page_views GROUP BY 1
-- >>> epoch_arithmetic
SELECT (timestamp '1970-01-01 00:00:00' + epoch_s * interval '1 second') AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' AS local FROM page_views WHERE epoch_s > 1700000000
-- >>> date_plus_time_to_instant
SELECT sh.id, (sh.work_date + sh.starts) AT TIME ZONE s.tz AS starts_at, (sh.work_date + sh.ends) AT TIME ZONE s.tz AS ends_at FROM shifts sh JOIN shops s ON s.id = sh.shop_id
-- >>> scheduler_due_now
SELECT n.id FROM notifications n JOIN users u ON u.id = n.user_id WHERE (n.send_on + n.send_time) AT TIME ZONE u.timezone <= now() AND n.sent_at IS NULL
-- >>> scheduler_window_of_today
SELECT u.id, ((current_date + u.digest_at) AT TIME ZONE u.timezone) AT TIME ZONE 'UTC' AS start_time FROM users u WHERE u.timezone IS NOT NULL
-- >>> scheduler_naive_local
SELECT id FROM notifications WHERE scheduled_at AT TIME ZONE 'America/New_York' < now() AND kind = 'digest'
-- >>> scheduler_next_run
SELECT u.id, CASE WHEN (now() AT TIME ZONE u.timezone)::time < u.digest_at THEN ((now() AT TIME ZONE u.timezone)::date + u.digest_at) AT TIME ZONE u.timezone ELSE ((now() AT TIME ZONE u.timezone)::date + 1 + u.digest_at) AT TIME ZONE u.timezone END AS next_run
FROM users u WHERE u.timezone IS NOT NULL
-- >>> open_now
SELECT s.id FROM shops s JOIN opening_hours h ON h.shop_id = s.id AND h.weekday = extract(dow FROM now() AT TIME ZONE s.tz)
WHERE (now() AT TIME ZONE s.tz)::time >= h.opens OR s.id = 1
-- >>> open_when_ordered
SELECT o.id, h.opens FROM orders o JOIN shops s ON s.id = o.shop_id
JOIN opening_hours h ON h.shop_id = s.id AND h.weekday = extract(dow FROM o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)
WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::time BETWEEN h.opens AND h.closes
-- >>> business_hours_tickets
SELECT count(*) FILTER (WHERE extract(hour FROM t.opened_at AT TIME ZONE a.time_zone) BETWEEN 9 AND 16 AND extract(isodow FROM t.opened_at AT TIME ZONE a.time_zone) < 6) AS inside, count(*) AS total
FROM tickets t JOIN accounts a ON a.id = t.account_id
-- >>> holidays_anti_join
SELECT o.id FROM orders o LEFT JOIN holidays h ON h.country = 'US' AND h.day = (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date WHERE h.day IS NULL
-- >>> holidays_match
SELECT h.name, h.day, count(*) FROM orders o JOIN holidays h ON h.day = (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date GROUP BY h.name, h.day
-- >>> overtime_hours
SELECT sh.user_id, date_trunc('week', sh.clock_in AT TIME ZONE s.tz)::date AS week, round(sum(extract(epoch FROM sh.clock_out - sh.clock_in)) / 3600, 2) AS hours
FROM shifts sh JOIN shops s ON s.id = sh.shop_id WHERE sh.clock_out IS NOT NULL GROUP BY 1, 2
-- >>> night_shift_part
SELECT sh.id, least((sh.clock_out AT TIME ZONE s.tz), date_trunc('day', sh.clock_in AT TIME ZONE s.tz) + interval '1 day') - (sh.clock_in AT TIME ZONE s.tz) AS before_midnight
FROM shifts sh JOIN shops s ON s.id = sh.shop_id
-- >>> late_clock_in
SELECT sh.id, (sh.clock_in AT TIME ZONE s.tz)::time > sh.starts + interval '5 minutes' AS late FROM shifts sh INNER JOIN shops s ON sh.shop_id = s.id WHERE sh.clock_in AT TIME ZONE s.tz >= '2020-01-01'
-- >>> double_bookings
SELECT a.id, b.id FROM "Booking" a JOIN "Booking" b ON a."shopId" = b."shopId" AND a.id < b.id AND (a."startsAt" AT TIME ZONE a."timeZone", a."endsAt" AT TIME ZONE a."timeZone") OVERLAPS (b."startsAt" AT TIME ZONE b."timeZone", b."endsAt" AT TIME ZONE b."timeZone")
-- >>> daily_bounds_of_shop
SELECT s.id, count(*) FROM shops s JOIN "Booking" b ON b."shopId" = s.id
WHERE b."startsAt" >= (date '2024-03-10')::timestamp AT TIME ZONE s.tz AND b."startsAt" < (date '2025-03-11')::timestamp AT TIME ZONE s.tz GROUP BY s.id
-- >>> bounds_literal_zone_of_shop
SELECT s.name, sum(o.total_cents) FROM orders o JOIN shops s ON s.id = o.shop_id
WHERE o.created_at >= TIMESTAMP '2024-01-01' AT TIME ZONE s.tz AT TIME ZONE 'UTC' AND o.created_at < TIMESTAMP '2024-07-01' AT TIME ZONE s.tz AT TIME ZONE 'UTC' GROUP BY s.name
-- >>> local_between_dates
SELECT count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date BETWEEN '2023-03-01' AND '2023-11-30'
-- >>> between_timestamps_constant_zone
SELECT id FROM page_views WHERE viewed_at AT TIME ZONE 'Europe/London' BETWEEN '2022-03-27 00:30' AND '2022-10-30 01:30'
-- >>> to_char_filter
SELECT count(*) FROM orders WHERE to_char(created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/Los_Angeles', 'YYYY-MM') = '2024-03'
-- >>> extract_year_filter
SELECT count(*) FROM invoices WHERE extract(year FROM issued_at AT TIME ZONE 'Asia/Tokyo') = 2023
-- >>> date_part_weekend
SELECT count(*) FROM page_views WHERE date_part('dow', viewed_at AT TIME ZONE 'Australia/Sydney') IN (0, 6)
-- >>> utc_hides_index_tz
SELECT count(*) FROM page_views WHERE viewed_at AT TIME ZONE 'UTC' >= TIMESTAMP '2024-01-01 00:00:00' AND viewed_at AT TIME ZONE 'UTC' < TIMESTAMP '2024-02-01 00:00:00'
-- >>> utc_date_equals
SELECT count(*) FROM invoices WHERE date(issued_at AT TIME ZONE 'UTC') = DATE '2024-03-10' OR date(issued_at AT TIME ZONE 'UTC') > DATE '2025-01-01'
-- >>> utc_group_by_day
SELECT (viewed_at AT TIME ZONE 'UTC')::date AS day, count(*) FROM page_views GROUP BY 1
-- >>> local_column_to_instant_filter
SELECT count(*) FROM readings WHERE recorded_local AT TIME ZONE 'America/New_York' >= now() - interval '500 days'
-- >>> local_column_of_site
SELECT d.site_id, r.recorded_local AT TIME ZONE si.timezone AS instant, r.time FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id
-- >>> date_trunc_three_arguments
SELECT date_trunc('day', viewed_at, 'America/New_York') AS day, count(*) FROM page_views GROUP BY 1
-- >>> date_trunc_three_arguments_zone_of_row
SELECT date_trunc('month', i.issued_at, a.time_zone) AS month, sum(i.amount) FROM invoices i JOIN accounts a ON a.id = i.account_id GROUP BY 1
-- >>> date_trunc_three_arguments_back
SELECT date_trunc('week', paid_at, 'Europe/Berlin') AT TIME ZONE 'Europe/Berlin' AS week, count(*) FROM orders GROUP BY 1
-- >>> round_trip_constant
SELECT date_trunc('day', viewed_at AT TIME ZONE 'America/St_Johns') AT TIME ZONE 'America/St_Johns' AS day_start, count(*) FROM page_views GROUP BY 1
-- >>> round_trip_zone_of_row
SELECT date_trunc('day', o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz) AT TIME ZONE s.tz AS day_start, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1
-- >>> zone_to_zone
SELECT sh.id, (sh.work_date + sh.starts) AT TIME ZONE s.tz AT TIME ZONE u.timezone AS for_user FROM shifts sh JOIN shops s ON s.id = sh.shop_id JOIN users u ON u.id = sh.user_id
-- >>> age_local
SELECT t.id, age(t.closed_at AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone, t.opened_at AT TIME ZONE a.time_zone) AS took FROM tickets t JOIN accounts a ON a.id = t.account_id
-- >>> time_bucket_local
SELECT time_bucket('1 day', r.time AT TIME ZONE si.timezone) AS bucket, avg(r.value) FROM readings r JOIN devices d ON d.id = r.device_id JOIN sites si ON si.id = d.site_id GROUP BY 1
-- >>> time_bucket_with_zone
SELECT time_bucket('1 day', time, 'Europe/Berlin') AS bucket, max(value) FROM readings GROUP BY bucket
-- >>> time_bucket_then_convert
SELECT time_bucket('6 hours', time) AT TIME ZONE 'Asia/Kolkata' AS bucket, count(*) FROM readings GROUP BY bucket
-- >>> continuous_aggregate
CREATE MATERIALIZED VIEW readings_daily WITH (timescaledb.continuous, timescaledb.materialized_only = true) AS
SELECT device_id, time_bucket('1 day', time AT TIME ZONE 'Europe/Madrid') AS day, avg(value) AS mean, count(*) AS n FROM readings GROUP BY 1, 2
WITH DATA
-- >>> materialised_view
CREATE MATERIALIZED VIEW IF NOT EXISTS revenue_daily AS
SELECT s.account_id, (o.paid_at AT TIME ZONE s.tz)::date AS day, sum(o.total_cents) AS cents
FROM orders o JOIN shops s ON s.id = o.shop_id WHERE o.status = 'paid' GROUP BY 1, 2;
CREATE UNIQUE INDEX ON revenue_daily (account_id, day);
REFRESH MATERIALIZED VIEW revenue_daily
-- >>> view_of_local_events
CREATE OR REPLACE VIEW local_views AS
SELECT pv.id, pv.user_id, pv.viewed_at AT TIME ZONE COALESCE(u.timezone, 'UTC') AS local_at FROM page_views pv JOIN users u ON u.id = pv.user_id
-- >>> create_table_as
CREATE TABLE orders_local AS SELECT o.id, o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz AS created_local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> insert_daily_stats
INSERT INTO daily_stats (account_id, day, n, total)
SELECT s.account_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date, count(*), sum(o.total_cents)
FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1, 2
-- >>> insert_yesterday_cron
INSERT INTO daily_stats
SELECT a.id, (now() AT TIME ZONE a.time_zone)::date - 1, count(i.id), coalesce(sum(i.amount * 100), 0)::bigint
FROM accounts a LEFT JOIN invoices i ON i.account_id = a.id AND (i.issued_at AT TIME ZONE a.time_zone)::date = (now() AT TIME ZONE a.time_zone)::date - 1
GROUP BY a.id
-- >>> upsert_with_cte
WITH fresh AS (
  SELECT i.account_id, (i.paid_at AT TIME ZONE 'America/New_York')::date AS day, count(*) AS n FROM invoices i WHERE i.paid_at IS NOT NULL GROUP BY 1, 2
)
INSERT INTO daily_stats (account_id, day, n, total) SELECT account_id, day, n, 0 FROM fresh
-- >>> update_from_zone
UPDATE notifications n SET scheduled_at = (n.send_on + n.send_time) AT TIME ZONE u.timezone AT TIME ZONE 'UTC' FROM users u WHERE u.id = n.user_id AND u.timezone IS NOT NULL
-- >>> update_where_local_day
UPDATE orders SET status = 'archived' WHERE (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date < DATE '2016-01-01'
-- >>> update_where_now
UPDATE invoices SET status = 'void' WHERE status = 'open' AND (issued_at AT TIME ZONE 'Europe/London')::date < (now() AT TIME ZONE 'Europe/London')::date - 90
-- >>> delete_retention_constant_zone
DELETE FROM page_views WHERE viewed_at AT TIME ZONE 'America/Los_Angeles' < '2018-01-01'
-- >>> delete_retention_zone_of_row
DELETE FROM audit_log l USING users u WHERE u.id = l.actor_id AND (l.logged_at AT TIME ZONE 'UTC' AT TIME ZONE u.timezone)::date < '2019-06-01'
-- >>> delete_retention_now
DELETE FROM audit_log WHERE logged_at < now() AT TIME ZONE 'UTC' - interval '90 days'
-- >>> delete_naive_now
DELETE FROM audit_log WHERE logged_at < now() - interval '2 years'
-- >>> delete_returning
WITH gone AS (DELETE FROM tickets WHERE (opened_at AT TIME ZONE 'Asia/Tokyo')::date < '2017-01-01' RETURNING id) SELECT count(*) FROM gone
-- >>> merge_stats
MERGE INTO daily_stats d USING (
  SELECT i.account_id, (i.issued_at AT TIME ZONE 'Europe/Berlin')::date AS day, count(*) AS n FROM invoices i GROUP BY 1, 2
) s ON d.account_id = s.account_id AND d.day = s.day
WHEN MATCHED THEN UPDATE SET n = s.n
WHEN NOT MATCHED THEN INSERT (account_id, day, n, total) VALUES (s.account_id, s.day, s.n, 0)
-- >>> explain_analyze
EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT (viewed_at AT TIME ZONE 'America/New_York')::date, count(*) FROM page_views GROUP BY 1
-- >>> copy_query
COPY (SELECT l.id, l.action, to_char(l.logged_at AT TIME ZONE 'UTC' AT TIME ZONE u.timezone, 'YYYY-MM-DD HH24:MI:SS') AS at FROM audit_log l JOIN users u ON u.id = l.actor_id ORDER BY l.id) TO STDOUT WITH (FORMAT csv, HEADER)
-- >>> cursor_export
DECLARE export_cursor NO SCROLL CURSOR FOR SELECT id, paid_at AT TIME ZONE 'Asia/Singapore' AS paid FROM orders ORDER BY id;
FETCH ALL FROM export_cursor;
CLOSE export_cursor
-- >>> prepared
PREPARE by_shop(int) AS SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date AS day, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE s.id = $1 GROUP BY 1;
EXECUTE by_shop(4);
DEALLOCATE by_shop
-- >>> function_sql
CREATE FUNCTION revenue_on(p_day date) RETURNS TABLE (shop integer, cents bigint) LANGUAGE sql STABLE AS $$
  SELECT o.shop_id, sum(o.total_cents) FROM orders o JOIN shops s ON s.id = o.shop_id
  WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date >= p_day GROUP BY o.shop_id
$$;
SELECT * FROM revenue_on('2024-01-01')
-- >>> function_sql_atomic
CREATE FUNCTION views_per_day() RETURNS TABLE (day date, n bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT (viewed_at AT TIME ZONE 'Europe/Berlin')::date, count(*) FROM page_views GROUP BY 1;
END;
SELECT * FROM views_per_day()
-- >>> function_plpgsql_return_query
CREATE OR REPLACE FUNCTION account_days(p_account int) RETURNS TABLE (day date, tickets bigint) LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN QUERY
    SELECT (t.opened_at AT TIME ZONE a.time_zone)::date, count(*)
    FROM tickets t JOIN accounts a ON a.id = t.account_id WHERE a.id = p_account GROUP BY 1;
END;
$fn$;
SELECT * FROM account_days(5)
-- >>> function_plpgsql_variables once:2
CREATE FUNCTION local_today(p_user int) RETURNS date LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_tz text;
  v_day date;
BEGIN
  SELECT coalesce(timezone, 'UTC') INTO v_tz FROM users WHERE id = p_user;
  v_day := (timestamptz '2024-03-10 07:30+00' AT TIME ZONE v_tz)::date;
  IF extract(dow FROM timestamptz '2024-03-10 07:30+00' AT TIME ZONE v_tz) = 0 THEN
    v_day := v_day + 1;
  END IF;
  RETURN v_day;
END $$;
SELECT id, local_today(id) FROM users
-- >>> function_plpgsql_loop
CREATE FUNCTION roll_up() RETURNS void LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT a.id, (i.issued_at AT TIME ZONE a.time_zone)::date AS day, count(*) AS n FROM invoices i JOIN accounts a ON a.id = i.account_id GROUP BY 1, 2 LOOP
    INSERT INTO daily_stats VALUES (r.id, r.day, r.n, 0);
  END LOOP;
END $$;
SELECT roll_up();
SELECT * FROM daily_stats
-- >>> function_plpgsql_insert
CREATE FUNCTION fill_stats(p_from date) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE v_rows integer;
BEGIN
  INSERT INTO daily_stats (account_id, day, n, total)
  SELECT s.account_id, (o.paid_at AT TIME ZONE s.tz)::date, count(*), sum(o.total_cents)
  FROM orders o JOIN shops s ON s.id = o.shop_id WHERE o.paid_at >= p_from GROUP BY 1, 2;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  RETURN v_rows;
END $$;
SELECT fill_stats('2020-01-01');
SELECT * FROM daily_stats
-- >>> index_on_local_day
CREATE INDEX orders_local_day ON orders (((created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date));
SELECT count(*) FROM orders WHERE (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date > '2020-01-01'
-- >>> generated_column
ALTER TABLE orders ADD COLUMN local_day date GENERATED ALWAYS AS ((created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Madrid')::date) STORED;
SELECT local_day, count(*) FROM orders GROUP BY 1
-- >>> check_constraint
ALTER TABLE shifts ADD CONSTRAINT same_day CHECK ((clock_in AT TIME ZONE 'UTC')::date <= DATE '2100-01-01');
SELECT count(*) FROM shifts
-- >>> policy
CREATE POLICY recent_only ON invoices USING ((issued_at AT TIME ZONE 'America/Chicago')::date > DATE '2020-01-01');
SELECT count(*) FROM invoices
-- >>> default_value
CREATE TABLE logins (user_id int, day date NOT NULL DEFAULT (now() AT TIME ZONE 'Europe/Bratislava')::date);
INSERT INTO logins (user_id) VALUES (1), (2);
SELECT count(DISTINCT day) FROM logins
-- >>> script_with_settings
SET statement_timeout = '30s';
SET LOCAL work_mem = '32MB';
SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata')::date AS day, count(*) FROM orders o GROUP BY 1;
SELECT extract(hour FROM r.time AT TIME ZONE 'Asia/Kolkata') AS h, count(*) FROM readings r GROUP BY 1
-- >>> supabase_function_empty_search_path
CREATE FUNCTION public.tickets_by_day(p_since date) RETURNS TABLE (day date, n bigint) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT (t.opened_at AT TIME ZONE a.time_zone)::date, count(*) FROM public.tickets t JOIN public.accounts a ON a.id = t.account_id
  WHERE (t.opened_at AT TIME ZONE a.time_zone)::date >= p_since GROUP BY 1
$$;
SELECT * FROM public.tickets_by_day('2023-01-01')
-- >>> function_parameter_named_as_column
CREATE FUNCTION views_of(user_id int, zone text DEFAULT 'UTC') RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM page_views WHERE page_views.user_id = views_of.user_id AND (viewed_at AT TIME ZONE zone)::time < '12:00'
$$;
SELECT u.id, views_of(u.id, 'Asia/Tokyo') FROM users u
-- >>> trigger_function
CREATE FUNCTION set_placed_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.placed_on := (NEW.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date;
  RETURN NEW;
END $$;
CREATE TRIGGER placed_on BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION set_placed_on();
UPDATE orders SET status = 'paid' WHERE id < 50
-- >>> do_block
DO $$
DECLARE a record;
BEGIN
  FOR a IN SELECT id, time_zone FROM accounts WHERE plan = 'pro' LOOP
    UPDATE tickets SET priority = 0 WHERE account_id = a.id AND (opened_at AT TIME ZONE a.time_zone)::date < DATE '2018-01-01';
  END LOOP;
END $$;
SELECT priority, count(*) FROM tickets GROUP BY 1
-- >>> psql_report
\set ON_ERROR_STOP on
SELECT (opened_at AT TIME ZONE 'America/New_York')::date AS day, count(*) FROM tickets GROUP BY 1 ORDER BY 1;
-- >>> temporary_table_then_report
CREATE TEMP TABLE recent ON COMMIT DROP AS SELECT id, shop_id, created_at FROM orders WHERE created_at > '2022-01-01';
SELECT (r.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date AS day, count(*) FROM recent r JOIN shops s ON s.id = r.shop_id GROUP BY 1
-- >>> insert_on_conflict
INSERT INTO accounts (id, name, time_zone, plan, created_at)
SELECT u.id, u.email, u.timezone, 'free', u.created_at AT TIME ZONE 'UTC' FROM users u
ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at
-- >>> update_from_subquery
UPDATE daily_stats d SET n = x.n FROM (SELECT i.account_id, max((i.issued_at AT TIME ZONE a.time_zone)::date) AS day, count(*) AS n FROM invoices i JOIN accounts a ON a.id = i.account_id GROUP BY 1) x WHERE x.account_id = d.account_id
-- >>> update_where_in_subquery
UPDATE users SET digest_hour = 0 WHERE id IN (SELECT pv.user_id FROM page_views pv WHERE (pv.viewed_at AT TIME ZONE 'Asia/Kolkata')::date > '2025-06-01')
-- >>> delete_where_exists
DELETE FROM notifications n WHERE EXISTS (SELECT 1 FROM users u WHERE u.id = n.user_id AND (n.sent_at AT TIME ZONE u.timezone)::date <= n.send_on - 1)
-- >>> queue_skip_locked
SELECT n.id FROM notifications n JOIN users u ON u.id = n.user_id
WHERE n.sent_at IS NULL AND (n.scheduled_at AT TIME ZONE 'UTC' AT TIME ZONE u.timezone)::time < '20:00' ORDER BY n.id LIMIT 20 FOR UPDATE OF n SKIP LOCKED
-- >>> latest_fifty
SELECT o.id, to_char(o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz, 'Mon DD, YYYY HH12:MI AM') AS placed FROM orders o JOIN shops s ON s.id = o.shop_id ORDER BY o.created_at DESC NULLS LAST, o.id LIMIT 50 OFFSET 10
-- >>> json_api
SELECT json_build_object('id', b.id, 'start', to_char(b."startsAt" AT TIME ZONE s."timeZone", 'YYYY-MM-DD"T"HH24:MI:SS'), 'shop', row_to_json(s)) AS booking FROM "Booking" b JOIN "Shop" s ON s.id = b."shopId"
-- >>> json_agg_ordered
SELECT s.id, json_agg(json_build_object('day', d.day, 'n', d.n) ORDER BY d.day) FROM shops s JOIN (
  SELECT o.shop_id, (o.paid_at AT TIME ZONE 'America/Chicago')::date AS day, count(*) AS n FROM orders o GROUP BY 1, 2
) d ON d.shop_id = s.id GROUP BY s.id
-- >>> string_agg_hours
SELECT u.id, string_agg(DISTINCT to_char(pv.viewed_at AT TIME ZONE u.timezone, 'HH24'), ',' ORDER BY to_char(pv.viewed_at AT TIME ZONE u.timezone, 'HH24')) FROM users u JOIN page_views pv ON pv.user_id = u.id GROUP BY u.id
-- >>> median_hour
SELECT a.plan, percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(hour FROM t.opened_at AT TIME ZONE a.time_zone)) AS median_hour FROM tickets t JOIN accounts a ON a.id = t.account_id GROUP BY a.plan
-- >>> whole_row
SELECT x FROM (SELECT i.id, (i.issued_at AT TIME ZONE a.time_zone) AS issued FROM invoices i JOIN accounts a ON a.id = i.account_id) x WHERE x.issued > '2021-01-01'
-- >>> star_beside_conversion
SELECT o.*, s.tz, o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz AS local FROM orders o JOIN shops s ON s.id = o.shop_id
-- >>> bare_star_beside_conversion
SELECT *, i.issued_at AT TIME ZONE a.time_zone AS issued_local FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> guarded_by_case
SELECT u.id, CASE WHEN u.timezone IS NOT NULL THEN u.last_seen_at AT TIME ZONE u.timezone ELSE u.last_seen_at AT TIME ZONE 'UTC' END AS seen FROM users u
-- >>> coalesce_of_conversions
SELECT u.id, COALESCE(u.last_seen_at AT TIME ZONE u.timezone, u.created_at AT TIME ZONE 'Europe/London') AS at_local FROM users u
-- >>> value_coalesce
SELECT o.shop_id, (COALESCE(o.paid_at, o.created_at AT TIME ZONE 'UTC') AT TIME ZONE s.tz)::date AS day, count(*) FROM orders o JOIN shops s ON s.id = o.shop_id GROUP BY 1, 2
-- >>> value_greatest
SELECT t.id, GREATEST(t.opened_at, t.first_reply_at) AT TIME ZONE a.time_zone AS touched FROM tickets t JOIN accounts a ON a.id = t.account_id
-- >>> value_case
SELECT t.id, (CASE WHEN t.first_reply_at IS NULL THEN t.opened_at ELSE t.first_reply_at END) AT TIME ZONE 'Europe/Madrid' AS shown FROM tickets t
-- >>> value_plus_interval
SELECT i.id, ((i.issued_at + interval '30 days') AT TIME ZONE a.time_zone)::date AS reminder_on FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> value_minus_make_interval
SELECT u.id, (pv.viewed_at - make_interval(hours => u.digest_hour)) AT TIME ZONE u.timezone AS shifted FROM users u JOIN page_views pv ON pv.user_id = u.id
-- >>> value_date_trunc_then_convert
SELECT date_trunc('hour', viewed_at) AT TIME ZONE 'Asia/Kolkata' AS hour, count(*) FROM page_views GROUP BY date_trunc('hour', viewed_at)
-- >>> value_date
SELECT i.id, i.due_on::timestamp AT TIME ZONE a.time_zone AS due_at FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> overdue_end_of_local_day
SELECT i.id FROM invoices i JOIN accounts a ON a.id = i.account_id WHERE i.status = 'open' AND (i.due_on + 1)::timestamp AT TIME ZONE a.time_zone < now()
-- >>> trial_ends
SELECT sb.id FROM subscriptions sb JOIN accounts a ON a.id = sb.account_id WHERE sb.trial_ends_on < (now() AT TIME ZONE a.time_zone)::date
-- >>> values_zone_list
SELECT z.label, count(*) FROM page_views pv CROSS JOIN (VALUES ('America/New_York', 'NY'), ('Asia/Tokyo', 'Tokyo')) AS z(zone, label) WHERE extract(hour FROM pv.viewed_at AT TIME ZONE z.zone) BETWEEN 9 AND 17 GROUP BY 1
-- >>> recursive_calendar
WITH RECURSIVE days(d) AS (SELECT timestamp '2024-11-01' UNION ALL SELECT d + interval '1 day' FROM days WHERE d < timestamp '2024-11-30')
SELECT days.d, (SELECT count(*) FROM page_views pv WHERE pv.viewed_at AT TIME ZONE 'America/New_York' >= days.d AND pv.viewed_at AT TIME ZONE 'America/New_York' < days.d + interval '1 day') AS n FROM days
-- >>> month_end_close
SELECT date_trunc('month', i.paid_at AT TIME ZONE a.time_zone) + interval '1 month' - interval '1 day' AS closes, sum(i.amount) FROM invoices i LEFT JOIN accounts a ON a.id = i.account_id WHERE i.paid_at IS NOT NULL GROUP BY 1
-- >>> grouping_sets
SELECT a.plan, extract(year FROM i.issued_at AT TIME ZONE a.time_zone) AS y, sum(i.amount) FROM invoices i JOIN accounts a ON a.id = i.account_id GROUP BY GROUPING SETS ((a.plan), (extract(year FROM i.issued_at AT TIME ZONE a.time_zone)), ())
-- >>> epoch_of_local
SELECT t.id, extract(epoch FROM (t.first_reply_at AT TIME ZONE a.time_zone) - (t.opened_at AT TIME ZONE a.time_zone)) AS seconds FROM tickets t JOIN accounts a USING (id)
-- >>> is_distinct_from
SELECT count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date IS DISTINCT FROM o.placed_on
-- >>> any_of_dates
SELECT count(*) FROM page_views WHERE (viewed_at AT TIME ZONE 'Europe/Berlin')::date = ANY (ARRAY['2024-03-31', '2024-10-27', '2023-03-26', '2023-10-29']::date[]) OR (viewed_at AT TIME ZONE 'Europe/Berlin')::date IN ('2022-03-27', '2021-03-28', '2025-10-26')
-- >>> union_of_types
SELECT 'order' AS kind, created_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Madrid' AS at FROM orders UNION ALL SELECT 'view', viewed_at AT TIME ZONE 'Europe/Madrid' FROM page_views UNION ALL SELECT 'ticket', closed_at FROM tickets
-- >>> full_join_of_days
SELECT coalesce(a.day, b.day) AS day, a.n AS orders, b.n AS views FROM (SELECT (created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/Chicago')::date AS day, count(*) AS n FROM orders GROUP BY 1) a
FULL OUTER JOIN (SELECT (viewed_at AT TIME ZONE 'America/Chicago')::date AS day, count(*) AS n FROM page_views GROUP BY 1) b ON a.day = b.day
-- >>> partitioned_dedupe_delete
DELETE FROM page_views WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY user_id, (viewed_at AT TIME ZONE 'UTC')::date ORDER BY viewed_at, id) AS rn FROM page_views) d WHERE d.rn > 1)
-- >>> weekday_names_quoted
SELECT trim(to_char(o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz, 'Day')) AS "Wochentag", count(*) AS "Anzahl Bestellungen" FROM orders o INNER JOIN shops AS s ON (s.id = o.shop_id AND s.is_active) GROUP BY 1
-- >>> comment_with_conversion
-- daily sales; was: created_at AT TIME ZONE 'EST'
SELECT /* local day */ date(o.created_at AT TIME ZONE 'UTC' -- stored in UTC
    AT TIME ZONE s.tz) AS day, sum(o.total_cents) AS cents
FROM orders o JOIN shops s ON s.id = o.shop_id
GROUP BY 1
-- >>> current_date_at_zone
SELECT count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz < CURRENT_DATE AT TIME ZONE s.tz
-- >>> current_timestamp_of_user_between
SELECT u.id FROM users u WHERE u.timezone IS NOT NULL AND (CURRENT_TIMESTAMP AT TIME ZONE u.timezone)::time BETWEEN time '00:00' AND time '23:59:59.999999'
-- >>> interval_days_in_zone
SELECT a.id, ((now() AT TIME ZONE a.time_zone)::date - (max(i.issued_at) AT TIME ZONE a.time_zone)::date) AS days_since FROM accounts a JOIN invoices i ON i.account_id = a.id GROUP BY a.id
-- >>> stale_open_tickets
SELECT t.id, t.account_id FROM tickets t WHERE t.closed_at IS NULL OR t.closed_at <> now() AND t.opened_at < now() - INTERVAL '2 days'
-- >>> due_invoices_date_column
SELECT i.id, i.due_on FROM invoices i WHERE i.due_on < now() - INTERVAL '30 days' AND i.status NOT IN ('paid', 'void')
-- >>> trial_ends_between
SELECT s.id FROM subscriptions s WHERE s.trial_ends_on BETWEEN now() - INTERVAL '600 days' AND now() + INTERVAL '3 days'
-- >>> metabase_shown_in_utc_against_now
SELECT count(*) FROM page_views WHERE viewed_at AT TIME ZONE 'UTC' >= now() - INTERVAL '400 days'
-- >>> in_list_now
SELECT count(*) FROM audit_log a WHERE a.logged_at NOT IN (now(), now() - INTERVAL '1 hour')
-- >>> row_compare_now
SELECT count(*) FROM audit_log a WHERE (a.logged_at, a.id) < (now(), 100)
-- >>> scalar_subquery_now
SELECT count(*) FROM orders WHERE created_at > (SELECT now() - INTERVAL '2 years')
-- >>> symmetric_window
SELECT count(*) FROM orders WHERE shipped_at BETWEEN SYMMETRIC now() AND now() - INTERVAL '3 years'
-- >>> cast_date_vs_now
SELECT count(*) FROM orders WHERE created_at::date >= now() - INTERVAL '1000 days'
-- >>> update_overdue_date
UPDATE invoices SET status = 'overdue' WHERE due_on < now() AND status = 'open'
-- >>> exists_recent_order
SELECT u.id FROM users u WHERE EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id AND o.created_at > now() - INTERVAL '700 days') AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id AND o.placed_on > now())
-- >>> between_date_and_now
SELECT count(*) FROM orders WHERE placed_on BETWEEN '2024-01-01' AND now()
-- >>> shift_compare_across_join
SELECT count(*) FROM page_views pv JOIN users u ON u.id = pv.user_id JOIN accounts a ON a.id = u.account_id WHERE pv.viewed_at >= a.created_at AT TIME ZONE a.time_zone
-- >>> merge_of_daily_stats
MERGE INTO daily_stats d USING (SELECT 1 AS account_id) s ON s.account_id = d.account_id AND d.day < now() WHEN MATCHED THEN UPDATE SET n = d.n + 1
-- >>> sessions_gap_islands
WITH ordered AS (SELECT pv.user_id, pv.viewed_at AT TIME ZONE u.timezone AS local_at, lag(pv.viewed_at) OVER (PARTITION BY pv.user_id ORDER BY pv.viewed_at, pv.id) AS prev FROM page_views pv JOIN users u ON u.id = pv.user_id),
flagged AS (SELECT user_id, local_at, CASE WHEN prev IS NULL THEN 1 ELSE 0 END AS fresh FROM ordered)
SELECT user_id, local_at::date, sum(fresh) FROM flagged GROUP BY 1, 2
-- >>> tenant_zone_in_a_setting
SELECT date_trunc('day', issued_at AT TIME ZONE current_setting('app.tz')) AS day, sum(amount) FROM invoices GROUP BY 1 ORDER BY 1
-- >>> session_zone_read_once
SELECT (opened_at AT TIME ZONE (SELECT current_setting('TimeZone')))::date AS opened_on, count(*) FROM tickets GROUP BY 1
-- >>> session_zone_in_capitals
SELECT to_char(viewed_at AT TIME ZONE current_setting('TIMEZONE'), 'YYYY-MM-DD HH24:00') AS hour, count(*) FROM page_views GROUP BY hour
-- >>> setting_or_utc
SELECT id, (paid_at AT TIME ZONE COALESCE(current_setting('app.tz', true), 'UTC'))::date AS paid_on FROM orders WHERE status = 'paid'
-- >>> setting_filter_on_day
SELECT count(*) FROM orders WHERE (created_at AT TIME ZONE 'UTC' AT TIME ZONE current_setting('app.tz'))::date BETWEEN '2024-03-01' AND '2024-11-30'
-- >>> setting_today
SELECT count(*) + 1 AS n FROM page_views WHERE (viewed_at AT TIME ZONE current_setting('app.tz'))::date = (now() AT TIME ZONE current_setting('app.tz'))::date
-- >>> view_in_the_zone_of_the_session
CREATE VIEW my_tickets AS SELECT t.id, t.opened_at AT TIME ZONE current_setting('TimeZone') AS opened_local, a.name FROM tickets t JOIN accounts a ON a.id = t.account_id
-- >>> settings_row_by_id
SELECT date_part('hour', t.opened_at AT TIME ZONE (SELECT s.timezone FROM app_settings s WHERE s.id = 1)) AS h, count(*) FROM tickets t GROUP BY 1
-- >>> settings_row_any
SELECT (created_at AT TIME ZONE 'UTC' AT TIME ZONE (SELECT timezone FROM app_settings LIMIT 1))::date AS d, count(*), sum(total_cents) / 100.0 FROM orders GROUP BY d ORDER BY d DESC
-- >>> settings_row_newest
SELECT to_char(paid_at AT TIME ZONE (SELECT value FROM settings WHERE key = 'timezone' ORDER BY value DESC LIMIT 1), 'Mon YYYY') AS month, count(*) FROM orders GROUP BY 1
-- >>> settings_aggregate
SELECT id, issued_at AT TIME ZONE (SELECT max(value) FROM settings WHERE key = 'timezone') AS issued_local FROM invoices WHERE status <> 'void'
-- >>> settings_local_to_utc
SELECT n.id, n.scheduled_at AT TIME ZONE (SELECT timezone FROM app_settings LIMIT 1) AS due_at FROM notifications n WHERE n.kind = 'digest'
-- >>> grafana_bars_by_day
SELECT date_trunc('day', viewed_at AT TIME ZONE '$__timezone') AS day, count(*) AS views
FROM page_views GROUP BY 1 ORDER BY 1
-- $__timezone = Europe/Berlin
-- >>> grafana_variable_of_the_dashboard
SELECT extract(isodow FROM r.time AT TIME ZONE '$tz') AS dow, avg(r.value) FROM readings r GROUP BY 1
-- $tz = America/St_Johns
-- >>> grafana_variable_in_braces
SELECT timezone('${tz}', r.time)::date AS d, max(r.value) FROM readings r WHERE r.device_id IN (4, 5, 6) GROUP BY 1
-- ${tz} = Australia/Lord_Howe
-- >>> grafana_granularity
SELECT date_trunc('$period', o.created_at AT TIME ZONE 'UTC' AT TIME ZONE '$tz') AS "period", count(*) FROM orders o GROUP BY 1 ORDER BY 1
-- $period = week
-- $tz = Asia/Kolkata
-- >>> dbt_var_zone
select timezone('{{ var("reporting_tz") }}', i.issued_at)::date as issued_on, i.status, count(*) as invoices
from invoices i group by 1, 2
-- {{ var("reporting_tz") }} = America/Sao_Paulo
-- >>> dbt_grain
select date_trunc('{{ grain }}', i.issued_at at time zone a.time_zone) as period, sum(i.amount) as amount
from invoices i join accounts a on a.id = i.account_id
group by date_trunc('{{ grain }}', i.issued_at at time zone a.time_zone)
-- {{ grain }} = quarter
-- >>> dbt_incremental
select o.id, (o.created_at at time zone 'UTC' at time zone '{{ var("tz") }}')::date as created_on from orders o
{% if is_incremental() %}
where o.created_at > '2023-01-01'
{% endif %}
-- {{ var("tz") }} = Pacific/Auckland
-- {% if is_incremental() %} =
-- {% endif %} =
-- >>> airflow_params
INSERT INTO daily_stats SELECT s.account_id, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE '{{ params.tz }}')::date, count(*), sum(o.total_cents)
FROM orders o JOIN shops s ON s.id = o.shop_id WHERE o.created_at >= '{{ ds }}' GROUP BY 1, 2
-- {{ params.tz }} = Europe/Madrid
-- {{ ds }} = 2024-01-01
-- >>> blazer_variable
SELECT date_trunc('month', created_at AT TIME ZONE 'UTC' AT TIME ZONE '<%= Time.zone.tzinfo.name %>') AS month, count(DISTINCT user_id) FROM orders GROUP BY 1
-- <%= Time.zone.tzinfo.name %> = America/Chicago
-- >>> rails_erb_filter
SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date AS day, count(*)
FROM orders o JOIN shops s ON s.id = o.shop_id
WHERE o.status = 'paid'
<% if shop_ids.any? %>
  AND o.shop_id IN (<%= shop_ids.join(",") %>)
<% end %>
GROUP BY 1
-- <% if shop_ids.any? %> =
-- <%= shop_ids.join(",") %> = 1, 2, 3, 4, 5, 6
-- <% end %> =
-- >>> looker_derived_table
SELECT s.name, (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date AS day, SUM(o.total_cents) AS cents
FROM public.orders AS o JOIN public.shops AS s ON s.id = o.shop_id
WHERE {% condition created_date %} o.created_at {% endcondition %} AND {% condition shop %} s.name {% endcondition %}
GROUP BY 1, 2
-- {% condition created_date %} = (
-- {% condition shop %} = (
-- {% endcondition %} = IS NOT NULL)
-- >>> looker_condition_on_the_local_time
SELECT COUNT(*) FROM page_views pv WHERE {% condition viewed_date %} (pv.viewed_at AT TIME ZONE 'America/Los_Angeles') {% endcondition %}
-- {% condition viewed_date %} =
-- {% endcondition %} = >= '2023-03-12'
-- >>> looker_incremental
SELECT (i.issued_at AT TIME ZONE 'America/New_York')::date AS day, count(*) AS n FROM invoices i
WHERE {% incrementcondition %} i.issued_at AT TIME ZONE 'America/New_York' {% endincrementcondition %} GROUP BY 1
-- {% incrementcondition %} =
-- {% endincrementcondition %} = > '2021-01-01'
-- >>> plpgsql_zone_argument
CREATE FUNCTION days_with_orders(p_tz text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE n integer;
BEGIN
  SELECT count(DISTINCT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE p_tz)::date) INTO n FROM orders o;
  RETURN n;
END $$;
SELECT days_with_orders('America/St_Johns')
-- >>> plpgsql_zone_variable
CREATE FUNCTION refresh_stats() RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_zone varchar(64);
BEGIN
  SELECT timezone INTO STRICT v_zone FROM app_settings;
  DELETE FROM daily_stats WHERE day >= '2000-01-01';
  INSERT INTO daily_stats
  SELECT a.id, timezone(v_zone, i.issued_at)::date, count(*), 0 FROM invoices i JOIN accounts a ON a.id = i.account_id GROUP BY 1, 2;
END $$;
SELECT refresh_stats();
SELECT * FROM daily_stats
-- >>> plpgsql_return_query
CREATE FUNCTION opened_by_hour(in_timezone text) RETURNS TABLE (hour double precision, n bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT date_part('hour', t.opened_at AT TIME ZONE in_timezone), count(*) FROM tickets t GROUP BY 1;
END $$;
SELECT * FROM opened_by_hour('Asia/Kathmandu')
-- >>> dbt_compiled_relation
select date_trunc('week', orders.created_at at time zone 'UTC' at time zone 'America/New_York') as week, count(*) as orders
from "shop"."public"."orders" as orders group by 1
-- >>> dbt_compiled_ctes
with source as (select * from "shop"."public"."invoices"), accounts as (select id, time_zone from "shop"."public"."accounts"),
final as (select source.id, source.issued_at at time zone accounts.time_zone as issued_at_local from source left join accounts on accounts.id = source.account_id)
select * from final
-- >>> database_without_quotes
SELECT s.name, (o.paid_at AT TIME ZONE s.tz)::date AS day, count(*) FROM shop.public.orders o INNER JOIN shop.public.shops s ON s.id = o.shop_id GROUP BY 1, 2
-- >>> database_in_a_filter
SELECT count(*) FROM shop.public.page_views WHERE (viewed_at AT TIME ZONE 'Europe/London')::date = '2024-03-31' OR (viewed_at AT TIME ZONE 'Europe/London')::date > '2025-06-01'
-- >>> setting_in_a_cte
WITH p AS (SELECT current_setting('app.tz') AS tz)
SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE (SELECT tz FROM p))::date AS day, count(*) FROM orders o GROUP BY 1
-- >>> rls_session_zone_daily
SET LOCAL app.tz = 'Europe/Berlin';
SELECT date_trunc('day', i.issued_at AT TIME ZONE current_setting('app.tz')) AS day, count(*) AS invoices, sum(i.amount) AS billed
FROM invoices i
WHERE i.status <> 'void'
GROUP BY 1
ORDER BY 1;
-- >>> rls_view_with_tenant_setting
CREATE VIEW tenant_tickets AS
  SELECT t.id, t.priority, timezone(current_setting('app.tz'), t.opened_at) AS opened_local
  FROM tickets t
  WHERE t.account_id = current_setting('app.account_id')::int;
SET app.tz TO 'America/St_Johns';
SET app.account_id TO '11';
SELECT opened_local::date AS day, count(*) FROM tenant_tickets GROUP BY 1;
-- >>> settings_subquery_by_hour
SELECT EXTRACT(HOUR FROM pv.viewed_at AT TIME ZONE (SELECT value FROM settings WHERE key = 'timezone' LIMIT 1))::int AS h,
       COUNT(*) AS hits,
       COUNT(DISTINCT pv.user_id) AS visitors
FROM page_views pv
GROUP BY h
ORDER BY h
-- >>> settings_lateral_key_value
SELECT r.device_id, date_bin('6 hours', r.time AT TIME ZONE z.zone, TIMESTAMP '2001-01-01') AS slot, max(r.value) AS peak
FROM readings r
CROSS JOIN LATERAL (SELECT st.value AS zone FROM settings st WHERE st.key = 'timezone') z
WHERE r.device_id BETWEEN 3 AND 9
GROUP BY 1, 2
-- >>> dbt_compiled_staging_and_mart
with shops as (

    select * from "shop"."public"."shops"

),

orders as (

    select * from "shop"."public"."orders"

),

localised as (

    select
        orders.id,
        shops.account_id,
        orders.total_cents,
        orders.created_at at time zone 'UTC' at time zone shops.tz as created_at_local
    from orders
    left join shops on orders.shop_id = shops.id

)

select
    account_id,
    cast(date_trunc('month', created_at_local) as date) as order_month,
    sum(total_cents) as cents
from localised
group by 1, 2
-- >>> dbt_incremental_model
-- {{ config(materialized='incremental', unique_key='day', on_schema_change='fail') }} = /* config */
-- {{ ref('page_views') }} = page_views
-- {{ var('reporting_timezone') }} = Europe/London
-- {% if is_incremental() %} = /* if */
-- {{ this }} = daily_stats
-- {% endif %} = /* endif */
{{ config(materialized='incremental', unique_key='day', on_schema_change='fail') }}

select
    (viewed_at at time zone '{{ var('reporting_timezone') }}')::date as day,
    count(*) as n
from {{ ref('page_views') }}
{% if is_incremental() %}
where (viewed_at at time zone '{{ var('reporting_timezone') }}')::date > (select max(day) from {{ this }})
{% endif %}
group by 1
-- >>> dbt_source_zone_of_row
-- {{ source('crm', 'tickets') }} = public.tickets
-- {{ source('crm', 'accounts') }} = public.accounts
select t.id as ticket_id
     , a.name
     , t.opened_at at time zone a.time_zone as opened_at_local
     , extract(epoch from (t.first_reply_at - t.opened_at)) / 60 as minutes_to_reply
from {{ source('crm', 'tickets') }} as t
inner join {{ source('crm', 'accounts') }} as a on a.id = t.account_id
-- >>> superset_jinja_zone
-- {{ url_param('tz') or 'Asia/Kolkata' }} = Asia/Kolkata
-- {{ from_dttm }} = 2021-06-01 00:00:00
SELECT date_trunc('hour', viewed_at AT TIME ZONE '{{ url_param('tz') or 'Asia/Kolkata' }}') AS __timestamp, count(*) AS "COUNT(*)"
FROM public.page_views
WHERE viewed_at >= TO_TIMESTAMP('{{ from_dttm }}', 'YYYY-MM-DD HH24:MI:SS')
GROUP BY 1
ORDER BY "COUNT(*)" DESC
-- >>> metabase_native_question_filters
-- {{tz}} = 'America/Chicago'
-- {{status}} = 'paid'
-- [[ = /* optional */
-- ]] = /* */
SELECT CAST((orders.created_at AT TIME ZONE 'UTC') AT TIME ZONE {{tz}} AS DATE) AS "Day", COUNT(*) AS "Orders"
FROM orders
WHERE 1 = 1
  [[AND orders.status = {{status}}]]
GROUP BY "Day"
ORDER BY "Day" ASC
-- >>> metabase_report_zone_week_sunday
SELECT (CAST(DATE_TRUNC('week', (("source"."opened_at" AT TIME ZONE 'Australia/Sydney') + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS "opened_at", COUNT(*) AS "count"
FROM (SELECT "public"."tickets"."opened_at" AS "opened_at", "public"."tickets"."priority" AS "priority" FROM "public"."tickets" WHERE "public"."tickets"."priority" < 4) AS "source"
GROUP BY (CAST(DATE_TRUNC('week', (("source"."opened_at" AT TIME ZONE 'Australia/Sydney') + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day')
-- >>> grafana_unrendered_dashboard_zone
-- $__timezone = Europe/Madrid
-- $__timeFilter(r.time) = r.time BETWEEN '2022-03-01T00:00:00Z' AND '2024-11-30T23:59:59Z'
SELECT
  date_trunc('day', r.time AT TIME ZONE '$__timezone') AT TIME ZONE '$__timezone' AS "time",
  avg(r.value) AS "mean"
FROM readings r
WHERE $__timeFilter(r.time)
GROUP BY 1
ORDER BY 1
-- >>> grafana_unrendered_variable
-- $__unixEpochFilter(pv.epoch_s) = pv.epoch_s >= 1600000000 AND pv.epoch_s <= 1790000000
-- ${tz:sqlstring} = 'Asia/Singapore'
SELECT to_char(to_timestamp(pv.epoch_s) AT TIME ZONE ${tz:sqlstring}, 'HH24:00') AS metric, count(*) AS value
FROM page_views pv
WHERE $__unixEpochFilter(pv.epoch_s) AND pv.path <> '/docs'
GROUP BY 1
-- >>> grafana_rendered_site_panel
SELECT floor(extract(epoch from r.time)/86400)*86400 AS "time", si.name AS metric, max(r.value) AS value
FROM readings r
JOIN devices d ON r.device_id = d.id
JOIN sites si ON si.id = d.site_id
WHERE r.time BETWEEN '2020-01-01T00:00:00Z' AND '2026-11-30T10:15:00.123Z'
  AND si.is_active
  AND EXTRACT(hour FROM r.time AT TIME ZONE si.timezone) >= 22
GROUP BY 1,2
ORDER BY 1
-- >>> erb_report_query
-- <%= Time.zone.tzinfo.name %> = America/Santiago
-- <%= range.first.to_fs(:db) %> = 2019-04-01
SELECT shops.id, shops.name, SUM(orders.total_cents) AS cents
FROM shops
INNER JOIN orders ON orders.shop_id = shops.id
WHERE DATE(orders.created_at AT TIME ZONE 'UTC' AT TIME ZONE '<%= Time.zone.tzinfo.name %>') >= '<%= range.first.to_fs(:db) %>'
GROUP BY shops.id, shops.name
HAVING COUNT(*) > 2
-- >>> ruby_interpolated_heredoc
-- #{zone} = Australia/Lord_Howe
SELECT
  extract(dow from viewed_at at time zone '#{zone}') AS weekday,
  extract(hour from viewed_at at time zone '#{zone}') AS hour,
  count(*)
FROM page_views
WHERE path IN ('/pricing', '/cart')
GROUP BY weekday, hour
-- >>> typescript_template_literal
-- ${opts.timeZone} = America/Sao_Paulo
-- ${opts.limit} = 40
select b."shopId", to_char(b."createdAt" at time zone 'utc' at time zone '${opts.timeZone}', 'IYYY-"W"IW') as week, count(*) filter (where b.status = 'CANCELLED') as cancelled
from "Booking" b
group by 1, 2
order by 3 desc, 1, 2
limit ${opts.limit}
-- >>> ecto_parameter_zone_and_schema
-- $1 = 'Asia/Kathmandu'
-- $2 = 3
SELECT date_trunc('month', t0."opened_at" AT TIME ZONE $1), count(t0."id"), max(t0."priority")
FROM "public"."tickets" AS t0
INNER JOIN "public"."accounts" AS a1 ON a1."id" = t0."account_id"
WHERE (t0."priority" <= $2) AND (NOT (t0."first_reply_at" IS NULL))
GROUP BY date_trunc('month', t0."opened_at" AT TIME ZONE $1)
-- >>> sqlalchemy_bound_zone_naive
-- %(tz_1)s = 'US/Pacific'
-- %(tz_2)s = 'UTC'
SELECT CAST(timezone(%(tz_1)s, timezone(%(tz_2)s, orders.shipped_at)) AS DATE) AS shipped_on, count(orders.id) AS count_1
FROM orders
WHERE orders.shipped_at IS NOT NULL
GROUP BY CAST(timezone(%(tz_1)s, timezone(%(tz_2)s, orders.shipped_at)) AS DATE)
-- >>> psql_variables_script
-- :'tz' = 'Europe/London'
-- :'from' = '2022-01-01'
-- :"tbl" = "invoices"
SELECT date_part('week', issued_at AT TIME ZONE :'tz') AS wk, date_part('isoyear', issued_at AT TIME ZONE :'tz') AS yr, sum(amount)
FROM :"tbl"
WHERE issued_at >= :'from'::date
GROUP BY 1, 2;
-- >>> appointments_overlaps_opening_hours
SELECT b.id
FROM "Booking" AS b
JOIN "Shop" AS sh ON sh.id = b."shopId"
JOIN shops s ON s.id = sh.id
WHERE ((b."startsAt" AT TIME ZONE sh."timeZone")::time, (b."endsAt" AT TIME ZONE sh."timeZone")::time) OVERLAPS (s.opens_at, s.closes_at)
-- >>> appointments_reminder_day_before
select b.id, b."customerId", ((b."startsAt" at time zone b."timeZone")::date - 1 + time '18:00') at time zone b."timeZone" as remind_at
from "Booking" b
where b."status" = 'CONFIRMED';
-- >>> billing_period_of_invoice
SELECT a.id AS account_id, a.plan,
       date_trunc('month', i.issued_at AT TIME ZONE coalesce(a.billing_zone, a.time_zone, 'UTC'))::date AS period_start,
       (date_trunc('month', i.issued_at AT TIME ZONE coalesce(a.billing_zone, a.time_zone, 'UTC')) + interval '1 month - 1 day')::date AS period_end,
       sum(i.amount) AS amount
FROM accounts AS a
  LEFT OUTER JOIN invoices AS i ON i.account_id = a.id
GROUP BY a.id, period_start, period_end
-- >>> billing_trial_expiry_instant
SELECT s.id, (s.trial_ends_on + 1)::timestamp AT TIME ZONE a.time_zone AS trial_over_at,
       (s.trial_ends_on + 1)::timestamp AT TIME ZONE a.time_zone < now() AS expired
FROM subscriptions s JOIN accounts a ON a.id = s.account_id
-- >>> billing_proration_days
WITH p AS (
  SELECT s.id, s.price_cents, (s.canceled_at AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone) AS ended
  FROM subscriptions s, accounts a
  WHERE a.id = s.account_id AND s.canceled_at IS NOT NULL
)
SELECT id, round(price_cents * extract(day FROM ended)::numeric / extract(day FROM date_trunc('month', ended) + interval '1 month' - interval '1 day')::numeric) AS used_cents
FROM p
-- >>> sla_breached_next_business_morning
SELECT id, opened_local, due_local
FROM (
  SELECT t.id, t.opened_at AT TIME ZONE a.time_zone AS opened_local, t.closed_at,
         a.time_zone,
         date_trunc('day', t.opened_at AT TIME ZONE a.time_zone)
           + CASE extract(isodow FROM t.opened_at AT TIME ZONE a.time_zone) WHEN 5 THEN interval '3 days' WHEN 6 THEN interval '2 days' ELSE interval '1 day' END
           + interval '12 hours' AS due_local
  FROM tickets t
  JOIN accounts a ON t.account_id = a.id
) q
WHERE q.closed_at AT TIME ZONE 'UTC' > q.due_local AT TIME ZONE q.time_zone
-- >>> retention_day_n_account_zone
WITH signup AS (
  SELECT u.id, coalesce(u.timezone, a.time_zone) AS tz, u.created_at
  FROM users u
  JOIN accounts a ON a.id = u.account_id
)
SELECT (s.created_at AT TIME ZONE s.tz)::date AS cohort_day,
       count(DISTINCT s.id) AS size,
       count(DISTINCT s.id) FILTER (WHERE (pv.viewed_at AT TIME ZONE s.tz)::date - (s.created_at AT TIME ZONE s.tz)::date BETWEEN 1 AND 365) AS came_back
FROM signup s
LEFT JOIN page_views pv ON pv.user_id = s.id
GROUP BY cohort_day
-- >>> sessionise_by_local_midnight
SELECT user_id, session_no, min(local_at) AS started, max(local_at) AS ended, count(*) AS pages
FROM (
  SELECT user_id, local_at,
         sum(is_new) OVER (PARTITION BY user_id ORDER BY viewed_at, id ROWS UNBOUNDED PRECEDING) AS session_no
  FROM (
    SELECT pv.id, pv.user_id, pv.viewed_at, pv.viewed_at AT TIME ZONE u.timezone AS local_at,
           CASE WHEN pv.viewed_at - lag(pv.viewed_at) OVER w > interval '30 min'
                  OR (pv.viewed_at AT TIME ZONE u.timezone)::date <> (lag(pv.viewed_at) OVER w AT TIME ZONE u.timezone)::date
                THEN 1 ELSE 0 END AS is_new
    FROM page_views pv
    JOIN users u ON u.id = pv.user_id
    WINDOW w AS (PARTITION BY pv.user_id ORDER BY pv.viewed_at, pv.id)
  ) marked
) numbered
GROUP BY user_id, session_no
-- >>> funnel_same_local_day
with steps as (
    select pv.user_id, pv.path, min(pv.viewed_at at time zone 'America/New_York') as at
    from page_views pv
    group by pv.user_id, pv.path, (pv.viewed_at at time zone 'America/New_York')::date
)
select s1.at::date as day, count(distinct s1.user_id) as landed, count(distinct s2.user_id) as priced, count(distinct s3.user_id) as carted
from steps s1
left join steps s2 on s2.user_id = s1.user_id and s2.path = '/pricing' and s2.at::date = s1.at::date and s2.at >= s1.at
left join steps s3 on s3.user_id = s2.user_id and s3.path = '/cart' and s3.at::date = s2.at::date and s3.at >= s2.at
where s1.path = '/'
group by 1
-- >>> islands_of_outage_nights
WITH nights AS (
  SELECT DISTINCT d.site_id, (date_trunc('day', r.time AT TIME ZONE si.timezone - interval '12 hours'))::date AS night
  FROM readings AS r
  JOIN devices AS d ON d.id = r.device_id
  JOIN sites AS si ON si.id = d.site_id
  WHERE r.value < 0
), numbered AS (
  SELECT *, night - dense_rank() OVER (PARTITION BY site_id ORDER BY night)::int AS island FROM nights
)
SELECT site_id, min(night) AS first_night, count(*) AS nights
FROM numbered
GROUP BY site_id, island
HAVING count(*) >= 2
-- >>> calendar_with_zone_argument
SELECT g.day, count(o.id) AS n, coalesce(sum(o.total_cents), 0) AS cents
FROM generate_series('2024-03-01 00:00-05'::timestamptz, '2024-04-01 00:00-04'::timestamptz, '1 day', 'America/New_York') AS g(day)
LEFT JOIN orders o
  ON o.paid_at >= g.day
 AND o.paid_at < ((g.day AT TIME ZONE 'America/New_York') + interval '1 day') AT TIME ZONE 'America/New_York'
GROUP BY g.day
-- >>> calendar_per_site_hourly
SELECT si.id, h.local_hour, count(r.value) AS samples
FROM sites si
CROSS JOIN generate_series(timestamp '2025-03-30', timestamp '2025-03-30 23:00', interval '1 hour') AS h(local_hour)
LEFT JOIN (devices d JOIN readings r ON r.device_id = d.id)
  ON d.site_id = si.id AND date_trunc('hour', r.time AT TIME ZONE si.timezone) = h.local_hour
WHERE si.is_active IS TRUE
GROUP BY si.id, h.local_hour
-- >>> plpgsql_report_zone_from_settings
CREATE OR REPLACE FUNCTION public.report_daily(p_from date, p_to date)
RETURNS TABLE (d date, orders bigint, cents numeric)
LANGUAGE plpgsql
STABLE
AS $function$
DECLARE
  v_tz text;
BEGIN
  SELECT s.timezone INTO STRICT v_tz FROM app_settings s WHERE s.id = 1;

  RETURN QUERY
  SELECT (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE v_tz)::date, count(*), sum(o.total_cents)::numeric
    FROM orders o
   WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE v_tz)::date BETWEEN p_from AND p_to
   GROUP BY 1;
END;
$function$;
SELECT * FROM report_daily('2023-01-01', '2025-12-31');
-- >>> plpgsql_digest_queue once:1
CREATE FUNCTION enqueue_digests(p_now timestamptz) RETURNS SETOF integer LANGUAGE plpgsql AS $$
DECLARE
  u RECORD;
  local_now timestamp;
BEGIN
  FOR u IN SELECT id, timezone, digest_hour FROM users WHERE timezone IS NOT NULL LOOP
    local_now := p_now AT TIME ZONE u.timezone;
    IF extract(hour FROM local_now) >= u.digest_hour THEN
      RETURN NEXT u.id;
    END IF;
  END LOOP;
END $$;
SELECT count(*) FROM enqueue_digests('2024-11-03 06:30:00+00');
-- >>> sql_function_with_zone_argument
CREATE FUNCTION business_day(ts timestamptz, zone text) RETURNS date
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (ts AT TIME ZONE zone - interval '4 hours')::date;
SELECT business_day(i.paid_at, a.time_zone) AS d, count(*) FROM invoices i JOIN accounts a ON i.account_id = a.id GROUP BY 1;
-- >>> update_placed_on_zone_from_setting
UPDATE orders
   SET placed_on = (created_at AT TIME ZONE 'UTC' AT TIME ZONE (SELECT value FROM settings WHERE key = 'timezone'))::date
 WHERE currency = 'EUR'
-- >>> merge_usage_by_account_day
MERGE INTO daily_stats AS tgt
USING (
  SELECT u.account_id, (pv.viewed_at AT TIME ZONE a.time_zone)::date AS day, count(*) AS n
  FROM page_views pv
  INNER JOIN users u ON u.id = pv.user_id
  INNER JOIN accounts a ON a.id = u.account_id
  WHERE pv.viewed_at < '2025-01-01T00:00:00Z'
  GROUP BY u.account_id, (pv.viewed_at AT TIME ZONE a.time_zone)::date
) AS src
ON tgt.account_id = src.account_id AND tgt.day = src.day
WHEN MATCHED AND src.n > tgt.n THEN UPDATE SET n = src.n
WHEN NOT MATCHED THEN INSERT (account_id, day, n, total) VALUES (src.account_id, src.day, src.n, 0)
-- >>> insert_select_notifications_in_future
INSERT INTO notifications (id, user_id, kind, send_on, send_time, scheduled_at)
SELECT 100000 + u.id, u.id, 'digest', DATE '2027-03-14', u.digest_at,
       timezone('UTC', timezone(coalesce(u.timezone, 'UTC'), DATE '2027-03-14' + u.digest_at))
FROM users u
-- >>> union_timeline_of_account
SELECT 'ticket' AS kind, t.id, t.opened_at AT TIME ZONE a.time_zone AS happened
  FROM tickets t JOIN accounts a ON a.id = t.account_id WHERE a.plan = 'pro'
UNION ALL
SELECT 'invoice', i.id, i.issued_at AT TIME ZONE a.time_zone
  FROM invoices i JOIN accounts a ON a.id = i.account_id WHERE a.plan = 'pro'
UNION ALL
SELECT 'cancelled', s.id, s.canceled_at AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone
  FROM subscriptions s JOIN accounts a ON a.id = s.account_id WHERE a.plan = 'pro' AND s.canceled_at IS NOT NULL
ORDER BY happened DESC NULLS LAST, kind, id
-- >>> distinct_on_first_order_of_customer
SELECT DISTINCT ON (o.user_id) o.user_id, o.id, to_char(o.created_at AT TIME ZONE 'UTC' AT TIME ZONE u.timezone, 'FMDay, FMDD FMMonth YYYY') AS first_order
FROM orders o
JOIN users u ON u.id = o.user_id AND u.timezone IS NOT NULL
ORDER BY o.user_id, o.created_at, o.id
-- >>> json_time_and_zone_in_payload
SELECT al.id, al.action,
       to_timestamp((al.payload::json ->> 'epoch')::bigint) AT TIME ZONE (al.payload::json ->> 'tz') AS happened_local,
       (al.payload::json->>'created')::timestamptz AT TIME ZONE 'Europe/Madrid' AS hq_time
FROM audit_log al
WHERE al.action IN ('login','export')
-- >>> make_timestamptz_of_billing_anchor
SELECT a.id, make_timestamptz(2024, 3, 10, 2, 30, 0, a.time_zone) AS anchor,
       make_timestamp(2024, 11, 3, 1, 30, 0) AT TIME ZONE a.time_zone AS anchor_autumn
FROM accounts a
-- >>> naive_now_and_current_date_mixup
SELECT a.action, count(*) AS n, max(a.logged_at) AS latest
FROM audit_log AS a
WHERE a.logged_at > NOW() - INTERVAL '1 month'
   OR a.logged_at::date = CURRENT_DATE
GROUP BY a.action
-- >>> timezone_function_upper_case
SELECT DATE_TRUNC('DAY', TIMEZONE('Asia/Tokyo', V.VIEWED_AT)) AS DAY, COUNT(1) AS CNT, COUNT(1) * 100.0 / SUM(COUNT(1)) OVER () AS PCT
FROM PUBLIC.PAGE_VIEWS V
WHERE TIMEZONE('Asia/Tokyo', V.VIEWED_AT) >= TIMESTAMP '2023-01-01'
GROUP BY 1
-- >>> at_local_and_session_zone
SET LOCAL TIME ZONE 'America/New_York';
SELECT date_trunc('day', i.issued_at AT LOCAL) AS office_day, count(*) AS n,
       min(i.issued_at AT TIME ZONE 'Asia/Kolkata') AS first_in_india
FROM invoices i
GROUP BY 1;
-- >>> fixed_interval_zone_and_iana
SELECT r.device_id, avg(extract(epoch FROM (r.time AT TIME ZONE INTERVAL '-03:00') - (r.time AT TIME ZONE 'America/Sao_Paulo')))::int AS drift, count(*)
FROM readings r
GROUP BY r.device_id
-- >>> window_range_over_local_time
SELECT w.shop_id, w.local_at, count(*) OVER (PARTITION BY w.shop_id ORDER BY w.local_at RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) AS orders_7d
FROM (SELECT o.shop_id, (o.created_at AT TIME ZONE 'UTC') AT TIME ZONE s.tz AS local_at FROM orders o JOIN shops s ON (s.id = o.shop_id) WHERE s.is_active) w
-- >>> values_list_of_regions
SELECT v.region, count(*) FILTER (WHERE (o.paid_at AT TIME ZONE v.zone)::time >= v.cutoff) AS after_cutoff
FROM (VALUES ('amer', 'America/Chicago', time '16:00'), ('emea', 'Europe/London', time '17:30'), ('apac', 'Asia/Singapore', time '15:00')) AS v (region, zone, cutoff)
CROSS JOIN orders o
WHERE o.paid_at IS NOT NULL
GROUP BY v.region
-- >>> zone_not_in_the_list
SELECT (paid_at AT TIME ZONE 'Europe/Zurich')::date AS tag, count(*) AS anzahl, sum(total_cents) / 100.0 AS umsatz
FROM orders WHERE paid_at >= '2023-01-01 00:00 Europe/Zurich' GROUP BY tag ORDER BY tag
-- >>> temp_view_sorted_by_an_operator
CREATE TEMP VIEW v_local AS SELECT u.id, u.timezone AS tz, pv.viewed_at FROM users u JOIN page_views pv ON pv.user_id = u.id;
SELECT id, min(viewed_at AT TIME ZONE tz) AS first_seen FROM v_local GROUP BY id ORDER BY first_seen USING OPERATOR(pg_catalog.>) NULLS LAST
-- >>> tenant_setting_then_report
SELECT set_config('app.tenant_id', '7', true);
SELECT i.id, i.issued_at AT TIME ZONE a.time_zone AS local FROM invoices i JOIN accounts a ON a.id = i.account_id
-- >>> merge_from_a_cte
MERGE INTO daily_stats t
USING (WITH src AS (SELECT i.account_id, (i.issued_at AT TIME ZONE a.time_zone)::date AS day FROM invoices i JOIN accounts a ON a.id = i.account_id)
       SELECT account_id, day, count(*) AS n FROM src GROUP BY 1, 2) AS s
ON (t.account_id = s.account_id AND t.day = s.day)
WHEN MATCHED THEN UPDATE SET n = s.n
WHEN NOT MATCHED THEN INSERT (account_id, day, n, total) VALUES (s.account_id, s.day, s.n, 0)
-- >>> plpgsql_zone_of_the_columns_type
CREATE OR REPLACE FUNCTION open_tickets_today(p_account int) RETURNS bigint LANGUAGE plpgsql STABLE AS $fn$
DECLARE
  tz_name accounts.time_zone%TYPE;
  total bigint;
BEGIN
  SELECT time_zone INTO STRICT tz_name FROM accounts WHERE id = p_account;
  SELECT count(*) INTO total FROM tickets t WHERE t.account_id = p_account AND (t.opened_at AT TIME ZONE tz_name)::time < '12:00';
  RETURN total;
END
$fn$;
SELECT id, open_tickets_today(id) FROM accounts WHERE time_zone IS NOT NULL
-- >>> at_local_beside_a_zone
SELECT t.id, t.opened_at AT LOCAL AS session, t.opened_at AT TIME ZONE 'America/Sao_Paulo' AS sp FROM tickets t ORDER BY t.id USING >
-- >>> sql_function_that_counts
CREATE FUNCTION early_orders(before time) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM orders o JOIN shops s ON s.id = o.shop_id WHERE (o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::time < before
$$;
SELECT early_orders('09:00')
-- >>> zones_in_values
WITH offices (tz, office) AS (VALUES ('Europe/Berlin', 'BER'), ('Asia/Tokyo', 'TYO'), ('America/New_York', 'NYC'))
SELECT f.office, (t.opened_at AT TIME ZONE f.tz)::date AS day, count(*) FROM tickets t CROSS JOIN offices f GROUP BY 1, 2
-- >>> subquery_fenced_by_offset_0
SELECT q.day, sum(q.n) FROM (
  SELECT (t.opened_at AT TIME ZONE a.time_zone)::date AS day, 1 AS n FROM tickets t JOIN accounts a ON a.id = t.account_id WHERE t.priority = 1 OFFSET 0
) q GROUP BY q.day
-- >>> staging_table_with_an_index
CREATE TEMP TABLE stage AS SELECT o.*, s.tz FROM orders o JOIN shops s ON s.id = o.shop_id;
CREATE INDEX ON stage (created_at);
ANALYZE stage;
CREATE TEMP TABLE per_day AS SELECT tz, (created_at AT TIME ZONE 'UTC' AT TIME ZONE tz)::date AS day, count(*) AS n FROM stage GROUP BY 1, 2;
ALTER TABLE per_day ADD COLUMN share numeric;
UPDATE per_day SET share = 100.0 * n / (SELECT sum(n) FROM per_day);
SELECT (paid_at AT TIME ZONE tz)::date AS day, count(*) FROM stage GROUP BY 1
-- >>> stays_that_touch_the_night_of_the_change
SELECT b."id", lower(b.stay) AT TIME ZONE b.tz AS check_in, (upper(b.stay) AT TIME ZONE b.tz)::date AS check_out
FROM (SELECT "id", "timeZone" AS tz, ('[' || "startsAt" || ',' || "endsAt" || ')')::tstzrange AS stay FROM "Booking") b
