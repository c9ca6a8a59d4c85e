{{ config(materialized='table', indexes=[{'columns': ['day']}]) }}
select date_trunc('day', f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC')) as day, count(*) as closings
from {{ ref('stg_tickets') }} as f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.closed_at is not null
group by 1
