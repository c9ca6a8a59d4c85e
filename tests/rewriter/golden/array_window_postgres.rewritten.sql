SELECT (COALESCE(a.seen AT TIME ZONE CASE WHEN a.seen >= tzconv_1.starts_at_instant_2 THEN tzconv_1.offset_2 ELSE tzconv_1.offset_1 END, a.seen AT TIME ZONE p.time_zone_name))::date AS "timezone", count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
    SELECT DISTINCT time_zone_name,
      zone_id,
      utc_offsets[pg_catalog.width_bucket(TIMESTAMP '2026-02-28 00:00:00', starts_at_utc)] AS offset_1,
      starts_at_instant[pg_catalog.width_bucket(TIMESTAMP '2026-02-28 00:00:00', starts_at_utc) + 1] AS starts_at_instant_2,
      utc_offsets[pg_catalog.width_bucket(TIMESTAMP '2026-02-28 00:00:00', starts_at_utc) + 1] AS offset_2
    FROM time_zone_conversion_zone
    WHERE COALESCE(starts_at_utc[pg_catalog.width_bucket(TIMESTAMP '2026-02-28 00:00:00', starts_at_utc) + 2] >= TIMESTAMP '2026-04-02 00:00:00', TRUE)
  ) AS tzconv_1
  ON tzconv_1.time_zone_name::text = p.time_zone_name::text
WHERE a.seen >= '2026-03-01 00:00:00+00' AND a.seen < '2026-04-01 00:00:00+00' AND p.id < 100
GROUP BY 1;
