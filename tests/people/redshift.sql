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
-- >>> dbt_compiled_day_model
/* {"app": "dbt", "dbt_version": "1.7.11", "profile_name": "shopdb", "target_name": "prod", "node_id": "model.shopdb.fct_order_days"} */
with orders as (

    select * from "shop"."public"."orders"

),

shops as (

    select
        id as shop_id,
        tz as shop_timezone
    from "shop"."public"."shops"
    where is_active

),

final as (

    select
        orders.id as order_id,
        shops.shop_id,
        convert_timezone('UTC', shops.shop_timezone, orders.created_at) as created_at_local,
        date_trunc('day', convert_timezone('UTC', shops.shop_timezone, orders.created_at))::date as order_date_local
    from orders
    left join shops using (shop_id)

)

select * from final
-- >>> dbt_incremental_insert
/* {"app": "dbt", "node_id": "model.shopdb.agg_account_days"} */
insert into "shop"."public"."daily_stats" ("account_id", "day", "n", "total")
    (
        select "account_id", "day", "n", "total"
        from (
            select a.id as account_id
                 , trunc(convert_timezone('UTC', coalesce(a.billing_zone, a.time_zone), sb.started_at)) as day
                 , count(*) as n
                 , sum(sb.price_cents) as total
            from "shop"."public"."subscriptions" sb
            join "shop"."public"."accounts" a on a.id = sb.account_id
            where sb.started_at is not null
            group by 1, 2
        ) as fresh
    )
-- >>> looker_last_30_days
-- raw sql results do not include filled-in values for 'orders.created_date'
SELECT
    (DATE(CONVERT_TIMEZONE('UTC', 'America/New_York', orders.created_at ))) AS "orders.created_date",
    COALESCE(SUM(orders.total_cents ), 0) AS "orders.total_cents",
    COUNT(DISTINCT orders.user_id ) AS "orders.buyers"
FROM public.orders  AS orders
LEFT JOIN public.shops  AS shops ON orders.shop_id = shops.id
WHERE ((( orders.created_at  ) >= ((CONVERT_TIMEZONE('America/New_York', 'UTC', DATEADD(day,-29, DATE_TRUNC('day',CONVERT_TIMEZONE('UTC', 'America/New_York', GETDATE())) )))) AND ( orders.created_at  ) < ((CONVERT_TIMEZONE('America/New_York', 'UTC', DATEADD(day,30, DATEADD(day,-29, DATE_TRUNC('day',CONVERT_TIMEZONE('UTC', 'America/New_York', GETDATE())) ) ))))))
GROUP BY
    1
ORDER BY
    1 DESC
LIMIT 500
-- >>> looker_condition_derived_table
-- {% condition orders.created_date %} = (
-- {% endcondition %} = >= '2023-06-01')
SELECT
  o.shop_id,
  DATE_TRUNC('week', CONVERT_TIMEZONE('UTC', s.tz, o.created_at)) AS week_local,
  SUM(o.total_cents) / 100.0 AS revenue
FROM orders o
JOIN shops s ON s.id = o.shop_id
WHERE {% condition orders.created_date %} CONVERT_TIMEZONE('UTC', s.tz, o.created_at) {% endcondition %}
  AND o.status <> 'canceled'
GROUP BY 1, 2
-- >>> looker_query_timezone
-- {{ _query._query_timezone }} = America/Los_Angeles
select extract(hour from convert_timezone('UTC', '{{ _query._query_timezone }}', o.created_at)) as "hour_of_day",
       avg(o.total_cents) as "avg_basket"
  from orders as o
 where convert_timezone('UTC', '{{ _query._query_timezone }}', o.created_at) >= '2022-11-06'
 group by 1
-- >>> tableau_custom_sql
SELECT "Custom SQL Query"."plan" AS "plan",
  COUNT(DISTINCT "Custom SQL Query"."account_id") AS "ctd:account_id:ok",
  DATE_TRUNC( 'MONTH', CAST("Custom SQL Query"."started_local" AS TIMESTAMP WITHOUT TIME ZONE) ) AS "tmn:started_local:ok"
