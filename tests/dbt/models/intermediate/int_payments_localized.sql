{{ config(materialized='table') }}
select
    f.payment_id,
    f.paid_at as utc_at,
    f.paid_at at time zone s.time_zone as local_at,
    (f.paid_at at time zone s.time_zone)::date as local_date
from {{ ref('stg_payments') }} f
join {{ ref('stg_orders') }} o on o.order_id = f.order_id
join {{ ref('stg_shops') }} s on s.shop_id = o.shop_id
