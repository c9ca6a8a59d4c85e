{{ config(materialized='table') }}
select
    f.order_id,
    f.shipped_at as utc_at,
    f.shipped_at at time zone 'UTC' at time zone s.time_zone as local_at,
    (f.shipped_at at time zone 'UTC' at time zone s.time_zone)::date as local_date
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
