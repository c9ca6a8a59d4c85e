-- Taboola's report: actions by hour of each publisher's time zone.

-- before
SELECT DATE_TRUNC('hour', CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS hour,
       COUNT(a.action_name) AS actions
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-03-10 00:00:00')
  AND CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-04-20 23:59:59.999')
GROUP BY 1;

-- after, as `tzconv rewrite --dialect redshift` prints it
SELECT DATE_TRUNC('hour', COALESCE(DATEADD(second, tzconv_2.utc_offset_seconds, a.action_event_time), CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time))) AS hour,
       COUNT(a.action_name) AS actions
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
    AND tzconv_1.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
LEFT JOIN time_zone_offset_conversion AS tzconv_2
  ON tzconv_2.time_zone_name = p.time_zone_name
    AND tzconv_2.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
    AND a.action_event_time >= tzconv_2.starts_at_utc
    AND a.action_event_time < tzconv_2.ends_before_utc
    AND tzconv_2.ends_before_utc > TIMESTAMP '2017-03-02 00:00:00'
    AND tzconv_2.starts_at_utc < TIMESTAMP '2017-04-28 23:59:59.999001'
WHERE (tzconv_1.zone_id IS NOT NULL AND a.action_event_time BETWEEN TIMESTAMP '2017-03-11 00:00:00'
  AND TIMESTAMP '2017-04-19 23:59:59.999000' OR a.action_event_time BETWEEN CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-03-10 00:00:00')
  AND CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-04-20 23:59:59.999'))
  AND a.action_event_time >= TIMESTAMP '2017-03-02 00:00:00' AND a.action_event_time < TIMESTAMP '2017-04-28 23:59:59.999001'
GROUP BY 1;
