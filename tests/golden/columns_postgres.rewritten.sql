SELECT (COALESCE(a.seen AT TIME ZONE CASE WHEN p.tzconv_instants_1_2 <= a.seen THEN p.tzconv_offsets_1_2 ELSE p.tzconv_offsets_1_1 END, a.seen AT TIME ZONE p.time_zone_name))::date AS "timezone", count(*)
FROM actions a
JOIN (
  SELECT p.*,
    tzconv_zone_1.tzconv_instants_1_2,
    tzconv_zone_1.tzconv_offsets_1_1,
    tzconv_zone_1.tzconv_offsets_1_2
  FROM publishers p
  LEFT JOIN (
    SELECT time_zone_name,
      instants[2] AS tzconv_instants_1_2, offsets[1] AS tzconv_offsets_1_1, offsets[2] AS tzconv_offsets_1_2
    FROM (
      SELECT time_zone_name,
        array_agg(starts_at_utc AT TIME ZONE 'UTC' ORDER BY starts_at_utc) AS instants,
        array_agg(utc_offset_seconds * INTERVAL '1 second' ORDER BY starts_at_utc) AS offsets
      FROM time_zone_offset_conversion
      WHERE ends_before_utc > TIMESTAMP '2026-02-28 00:00:00' AND starts_at_utc < TIMESTAMP '2026-04-02 00:00:00'
        AND time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
      GROUP BY time_zone_name
      HAVING count(*) <= 2
    ) AS tzconv_lists
  ) AS tzconv_zone_1 ON tzconv_zone_1.time_zone_name = p.time_zone_name
  WHERE (p.id < 100)
  OFFSET 0
) p ON a.action_publisher_id = p.id
WHERE a.seen >= '2026-03-01 00:00:00+00' AND a.seen < '2026-04-01 00:00:00+00' AND p.id < 100
GROUP BY 1;
