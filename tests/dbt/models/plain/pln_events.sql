with f as (select * from {{ ref('stg_events') }})
{% set limits = [10, 100] %}
select {% for n in limits %}count(*) / {{ n }} as per_{{ n }}, {% endfor %} max(occurred_at) as latest from f
