select
{% for unit in ['hour', 'day'] %}
    date_trunc('{{ unit }}', f.shipped_at at time zone 'UTC' at time zone s.time_zone) as local_{{ unit }},
{% endfor %}
    f.order_id
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
