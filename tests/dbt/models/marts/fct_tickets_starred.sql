select
    {{ dbt_utils.generate_surrogate_key(['f.ticket_id']) }} as key,
    f.opened_at at time zone 'UTC' at time zone s.time_zone as local_at,
    case when f.opened_at at time zone 'UTC' at time zone s.time_zone >= '{{ var("first_day") }}' then 'new' else 'old' end as age
from {{ ref('stg_tickets') }} f
left join {{ ref('stg_users') }} s on s.user_id = f.user_id
