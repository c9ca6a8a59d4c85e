select {{ dbt_utils.star(from=ref('stg_events'), relation_alias='f') }}, f.occurred_at at time zone 'UTC' at time zone s.time_zone as local_at
from {{ ref('stg_events') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
