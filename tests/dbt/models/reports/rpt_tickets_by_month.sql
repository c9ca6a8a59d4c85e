{# tickets of each month, in local time #}
select
    date_trunc('month', f.opened_at at time zone 'UTC' at time zone s.time_zone) as month,
    extract(isodow from f.opened_at at time zone 'UTC' at time zone s.time_zone) as weekday,
    count(*) as tickets
from {{ ref('stg_tickets') }} f
left join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.opened_at >= '{{ var("first_day") }}'
group by 1, 2
