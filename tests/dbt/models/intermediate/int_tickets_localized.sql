{{ config(materialized='table') }}
select
    f.ticket_id,
    f.opened_at as utc_at,
    f.opened_at at time zone 'UTC' at time zone s.time_zone as local_at,
    (f.opened_at at time zone 'UTC' at time zone s.time_zone)::date as local_date
from {{ ref('stg_tickets') }} f
left join {{ ref('stg_users') }} s on s.user_id = f.user_id
