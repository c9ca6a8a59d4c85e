select
    {{ dbt_utils.generate_surrogate_key(['f.payment_id']) }} as key,
    f.paid_at at time zone s.time_zone as local_at,
    case when f.paid_at at time zone s.time_zone >= '{{ var("first_day") }}' then 'new' else 'old' end as age
from {{ ref('stg_payments') }} f
join {{ ref('stg_orders') }} o on o.order_id = f.order_id
join {{ ref('stg_shops') }} s on s.shop_id = o.shop_id
