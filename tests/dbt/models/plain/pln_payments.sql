with f as (select * from {{ ref('stg_payments') }})
{% set limits = [10, 100] %}
select {% for n in limits %}count(*) / {{ n }} as per_{{ n }}, {% endfor %} max(paid_at) as latest from f
