{{ config(materialized='incremental', unique_key='hour') }}

select
    date_trunc('hour', f.signed_up_at at time zone f.time_zone) as hour,
    count(*) as signups,
    max(f.signed_up_at) as latest_at
from {{ ref('stg_users') }} f

{% if is_incremental() %}
  where f.signed_up_at > (select max(latest_at) - interval '3 days' from {{ this }})
{% endif %}
group by 1
