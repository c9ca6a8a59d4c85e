-- one day in Berlin: {{ var('report_date') }}
select count(*) as closings, min(f.closed_at) as first_at
from {{ ref('stg_tickets') }} f
where (f.closed_at at time zone 'UTC' at time zone 'Europe/Berlin')::date = date '2026-03-08'
  and f.closed_at < '{{ var("report_date") }}'::timestamp
