{#- A condition: the local day of `ts` in a constant zone is `first_day` or later, and before
    `before_day`. Both are dates such as '2026-03-01'.

    In a table or an incremental model, whose text is made for one run, it compares the column with
    UTC bounds computed from the tables. In a view, whose text is kept and outlives a change of the
    rules, and for times past the end of the tables, it compares the local time; constant bounds that
    hold under any rules let the scan prune. -#}

{% macro in_local_days(ts, zone, first_day, before_day, kind='timestamp') -%}
  {%- do tzconv._check_kind('in_local_days', kind) -%}
  {%- set first = tzconv._day(first_day) -%}
  {%- set before = tzconv._day(before_day) -%}
  {%- set spans = fromjson(tzconv._utc_spans(zone, first, before)) -%}
  {%- if spans -%}
    {%- set parts = [] -%}
    {%- for span in spans -%}
      {%- do parts.append(tzconv._between(ts, span[0], span[1], kind)) -%}
    {%- endfor -%}
    ({{ parts | join(' or ') }})
  {%- else -%}
    {%- set widest = modules.datetime.timedelta(days=1 if target.type == 'duckdb' else 8) -%}
    {#- an open end such as 9999-12-31: no later day is local before it -#}
    {%- set last_at = modules.datetime.datetime.max - widest -%}
    {%- set first_at = modules.datetime.datetime.fromisoformat(first) - widest -%}
    {%- set before_at = [modules.datetime.datetime.fromisoformat(before), last_at] | min + widest -%}
    {%- set last = modules.datetime.date.fromisoformat(before) - modules.datetime.timedelta(days=1) -%}
    ({{ tzconv._between(ts, first_at, before_at, kind) }} and {{ tzconv.local_day(ts, zone, kind) }} between date '{{ first }}' and date '{{ last }}')
  {%- endif -%}
{%- endmacro %}

{% macro _between(value, first, before, kind) -%}
  {%- set suffix = '+00' if kind == 'timestamptz' else '' -%}
  {{ value }} >= {{ kind }} '{{ first }}{{ suffix }}' and {{ value }} < {{ kind }} '{{ before }}{{ suffix }}'
{%- endmacro %}

{% macro _day(day) -%}
  {%- set text = day | string -%}
  {%- if not modules.re.fullmatch('\\d{4}-\\d{2}-\\d{2}', text) -%}
    {%- do exceptions.raise_compiler_error(
      "tzconv.in_local_days: " ~ text ~ " is not a date such as 2026-03-01."
    ) -%}
  {%- endif -%}
  {{- text -}}
{%- endmacro %}

{#- The UTC spans of the local days as JSON, several where the clock shows a day twice; an empty list
    where they may not be written or are not known -#}
{% macro _utc_spans(zone, first, before) -%}
  {%- set spans = [] -%}
  {%- set is_for_one_run = model.config.materialized in ('table', 'incremental') -%}
  {%- if execute and is_for_one_run and target.type in ('duckdb', 'postgres') and first < before -%}
    {%- for row in run_query(tzconv._spans_query(zone, first, before)).rows -%}
      {%- if spans and spans[-1][1] == row[0] | string -%}
        {%- do spans.append([spans.pop()[0], row[1] | string]) -%}
      {%- else -%}
        {%- do spans.append([row[0] | string, row[1] | string]) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
  {{- tojson(spans) -}}
{%- endmacro %}

{#- The engine reads a few names as abbreviations: their rows have no offsets on PostgreSQL -#}
{% macro _spans_query(zone, first, before) -%}
  {#- PostgreSQL has no operator of its own for an integer -#}
  {%- set seconds = 'utc_offset_seconds' ~ ('::float8' if target.type == 'postgres') -%}
  select
    cast(greatest(starts_at_utc, timestamp '{{ first }}' - {{ seconds }} * interval '1 second') as text) as starts,
    cast(least(ends_before_utc, timestamp '{{ before }}' - {{ seconds }} * interval '1 second') as text) as ends
  from {{ source('tzconv', 'time_zone_offset_conversion') }}
  where cast(time_zone_name as text) = {{ tzconv._text(zone) }}
    and greatest(starts_at_utc, timestamp '{{ first }}' - {{ seconds }} * interval '1 second')
      < least(ends_before_utc, timestamp '{{ before }}' - {{ seconds }} * interval '1 second')
    and exists (
      select 1 from {{ source('tzconv', 'time_zone_offset_conversion') }}
      where cast(time_zone_name as text) = {{ tzconv._text(zone) }}
        and ends_before_utc > timestamp '{{ before }}' + interval '1 day'
    )
    {%- if target.type == 'postgres' %}
    and exists (
      select 1 from {{ source('tzconv', 'time_zone_conversion_zone') }}
      where cast(time_zone_name as text) = {{ tzconv._text(zone) }} and utc_offsets is not null
    )
    {%- endif %}
  order by 1
{%- endmacro %}
