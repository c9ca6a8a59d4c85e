{{ config(materialized='incremental', unique_key='hour') }}

select
    date_trunc('hour', f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC')) as hour,
    count(*) as closings,
    max(f.closed_at) as latest_at
from {{ ref('stg_tickets') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.closed_at is not null
{% if is_incremental() %}
  and f.closed_at > (select max(latest_at) - interval '3 days' from {{ this }})
{% endif %}
group by 1
