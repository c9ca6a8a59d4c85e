{{ config(materialized='incremental', unique_key='hour') }}

select
    date_trunc('hour', f.paid_at at time zone s.time_zone) as hour,
    count(*) as payments,
    max(f.paid_at) as latest_at
from {{ ref('stg_payments') }} f
join {{ ref('stg_orders') }} o on o.order_id = f.order_id
join {{ ref('stg_shops') }} s on s.shop_id = o.shop_id

{% if is_incremental() %}
  where f.paid_at > (select max(latest_at) - interval '3 days' from {{ this }})
{% endif %}
group by 1
