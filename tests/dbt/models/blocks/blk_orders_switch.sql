select
    f.order_id,
    {% if var('local_time', true) -%}
    f.placed_at at time zone s.time_zone as shown_at
    {%- else -%}
    f.placed_at as shown_at
    {%- endif %}
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
