{% set days = var('days', 30) %}
select event_id, occurred_at
from {{ ref('stg_events') }}
where occurred_at >= now() - interval '{{ days }} days'
{% if target.name == 'dev' %}
limit 100
{% endif %}
