SELECT (COALESCE(make_timestamp(epoch_us(action_event_time) + IF(action_event_time < tzconv_1.changes_at_utc, tzconv_1.utc_offset_before, tzconv_1.utc_offset_after) * 1000000::BIGINT), action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tehran'))::date AS day, count(*)
FROM actions
LEFT JOIN time_zone_period_conversion AS tzconv_1
  ON tzconv_1.time_zone_name = 'Asia/Tehran'
    AND tzconv_1.zone_period // 1024 = (epoch_us(action_event_time) >> 41)
GROUP BY day
