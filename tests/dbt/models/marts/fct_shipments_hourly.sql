{{ config(materialized='incremental', unique_key='hour') }}

select
    date_trunc('hour', f.shipped_at at time zone 'UTC' at time zone s.time_zone) as hour,
    count(*) as shipments,
    max(f.shipped_at) as latest_at
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id

{% if is_incremental() %}
  where f.shipped_at > (select max(latest_at) - interval '3 days' from {{ this }})
{% endif %}
group by 1
