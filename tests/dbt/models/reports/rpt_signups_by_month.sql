{# signups of each month, in local time #}
select
    date_trunc('month', f.signed_up_at at time zone f.time_zone) as month,
    extract(isodow from f.signed_up_at at time zone f.time_zone) as weekday,
    count(*) as signups
from {{ ref('stg_users') }} f
where f.signed_up_at >= '{{ var("first_day") }}'
group by 1, 2
