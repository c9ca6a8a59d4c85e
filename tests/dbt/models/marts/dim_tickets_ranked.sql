with ranked as (
    select ticket_id as id, f.opened_at at time zone 'UTC' at time zone s.time_zone as local_at, row_number() over (partition by s.time_zone order by f.opened_at, f.ticket_id) as rank
    from {{ ref('stg_tickets') }} f
left join {{ ref('stg_users') }} s on s.user_id = f.user_id
)
select * from ranked where rank <= {{ var('top', 10) }}
