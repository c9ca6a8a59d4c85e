SELECT CAST(convert_timezone('UTC', p.time_zone_name, a.action_event_time) AS DATE) AS day, count(*)
FROM actions a
LEFT JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time >= TIMESTAMP_NTZ '2024-01-01'
GROUP BY 1
