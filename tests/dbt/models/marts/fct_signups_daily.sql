{{ config(materialized='table', indexes=[{'columns': ['day']}]) }}
select date_trunc('day', f.signed_up_at at time zone f.time_zone) as day, count(*) as signups
from {{ ref('stg_users') }} as f
where f.signed_up_at is not null
{{ dbt_utils.group_by(1) }}
