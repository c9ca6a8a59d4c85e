{{ config(materialized='table') }}
{% for zone, first, before in [('America/New_York', '2026-03-08', '2026-03-09'), ('America/New_York', '2012-10-01', '2014-11-03'), ('America/Havana', '2012-11-04', '2012-11-05'), ('America/St_Johns', '2010-11-06', '2010-11-08'), ('Pacific/Apia', '2011-12-30', '2011-12-31'), ('Pacific/Apia', '2011-12-29', '2012-01-02'), ('Asia/Kolkata', '2036-01-01', '2037-12-31'), ('Asia/Kolkata', '2030-01-01', '2060-01-01'), ('EST', '2015-01-01', '2016-01-01'), ('UTC', '2020-01-01', '2019-01-01')] %}
select '{{ zone }}' as zone, '{{ first }}' as first_day, action_publisher_id, action_event_time, seen
from {{ source('raw', 'actions') }}
where {{ tzconv.in_local_days('action_event_time', zone, first, before) }}
  and {{ tzconv.in_local_days('seen', zone, first, before, kind='timestamptz') }}
{{ 'union all' if not loop.last }}
{% endfor %}
