SELECT CAST(COALESCE(CAST(timestamp_micros(unix_micros(a.action_event_time) + 1000000L * tzconv_1.utc_offset_seconds) AS TIMESTAMP_NTZ), convert_timezone('UTC', p.time_zone_name, a.action_event_time)) AS DATE) AS day, count(*)
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (SELECT /*+ BROADCAST(time_zone_offset_conversion) */ *, CAST(CONCAT(starts_at_utc, 'Z') AS TIMESTAMP_LTZ) AS starts_at_utc_instant, CAST(CONCAT(ends_before_utc, 'Z') AS TIMESTAMP_LTZ) AS ends_before_utc_instant FROM time_zone_offset_conversion) AS tzconv_1
  ON concat(tzconv_1.time_zone_name, '') = p.time_zone_name
    AND tzconv_1.time_zone_name NOT IN ('America/Coyhaique', 'EST', 'Factory', 'GMT+0', 'GMT-0', 'HST', 'MST', 'ROC')
    AND a.action_event_time >= tzconv_1.starts_at_utc_instant
    AND a.action_event_time < tzconv_1.ends_before_utc_instant
    AND tzconv_1.ends_before_utc > TIMESTAMP_NTZ '2024-01-01 00:00:00'
WHERE a.action_event_time >= TIMESTAMP_NTZ '2024-01-01'
GROUP BY 1
