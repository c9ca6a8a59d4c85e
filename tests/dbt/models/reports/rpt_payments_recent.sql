{% set days = var('days', 30) %}
select payment_id, paid_at
from {{ ref('stg_payments') }}
where paid_at >= now() - interval '{{ days }} days' and paid_at < now()
{% if target.name == 'dev' %}
limit 100
{% endif %}
