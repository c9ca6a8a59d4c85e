SELECT date_trunc('hour',
COALESCE(action_event_time - (tzconv_2.utc_offset_seconds * INTERVAL '1 second'), new_time(action_event_time,p.time_zone_name, 'UTC'))
), count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_conversion_zone AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
    AND tzconv_1.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
LEFT JOIN time_zone_offset_conversion AS tzconv_2
  ON tzconv_2.time_zone_name = p.time_zone_name
    AND tzconv_2.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
    AND action_event_time >= tzconv_2.starts_at_time_zone
    AND action_event_time < tzconv_2.ends_before_time_zone
    AND tzconv_2.ends_before_time_zone > TIMESTAMP '2017-04-12 00:00:00'
    AND tzconv_2.starts_at_time_zone < TIMESTAMP '2017-05-02 23:59:59.999001'
WHERE (tzconv_1.zone_id IS NOT NULL AND a.action_event_time BETWEEN TIMESTAMP '2017-04-21 00:00:00' AND TIMESTAMP '2017-04-23 23:59:59.999000' OR a.action_event_time BETWEEN new_time('2017-04-20 00:00:00.0',p.time_zone_name, 'UTC') AND new_time('2017-04-24 23:59:59.999', p.time_zone_name,'UTC'))
  AND a.action_event_time >= TIMESTAMP '2017-04-12 00:00:00' AND a.action_event_time < TIMESTAMP '2017-05-02 23:59:59.999001'
GROUP BY 1;
