with ranked as (
    select payment_id as id, f.paid_at at time zone s.time_zone as local_at, row_number() over (partition by s.time_zone order by f.paid_at, f.payment_id) as rank
    from {{ ref('stg_payments') }} f
join {{ ref('stg_orders') }} o on o.order_id = f.order_id
join {{ ref('stg_shops') }} s on s.shop_id = o.shop_id
)
select * from ranked where rank <= {{ var('top', 10) }}
