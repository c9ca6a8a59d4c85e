{{ config(materialized='table', indexes=[{'columns': ['day']}]) }}
select date_trunc('day', f.opened_at at time zone 'UTC' at time zone s.time_zone) as day, count(*) as tickets
from {{ ref('stg_tickets') }} as f
left join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.opened_at is not null
group by 1
