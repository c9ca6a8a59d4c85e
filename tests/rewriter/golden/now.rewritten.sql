SELECT count(*) FROM logs
WHERE log_time >= CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)  -- yesterday
