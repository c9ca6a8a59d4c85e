{% set days = var('days', 30) %}
select ticket_id, opened_at
from {{ ref('stg_tickets') }}
where opened_at >= now() - interval '{{ days }} days' and opened_at < now()
{% if target.name == 'dev' %}
limit 100
{% endif %}
