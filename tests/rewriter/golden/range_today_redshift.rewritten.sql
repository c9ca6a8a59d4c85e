SELECT COUNT(*)
FROM actions
LEFT JOIN time_zone_period_conversion AS tzconv_1
  ON tzconv_1.time_zone_name = 'America/New_York'
    AND tzconv_1.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
    AND (tzconv_1.zone_period >> 10) = (DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', action_event_time) >> 41)
    AND action_event_time >= TIMESTAMP '1970-01-01 00:00:00'
    AND tzconv_1.zone_period >= (DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) - INTERVAL '24 hours') >> 41) * 1024
    AND tzconv_1.zone_period < ((DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) + INTERVAL '48 hours') >> 41) + 1) * 1024
WHERE TRUNC(COALESCE(DATEADD(second, CAST(CASE WHEN action_event_time < tzconv_1.changes_at_utc THEN tzconv_1.utc_offset_before ELSE tzconv_1.utc_offset_after END AS INTEGER), action_event_time), CONVERT_TIMEZONE('America/New_York', action_event_time))) = TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE()))
  AND action_event_time >= CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) - INTERVAL '24 hours' AND action_event_time <= CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) + INTERVAL '48 hours';