FROM (
  SELECT sb.account_id, sb.plan, sb.price_cents,
    CONVERT_TIMEZONE('UTC', 'Australia/Sydney', sb.started_at) AS started_local,
    CONVERT_TIMEZONE('UTC', 'Australia/Sydney', sb.canceled_at) AS canceled_local
  FROM subscriptions sb
) "Custom SQL Query"
WHERE (("Custom SQL Query"."started_local" >= CAST('2018-01-01 00:00:00' AS TIMESTAMP WITHOUT TIME ZONE)) AND ("Custom SQL Query"."canceled_local" IS NULL OR "Custom SQL Query"."canceled_local" > "Custom SQL Query"."started_local"))
GROUP BY 1, 3
HAVING (COUNT(1) > 0)
-- >>> sigma_workbook_element
select Q3.DAY_7 "DAY_7", Q3.STATUS "STATUS", count(Q3.ID) "CT_9", sum(Q3.CAST_8) "SUM_10"
from (
  select Q1.id ID, Q1.status STATUS, cast(Q1.total_cents as float8) CAST_8,
    date_trunc('day', convert_timezone('UTC', 'Europe/London', Q1.created_at)::timestamp) DAY_7
  from (select id, shop_id, status, total_cents, created_at from shop.public.orders Q0 where not (created_at is null)) Q1
) Q3
group by Q3.DAY_7, Q3.STATUS
order by Q3.DAY_7 asc, Q3.STATUS asc
limit 25001
-- Sigma Σ {"request-id":"g018f-11","email":"ops@x.test"}
-- >>> mode_report_parameters
-- {{ time_zone }} = Asia/Kolkata
-- {{ start_date }} = 2023-01-01
-- {{ end_date }} = 2025-12-31
SELECT DATE_TRUNC('month', CONVERT_TIMEZONE('UTC', '{{ time_zone }}', sb.started_at)) AS month
     , sb.plan
     , COUNT(1) AS started
FROM   subscriptions sb
WHERE  sb.started_at >= CONVERT_TIMEZONE('{{ time_zone }}', 'UTC', '{{ start_date }}'::timestamp)
AND    sb.started_at <  CONVERT_TIMEZONE('{{ time_zone }}', 'UTC', '{{ end_date }}'::timestamp)
GROUP  BY 1, 2
-- >>> metabase_variable
-- {{zone}} = 'Europe/Madrid'
SELECT "public"."orders"."status" AS "status",
       TRUNC(CONVERT_TIMEZONE('UTC', {{zone}}, "public"."orders"."created_at")) AS "created_day",
       COUNT(*) AS "count"
FROM "public"."orders"
GROUP BY "public"."orders"."status", TRUNC(CONVERT_TIMEZONE('UTC', {{zone}}, "public"."orders"."created_at"))
ORDER BY 1, 2
-- >>> reporting_zone_from_settings
select trunc(convert_timezone('UTC', (select value from settings where key = 'timezone'), l.logged_at)) as day,
       l.action,
       count(*) as n
from audit_log l
group by 1, 2
-- >>> app_settings_cross_join
SELECT cfg.timezone, DATE_TRUNC('quarter', CONVERT_TIMEZONE('UTC', cfg.timezone, o.created_at)) AS quarter, SUM(o.total_cents) AS cents
FROM orders o
CROSS JOIN app_settings cfg
WHERE o.status IN ('paid', 'refunded')
GROUP BY 1, 2
-- >>> params_cte
WITH params AS (
    SELECT 'America/Chicago'::varchar(64) AS tz
         , '2023-03-01'::timestamp AS from_local
         , '2024-11-30'::timestamp AS to_local
)
SELECT o.id
     , o.status
     , CONVERT_TIMEZONE('UTC', p.tz, o.created_at) AS created_local
FROM orders o, params p
WHERE o.created_at >= CONVERT_TIMEZONE(p.tz, 'UTC', p.from_local)
  AND o.created_at <  CONVERT_TIMEZONE(p.tz, 'UTC', p.to_local)
-- >>> zone_of_one_account
SELECT i.id, i.amount, CONVERT_TIMEZONE((SELECT time_zone FROM accounts WHERE id = 11), i.issued_at) AS issued_local
FROM invoices i
WHERE i.status <> 'void'
-- >>> next_send_in_utc
-- queue for the mailer: the user picks a day and a time on his own clock
SELECT n.id AS notification_id,
       u.email,
       CONVERT_TIMEZONE(u.timezone, 'UTC', n.send_on + n.send_time) AS send_at_utc
  FROM notifications n
  JOIN users u
    ON u.id = n.user_id
   AND u.timezone IS NOT NULL
 WHERE n.kind = 'reminder'
-- >>> shift_start_late
Select sh.id, sh.user_id,
  datediff(minute, convert_timezone(s.tz, 'UTC', sh.work_date + sh.starts), sh.clock_in::timestamp) late_min
