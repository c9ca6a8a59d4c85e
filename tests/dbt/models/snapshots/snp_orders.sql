{% snapshot snp_orders %}
{{ config(target_schema='snapshots', unique_key='order_id', strategy='check', check_cols=['status']) }}
select order_id, status, placed_at at time zone 'Asia/Kolkata' as local_at from {{ ref('stg_orders') }}
{% endsnapshot %}
