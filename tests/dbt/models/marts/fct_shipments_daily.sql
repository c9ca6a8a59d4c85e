{{ config(materialized='table', indexes=[{'columns': ['day']}]) }}
select date_trunc('day', f.shipped_at at time zone 'UTC' at time zone s.time_zone) as day, count(*) as shipments
from {{ ref('stg_orders') }} as f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
where f.shipped_at is not null
group by 1
