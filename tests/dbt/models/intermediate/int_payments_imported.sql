with facts as (

    select * from {{ ref('stg_payments') }}

),

-- no zones are imported here

localized as (
    select payment_id, paid_at at time zone 'Europe/Berlin' as berlin_at
    from facts
)

select *, extract(hour from berlin_at) as berlin_hour from localized
