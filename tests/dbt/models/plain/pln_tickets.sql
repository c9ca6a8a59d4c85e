with f as (select * from {{ ref('stg_tickets') }})
{% set limits = [10, 100] %}
select {% for n in limits %}count(*) / {{ n }} as per_{{ n }}, {% endfor %} max(opened_at) as latest from f
