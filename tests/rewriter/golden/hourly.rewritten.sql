SELECT COALESCE(tzconv_1.hour_at_time_zone, date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS "date_trunc('hour', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))", count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_hourly_conversion AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
    AND tzconv_1.hour_at_utc = date_trunc('hour', a.action_event_time)
    AND a.action_event_time >= tzconv_1.starts_at_utc
    AND a.action_event_time < tzconv_1.ends_before_utc
    AND tzconv_1.ends_before_utc > TIMESTAMP '2026-01-01 00:00:00'
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
