SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name),
       count(action_name)
FROM actions a
JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.action_event_time BETWEEN TIMESTAMP '2017-04-20 00:00:00.0' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
      AND TIMESTAMP '2017-04-24 23:59:59.999' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC'
GROUP BY 1;
