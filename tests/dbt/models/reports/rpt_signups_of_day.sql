-- one day in Berlin: {{ var('report_date') }}
select count(*) as signups, min(f.signed_up_at) as first_at
from {{ ref('stg_users') }} f
where (f.signed_up_at at time zone 'Europe/Berlin')::date = date '2026-03-08'
  and f.signed_up_at < '{{ var("report_date") }}'::timestamptz
