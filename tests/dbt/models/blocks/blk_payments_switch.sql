select
{% for unit in ['hour', 'day'] %}
    date_trunc('{{ unit }}', f.paid_at at time zone s.time_zone) as local_{{ unit }},
{% endfor %}
    f.payment_id
from {{ ref('stg_payments') }} f
join {{ ref('stg_orders') }} o on o.order_id = f.order_id
join {{ ref('stg_shops') }} s on s.shop_id = o.shop_id
