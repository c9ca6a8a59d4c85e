SELECT count(*) FROM logs
WHERE log_time >= NOW() - INTERVAL '1 day';
