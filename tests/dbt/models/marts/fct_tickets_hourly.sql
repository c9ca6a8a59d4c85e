{{ config(materialized='incremental', unique_key='hour') }}

select
    date_trunc('hour', f.opened_at at time zone 'UTC' at time zone s.time_zone) as hour,
    count(*) as tickets,
    max(f.opened_at) as latest_at
from {{ ref('stg_tickets') }} f
left join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.opened_at is not null
{% if is_incremental() %}
  and f.opened_at > (select max(latest_at) - interval '3 days' from {{ this }})
{% endif %}
group by 1
