SELECT action_name, count(*)
FROM actions
LEFT JOIN (
    SELECT * FROM time_zone_period_conversion
    WHERE zone_period % 512 = (SELECT rules_id FROM time_zone_conversion_zone WHERE time_zone_name = 'Asia/Tokyo')
  ) AS tzconv_1
  ON tzconv_1.zone_period // 512 = (epoch_us(action_event_time) >> 42)
    AND tzconv_1.zone_period >= (epoch_us(CAST((now() AT TIME ZONE 'Asia/Tokyo')::date - 7 AS TIMESTAMP) - INTERVAL '24 hours') >> 42) * 512
    AND tzconv_1.zone_period < ((epoch_us(CAST(CURRENT_DATE - 1 AS TIMESTAMP) + INTERVAL '48 hours') >> 42) + 1) * 512
WHERE (COALESCE(make_timestamp(epoch_us(action_event_time) + IF(action_event_time < tzconv_1.changes_at_utc, tzconv_1.microseconds_before, tzconv_1.microseconds_after)), action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'))::date
    BETWEEN (now() AT TIME ZONE 'Asia/Tokyo')::date - 7 AND CURRENT_DATE - 1
  AND action_event_time >= CAST((now() AT TIME ZONE 'Asia/Tokyo')::date - 7 AS TIMESTAMP) - INTERVAL '24 hours' AND action_event_time <= CAST(CURRENT_DATE - 1 AS TIMESTAMP) + INTERVAL '48 hours'
GROUP BY action_name
