with facts as (

    select * from {{ ref('stg_events') }}

),

zones as (select * from {{ ref('stg_users') }}),

localized as (
    select event_id, occurred_at at time zone 'UTC' at time zone 'Europe/Berlin' as berlin_at
    from facts
)

select *, extract(hour from berlin_at) as berlin_hour from localized
