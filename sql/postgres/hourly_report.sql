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
SELECT date_trunc('hour', COALESCE(a.action_event_time + tzconv_1.utc_offsets[pg_catalog.width_bucket(a.action_event_time, tzconv_1.starts_at_utc)], a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)),
       count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name::text = p.time_zone_name::text
WHERE (tzconv_1.zone_id IS NOT NULL AND a.action_event_time BETWEEN TIMESTAMP '2017-04-21 00:00:00'
      AND TIMESTAMP '2017-04-23 23:59:59.999000' OR a.action_event_time BETWEEN (TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
      AND (TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'))
  AND a.action_event_time >= TIMESTAMP '2017-04-12 00:00:00' AND a.action_event_time < TIMESTAMP '2017-05-02 23:59:59.999001'
GROUP BY 1;
