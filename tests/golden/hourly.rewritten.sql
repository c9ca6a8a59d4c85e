SELECT COALESCE(tzconv_hourly_1.tzconv_local_hour, date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS "date_trunc('hour', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))", count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
  SELECT time_zone_name AS tzconv_zone,
    hour_at_utc AS tzconv_hour,
    hour_at_time_zone AS tzconv_local_hour,
    starts_at_utc AS tzconv_starts_at_utc,
    ends_before_utc AS tzconv_ends_before_utc,
    CAST(utc_offset_seconds AS BIGINT) * 1000000 AS tzconv_offset
  FROM time_zone_hourly_conversion WHERE ends_before_utc > TIMESTAMP '2026-01-01 00:00:00'
) AS tzconv_hourly_1 ON tzconv_hourly_1.tzconv_zone = p.time_zone_name
  AND tzconv_hourly_1.tzconv_hour = date_trunc('hour', a.action_event_time)
  AND a.action_event_time >= tzconv_hourly_1.tzconv_starts_at_utc
  AND a.action_event_time < tzconv_hourly_1.tzconv_ends_before_utc
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
