with facts as (

    select * from {{ ref('stg_orders') }}

),

zones as (select * from {{ ref('stg_shops') }}),

localized as (
    select order_id, placed_at at time zone 'Europe/Berlin' as berlin_at
    from facts
)

select *, extract(hour from berlin_at) as berlin_hour from localized
