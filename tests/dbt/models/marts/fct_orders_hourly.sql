{{ config(materialized='incremental', unique_key='hour') }}

select
    date_trunc('hour', f.placed_at at time zone s.time_zone) as hour,
    count(*) as orders,
    max(f.placed_at) as latest_at
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
where f.placed_at is not null
{% if is_incremental() %}
  and f.placed_at > (select max(latest_at) - interval '3 days' from {{ this }})
{% endif %}
group by 1
