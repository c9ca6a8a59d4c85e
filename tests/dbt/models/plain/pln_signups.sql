select user_id, signed_up_at, {{ dbt_utils.star(from=ref('stg_users'), except=['user_id', 'signed_up_at']) }}
from {{ ref('stg_users') }}
{% if is_incremental() %} where signed_up_at > '{{ var("first_day") }}' {% endif %}
