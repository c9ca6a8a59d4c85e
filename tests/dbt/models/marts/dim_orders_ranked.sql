with ranked as (
    select order_id as id, f.placed_at at time zone s.time_zone as local_at, row_number() over (partition by s.time_zone order by f.placed_at, f.order_id) as rank
    from {{ ref('stg_orders') }} f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
)
select * from ranked where rank <= {{ var('top', 10) }}
