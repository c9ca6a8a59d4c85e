select order_id from {{ ref('stg_orders') }} where shipped_at < now() - interval '1 day'
