-- one day in Berlin: {{ var('report_date') }}
select count(*) as shipments, min(f.shipped_at) as first_at
from {{ ref('stg_orders') }} f
where (f.shipped_at at time zone 'UTC' at time zone 'Europe/Berlin')::date = date '2026-03-08'
  and f.shipped_at < '{{ var("report_date") }}'::timestamp
