{{ config(materialized='table', indexes=[{'columns': ['day']}]) }}
select date_trunc('day', f.placed_at at time zone s.time_zone) as day, count(*) as orders
from {{ ref('stg_orders') }} as f
join {{ ref('stg_shops') }} s on s.shop_id = f.shop_id
where f.placed_at is not null
{{ dbt_utils.group_by(1) }}
