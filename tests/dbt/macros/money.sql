{% macro cents_to_dollars(column_name, scale=2) -%}
    ({{ column_name }} / 100.0)::numeric(16, {{ scale }})
{%- endmacro %}

{% macro share(amount, status) -%}
    sum(case when {{ status }} = 'paid' then {{ amount }} end) / nullif(sum({{ amount }}), 0)
{%- endmacro %}
