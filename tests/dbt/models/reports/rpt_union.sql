{{ config(alias='all_moments') }}
select 'order' as what, placed_at at time zone 'America/New_York' as local_at from {{ ref('stg_orders') }}
union all
select 'payment', paid_at at time zone 'America/New_York' from {{ ref('stg_payments') }}
union all
select 'event', occurred_at at time zone 'UTC' at time zone 'America/New_York' from {{ ref('stg_events') }}
