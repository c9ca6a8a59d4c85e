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
SELECT date_trunc('hour', COALESCE(a.action_event_time + CASE WHEN p.tzconv_starts_1_2 <= a.action_event_time THEN p.tzconv_offsets_1_2 ELSE p.tzconv_offsets_1_1 END, a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)),
       count(action_name)
FROM actions a
JOIN (
  SELECT p.*,
    tzconv_zone_1.tzconv_starts_1_2,
    tzconv_zone_1.tzconv_offsets_1_1,
    tzconv_zone_1.tzconv_offsets_1_2,
    CASE WHEN tzconv_zone_1.time_zone_name IS NOT NULL THEN (TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC') END AS tzconv_bound_1,
    CASE WHEN tzconv_zone_1.time_zone_name IS NOT NULL THEN (TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC') END AS tzconv_bound_2
  FROM publishers p
  LEFT JOIN (
    SELECT time_zone_name,
      starts[2] AS tzconv_starts_1_2, offsets[1] AS tzconv_offsets_1_1, offsets[2] AS tzconv_offsets_1_2
    FROM (
      SELECT time_zone_name,
        array_agg(starts_at_utc ORDER BY starts_at_utc) AS starts,
        array_agg(utc_offset_seconds * INTERVAL '1 second' ORDER BY starts_at_utc) AS offsets
      FROM time_zone_offset_conversion
      WHERE ends_before_utc > TIMESTAMP '2017-04-11 00:00:00' AND starts_at_utc < TIMESTAMP '2017-05-03 23:59:59.999001'
        AND time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
      GROUP BY time_zone_name
      HAVING count(*) <= 2
    ) AS tzconv_lists
  ) AS tzconv_zone_1 ON tzconv_zone_1.time_zone_name = p.time_zone_name
  OFFSET 0
) p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN COALESCE(p.tzconv_bound_1, (TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'))
      AND COALESCE(p.tzconv_bound_2, (TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'))
  AND a.action_event_time >= TIMESTAMP '2017-04-12 00:00:00' AND a.action_event_time < TIMESTAMP '2017-05-02 23:59:59.999001'
  AND (a.action_event_time >= TIMESTAMP '2017-04-19 00:00:00' AND a.action_event_time < TIMESTAMP '2017-04-25 23:59:59.999001' OR EXISTS (SELECT p.time_zone_name FROM publishers p WHERE p.time_zone_name IS NOT NULL EXCEPT SELECT time_zone_name FROM time_zone_offset_conversion))
GROUP BY 1;
