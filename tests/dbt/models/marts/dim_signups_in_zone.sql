select user_id, signed_up_at at time zone '{{ var("time_zone") }}' as local_at
from {{ ref('stg_users') }}
