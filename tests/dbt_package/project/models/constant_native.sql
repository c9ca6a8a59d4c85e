{% for zone in ['America/New_York', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'america/new_york', 'CET'] %}
select '{{ zone }}' as zone, action_publisher_id, action_event_time,
  action_event_time at time zone 'UTC' at time zone '{{ zone }}' as local_time,
  cast(action_event_time at time zone 'UTC' at time zone '{{ zone }}' as date) as local_day,
  seen at time zone '{{ zone }}' as seen_time,
  date_trunc('hour', seen at time zone '{{ zone }}') as seen_hour
from {{ source('raw', 'actions') }}
{{ 'union all' if not loop.last }}
{% endfor %}
