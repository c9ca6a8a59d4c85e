SELECT COALESCE(CAST(tzconv_1.day AS TIMESTAMP), date_trunc('day', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS "date_trunc('day', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))", count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN time_zone_daily_conversion AS tzconv_1
  ON tzconv_1.time_zone_name = p.time_zone_name
    AND a.action_event_time >= tzconv_1.day_starts_at_utc
    AND a.action_event_time < tzconv_1.day_ends_before_utc
    AND tzconv_1.day_ends_before_utc > TIMESTAMP '2026-01-01 00:00:00'
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
