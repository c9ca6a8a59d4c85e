select id as ticket_id, user_id, opened_at, closed_at, local_deadline from {{ source("raw", "tickets") }}