From shifts sh Inner Join shops s On sh.shop_id = s.id
Where datediff(minute, convert_timezone(s.tz, 'UTC', sh.work_date + sh.starts), sh.clock_in::timestamp) > 10
-- >>> billing_period_bounds
WITH periods AS (
  SELECT sb.id AS subscription_id,
         a.time_zone,
         DATE_TRUNC('month', CONVERT_TIMEZONE('UTC', a.time_zone, sb.started_at)) AS period_start_local
  FROM subscriptions sb
  JOIN accounts a ON a.id = sb.account_id
)
SELECT subscription_id,
       CONVERT_TIMEZONE(time_zone, 'UTC', period_start_local) AS period_start_utc,
       CONVERT_TIMEZONE(time_zone, 'UTC', DATEADD(month, 1, period_start_local)) AS period_end_utc
FROM periods
-- >>> sla_first_reply_after_hours
SELECT a.plan,
  SUM(CASE WHEN DATE_PART(hour, CONVERT_TIMEZONE('UTC', a.time_zone, t.opened_at)) < 9
             OR DATE_PART(hour, CONVERT_TIMEZONE('UTC', a.time_zone, t.opened_at)) >= 17
             OR DATE_PART(dow, CONVERT_TIMEZONE('UTC', a.time_zone, t.opened_at)) IN (0, 6) THEN 1 ELSE 0 END) AS after_hours,
  COUNT(*) AS tickets
FROM tickets AS t
LEFT JOIN accounts AS a ON a.id = t.account_id
GROUP BY a.plan
-- >>> weekly_retention
with first_week as (
  select v.user_id, min(date_trunc('week', convert_timezone('America/New_York', v.viewed_at))) as cohort_week
  from page_views v
  group by v.user_id
), activity as (
  select distinct v.user_id, date_trunc('week', convert_timezone('America/New_York', v.viewed_at)) as active_week
  from page_views v
)
select f.cohort_week, datediff(day, f.cohort_week, a.active_week) / 7 as week_no, count(distinct a.user_id) as users
from first_week f
join activity a on a.user_id = f.user_id
group by 1, 2
order by 1, 2
-- >>> sessions_split_at_local_midnight
WITH marked AS (
    SELECT pv.id, pv.user_id, pv.viewed_at,
           TRUNC(CONVERT_TIMEZONE('UTC', NVL(u.timezone, 'UTC'), pv.viewed_at)) AS local_day,
           LAG(pv.viewed_at) OVER (PARTITION BY pv.user_id ORDER BY pv.viewed_at, pv.id) AS prev_at
    FROM page_views pv
    JOIN users u ON u.id = pv.user_id
), flagged AS (
    SELECT *, CASE WHEN prev_at IS NULL OR viewed_at - prev_at > INTERVAL '30 minutes'
                     OR local_day <> LAG(local_day) OVER (PARTITION BY user_id ORDER BY viewed_at, id) THEN 1 ELSE 0 END AS is_new
    FROM marked
)
SELECT user_id, local_day, SUM(is_new) AS sessions
FROM flagged
GROUP BY user_id, local_day
-- >>> backfill_update_from
UPDATE orders
SET placed_on = CONVERT_TIMEZONE('UTC', s.tz, orders.created_at)::date
FROM shops s
WHERE s.id = orders.shop_id
  AND orders.placed_on <> CONVERT_TIMEZONE('UTC', s.tz, orders.created_at)::date
-- >>> merge_daily_totals
MERGE INTO daily_stats
USING (
  SELECT s.account_id, TRUNC(CONVERT_TIMEZONE('UTC', 'America/Denver', o.created_at)) AS day, COUNT(*) AS n, SUM(o.total_cents) AS total
  FROM orders o JOIN shops s ON s.id = o.shop_id
  GROUP BY 1, 2
) AS src
ON daily_stats.account_id = src.account_id AND daily_stats.day = src.day
WHEN MATCHED THEN UPDATE SET n = src.n, total = src.total
WHEN NOT MATCHED THEN INSERT (account_id, day, n, total) VALUES (src.account_id, src.day, src.n, src.total)
-- >>> ctas_with_keys
create table shop_hours
diststyle key distkey(shop_id) sortkey(hour_local)
as
select o.shop_id,
       date_trunc('hour', convert_timezone('UTC', s.tz, o.created_at)) as hour_local,
       count(*) as orders,
       count(distinct o.user_id) as buyers
