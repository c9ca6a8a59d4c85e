-- expect: TZ001
SELECT date_trunc('hour', seen AT TIME ZONE 'Europe/Berlin') AS h, count(*) FROM events GROUP BY 1;

-- expect: TZ001
SELECT timezone(c.zone, e.seen)::date AS d FROM events e JOIN customers c ON c.id = e.customer_id;

-- expect: TZ002
SELECT count(*) FROM events WHERE t > now() - INTERVAL 3 HOUR;

-- expect: TZ002
SELECT count(*) FROM events WHERE t >= get_current_timestamp() - INTERVAL 1 DAY;

-- expect: TZ003
SELECT count(*) FROM events WHERE CAST(t AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS DATE) = DATE '2026-01-05';

-- expect: TZ001 TZ004
SELECT seen AT TIME ZONE 'EST' AS local FROM logs;

-- expect: TZ005
SELECT count(*) FROM events WHERE seen BETWEEN '2026-01-01' AND '2026-01-01 23:59:59.999';

-- expect: TZ006
SELECT timezone('Asia/Kathmandu', date_trunc('hour', seen)) AS h FROM events;

-- expect: TZ007
SELECT if(n > 0, 1.5, rate) AS v, CASE WHEN n > 0 THEN CAST(n AS FLOAT) ELSE CAST(n AS DECIMAL(9, 2)) END AS w FROM events;

-- expect: TZ008
SELECT count(*) FROM events, customers c JOIN time_zone_hourly_conversion h ON h.time_zone_name = c.zone;

-- expect: none
SELECT seen AT TIME ZONE 'UTC' AS u, now() AT TIME ZONE 'Asia/Tokyo' AS here FROM events;

-- expect: none
SELECT max(seen) AT TIME ZONE 'CET' AS newest, max(seen) AT TIME ZONE 'PST' AS elsewhere FROM events;

-- expect: none
SELECT if(n > 0, 1, 0) AS v, CASE WHEN n > 0 THEN 1.5 ELSE price END AS w, if(n > 0, 1, rate) AS x FROM events;

-- expect: none
SELECT count(*) FROM events WHERE t >= CAST(now() - INTERVAL 3 HOUR AS TIMESTAMP) AND seen > now() - INTERVAL 1 DAY;

-- expect: none
SELECT count(*) FROM events WHERE seen BETWEEN '2026-01-01' AND '2026-01-01 23:59:59.999999';

-- expect: none
SELECT date_trunc('hour', seen) AT TIME ZONE 'Europe/Berlin' AS h FROM events LIMIT 0;

-- expect: TZ005
SELECT count(*) FROM events WHERE date_trunc('milliseconds', t) <= '2026-01-31 23:59:59' OR t <= DATE '2026-02-01' - INTERVAL 1 SECOND;

-- expect: TZ005
SELECT count(*) FROM events WHERE t <= current_date - INTERVAL '1 second';

-- expect: none
SELECT count(*) FROM events WHERE date_trunc('hour', t) BETWEEN '2026-01-01' AND '2026-01-31 23:59:59';

-- expect: none
SELECT count(*) FROM events WHERE seen <= now() - INTERVAL '1 second' AND t <= DATE '2026-02-01' - INTERVAL '1 microsecond';
