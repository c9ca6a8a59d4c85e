-- one day in Berlin: {{ var('report_date') }}
select count(*) as orders, min(f.placed_at) as first_at
from {{ ref('stg_orders') }} f
where (f.placed_at at time zone 'Europe/Berlin')::date = date '2026-03-08'
  and f.placed_at < '{{ var("report_date") }}'::timestamptz
