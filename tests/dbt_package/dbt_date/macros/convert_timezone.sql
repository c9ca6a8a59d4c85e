{% macro convert_timezone(column, target_tz=none, source_tz=none) -%}
  {%- set source_tz = source_tz or 'UTC' -%}
  {%- set target_tz = target_tz or var('dbt_date:time_zone') -%}
  {{- adapter.dispatch('convert_timezone', 'dbt_date')(column, target_tz, source_tz) -}}
{%- endmacro %}

{% macro postgres__convert_timezone(column, target_tz, source_tz) -%}
  cast(cast({{ column }} as {{ dbt.type_timestamp() }}) at time zone '{{ source_tz }}' at time zone '{{ target_tz }}' as {{ dbt.type_timestamp() }})
{%- endmacro %}

{% macro duckdb__convert_timezone(column, target_tz, source_tz) -%}
  {{- dbt_date.postgres__convert_timezone(column, target_tz, source_tz) -}}
{%- endmacro %}
