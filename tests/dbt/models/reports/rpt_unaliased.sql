select stg_orders.order_id, stg_orders.placed_at at time zone stg_shops.time_zone as local_at
from {{ ref('stg_orders') }}
join {{ ref('stg_shops') }} on stg_shops.shop_id = stg_orders.shop_id
