SELECT p.id, COALESCE(DATEADD(second, -(tzconv_1.utc_offset_seconds), a.action_event_time), CONVERT_TIMEZONE(p.time_zone_name, 'UTC', a.action_event_time)) AS utc
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_offset_conversion AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
    AND tzconv_1.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
    AND a.action_event_time >= tzconv_1.starts_at_time_zone + INTERVAL '1 day'
    AND a.action_event_time < tzconv_1.ends_before_time_zone - INTERVAL '1 day';
