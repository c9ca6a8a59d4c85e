{#- Conversions to the zone of each row: join_zones after the FROM clause, local_time_of and the
    like in the select list, with the same arguments.

    `zone` is a column of zone names. Each join matches at most one row, so row counts do not
    change. `name` tells apart the joins of a query that converts several columns. -#}

{% macro join_zones(ts, zone, kind='timestamp', name='') -%}
  {%- do tzconv._check_kind('join_zones', kind) -%}
  {{- adapter.dispatch('join_zones', 'tzconv')(ts, zone, kind, name) -}}
{%- endmacro %}

{% macro local_time_of(ts, zone, kind='timestamp', name='') -%}
  {%- do tzconv._check_kind('local_time_of', kind) -%}
  {{- adapter.dispatch('local_time_of', 'tzconv')(ts, zone, kind, name) -}}
{%- endmacro %}

{% macro local_day_of(ts, zone, kind='timestamp', name='') -%}
  cast({{ tzconv.local_time_of(ts, zone, kind, name) }} as date)
{%- endmacro %}

{% macro local_hour_of(ts, zone, kind='timestamp', name='') -%}
  date_trunc('hour', {{ tzconv.local_time_of(ts, zone, kind, name) }})
{%- endmacro %}

{% macro default__join_zones(ts, zone, kind, name) -%}
{%- endmacro %}

{% macro default__local_time_of(ts, zone, kind, name) -%}
  {{- tzconv._native(ts, zone, kind) -}}
{%- endmacro %}

{% macro redshift__join_zones(ts, zone, kind, name) -%}
{%- endmacro %}

{% macro redshift__local_time_of(ts, zone, kind, name) -%}
  {{- tzconv.default__local_time_of(ts, zone, kind, name) -}}
{%- endmacro %}

{#- Derived tables: the query may use their columns' names without a table -#}
{% macro duckdb__join_zones(ts, zone, kind, name) -%}
  left join (
    select time_zone_name as tzconv_name, rules_id as tzconv_id
    from {{ source('tzconv', 'time_zone_conversion_zone') }}
  ) as tzconv_zone{{ name }} on tzconv_zone{{ name }}.tzconv_name = {{ zone }}
  left join (
    select zone_period as tzconv_key, changes_at_utc as tzconv_at,
      microseconds_before as tzconv_before, microseconds_after as tzconv_after
    from {{ source('tzconv', 'time_zone_period_conversion') }}
  ) as tzconv_period{{ name }}
    on tzconv_period{{ name }}.tzconv_key = (epoch_us({{ ts }}) >> 42) * 512 + tzconv_zone{{ name }}.tzconv_id
{%- endmacro %}

{% macro duckdb__local_time_of(ts, zone, kind, name) -%}
  {%- set period = 'tzconv_period' ~ name -%}
  {%- set shifted = tzconv._duckdb_shifted(
    ts, period ~ '.tzconv_at', period ~ '.tzconv_before', period ~ '.tzconv_after',
    tzconv._native(ts, zone, kind)
  ) -%}
  {{- tzconv._duckdb_checked(ts, kind, shifted) -}}
{%- endmacro %}

{% macro postgres__join_zones(ts, zone, kind, name) -%}
  left join (
    select time_zone_name as tzconv_name, utc_offsets as tzconv_offsets,
      {{ tzconv._postgres_starts(kind) }} as tzconv_starts
    from {{ source('tzconv', 'time_zone_conversion_zone') }}
  ) as tzconv_zone{{ name }} on tzconv_zone{{ name }}.tzconv_name::text = ({{ zone }})::text
{%- endmacro %}

{% macro postgres__local_time_of(ts, zone, kind, name) -%}
  {%- set joined = 'tzconv_zone' ~ name -%}
  {{- tzconv._postgres_shifted(
    ts, kind, joined ~ '.tzconv_offsets', joined ~ '.tzconv_starts', tzconv._native(ts, zone, kind)
  ) -}}
{%- endmacro %}
