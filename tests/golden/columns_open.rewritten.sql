SELECT (CASE WHEN a.action_event_time >= TIMESTAMP '2026-01-01 00:00:00' AND a.action_event_time < TIMESTAMP '2028-01-01 00:00:00' AND p.tzconv_offsets_1_1 IS NOT NULL THEN make_timestamp(epoch_us(a.action_event_time) + CASE
  WHEN p.tzconv_starts_1_4 <= a.action_event_time THEN
    CASE WHEN p.tzconv_starts_1_6 <= a.action_event_time THEN p.tzconv_offsets_1_6 WHEN p.tzconv_starts_1_5 <= a.action_event_time THEN p.tzconv_offsets_1_5 ELSE p.tzconv_offsets_1_4 END
  ELSE
    CASE WHEN p.tzconv_starts_1_3 <= a.action_event_time THEN p.tzconv_offsets_1_3 WHEN p.tzconv_starts_1_2 <= a.action_event_time THEN p.tzconv_offsets_1_2 ELSE p.tzconv_offsets_1_1 END
END) ELSE a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name END)::date AS day, count(*)
FROM actions a
JOIN (
  SELECT p.*,
    tzconv_zone_1.* EXCLUDE (time_zone_name)
  FROM publishers p
  LEFT JOIN (
    SELECT time_zone_name,
      starts[2] AS tzconv_starts_1_2, starts[3] AS tzconv_starts_1_3, starts[4] AS tzconv_starts_1_4,
      starts[5] AS tzconv_starts_1_5, starts[6] AS tzconv_starts_1_6, offsets[1] AS tzconv_offsets_1_1,
      offsets[2] AS tzconv_offsets_1_2, offsets[3] AS tzconv_offsets_1_3, offsets[4] AS tzconv_offsets_1_4,
      offsets[5] AS tzconv_offsets_1_5, offsets[6] AS tzconv_offsets_1_6
    FROM (
      SELECT time_zone_name,
        list(starts_at_utc ORDER BY starts_at_utc) AS starts,
        list(CAST(utc_offset_seconds AS BIGINT) * 1000000 ORDER BY starts_at_utc) AS offsets
      FROM time_zone_offset_conversion
      WHERE ends_before_utc > TIMESTAMP '2025-12-31 00:00:00' AND starts_at_utc < TIMESTAMP '2028-01-02 00:00:00'
      GROUP BY time_zone_name
      HAVING count(*) <= 6
    ) AS tzconv_lists
  ) AS tzconv_zone_1 ON tzconv_zone_1.time_zone_name = p.time_zone_name
) p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
