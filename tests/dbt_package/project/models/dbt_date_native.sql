{% set type = dbt.type_timestamp() %}
select action_publisher_id, n,
  cast(cast(action_event_time as {{ type }}) at time zone 'UTC' at time zone 'America/New_York' as {{ type }}) as new_york,
  cast(cast(seen as {{ type }}) at time zone 'UTC' at time zone 'Asia/Tehran' as {{ type }}) as tehran,
  cast(cast(action_event_time as {{ type }}) at time zone 'Asia/Tokyo' at time zone 'Asia/Tehran' as {{ type }}) as of_tokyo
from {{ source('raw', 'actions') }}
