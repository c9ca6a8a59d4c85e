select {{ dbt_utils.star(from=ref('stg_tickets'), relation_alias='f') }}, f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC') as local_at
from {{ ref('stg_tickets') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
