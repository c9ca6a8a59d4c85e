{# shipments of each month, in local time #}
select
    date_trunc('month', f.shipped_at at time zone 'UTC' at time zone s.time_zone) as month,
    extract(isodow from f.shipped_at at time zone 'UTC' at time zone s.time_zone) as weekday,
    count(*) as shipments
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
where f.shipped_at >= '{{ var("first_day") }}'
group by 1, 2
