{# payments of each month, in local time #}
select
    date_trunc('month', f.paid_at at time zone s.time_zone) as month,
    extract(isodow from f.paid_at at time zone s.time_zone) as weekday,
    count(*) as payments
from {{ ref('stg_payments') }} f
join {{ ref('stg_orders') }} o on o.order_id = f.order_id
join {{ ref('stg_shops') }} s on s.shop_id = o.shop_id
where f.paid_at >= '{{ var("first_day") }}'
group by 1, 2
