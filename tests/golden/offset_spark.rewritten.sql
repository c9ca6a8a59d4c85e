SELECT date_trunc('hour', COALESCE(timestamp_micros(unix_micros(a.action_event_time) + 1000000L * tzconv_offset_1.tzconv_offset), from_utc_timestamp(a.action_event_time, p.time_zone_name))) AS hour, count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
  SELECT /*+ BROADCAST(time_zone_offset_conversion) */ time_zone_name AS tzconv_zone,
    CAST(CONCAT(starts_at_utc, 'Z') AS TIMESTAMP_LTZ) AS tzconv_starts_at_utc,
    CAST(CONCAT(ends_before_utc, 'Z') AS TIMESTAMP_LTZ) AS tzconv_ends_before_utc,
    utc_offset_seconds AS tzconv_offset,
    to_utc_timestamp('2017-04-20 00:00:00', time_zone_name) AS tzconv_bound_1,
    to_utc_timestamp('2017-05-31 23:59:59.999', time_zone_name) AS tzconv_bound_2
  FROM time_zone_offset_conversion WHERE ends_before_utc > TIMESTAMP_NTZ '2017-04-19 06:00:00' AND starts_at_utc < TIMESTAMP_NTZ '2017-06-01 17:59:59.999001' AND time_zone_name NOT IN ('America/Coyhaique', 'EST', 'Factory', 'GMT+0', 'GMT-0', 'HST', 'MST', 'ROC')
) AS tzconv_offset_1 ON tzconv_offset_1.tzconv_zone = p.time_zone_name
  AND a.action_event_time >= tzconv_offset_1.tzconv_starts_at_utc
  AND a.action_event_time < tzconv_offset_1.tzconv_ends_before_utc
WHERE a.action_event_time BETWEEN COALESCE(tzconv_offset_1.tzconv_bound_1, to_utc_timestamp('2017-04-20 00:00:00', p.time_zone_name))
  AND COALESCE(tzconv_offset_1.tzconv_bound_2, to_utc_timestamp('2017-05-31 23:59:59.999', p.time_zone_name))
  AND a.action_event_time >= TIMESTAMP_LTZ '2017-04-19 06:00:00Z' AND a.action_event_time < TIMESTAMP_LTZ '2017-06-01 17:59:59.999001Z'
GROUP BY 1
