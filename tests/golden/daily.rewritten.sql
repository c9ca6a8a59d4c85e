SELECT COALESCE(CAST(tzconv_daily_1.tzconv_day AS TIMESTAMP), date_trunc('day', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name)) AS "date_trunc('day', timezone(p.time_zone_name, timezone('UTC', a.action_event_time)))", count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
LEFT JOIN (
  SELECT time_zone_name AS tzconv_zone,
    day AS tzconv_day,
    day_starts_at_utc AS tzconv_starts_at_utc,
    day_ends_before_utc AS tzconv_ends_before_utc
  FROM time_zone_daily_conversion WHERE day_ends_before_utc > TIMESTAMP '2026-01-01 00:00:00'
) AS tzconv_daily_1 ON tzconv_daily_1.tzconv_zone = p.time_zone_name
  AND a.action_event_time >= tzconv_daily_1.tzconv_starts_at_utc
  AND a.action_event_time < tzconv_daily_1.tzconv_ends_before_utc
WHERE a.action_event_time >= TIMESTAMP '2026-01-01'
GROUP BY 1;
