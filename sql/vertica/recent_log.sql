-- The comparison with NOW() that Adform found loading a cluster.

-- before
SELECT level, count(*)
FROM logs
WHERE log_time >= NOW() - INTERVAL '1 day'
GROUP BY 1;

-- after, as `tzconv rewrite --dialect vertica` prints it
SELECT level, count(*)
FROM logs
WHERE log_time >= CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)
GROUP BY 1;
