with ranked as (
    select user_id as id, f.signed_up_at at time zone f.time_zone as local_at, row_number() over (partition by f.time_zone order by f.signed_up_at, f.user_id) as rank
    from {{ ref('stg_users') }} f
)
select * from ranked where rank <= {{ var('top', 10) }}
