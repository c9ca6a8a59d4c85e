SELECT date_trunc('hour', COALESCE(make_timestamp(epoch_us(a.action_event_time) + CASE WHEN a.action_event_time >= tzconv_1.starts_at_utc_2 THEN tzconv_1.offset_2 ELSE tzconv_1.offset_1 END), a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS "date_trunc('hour', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))",
       count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
    SELECT time_zone_name,
      arg_min(utc_offset_seconds, starts_at_utc) * 1000000::BIGINT AS offset_1,
      max(starts_at_utc) AS starts_at_utc_2,
      arg_max(utc_offset_seconds, starts_at_utc) * 1000000::BIGINT AS offset_2,
      make_timestamp(epoch_us(TIMESTAMP '2017-04-20 00:00:00.0') - max(utc_offset_seconds) FILTER (WHERE starts_at_time_zone <= TIMESTAMP '2017-04-20 00:00:00.0' AND ends_before_time_zone > TIMESTAMP '2017-04-20 00:00:00.0') * 1000000::BIGINT) AS bound_1,
      make_timestamp(epoch_us(TIMESTAMP '2017-04-24 23:59:59.999') - max(utc_offset_seconds) FILTER (WHERE starts_at_time_zone <= TIMESTAMP '2017-04-24 23:59:59.999' AND ends_before_time_zone > TIMESTAMP '2017-04-24 23:59:59.999') * 1000000::BIGINT) AS bound_2
    FROM time_zone_offset_conversion
    WHERE ends_before_utc > TIMESTAMP '2017-04-18 00:00:00'
      AND starts_at_utc < TIMESTAMP '2017-04-26 23:59:59.999001'
    GROUP BY time_zone_name
    HAVING count(*) <= 2
  ) AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
WHERE a.action_event_time BETWEEN COALESCE(tzconv_1.bound_1, TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
      AND COALESCE(tzconv_1.bound_2, TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
  AND a.action_event_time >= TIMESTAMP '2017-04-19 00:00:00' AND a.action_event_time < TIMESTAMP '2017-04-25 23:59:59.999001'
GROUP BY 1;
