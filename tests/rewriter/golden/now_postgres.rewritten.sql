SELECT count(*) FROM logs
WHERE log_time >= (SELECT CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP));
