SELECT p.id,
       COALESCE((date_trunc('day', COALESCE(a.seen AT TIME ZONE tzconv_1.utc_offsets[pg_catalog.width_bucket(a.seen, tzconv_1.starts_at_instant)], a.seen AT TIME ZONE p.time_zone_name))) AT TIME ZONE tzconv_1.utc_offsets[pg_catalog.width_bucket(date_trunc('day', COALESCE(a.seen AT TIME ZONE tzconv_1.utc_offsets[pg_catalog.width_bucket(a.seen, tzconv_1.starts_at_instant)], a.seen AT TIME ZONE p.time_zone_name)), tzconv_1.starts_at_time_zone)], date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name) AS day,
       max(COALESCE(a.action_event_time + tzconv_1.utc_offsets[pg_catalog.width_bucket(a.action_event_time, tzconv_1.starts_at_utc)], CASE WHEN p.time_zone_name IS NOT NULL THEN a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name END))
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name::text = p.time_zone_name::text
WHERE a.seen >= '2026-01-01 00:00:00+00'
GROUP BY 1, 2;
