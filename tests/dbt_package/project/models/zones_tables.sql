select a.action_publisher_id, a.n, time_zone_name,
  {{ tzconv.local_time_of('a.action_event_time', 'p.time_zone_name') }} as local_time,
  {{ tzconv.local_day_of('a.action_event_time', 'p.time_zone_name') }} as local_day,
  {{ tzconv.local_hour_of('a.seen', 'p.time_zone_name', kind='timestamptz', name='_seen') }} as seen_hour
from {{ source('raw', 'actions') }} as a
left join {{ source('raw', 'publishers') }} as p on p.id = a.action_publisher_id
{{ tzconv.join_zones('a.action_event_time', 'p.time_zone_name') }}
{{ tzconv.join_zones('a.seen', 'p.time_zone_name', kind='timestamptz', name='_seen') }}
