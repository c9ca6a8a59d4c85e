{{ config(materialized='table', indexes=[{'columns': ['day']}]) }}
select date_trunc('day', f.occurred_at at time zone 'UTC' at time zone s.time_zone) as day, count(*) as events
from {{ ref('stg_events') }} as f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.occurred_at is not null
{{ dbt_utils.group_by(1) }}
