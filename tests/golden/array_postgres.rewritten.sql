SELECT p.id,
       COALESCE((date_trunc('day', COALESCE(a.seen AT TIME ZONE p.tzconv_offsets_1[width_bucket(a.seen, p.tzconv_instants_1)], a.seen AT TIME ZONE p.time_zone_name))) AT TIME ZONE p.tzconv_offsets_1[width_bucket(date_trunc('day', COALESCE(a.seen AT TIME ZONE p.tzconv_offsets_1[width_bucket(a.seen, p.tzconv_instants_1)], a.seen AT TIME ZONE p.time_zone_name)), p.tzconv_local_starts_1)], date_trunc('day', a.seen AT TIME ZONE p.time_zone_name) AT TIME ZONE p.time_zone_name) AS day,
       max(COALESCE(a.action_event_time + p.tzconv_offsets_1[width_bucket(a.action_event_time, p.tzconv_starts_1)], a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name))
FROM actions a
LEFT JOIN (
  SELECT p.*,
    tzconv_zone_1.starts AS tzconv_starts_1,
    tzconv_zone_1.instants AS tzconv_instants_1,
    tzconv_zone_1.local_starts AS tzconv_local_starts_1,
    tzconv_zone_1.offsets AS tzconv_offsets_1
  FROM publishers p
  LEFT JOIN (
    SELECT time_zone_name,
      array_agg(starts_at_utc ORDER BY starts_at_utc) || max(ends_before_utc) AS starts,
      array_agg(starts_at_utc AT TIME ZONE 'UTC' ORDER BY starts_at_utc) || max(ends_before_utc AT TIME ZONE 'UTC') AS instants,
      array_agg(starts_at_time_zone ORDER BY starts_at_utc) || max(ends_before_time_zone) AS local_starts,
      array_agg(utc_offset_seconds * INTERVAL '1 second' ORDER BY starts_at_utc) AS offsets
    FROM time_zone_offset_conversion
    WHERE ends_before_utc > TIMESTAMP '2019-12-31 00:00:00' AND starts_at_utc < TIMESTAMP '2028-01-02 00:00:00' AND time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
    GROUP BY time_zone_name
  ) AS tzconv_zone_1 ON tzconv_zone_1.time_zone_name = p.time_zone_name
  OFFSET 0
) p ON a.action_publisher_id = p.id
WHERE a.seen >= '2026-01-01 00:00:00+00'
GROUP BY 1, 2;
