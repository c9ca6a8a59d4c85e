with facts as (

    select * from {{ ref('stg_tickets') }}

),

-- no zones are imported here

localized as (
    select ticket_id, closed_at at time zone 'UTC' at time zone 'Europe/Berlin' as berlin_at
    from facts
)

select *, extract(hour from berlin_at) as berlin_hour from localized
