SELECT a.*, p.*
FROM actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
    SELECT time_zone_name,
      arg_min(utc_offset_seconds, starts_at_utc) * 1000000::BIGINT AS offset_1,
      max(starts_at_utc) AS starts_at_utc_2,
      arg_max(utc_offset_seconds, starts_at_utc) * 1000000::BIGINT AS offset_2
    FROM time_zone_offset_conversion
    WHERE ends_before_utc > TIMESTAMP '2026-03-06 00:00:00'
      AND starts_at_utc < TIMESTAMP '2026-03-11 00:00:00'
    GROUP BY time_zone_name
    HAVING count(*) <= 2
  ) AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
WHERE (COALESCE(make_timestamp(epoch_us(a.action_event_time) + CASE WHEN a.action_event_time >= tzconv_1.starts_at_utc_2 THEN tzconv_1.offset_2 ELSE tzconv_1.offset_1 END), CASE WHEN p.time_zone_name IS NOT NULL THEN a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name END))::date = DATE '2026-03-08'
  AND a.action_event_time >= TIMESTAMP '2026-03-07 00:00:00' AND a.action_event_time < TIMESTAMP '2026-03-10 00:00:00'
ORDER BY a.action_event_time
