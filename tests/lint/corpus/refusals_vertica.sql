-- expect: none
-- 013, 014, 019, 020, 022, 023: only the present time is converted
SELECT COUNT(*) FROM a WHERE a.day >= (CURRENT_TIMESTAMP - INTERVAL '24 hours') AT TIMEZONE 'America/New_York';

-- expect: none
-- 013: a window over local days
SELECT d, SUM(n) OVER (ORDER BY d RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) FROM (SELECT local_day AS d, SUM(v) AS n FROM f GROUP BY 1) q;

-- expect: none
-- 170: constants and special texts
SELECT NEW_TIME('NOW', 'UTC', 'EST'), NEW_TIME('2012-05-24 13:48:00', 'Pacific', 'Eastern');

-- expect: none
-- 163, 223: no FROM, zones with other names
SELECT TIMESTAMP '2026-01-01 10:00' AT TIMEZONE 'America/Denver Mountain' > CURRENT_TIMESTAMP AT TIMEZONE 'EST5EDT';

-- expect: none
-- 095: one aggregate through a function of the user's
SELECT NEW_TIME(my_time(MAX(b.created)), 'GMT', z.name) FROM b, z GROUP BY z.name;

-- expect: none
-- 212: exact in both branches, eighteen times in the original
SELECT SUM(CASE WHEN k = 'a' THEN value::NUMERIC(10,2) ELSE 0.00 END), SUM(CASE WHEN k = 'b' THEN value::NUMERIC(10,2) ELSE 0.00 END) FROM d GROUP BY 1;

-- expect: TZ007
-- 008: an exact zero beside a float
SELECT CASE WHEN p IS NULL THEN 0.00 ELSE CAST(p AS FLOAT) END AS a FROM s;
