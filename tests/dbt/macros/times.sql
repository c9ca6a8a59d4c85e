{% macro to_local(column_name, zone) -%}
    {{ column_name }} at time zone '{{ zone }}'
{%- endmacro %}

{% macro extra_filter(column_name) -%}
    {% if var('only_past', true) %}and {{ column_name }} < '2026-12-31'{% endif %}
{%- endmacro %}
