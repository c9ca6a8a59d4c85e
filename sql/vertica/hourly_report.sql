-- Taboola's report: actions by hour of each publisher's zone.

-- before
SELECT date_trunc('hour',
new_time(action_event_time,p.time_zone_name, 'UTC')
), count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN new_time('2017-04-20 00:00:00.0',p.time_zone_name, 'UTC') AND new_time('2017-04-24 23:59:59.999', p.time_zone_name,'UTC')
GROUP BY 1;

-- after, as `tzconv rewrite --dialect vertica` prints it
SELECT date_trunc('hour',
COALESCE(action_event_time - p.tzconv_offset, new_time(action_event_time,p.time_zone_name, 'UTC'))
), count(action_name)
FROM actions a
JOIN (
  SELECT p.*,
    COALESCE(tzconv_span.starts_at_time_zone, TIMESTAMP '0001-01-01 00:00:00') AS tzconv_starts_at_utc,
    COALESCE(tzconv_span.ends_before_time_zone, TIMESTAMP '9999-12-31 00:00:00') AS tzconv_ends_before_utc,
    tzconv_span.utc_offset_seconds * INTERVAL '1 second' AS tzconv_offset,
    CASE WHEN tzconv_span.time_zone_name IS NOT NULL THEN new_time('2017-04-20 00:00:00.0',p.time_zone_name, 'UTC') END AS tzconv_bound_1,
    CASE WHEN tzconv_span.time_zone_name IS NOT NULL THEN new_time('2017-04-24 23:59:59.999', p.time_zone_name,'UTC') END AS tzconv_bound_2
  FROM publishers p
  LEFT JOIN time_zone_offset_conversion AS tzconv_span
    ON tzconv_span.time_zone_name = p.time_zone_name
    AND tzconv_span.ends_before_time_zone > TIMESTAMP '2017-04-12 00:00:00'
    AND tzconv_span.starts_at_time_zone < TIMESTAMP '2017-05-02 23:59:59.999001'
    AND tzconv_span.time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
) p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN COALESCE(p.tzconv_bound_1, new_time('2017-04-20 00:00:00.0',p.time_zone_name, 'UTC')) AND COALESCE(p.tzconv_bound_2, new_time('2017-04-24 23:59:59.999', p.time_zone_name,'UTC'))
  AND a.action_event_time >= TIMESTAMP '2017-04-12 00:00:00' AND a.action_event_time < TIMESTAMP '2017-05-02 23:59:59.999001'
  AND action_event_time >= p.tzconv_starts_at_utc AND action_event_time < p.tzconv_ends_before_utc
GROUP BY 1;
