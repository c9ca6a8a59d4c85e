SELECT date_trunc('hour', from_utc_timestamp(a.action_event_time, p.time_zone_name)) AS hour, count(*)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN to_utc_timestamp('2017-04-20 00:00:00', p.time_zone_name)
  AND to_utc_timestamp('2017-05-31 23:59:59.999', p.time_zone_name)
GROUP BY 1
