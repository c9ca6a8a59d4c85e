{{ config(materialized='view', tags=['pii', 'daily']) }}

with source as (

    select * from {{ source('raw', 'users') }}
    {# rows of the load test #}
    where email not like '%@example.test'

),

renamed as (
    select id as user_id, shop_id, lower(email) as email, tz as time_zone, signed_up_at, deleted_at
    from source
)

select * from renamed
