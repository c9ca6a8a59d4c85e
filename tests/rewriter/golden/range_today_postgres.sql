SELECT p.id, count(*)
FROM actions a JOIN publishers p ON a.action_publisher_id = p.id
WHERE a.seen AT TIME ZONE p.time_zone_name >= date_trunc('month', now() AT TIME ZONE p.time_zone_name)
  AND (a.seen AT TIME ZONE 'Asia/Tokyo')::date = (now() AT TIME ZONE 'Asia/Tokyo')::date
GROUP BY p.id
