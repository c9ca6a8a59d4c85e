select payment_id, paid_at at time zone '{{ var("time_zone") }}' as local_at
from {{ ref('stg_payments') }}
