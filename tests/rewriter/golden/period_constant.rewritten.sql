SELECT (COALESCE(make_timestamp(epoch_us(action_event_time) + IF(action_event_time < tzconv_1.changes_at_utc, tzconv_1.microseconds_before, tzconv_1.microseconds_after)), action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tehran'))::date AS day, count(*)
FROM actions
LEFT JOIN (
    SELECT * FROM time_zone_period_conversion
    WHERE zone_period % 512 = (SELECT rules_id FROM time_zone_conversion_zone WHERE time_zone_name = 'Asia/Tehran')
  ) AS tzconv_1
  ON tzconv_1.zone_period // 512 = (epoch_us(action_event_time) >> 42)
GROUP BY day
