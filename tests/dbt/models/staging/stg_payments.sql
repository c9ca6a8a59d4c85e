select id as payment_id, order_id, method, paid_at, {{ cents_to_dollars('amount_cents', 2) }} as amount
from {{ source('raw', 'payments') }}
where amount_cents > {{ var('smallest_payment', 0) }}
