with ranked as (
    select ticket_id as id, f.closed_at at time zone 'UTC' at time zone coalesce(s.time_zone, 'UTC') as local_at, row_number() over (partition by coalesce(s.time_zone, 'UTC') order by f.closed_at, f.ticket_id) as rank
    from {{ ref('stg_tickets') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
)
select * from ranked where rank <= {{ var('top', 10) }}
