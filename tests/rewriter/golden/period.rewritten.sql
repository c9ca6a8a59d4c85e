SELECT (COALESCE(make_timestamp(epoch_us(a.action_event_time) + IF(a.action_event_time < tzconv_2.changes_at_utc, tzconv_2.microseconds_before, tzconv_2.microseconds_after)), a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE COALESCE(p.time_zone_name, 'UTC')))::date AS day, count(*)
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name = COALESCE(p.time_zone_name, 'UTC')
LEFT JOIN time_zone_period_conversion AS tzconv_2
  ON tzconv_2.zone_period = (epoch_us(a.action_event_time) >> 42) * 512 + tzconv_1.rules_id
    AND tzconv_2.zone_period >= 205312 -- the zone may be missing
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
