select t.ticket_id, t.local_deadline at time zone u.time_zone as deadline_at
from {{ ref('stg_tickets') }} t
join {{ ref('stg_users') }} u on u.user_id = t.user_id
where t.closed_at is null
