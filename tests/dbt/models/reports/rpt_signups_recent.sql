{% set days = var('days', 30) %}
select user_id, signed_up_at
from {{ ref('stg_users') }}
where signed_up_at >= now() - interval '{{ days }} days' and signed_up_at < now()
{% if target.name == 'dev' %}
limit 100
{% endif %}