from orders o
join shops s on s.id = o.shop_id
where s.tz is not null
group by 1, 2
-- >>> event_stream_union
select kind, date(happened_local) as d, count(*) as n
from (
  select 'order' as kind, convert_timezone('UTC', s.tz, o.created_at) as happened_local
    from orders o join shops s on s.id = o.shop_id
  union all
  select 'ticket', convert_timezone('UTC', a.time_zone, t.closed_at)
    from tickets t join accounts a on a.id = t.account_id
  union all
  select 'login', convert_timezone('UTC', 'Etc/GMT+3', l.logged_at)
    from audit_log l where l.action = 'login'
) events
where happened_local is not null
group by kind, date(happened_local)
-- >>> running_total_per_month
SELECT month_local, shop_id, cents,
       SUM(cents) OVER (PARTITION BY shop_id ORDER BY month_local ROWS UNBOUNDED PRECEDING) AS running
FROM (
    SELECT LAST_DAY(CONVERT_TIMEZONE('UTC', s.tz, o.created_at)) AS month_local, o.shop_id, SUM(o.total_cents) AS cents
    FROM orders o
    JOIN shops s ON (s.id = o.shop_id)
    GROUP BY 1, 2
) m
-- >>> offices_clock_wall
SELECT z.office, COUNT(o.id) AS orders_in_office_hours
FROM (
  SELECT 'nyc' AS office, 'America/New_York' AS tz UNION ALL
  SELECT 'ldn', 'Europe/London' UNION ALL
  SELECT 'syd', 'Australia/Sydney'
) z
CROSS JOIN orders o
WHERE EXTRACT(hour FROM CONVERT_TIMEZONE('UTC', z.tz, o.created_at)) BETWEEN 9 AND 16
GROUP BY z.office
-- >>> delete_before_local_cutoff
DELETE FROM audit_log
WHERE logged_at < CONVERT_TIMEZONE((SELECT timezone FROM app_settings WHERE id = 1), 'UTC', DATE_TRUNC('year', '2021-06-15'::timestamp))
-- >>> stale_invites_naive
SELECT id, plan FROM subscriptions WHERE canceled_at IS NULL AND started_at < CURRENT_TIMESTAMP - INTERVAL '14 days'
-- >>> same_day_shipping
select s.name,
  sum(case when convert_timezone('UTC', s.tz, o.shipped_at)::date = convert_timezone('UTC', s.tz, o.created_at)::date then 1 else 0 end) same_day,
  count(o.shipped_at) shipped
from orders o, shops s
where s.id = o.shop_id and s.is_active = true
group by s.name
having count(o.shipped_at) > 0
-- >>> offset_hours_audit
SELECT s.tz, DATEDIFF(minute, o.created_at, CONVERT_TIMEZONE('UTC', s.tz, o.created_at)) AS offset_minutes, MIN(o.created_at) AS first_seen, MAX(o.created_at) AS last_seen
FROM orders o JOIN shops s ON o.shop_id = s.id
WHERE o.created_at BETWEEN '2019-01-01' AND '2026-01-01'
GROUP BY s.tz, 2
-- >>> sensor_local_to_head_office
SELECT d.serial, CONVERT_TIMEZONE(st.timezone, 'Europe/Berlin', r.recorded_local) AS berlin, r.value
FROM readings r
JOIN devices d ON d.id = r.device_id
JOIN sites st ON st.id = d.site_id
WHERE st.is_active AND CONVERT_TIMEZONE(st.timezone, 'Europe/Berlin', r.recorded_local)::date >= '2022-03-27'
-- >>> staging_table_then_days
CREATE TEMP TABLE stage AS SELECT o.id, o.created_at, s.tz FROM orders o JOIN shops s ON s.id = o.shop_id;
SELECT tz, DATE_TRUNC('day', CONVERT_TIMEZONE('UTC', tz, created_at)) AS d, COUNT(*) FROM stage GROUP BY 1, 2
-- >>> month_as_text
SELECT TO_CHAR(CONVERT_TIMEZONE('UTC', 'America/New_York', created_at), 'YYYY-MM-DD') AS d, COUNT(*) FROM orders WHERE TO_CHAR(CONVERT_TIMEZONE('UTC', 'America/New_York', created_at), 'YYYYMM') = '202403' GROUP BY 1
-- >>> procedure_with_the_zone_as_argument
CREATE OR REPLACE PROCEDURE load_daily(p_tz varchar) AS $$
BEGIN
  INSERT INTO daily_stats (account_id, day, n) SELECT shop_id, TRUNC(CONVERT_TIMEZONE('UTC', p_tz, created_at)) AS day, COUNT(*) FROM orders GROUP BY 1, 2;
  INSERT INTO daily_stats (account_id, day, n) SELECT shop_id, TRUNC(CONVERT_TIMEZONE(p_tz, 'UTC', created_at)) AS day, -COUNT(*) FROM orders GROUP BY 1, 2;
END;
$$ LANGUAGE plpgsql;
CALL load_daily('America/New_York')
