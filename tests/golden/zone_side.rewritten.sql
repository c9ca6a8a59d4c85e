SELECT date_trunc('hour', COALESCE(make_timestamp(epoch_us(a.action_event_time) + p.tzconv_offset), a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS "date_trunc('hour', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))",
       count(action_name)
FROM actions a
JOIN (
  SELECT p.*,
    COALESCE(tzconv_span.starts_at_utc, TIMESTAMP '-infinity') AS tzconv_starts_at_utc,
    COALESCE(tzconv_span.ends_before_utc, TIMESTAMP 'infinity') AS tzconv_ends_before_utc,
    CAST(tzconv_span.utc_offset_seconds AS BIGINT) * 1000000 AS tzconv_offset,
    CASE WHEN tzconv_span.time_zone_name IS NOT NULL THEN TIMESTAMP '2008-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC' END AS tzconv_bound_1,
    CASE WHEN tzconv_span.time_zone_name IS NOT NULL THEN TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC' END AS tzconv_bound_2
  FROM publishers p
  LEFT JOIN time_zone_offset_conversion AS tzconv_span
    ON tzconv_span.time_zone_name = p.time_zone_name
    AND tzconv_span.ends_before_utc > TIMESTAMP '2008-04-19 00:00:00'
    AND tzconv_span.starts_at_utc < TIMESTAMP '2017-04-25 23:59:59.999001'
) p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN COALESCE(p.tzconv_bound_1, TIMESTAMP '2008-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
      AND COALESCE(p.tzconv_bound_2, TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
  AND a.action_event_time >= TIMESTAMP '2008-04-19 00:00:00' AND a.action_event_time < TIMESTAMP '2017-04-25 23:59:59.999001'
  AND a.action_event_time >= p.tzconv_starts_at_utc AND a.action_event_time < p.tzconv_ends_before_utc
GROUP BY 1;
