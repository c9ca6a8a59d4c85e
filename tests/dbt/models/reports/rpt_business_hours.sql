{% set from_hour, to_hour = 9, 17 %}
select count(*) filter (
    where extract(hour from e.occurred_at at time zone 'UTC' at time zone u.time_zone)
        between {{ from_hour }} and {{ to_hour }}
) as in_hours, count(*) as all_events
from {{ ref('stg_events') }} e join {{ ref('stg_users') }} u on u.user_id = e.user_id
