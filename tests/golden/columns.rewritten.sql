SELECT date_trunc('hour', CASE WHEN p.tzconv_offsets_1_1 IS NOT NULL THEN make_timestamp(epoch_us(a.action_event_time) + CASE WHEN p.tzconv_starts_1_2 <= a.action_event_time THEN p.tzconv_offsets_1_2 ELSE p.tzconv_offsets_1_1 END) ELSE a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name END) AS "date_trunc('hour', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))",
       count(action_name)
FROM actions a
JOIN (
  SELECT p.*,
    tzconv_zone_1.* EXCLUDE (time_zone_name),
    CASE WHEN tzconv_zone_1.time_zone_name IS NOT NULL THEN TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC' END AS tzconv_bound_1,
    CASE WHEN tzconv_zone_1.time_zone_name IS NOT NULL THEN TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC' END AS tzconv_bound_2
  FROM publishers p
  LEFT JOIN (
    SELECT time_zone_name,
      starts[2] AS tzconv_starts_1_2, offsets[1] AS tzconv_offsets_1_1, offsets[2] AS tzconv_offsets_1_2
    FROM (
      SELECT time_zone_name,
        list(starts_at_utc ORDER BY starts_at_utc) AS starts,
        list(CAST(utc_offset_seconds AS BIGINT) * 1000000 ORDER BY starts_at_utc) AS offsets
      FROM time_zone_offset_conversion
      WHERE ends_before_utc > TIMESTAMP '2017-04-18 00:00:00' AND starts_at_utc < TIMESTAMP '2017-04-26 23:59:59.999001'
      GROUP BY time_zone_name
      HAVING count(*) <= 2
    ) AS tzconv_lists
  ) AS tzconv_zone_1 ON tzconv_zone_1.time_zone_name = p.time_zone_name
) p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN COALESCE(p.tzconv_bound_1, TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
      AND COALESCE(p.tzconv_bound_2, TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
  AND a.action_event_time >= TIMESTAMP '2017-04-19 00:00:00' AND a.action_event_time < TIMESTAMP '2017-04-25 23:59:59.999001'
GROUP BY 1;
