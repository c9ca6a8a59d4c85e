{% set days = var('days', 30) %}
select order_id, shipped_at
from {{ ref('stg_orders') }}
where shipped_at >= now() - interval '{{ days }} days' and shipped_at < now()
{% if target.name == 'dev' %}
limit 100
{% endif %}
