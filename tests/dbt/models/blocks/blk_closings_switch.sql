select
{% for unit in ['hour', 'day'] %}
    date_trunc('{{ unit }}', f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC')) as local_{{ unit }},
{% endfor %}
    f.ticket_id
from {{ ref('stg_tickets') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
