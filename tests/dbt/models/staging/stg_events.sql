{%- set kinds = ['login', 'view', 'click'] -%}
select id as event_id, user_id, kind, ts as occurred_at
from {{ source('raw', 'events') }}
where kind in ({% for kind in kinds %}'{{ kind }}'{% if not loop.last %}, {% endif %}{% endfor %})
