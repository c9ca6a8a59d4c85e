with ranked as (
    select event_id as id, f.occurred_at at time zone 'UTC' at time zone s.time_zone as local_at, row_number() over (partition by s.time_zone order by f.occurred_at, f.event_id) as rank
    from {{ ref('stg_events') }} f
join {{ ref('stg_users') }} s on s.user_id = f.user_id
)
select * from ranked where rank <= {{ var('top', 10) }}
