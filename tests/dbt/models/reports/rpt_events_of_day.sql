-- one day in Berlin: {{ var('report_date') }}
select count(*) as events, min(f.occurred_at) as first_at
from {{ ref('stg_events') }} f
where (f.occurred_at at time zone 'UTC' at time zone 'Europe/Berlin')::date = date '2026-03-08'
  and f.occurred_at < '{{ var("report_date") }}'::timestamp
