{{ config(materialized='table', indexes=[{'columns': ['day']}]) }}
select date_trunc('day', f.paid_at at time zone s.time_zone) as day, count(*) as payments
from {{ ref('stg_payments') }} as f
join {{ ref('stg_orders') }} o on o.order_id = f.order_id
join {{ ref('stg_shops') }} s on s.shop_id = o.shop_id
where f.paid_at is not null
group by 1
