select order_id, {{ to_local('placed_at', 'Europe/Berlin') }} as local_at from {{ ref('stg_orders') }}
