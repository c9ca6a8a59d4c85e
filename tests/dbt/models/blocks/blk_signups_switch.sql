select
{% for unit in ['hour', 'day'] %}
    date_trunc('{{ unit }}', f.signed_up_at at time zone f.time_zone) as local_{{ unit }},
{% endfor %}
    f.user_id
from {{ ref('stg_users') }} f
