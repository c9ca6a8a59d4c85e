SELECT CAST(COALESCE(CAST(timestamp_micros(unix_micros(a.action_event_time) + 1000000L * tzconv_offset_1.tzconv_offset) AS TIMESTAMP_NTZ), convert_timezone('UTC', p.time_zone_name, a.action_event_time)) AS DATE) AS day, count(*)
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
  SELECT /*+ BROADCAST(time_zone_offset_conversion) */ time_zone_name AS tzconv_zone,
    CAST(CONCAT(starts_at_utc, 'Z') AS TIMESTAMP_LTZ) AS tzconv_starts_at_utc,
    CAST(CONCAT(ends_before_utc, 'Z') AS TIMESTAMP_LTZ) AS tzconv_ends_before_utc,
    utc_offset_seconds AS tzconv_offset
  FROM time_zone_offset_conversion WHERE ends_before_utc > TIMESTAMP_NTZ '2024-01-01 00:00:00' AND starts_at_utc < TIMESTAMP_NTZ '2028-01-01 00:00:00' AND time_zone_name NOT IN ('America/Coyhaique', 'EST', 'Factory', 'GMT+0', 'GMT-0', 'HST', 'MST', 'ROC')
) AS tzconv_offset_1 ON tzconv_offset_1.tzconv_zone = p.time_zone_name
  AND a.action_event_time >= tzconv_offset_1.tzconv_starts_at_utc
  AND a.action_event_time < tzconv_offset_1.tzconv_ends_before_utc
WHERE a.action_event_time >= TIMESTAMP_NTZ '2024-01-01'
GROUP BY 1
