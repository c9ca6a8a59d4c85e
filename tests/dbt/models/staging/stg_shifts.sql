select {{ dbt_utils.generate_surrogate_key(['id', 'shop_id']) }} as shift_key, shop_id, starts_local, ends_local
from {{ source('raw', 'shifts') }} -- depends_on: {{ ref('stg_shops') }}
