SELECT (seen AT TIME ZONE 'Asia/Tehran')::date AS day, count(*)
FROM actions
GROUP BY day
