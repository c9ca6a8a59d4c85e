SELECT date_trunc('hour', COALESCE(timestamp_micros(unix_micros(a.action_event_time) + 1000000L * CASE WHEN a.action_event_time >= tzconv_1.starts_at_instant_2 THEN tzconv_1.offset_2 ELSE tzconv_1.offset_1 END), from_utc_timestamp(a.action_event_time, p.time_zone_name))) AS hour, count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (SELECT /*+ BROADCAST(zones) */ * FROM (
    SELECT time_zone_name,
      min_by(utc_offset_seconds, starts_at_utc) AS offset_1,
      CAST(CONCAT(max(starts_at_utc), 'Z') AS TIMESTAMP_LTZ) AS starts_at_instant_2,
      max_by(utc_offset_seconds, starts_at_utc) AS offset_2
    FROM (SELECT /*+ COALESCE(1) */ * FROM time_zone_offset_conversion)
    WHERE time_zone_name NOT IN ('America/Coyhaique', 'EST', 'Factory', 'GMT+0', 'GMT-0', 'HST', 'MST', 'ROC')
      AND ends_before_utc > TIMESTAMP_NTZ '2017-04-18 06:00:00'
      AND starts_at_utc < TIMESTAMP_NTZ '2017-06-02 17:59:59.999001'
    GROUP BY time_zone_name
    HAVING count(*) <= 2
  ) AS zones) AS tzconv_1
  ON concat(tzconv_1.time_zone_name, '') = p.time_zone_name
LEFT JOIN (SELECT /*+ BROADCAST(time_zone_conversion_zone) */ * FROM time_zone_conversion_zone) AS tzconv_2
  ON concat(tzconv_2.time_zone_name, '') = p.time_zone_name
    AND tzconv_2.time_zone_name NOT IN ('America/Coyhaique', 'EST', 'Factory', 'GMT+0', 'GMT-0', 'HST', 'MST', 'ROC')
WHERE (tzconv_2.zone_id IS NOT NULL AND a.action_event_time BETWEEN TIMESTAMP_LTZ '2017-04-21 00:00:00Z'
  AND TIMESTAMP_LTZ '2017-05-30 23:59:59.999000Z' OR a.action_event_time BETWEEN to_utc_timestamp('2017-04-20 00:00:00', p.time_zone_name)
  AND to_utc_timestamp('2017-05-31 23:59:59.999', p.time_zone_name))
  AND a.action_event_time >= TIMESTAMP_LTZ '2017-04-19 06:00:00Z' AND a.action_event_time < TIMESTAMP_LTZ '2017-06-01 17:59:59.999001Z'
GROUP BY 1
