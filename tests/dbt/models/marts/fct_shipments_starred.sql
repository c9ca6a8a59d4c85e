select {{ dbt_utils.star(from=ref('stg_orders'), relation_alias='f') }}, f.shipped_at at time zone 'UTC' at time zone s.time_zone as local_at
from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
