{% set days = var('days', 30) %}
select ticket_id, closed_at
from {{ ref('stg_tickets') }}
where closed_at >= now() - interval '{{ days }} days' and closed_at < now()
{% if target.name == 'dev' %}
limit 100
{% endif %}
