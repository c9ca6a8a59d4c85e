{{ config(materialized='table') }}
select
    f.ticket_id,
    f.closed_at as utc_at,
    f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC') as local_at,
    (f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC'))::date as local_date
from {{ ref('stg_tickets') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
