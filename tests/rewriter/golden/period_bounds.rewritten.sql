SELECT date_trunc('hour', COALESCE(make_timestamp(epoch_us(a.action_event_time) + IF(a.action_event_time < tzconv_2.changes_at_utc, tzconv_2.microseconds_before, tzconv_2.microseconds_after)), a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS "date_trunc('hour', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))",
       count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
LEFT JOIN time_zone_period_conversion AS tzconv_2
  ON tzconv_2.zone_period = (epoch_us(a.action_event_time) >> 42) * 512 + tzconv_1.rules_id
    AND tzconv_2.zone_period >= 140288
    AND tzconv_2.zone_period < 174080
WHERE (tzconv_1.zone_id IS NOT NULL AND a.action_event_time BETWEEN TIMESTAMP '2008-04-21 00:00:00'
      AND TIMESTAMP '2017-04-23 23:59:59.999000' OR a.action_event_time BETWEEN TIMESTAMP '2008-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
      AND TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
  AND a.action_event_time >= TIMESTAMP '2008-04-19 00:00:00' AND a.action_event_time < TIMESTAMP '2017-04-25 23:59:59.999001'
GROUP BY 1;
