with facts as (

    select * from {{ ref('stg_users') }}

),

-- no zones are imported here

localized as (
    select user_id, signed_up_at at time zone 'Europe/Berlin' as berlin_at
    from facts
)

select *, extract(hour from berlin_at) as berlin_hour from localized
