with source as (select * from {{ source('raw', 'shops') }})
select id as shop_id, name as shop_name, tz as time_zone from source
