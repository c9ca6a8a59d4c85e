SELECT p.id, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name::text = p.time_zone_name::text
WHERE COALESCE(a.seen AT TIME ZONE tzconv_1.utc_offsets[pg_catalog.width_bucket(a.seen, tzconv_1.starts_at_instant)], a.seen AT TIME ZONE p.time_zone_name) >= date_trunc('month', COALESCE((now()) AT TIME ZONE tzconv_1.utc_offsets[pg_catalog.width_bucket(now(), tzconv_1.starts_at_instant)], now() AT TIME ZONE p.time_zone_name))
  AND (COALESCE(a.seen AT TIME ZONE (SELECT utc_offsets FROM time_zone_conversion_zone WHERE time_zone_name::text = 'Asia/Tokyo')[pg_catalog.width_bucket(a.seen, (SELECT starts_at_instant FROM time_zone_conversion_zone WHERE time_zone_name::text = 'Asia/Tokyo'))], a.seen AT TIME ZONE 'Asia/Tokyo'))::date = (now() AT TIME ZONE 'Asia/Tokyo')::date
  AND a.seen >= (SELECT CAST(date_trunc('month', (((now()) AT TIME ZONE 'UTC') - INTERVAL '192 hours')) AS TIMESTAMP) AT TIME ZONE 'UTC' - INTERVAL '192 hours')
  AND a.seen >= (SELECT CAST((now() AT TIME ZONE 'Asia/Tokyo')::date AS TIMESTAMP) AT TIME ZONE 'UTC' - INTERVAL '24 hours') AND a.seen <= (SELECT CAST((now() AT TIME ZONE 'Asia/Tokyo')::date AS TIMESTAMP) AT TIME ZONE 'UTC' + INTERVAL '48 hours')
GROUP BY p.id
