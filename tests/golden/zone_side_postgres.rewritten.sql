SELECT (COALESCE(a.seen AT TIME ZONE p.tzconv_offset, a.seen AT TIME ZONE p.time_zone_name))::date AS "timezone", count(*)
FROM actions a
JOIN (
  SELECT p.*,
    COALESCE(tzconv_span.starts_at_utc AT TIME ZONE 'UTC', TIMESTAMPTZ '-infinity') AS tzconv_starts_at_utc,
    COALESCE(tzconv_span.ends_before_utc AT TIME ZONE 'UTC', TIMESTAMPTZ 'infinity') AS tzconv_ends_before_utc,
    tzconv_span.utc_offset_seconds * INTERVAL '1 second' AS tzconv_offset
  FROM publishers p
  LEFT JOIN time_zone_offset_conversion AS tzconv_span
    ON tzconv_span.time_zone_name = p.time_zone_name
    AND tzconv_span.ends_before_utc > TIMESTAMP '2026-03-01 00:00:00'
    AND tzconv_span.starts_at_utc < TIMESTAMP '2026-04-01 00:00:00'
    AND tzconv_span.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
  WHERE (p.id < 100)
  OFFSET 0
) p ON a.action_publisher_id = p.id
WHERE a.seen >= '2026-03-01 00:00:00+00' AND a.seen < '2026-04-01 00:00:00+00' AND p.id < 100
  AND a.seen >= p.tzconv_starts_at_utc AND a.seen < p.tzconv_ends_before_utc
GROUP BY 1;
