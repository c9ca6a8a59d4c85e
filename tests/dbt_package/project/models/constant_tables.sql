{% for zone in ['America/New_York', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'america/new_york', 'CET'] %}
select '{{ zone }}' as zone, action_publisher_id, action_event_time,
  {{ tzconv.local_time('action_event_time', zone) }} as local_time,
  {{ tzconv.local_day('action_event_time', zone) }} as local_day,
  {{ tzconv.local_time('seen', zone, kind='timestamptz') }} as seen_time,
  {{ tzconv.local_hour('seen', zone, kind='timestamptz') }} as seen_hour
from {{ source('raw', 'actions') }}
{{ 'union all' if not loop.last }}
{% endfor %}
