{# closings of each month, in local time #}
{%- set groups = 2 -%}
select
    date_trunc('month', f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC')) as month,
    extract(isodow from f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC')) as weekday,
    count(*) as closings
from {{ ref('stg_tickets') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
where f.closed_at >= '{{ var("first_day") }}' {{ extra_filter('f.closed_at') }}
group by 1, 2
