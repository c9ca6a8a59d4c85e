select
    f.event_id,
    {% if var('local_time', true) -%}
    f.occurred_at at time zone 'UTC' at time zone s.time_zone as shown_at
    {%- else -%}
    f.occurred_at as shown_at
    {%- endif %}
from {{ ref('stg_events') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
