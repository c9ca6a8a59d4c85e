SELECT (COALESCE(make_timestamp(epoch_us(a.action_event_time) + CASE WHEN tzconv_utc_day_1.tzconv_changes_at_utc <= a.action_event_time THEN tzconv_utc_day_1.tzconv_offset_after ELSE tzconv_utc_day_1.tzconv_offset END), a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE COALESCE(p.time_zone_name, 'UTC')))::date AS day, count(*)
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
  SELECT time_zone_name AS tzconv_zone,
    utc_day AS tzconv_day,
    changes_at_utc AS tzconv_changes_at_utc,
    CAST(utc_offset_seconds AS BIGINT) * 1000000 AS tzconv_offset,
    CAST(utc_offset_seconds_after AS BIGINT) * 1000000 AS tzconv_offset_after
  FROM time_zone_utc_day_conversion WHERE utc_day >= DATE '2026-01-01'
) AS tzconv_utc_day_1 ON tzconv_utc_day_1.tzconv_zone = COALESCE(p.time_zone_name, 'UTC')
  AND tzconv_utc_day_1.tzconv_day = CAST(a.action_event_time AS DATE) -- the zone may be missing
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
