{{
    config(
        materialized = 'incremental',
        unique_key = 'order_id'
    )
}}
select
    id as order_id,
    user_id,
    shop_id,
    placed_at,
    shipped_at,
    {{ cents_to_dollars('amount_cents') }} as amount,
    status
from {{ source('raw', 'orders') }}
{% if is_incremental() %}
where placed_at > (select max(placed_at) from {{ this }})
{% endif %}
