select
    f.ticket_id,
    {% if var('local_time', true) -%}
    f.opened_at at time zone 'UTC' at time zone s.time_zone as shown_at
    {%- else -%}
    f.opened_at as shown_at
    {%- endif %}
from {{ ref('stg_tickets') }} f
left join {{ ref('stg_users') }} s on s.user_id = f.user_id
