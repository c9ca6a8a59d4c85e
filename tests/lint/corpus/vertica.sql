-- expect: TZ001
SELECT DATE(NEW_TIME(t, 'UTC', 'America/New_York')) AS d, COUNT(*) FROM events GROUP BY 1;

-- expect: TZ001
SELECT NEW_TIME(a.t, 'GMT', p.time_zone_name) AS h FROM events a JOIN publishers p ON a.n = p.id WHERE a.t >= '2017-04-20' AND a.t < '2017-05-03';

-- expect: TZ001
SELECT seen AT TIMEZONE 'America/New_York' AS local FROM events;

-- expect: TZ002
SELECT COUNT(*) FROM events WHERE t >= NOW() - INTERVAL '1 day';

-- expect: TZ003
SELECT COUNT(*) FROM events WHERE DATE(NEW_TIME(t, 'UTC', 'Europe/Berlin')) = DATE '2026-01-05';

-- expect: TZ004
SELECT NEW_TIME(t, 'GMT', 'EST') AS local FROM events;

-- expect: TZ005
SELECT COUNT(*) FROM events WHERE t BETWEEN '2017-04-20 00:00:00.0' AND '2017-05-02 23:59:59';

-- expect: TZ001 TZ006
SELECT NEW_TIME(DATE_TRUNC('hour', t), 'UTC', 'Asia/Kolkata') AS h FROM events;

-- expect: TZ007
SELECT SUM(CASE WHEN n > 0 THEN 0.00 ELSE CAST(n AS FLOAT) END) FROM events;

-- expect: TZ008
SELECT COUNT(*) FROM events e JOIN time_zone_hourly_conversion h ON h.time_zone_name = 'Asia/Tokyo';

-- expect: none
SELECT NEW_TIME('2012-05-24 13:48:00', 'Pacific', 'EST');

-- expect: none
SELECT COUNT(*) FROM events WHERE t >= TIMESTAMP '2026-01-01';
