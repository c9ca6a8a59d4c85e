SELECT COUNT(*)
FROM actions
LEFT JOIN (
    SELECT * FROM time_zone_period_conversion
    WHERE zone_period % 512 = (SELECT rules_id FROM time_zone_conversion_zone WHERE time_zone_name = 'America/New_York')
  ) AS tzconv_1
  ON (tzconv_1.zone_period >> 9) = (DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', CASE WHEN action_event_time >= TIMESTAMP '1970-01-01' AND action_event_time < TIMESTAMP '2037-01-01' THEN action_event_time END) >> 42)
    AND tzconv_1.zone_period >= (DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) - INTERVAL '24 hours') >> 42) * 512
    AND tzconv_1.zone_period < ((DATEDIFF(microsecond, TIMESTAMP '1970-01-01 00:00:00', CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) + INTERVAL '48 hours') >> 42) + 1) * 512
WHERE TRUNC(COALESCE(DATEADD(second, CAST(CASE WHEN action_event_time < tzconv_1.changes_at_utc THEN tzconv_1.microseconds_before ELSE tzconv_1.microseconds_after END / 1000000 AS INTEGER), action_event_time), CONVERT_TIMEZONE('America/New_York', action_event_time))) = TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE()))
  AND action_event_time >= CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) - INTERVAL '24 hours' AND action_event_time <= CAST(TRUNC(CONVERT_TIMEZONE('America/New_York', GETDATE())) AS TIMESTAMP) + INTERVAL '48 hours';
