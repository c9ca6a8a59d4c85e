select order_id, placed_at, {{ dbt_utils.star(from=ref('stg_orders'), except=['order_id', 'placed_at']) }}
from {{ ref('stg_orders') }}
{% if is_incremental() %} where placed_at > '{{ var("first_day") }}' {% endif %}
