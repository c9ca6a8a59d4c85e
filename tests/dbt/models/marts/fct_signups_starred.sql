select {{ dbt_utils.star(from=ref('stg_users'), relation_alias='f') }}, f.signed_up_at at time zone f.time_zone as local_at
from {{ ref('stg_users') }} f
