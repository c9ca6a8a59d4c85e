SELECT (COALESCE(a.seen AT TIME ZONE tzconv_1.utc_offsets[pg_catalog.width_bucket(a.seen, tzconv_1.starts_at_instant)], a.seen AT TIME ZONE p.time_zone_name))::date AS "timezone", count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name::text = p.time_zone_name::text
WHERE a.seen >= '2026-03-01 00:00:00+00' AND a.seen < '2026-04-01 00:00:00+00' AND p.id < 100
GROUP BY 1;
