select
    date_trunc('week', orders.placed_at at time zone shops.time_zone) as week,
    sum(orders.amount) as revenue,
    {{ share('orders.amount', 'orders.status') }} as paid_share
from {{ ref('stg_orders') }} as orders
join {{ ref('stg_shops') }} as shops using (shop_id)
group by 1
