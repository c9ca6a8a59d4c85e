SELECT a.*, "P".*, COALESCE(make_timestamp(epoch_us(a.action_event_time) + IF(a.action_event_time < tzconv_2.changes_at_utc, tzconv_2.microseconds_before, tzconv_2.microseconds_after)), a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE "P".time_zone_name) AS local
FROM actions a CROSS JOIN publishers AS "P"
LEFT JOIN (
    SELECT * FROM time_zone_conversion_zone
    WHERE (SELECT IF(count(*) FILTER (WHERE zone_period = -1) = 1,
        sum(zone_period * zone_period), error('no row -1: run tzconv refresh --repair'))
      FROM time_zone_period_conversion)
      = (SELECT arg_max_null(period_keys, finished_at) FROM time_zone_conversion_release)
  ) AS tzconv_1
  ON tzconv_1.time_zone_name = "P".time_zone_name
JOIN time_zone_period_conversion AS tzconv_2
  ON tzconv_2.zone_period = CASE WHEN a.action_event_time >= TIMESTAMP '1970-01-01' AND a.action_event_time < TIMESTAMP '2037-01-01' THEN COALESCE((epoch_us(a.action_event_time) >> 42) * 512 + tzconv_1.rules_id, -1) ELSE -1 END
WHERE a.action_publisher_id = "P".id
