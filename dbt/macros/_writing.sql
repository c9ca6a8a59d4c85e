{#- What the other macros write: for tzconv's own use -#}

{% macro _check_kind(macro_name, kind) -%}
  {%- if kind not in ('timestamp', 'timestamptz') -%}
    {%- do exceptions.raise_compiler_error(
      "tzconv." ~ macro_name ~ ": kind is 'timestamp' or 'timestamptz', not '" ~ kind ~ "'."
    ) -%}
  {%- endif -%}
{%- endmacro %}

{% macro _text(value) -%}
  '{{ value | string | replace("'", "''") }}'
{%- endmacro %}

{#- The engine's own conversion, with the zone as SQL -#}
{% macro _native(ts, zone, kind) -%}
  {{- adapter.dispatch('_native', 'tzconv')(ts, zone, kind) -}}
{%- endmacro %}

{% macro default___native(ts, zone, kind) -%}
  {{ ts }} at time zone {{ "'UTC' at time zone " if kind == 'timestamp' }}{{ zone }}
{%- endmacro %}

{% macro spark___native(ts, zone, kind) -%}
  from_utc_timestamp({{ ts }}, {{ zone }})
{%- endmacro %}

{#- What a row of the period table says of a time. It has microseconds: for a TIMESTAMP_NS, as pandas
    writes it, the function remains. -#}
{% macro _duckdb_shifted(ts, changes, before, after, native) -%}
  coalesce(
    make_timestamp(if(typeof({{ ts }}) <> 'TIMESTAMP_NS', epoch_us({{ ts }}), null) + if(make_timestamp(epoch_us({{ ts }})) < {{ changes }},
      {{ before }},
      {{ after }})),
    {{ native }})
{%- endmacro %}

{#- typeof() is known when the query is planned, so the CASE costs nothing for each row -#}
{% macro _duckdb_checked(ts, kind, shifted) -%}
  {%- set is_wrong, right = ('=', 'timestamptz') if kind == 'timestamp' else ('<>', 'timestamp') -%}
  case when typeof({{ ts }}) {{ is_wrong }} 'TIMESTAMP WITH TIME ZONE' then error('tzconv: a column is converted as another type: add kind=''{{ right }}''') else {{ shifted }} end
{%- endmacro %}

{% macro _postgres_starts(kind) -%}
  {{ 'starts_at_instant' if kind == 'timestamptz' else 'starts_at_utc' }}
{%- endmacro %}

{#- timestamp_pl_interval() is the operator +. It takes no TIMESTAMPTZ, so another kind than that of
    the column is an error; the operator would take both. -#}
{% macro _postgres_shifted(ts, kind, offsets, starts, native) -%}
  {%- set utc = ts ~ " at time zone interval '0'" if kind == 'timestamptz' else ts -%}
  coalesce(pg_catalog.timestamp_pl_interval({{ utc }}, {{ offsets }}[pg_catalog.width_bucket({{ ts }}, {{ starts }})]), {{ native }})
{%- endmacro %}
