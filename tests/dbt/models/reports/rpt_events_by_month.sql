{# events of each month, in local time #}
select
    date_trunc('month', f.occurred_at at time zone 'UTC' at time zone s.time_zone) as month,
    extract(isodow from f.occurred_at at time zone 'UTC' at time zone s.time_zone) as weekday,
    count(*) as events
from {{ ref('stg_events') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.occurred_at >= '{{ var("first_day") }}'
group by 1, 2
