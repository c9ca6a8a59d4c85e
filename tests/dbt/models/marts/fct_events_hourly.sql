{{ config(materialized='incremental', unique_key='hour') }}

select
    date_trunc('hour', f.occurred_at at time zone 'UTC' at time zone s.time_zone) as hour,
    count(*) as events,
    max(f.occurred_at) as latest_at
from {{ ref('stg_events') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id

{% if is_incremental() %}
  where f.occurred_at > (select max(latest_at) - interval '3 days' from {{ this }})
{% endif %}
group by 1
