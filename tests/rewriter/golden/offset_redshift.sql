SELECT DATE_TRUNC('hour', CONVERT_TIMEZONE('UTC', p.time_zone_name, a.action_event_time)) AS hour,
       COUNT(a.action_name) AS actions
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-03-10 00:00:00')
  AND CONVERT_TIMEZONE(p.time_zone_name, 'UTC', '2017-04-20 23:59:59.999')
GROUP BY 1;
