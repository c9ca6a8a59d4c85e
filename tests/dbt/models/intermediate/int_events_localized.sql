{{ config(materialized='table') }}
select
    f.event_id,
    f.occurred_at as utc_at,
    f.occurred_at at time zone 'UTC' at time zone s.time_zone as local_at,
    (f.occurred_at at time zone 'UTC' at time zone s.time_zone)::date as local_date
from {{ ref('stg_events') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
