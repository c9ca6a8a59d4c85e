{#- Rows with a zone that the tables do not have. NULL is no unknown zone. -#}
{% test known_zone(model, column_name) %}
select {{ column_name }} as unknown_zone, count(*) as row_count
from {{ model }} as tzconv_model
where {{ column_name }} is not null and not exists (
  select 1 from {{ source('tzconv', 'time_zone_conversion_zone') }} as tzconv_zone
  where cast(tzconv_zone.time_zone_name as {{ dbt.type_string() }}) = cast(tzconv_model.{{ column_name }} as {{ dbt.type_string() }})
)
group by {{ column_name }}
{% endtest %}

{#- A row if the tables were never loaded, or end in fewer than `days` days -#}
{% test tables_fresh(model, days=none) %}
{%- set days = days or var('tzconv_fresh_days', 90) %}
select max(horizon_ends_before) as horizon_ends_before
from {{ model }}
where finished_at = (select max(finished_at) from {{ model }})
having coalesce(max(horizon_ends_before), date '0001-01-01') < {{ dbt.dateadd('day', days, 'current_date') }}
{% endtest %}
