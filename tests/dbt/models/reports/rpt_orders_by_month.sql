{# orders of each month, in local time #}
{%- set groups = 2 -%}
select
    date_trunc('month', f.placed_at at time zone s.time_zone) as month,
    extract(isodow from f.placed_at at time zone s.time_zone) as weekday,
    count(*) as orders
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
where f.placed_at >= '{{ var("first_day") }}' {{ extra_filter('f.placed_at') }}
group by 1, 2
