select order_id, shipped_at at time zone 'UTC' at time zone '{{ var("time_zone") }}' as local_at
from {{ ref('stg_orders') }}
