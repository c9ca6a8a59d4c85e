SELECT date_trunc('hour', COALESCE(timestamp_micros(unix_micros(a.action_event_time) + 1000000L * CASE WHEN p.tzconv_instants_1_2 <= a.action_event_time THEN p.tzconv_offsets_1_2 ELSE p.tzconv_offsets_1_1 END), from_utc_timestamp(a.action_event_time, p.time_zone_name))) AS hour, count(*)
FROM actions a
JOIN (
  SELECT /*+ BROADCAST(tzconv_zone_1) */ p.*,
    tzconv_zone_1.* EXCEPT (time_zone_name),
    CASE WHEN tzconv_zone_1.time_zone_name IS NOT NULL THEN to_utc_timestamp('2017-04-20 00:00:00', p.time_zone_name) END AS tzconv_bound_1,
    CASE WHEN tzconv_zone_1.time_zone_name IS NOT NULL THEN to_utc_timestamp('2017-05-31 23:59:59.999', p.time_zone_name) END AS tzconv_bound_2
  FROM publishers p
  LEFT JOIN (
    SELECT time_zone_name,
      max_by(CAST(CONCAT(starts_at_utc, 'Z') AS TIMESTAMP_LTZ), starts_at_utc) AS tzconv_instants_1_2,
      min_by(utc_offset_seconds, starts_at_utc) AS tzconv_offsets_1_1,
      max_by(utc_offset_seconds, starts_at_utc) AS tzconv_offsets_1_2
    FROM (SELECT /*+ COALESCE(1) */ * FROM time_zone_offset_conversion)
    WHERE ends_before_utc > TIMESTAMP_NTZ '2017-04-18 06:00:00' AND starts_at_utc < TIMESTAMP_NTZ '2017-06-02 17:59:59.999001'
      AND time_zone_name NOT IN ('America/Coyhaique', 'EST', 'Factory', 'GMT+0', 'GMT-0', 'HST', 'MST', 'ROC')
    GROUP BY time_zone_name
    HAVING count(*) <= 2
  ) AS tzconv_zone_1 ON tzconv_zone_1.time_zone_name = p.time_zone_name
) p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN COALESCE(p.tzconv_bound_1, to_utc_timestamp('2017-04-20 00:00:00', p.time_zone_name))
  AND COALESCE(p.tzconv_bound_2, to_utc_timestamp('2017-05-31 23:59:59.999', p.time_zone_name))
  AND a.action_event_time >= TIMESTAMP_LTZ '2017-04-19 06:00:00Z' AND a.action_event_time < TIMESTAMP_LTZ '2017-06-01 17:59:59.999001Z'
GROUP BY 1
