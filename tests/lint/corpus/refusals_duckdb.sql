-- expect: none
-- 016: a day that depends on the session's zone
SELECT date(current_timestamp) AT TIME ZONE 'America/New_York', count(*) FROM a GROUP BY 1;

-- expect: TZ007
-- 154: DECIMAL beside DOUBLE
SELECT CASE WHEN a = 'it''s' THEN 0.0 ELSE CAST(b AS DOUBLE) END FROM d;

-- expect: none
-- 155: DECIMAL beside DECIMAL
SELECT CASE WHEN a THEN 0.0 ELSE CAST(b AS DECIMAL(10,2)) END AS b FROM d;

-- expect: TZ007
-- 215: the short form, nested
SELECT if(a > 1, if(b, 1, 2), 0) AS x, if(a, CAST(c AS FLOAT), CAST(d AS DECIMAL(5,1))) AS y FROM d;

-- expect: none
-- 218: a time of a table function
SELECT time_bucket(INTERVAL 1 DAY, x.ts AT TIME ZONE 'UTC') AS b, arg_max(v, x.ts) FROM read_parquet('a.parquet') x GROUP BY 1;

-- expect: none
-- 070: the present time many times
SELECT timezone('America/New_York', now())::date AS a, timezone('America/New_York', now()) - INTERVAL 1 DAY AS b FROM t;

-- expect: none
-- 158: the present time by the zone of a row
WITH z AS (SELECT DISTINCT zone FROM customers) SELECT zone, now() AT TIME ZONE zone FROM z;
