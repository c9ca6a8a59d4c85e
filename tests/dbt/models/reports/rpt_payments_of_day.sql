-- one day in Berlin: {{ var('report_date') }}
select count(*) as payments, min(f.paid_at) as first_at
from {{ ref('stg_payments') }} f
where (f.paid_at at time zone 'Europe/Berlin')::date = date '2026-03-08'
  and f.paid_at < {{ "'" ~ var('report_date') ~ "'" }}::timestamptz
