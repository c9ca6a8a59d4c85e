-- Taboola's report: actions by hour of each publisher's time zone.

-- before
SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name),
       count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN (TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
      AND (TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
GROUP BY 1;

-- after, as `tzconv rewrite --dialect postgres` prints it
SELECT date_trunc('hour', COALESCE(a.action_event_time + CASE WHEN a.action_event_time >= tzconv_1.starts_at_utc_2 THEN tzconv_1.offset_2 ELSE tzconv_1.offset_1 END, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)),
       count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
    SELECT DISTINCT time_zone_name,
      zone_id,
      utc_offsets[pg_catalog.width_bucket(TIMESTAMP '2017-04-11 00:00:00', starts_at_utc)] AS offset_1,
      starts_at_utc[pg_catalog.width_bucket(TIMESTAMP '2017-04-11 00:00:00', starts_at_utc) + 1] AS starts_at_utc_2,
      utc_offsets[pg_catalog.width_bucket(TIMESTAMP '2017-04-11 00:00:00', starts_at_utc) + 1] AS offset_2,
      (TIMESTAMP '2017-04-20 00:00:00.0' - utc_offsets[pg_catalog.width_bucket(TIMESTAMP '2017-04-20 00:00:00.0', starts_at_time_zone)]) AS bound_1,
      (TIMESTAMP '2017-04-24 23:59:59.999' - utc_offsets[pg_catalog.width_bucket(TIMESTAMP '2017-04-24 23:59:59.999', starts_at_time_zone)]) AS bound_2
    FROM time_zone_conversion_zone
    WHERE COALESCE(starts_at_utc[pg_catalog.width_bucket(TIMESTAMP '2017-04-11 00:00:00', starts_at_utc) + 2] >= TIMESTAMP '2017-05-03 23:59:59.999001', TRUE)
  ) AS tzconv_1
  ON tzconv_1.time_zone_name::text = p.time_zone_name::text
WHERE a.action_event_time BETWEEN COALESCE(tzconv_1.bound_1, (TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'))
      AND COALESCE(tzconv_1.bound_2, (TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'))
  AND a.action_event_time >= TIMESTAMP '2017-04-12 00:00:00' AND a.action_event_time < TIMESTAMP '2017-05-02 23:59:59.999001'
GROUP BY 1;
