select a.action_publisher_id, a.n, p.time_zone_name,
  a.action_event_time at time zone 'UTC' at time zone p.time_zone_name as local_time,
  cast(a.action_event_time at time zone 'UTC' at time zone p.time_zone_name as date) as local_day,
  date_trunc('hour', a.seen at time zone p.time_zone_name) as seen_hour
from {{ source('raw', 'actions') }} as a
left join {{ source('raw', 'publishers') }} as p on p.id = a.action_publisher_id
