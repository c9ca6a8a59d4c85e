{% set days = var('days', 30) %}
select order_id, placed_at
from {{ ref('stg_orders') }}
where placed_at >= now() - interval '{{ days }} days' and placed_at < now()
{% if target.name == 'dev' %}
limit 100
{% endif %}
