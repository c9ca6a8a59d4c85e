{#- Conversions to a constant zone, such as 'Europe/Berlin', without a join.

    `ts` is a column with a UTC time: a TIMESTAMP, or a TIMESTAMPTZ with kind='timestamptz'. The
    result is a TIMESTAMP. Another kind than that of the column is an error of the database. -#}

{% macro local_time(ts, zone, kind='timestamp') -%}
  {%- do tzconv._check_kind('local_time', kind) -%}
  {%- if not zone or '.' in zone or '"' in zone -%}
    {%- do exceptions.raise_compiler_error(
      "tzconv.local_time takes the name of a zone, such as 'Europe/Berlin', not " ~ (zone or 'nothing')
      ~ ": for a column use tzconv.join_zones and tzconv.local_time_of."
    ) -%}
  {%- endif -%}
  {{- adapter.dispatch('local_time', 'tzconv')(ts, zone, kind) -}}
{%- endmacro %}

{% macro local_day(ts, zone, kind='timestamp') -%}
  cast({{ tzconv.local_time(ts, zone, kind) }} as date)
{%- endmacro %}

{% macro local_hour(ts, zone, kind='timestamp') -%}
  date_trunc('hour', {{ tzconv.local_time(ts, zone, kind) }})
{%- endmacro %}

{% macro default__local_time(ts, zone, kind) -%}
  {{- tzconv._native(ts, tzconv._text(zone), kind) -}}
{%- endmacro %}

{#- dbt takes the macros of PostgreSQL for Redshift, which has no arrays of offsets -#}
{% macro redshift__local_time(ts, zone, kind) -%}
  {{- tzconv.default__local_time(ts, zone, kind) -}}
{%- endmacro %}

{% macro duckdb__local_time(ts, zone, kind) -%}
  {{- tzconv._duckdb_checked(ts, kind, tzconv._duckdb_constant(
    ts, zone, tzconv._native(ts, tzconv._text(zone), kind)
  )) -}}
{%- endmacro %}

{% macro postgres__local_time(ts, zone, kind) -%}
  {{- tzconv._postgres_constant(ts, zone, kind, tzconv._native(ts, tzconv._text(zone), kind)) -}}
{%- endmacro %}

{#- The periods of the zone become one list, once per query. Its positions are right only if no row
    is missing; a time before 1970 has the position 0, where there is nothing. -#}
{% macro _duckdb_constant(ts, zone, native) -%}
  {%- set period -%}
    ((select list({'changes': changes_at_utc, 'before': microseconds_before, 'after': microseconds_after} order by zone_period) from {{ source('tzconv', 'time_zone_period_conversion') }} where zone_period % 512 = (select rules_id from {{ source('tzconv', 'time_zone_conversion_zone') }} where time_zone_name = {{ tzconv._text(zone) }}) having count(*) = max(zone_period) // 512 + 1)[greatest((epoch_us({{ ts }}) >> 42) + 1, 0)])
  {%- endset -%}
  {{- tzconv._duckdb_shifted(
    ts, period ~ '.changes', period ~ '.before', period ~ '.after', native
  ) -}}
{%- endmacro %}

{% macro _postgres_constant(ts, zone, kind, native) -%}
  {%- set from_zone = source('tzconv', 'time_zone_conversion_zone') ~ ' where time_zone_name::text = '
    ~ tzconv._text(zone) -%}
  {{- tzconv._postgres_shifted(
    ts, kind, '(select utc_offsets from ' ~ from_zone ~ ')',
    '(select ' ~ tzconv._postgres_starts(kind) ~ ' from ' ~ from_zone ~ ')', native
  ) -}}
{%- endmacro %}
