{#- What dbt_date.convert_timezone writes, in a project whose dispatch: for dbt_date names tzconv
    first. A column is converted from UTC by the tables, with dbt_date's own text for what they do
    not hold; everything else is dbt_date's own text: another source zone, an expression, and a
    current time, which is computed once. -#}

{% macro duckdb__convert_timezone(column, target_tz=none, source_tz=none) -%}
  {%- set native = dbt_date.duckdb__convert_timezone(column, target_tz, source_tz) -%}
  {%- set utc = 'cast(' ~ column ~ ' as timestamp)' -%}
  {{- tzconv._duckdb_constant(utc, target_tz, native)
    if tzconv._is_converted(column, source_tz) == 'yes' else native -}}
{%- endmacro %}

{% macro postgres__convert_timezone(column, target_tz=none, source_tz=none) -%}
  {%- set native = dbt_date.postgres__convert_timezone(column, target_tz, source_tz) -%}
  {%- set utc = 'cast(' ~ column ~ ' as timestamp)' -%}
  {{- tzconv._postgres_constant(utc, target_tz, 'timestamp', native)
    if tzconv._is_converted(column, source_tz) == 'yes' else native -}}
{%- endmacro %}

{#- dbt would take the macro of PostgreSQL -#}
{% macro redshift__convert_timezone(column, target_tz=none, source_tz=none) -%}
  {{- dbt_date.redshift__convert_timezone(column, target_tz, source_tz) -}}
{%- endmacro %}

{% macro _is_converted(column, source_tz) -%}
  {%- set plain = modules.re.fullmatch('(?:"[^"]+"|[A-Za-z_]\\w*)(?:\\.(?:"[^"]+"|[A-Za-z_]\\w*))*', column | string) -%}
  {%- set times = ('current_timestamp', 'current_date', 'localtimestamp', 'now', 'today', 'null') -%}
  {{- 'yes' if plain and column | lower not in times and (source_tz or 'UTC') == 'UTC' -}}
{%- endmacro %}
