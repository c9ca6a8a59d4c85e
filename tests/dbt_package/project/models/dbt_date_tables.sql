select action_publisher_id, n,
  {{ dbt_date.convert_timezone('action_event_time') }} as new_york,
  {{ dbt_date.convert_timezone('seen', 'Asia/Tehran') }} as tehran,
  {{ dbt_date.convert_timezone('action_event_time', 'Asia/Tehran', source_tz='Asia/Tokyo') }} as of_tokyo
from {{ source('raw', 'actions') }}
