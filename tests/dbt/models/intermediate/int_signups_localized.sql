{{ config(materialized='table') }}
select
    f.user_id,
    f.signed_up_at as utc_at,
    f.signed_up_at at time zone f.time_zone as local_at,
    (f.signed_up_at at time zone f.time_zone)::date as local_date
from {{ ref('stg_users') }} f
