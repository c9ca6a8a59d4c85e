-- How scopes are nested in the engine's own regression tests, with conversions where a name or a type
-- is hard to follow. Blank lines separate the queries; some are ones that nothing must be done to.

SELECT j.zone, j.ts AT TIME ZONE 'UTC' AT TIME ZONE j.zone AS l FROM (ev e JOIN acc a ON e.zone = a.tz) AS j

SELECT j.t, j.t AT TIME ZONE 'America/New_York' AS l FROM (ev e JOIN acc a ON e.zone = a.tz) AS j(i, s, t, z, m, i2, z2, t2, c2, m2)

SELECT j.t2, j.t2 AT TIME ZONE 'America/New_York' AS l, j.s AT TIME ZONE 'UTC' AT TIME ZONE j.z2 AS k FROM (ev e JOIN acc a ON e.zone = a.tz) AS j(i, s, t, z, m, i2, z2, t2, c2, m2)

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM ev AS e(id, seen, ts, zone)

SELECT e.seen AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ev AS e(id, seen, ts)

SELECT a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l, e.seen AT TIME ZONE 'Europe/Paris' AS k FROM ((ev e JOIN acc a ON e.zone = a.tz) LEFT JOIN ev_view v ON v.id = e.id)

SELECT e.seen AT TIME ZONE 'Europe/Paris' AS k, v.seen AT TIME ZONE 'UTC' AT TIME ZONE v.zone AS l FROM acc a LEFT JOIN (ev e JOIN (ev_view v JOIN other.ev o ON o.id = v.id) ON v.id = e.id AND o.n = e.n) ON e.zone = a.tz

SELECT u.id, e.seen AT TIME ZONE 'Europe/Paris' AS l, a.seen AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS k FROM ev e JOIN acc a USING (id) AS u

SELECT u.seen AT TIME ZONE 'Europe/Paris' AS l FROM ev e JOIN ev o USING (seen) AS u

SELECT id, e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS k FROM ev e JOIN acc a USING (id, n)

SELECT * FROM ev e JOIN acc a USING (id) WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone >= '2021-03-01'

SELECT e.*, u.* FROM ev e JOIN acc a USING (id) AS u WHERE (e.seen AT TIME ZONE e.zone)::date > DATE '2020-12-31'

SELECT e.zone, (e).ts AT TIME ZONE 'UTC' AT TIME ZONE (e).zone AS l FROM ev e

SELECT (r).ts AT TIME ZONE 'UTC' AT TIME ZONE (r).zone AS l FROM (SELECT e AS r FROM ev e) q

SELECT (r).seen AT TIME ZONE 'America/New_York' AS l, (r).id FROM (SELECT e FROM ev_view e) q(r)

SELECT e, row_to_json(e) ->> 'ts' AS j, e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ev e

SELECT q FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) q

SELECT row_to_json(q)::text AS j FROM (SELECT id, seen AT TIME ZONE 'America/New_York' FROM ev) q

SELECT row_to_json(q)::text AS j FROM (SELECT id, seen AT TIME ZONE zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev OFFSET 0) q

SELECT q.timezone FROM (SELECT id, seen AT TIME ZONE zone FROM ev) q

SELECT timezone, q.id FROM (SELECT id, timezone(zone, seen) FROM ev ORDER BY timezone(zone, seen)) q

SELECT ROW(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone, e.n) > ROW(timestamp '2021-03-14 02:00', 2) AS r, id FROM ev e

SELECT id FROM ev WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE zone, n) IN (SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE o.zone, n FROM other.ev o)  OR (seen AT TIME ZONE 'Europe/Paris', n) IN (SELECT v.ts AT TIME ZONE 'Europe/Paris', n FROM ev_view v)

SELECT id, ROW(seen AT TIME ZONE zone, n) = (SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone, e.n) AS same FROM ev e

SELECT (ROW(seen AT TIME ZONE zone, n)).* FROM ev

SELECT (x).f1, (x).f2 FROM (SELECT ROW(seen AT TIME ZONE zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS x FROM ev) s

SELECT array_agg(e.seen AT TIME ZONE e.zone ORDER BY e.id)::text AS l, (array_agg(e ORDER BY id))[1] AS f FROM ev e GROUP BY n

SELECT e.seen FROM (SELECT ts AS seen, zone FROM ev) e WHERE e.seen AT TIME ZONE 'UTC' AT TIME ZONE e.zone < '2021-04-01'

SELECT id, (SELECT max(e.seen AT TIME ZONE 'America/New_York') FROM ev e WHERE e.zone = a.tz AND e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz < a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz) AS m FROM acc a

SELECT e.n, (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone)) AS m FROM ev e GROUP BY e.n

SELECT e.n, (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') FROM acc a WHERE a.id = 1) AS m FROM ev e GROUP BY e.n

SELECT e.n, (SELECT a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz FROM acc a WHERE a.n = e.n GROUP BY a.seen, a.tz HAVING max(e.seen AT TIME ZONE 'America/New_York') > min(a.created AT TIME ZONE a.tz) ORDER BY 1 LIMIT 1) AS m FROM ev e GROUP BY e.n

SELECT e.n FROM ev e GROUP BY e.n HAVING EXISTS (SELECT 1 FROM acc a WHERE a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz < max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris'))

SELECT (SELECT count(e.seen AT TIME ZONE 'America/New_York') FILTER (WHERE e.n > 2) FROM acc a WHERE a.id = 0) AS c FROM ev e

SELECT zone, l FROM ev, LATERAL (SELECT ev.ts AT TIME ZONE 'UTC' AT TIME ZONE ev.zone) AS q(l)

SELECT zone, l FROM ev CROSS JOIN LATERAL (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l) q

SELECT a.id, q.l FROM acc a LEFT JOIN LATERAL (SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l FROM ev e WHERE e.zone = a.tz ORDER BY l DESC LIMIT 2) q ON q.l > a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz - interval '400 days'

SELECT a.id, v.x FROM acc a, LATERAL (VALUES (a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz), (a.created AT TIME ZONE a.tz), (a.created AT TIME ZONE 'Asia/Kolkata')) AS v(x)

SELECT a.id, v.x AT TIME ZONE 'Asia/Kolkata' AS l FROM acc a CROSS JOIN LATERAL (VALUES (a.created), (a.created + interval '1 hour')) AS v(x)

SELECT a.id, g AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l FROM acc a, generate_series(a.seen, a.seen + interval '2 hours', interval '1 hour') AS g

SELECT a.id, g.t, g.o FROM acc a, generate_series(a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz, a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz + interval '2 hours', interval '1 hour') WITH ORDINALITY AS g(t, o)

SELECT a.id, u.t AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l, a.created AT TIME ZONE a.tz AS k FROM acc a, unnest(ARRAY[a.seen, a.seen + interval '3 hours']) WITH ORDINALITY AS u(t, o)

SELECT r.* FROM acc a, ROWS FROM (unnest(ARRAY[a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz]), generate_series(1, 2)) WITH ORDINALITY AS r(t, i, o)

SELECT f.seen AT TIME ZONE 'UTC' AT TIME ZONE f.zone AS l, f.ts AT TIME ZONE 'Europe/Paris' AS k FROM acc(3) f

SELECT a.id, f.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l, a.created AT TIME ZONE a.tz AS k FROM acc a JOIN LATERAL acc(a.n) f ON f.zone = a.tz

SELECT n, zone, count(*) AS c, grouping(n, zone) AS g, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY CUBE (n, zone)

SELECT date_trunc('month', ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS mon, count(*), grouping(date_trunc('month', ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) AS g FROM ev GROUP BY ROLLUP (date_trunc('month', ts AT TIME ZONE 'UTC' AT TIME ZONE zone))

SELECT seen AT TIME ZONE 'America/New_York' AS l, n, grouping(n, seen AT TIME ZONE 'America/New_York') AS g, count(*) FROM ev GROUP BY GROUPING SETS ((seen AT TIME ZONE 'America/New_York'), (n), ())

SELECT seen AT TIME ZONE 'America/New_York' AS l, zone, seen FROM ev GROUP BY GROUPING SETS ((seen, zone), (zone), ())

SELECT seen AT TIME ZONE zone AS l, zone, seen, count(*) FROM ev GROUP BY GROUPING SETS ((seen, zone), (zone), (seen))

SELECT coalesce(seen AT TIME ZONE zone, timestamp '1999-01-01') AS l, count(*) FROM ev GROUP BY ROLLUP (seen AT TIME ZONE zone)

SELECT n, (seen AT TIME ZONE 'America/New_York')::date AS d, count(*) FROM ev GROUP BY DISTINCT ROLLUP (n, (seen AT TIME ZONE 'America/New_York')::date), CUBE (n) HAVING grouping(n) = 0 OR min(seen AT TIME ZONE 'America/New_York') < '2021-06-01' ORDER BY grouping(n), 1 NULLS FIRST, 2

SELECT (SELECT grouping(e.n, e.zone)) AS g, (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone) FROM (VALUES (1)) v(x)) AS m FROM ev e GROUP BY CUBE (e.n, e.zone)

SELECT e.n, v.x FROM (VALUES (1), (2)) v(x), LATERAL (SELECT n, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM ev WHERE n <> v.x GROUP BY ROLLUP (n)) e(n, m) WHERE m < '2022-01-01 10:00'

SELECT seen, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS seen FROM ev ORDER BY 2, 1

SELECT n AS ts, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS n FROM ev ORDER BY n, ts AT TIME ZONE 'UTC' AT TIME ZONE zone DESC LIMIT 9

SELECT count(*) AS n, ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS seen FROM ev GROUP BY seen, ts

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, count(*) FROM ev GROUP BY l, zone HAVING max(seen AT TIME ZONE zone) = min(ts AT TIME ZONE 'UTC' AT TIME ZONE zone)

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS zone, count(*) FROM ev GROUP BY ev.ts, zone

SELECT DISTINCT ON (zone, date_trunc('day', ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) zone, id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev ORDER BY zone, date_trunc('day', ts AT TIME ZONE 'UTC' AT TIME ZONE zone), seen AT TIME ZONE 'UTC' DESC

SELECT DISTINCT ON (l) seen AT TIME ZONE 'Europe/Paris' AS l, id FROM ev ORDER BY l, id DESC

SELECT DISTINCT ON (1) seen AT TIME ZONE 'Europe/Paris' AS l, id FROM ev ORDER BY 1, id

SELECT DISTINCT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, zone FROM ev ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone, zone

SELECT DISTINCT count(*) FROM ev GROUP BY date_trunc('month', ts AT TIME ZONE 'UTC' AT TIME ZONE zone), zone

(SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev ORDER BY l LIMIT 3) UNION ALL (SELECT created AT TIME ZONE tz FROM acc ORDER BY 1 DESC FETCH FIRST 2 ROWS WITH TIES)

SELECT x AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT seen FROM ev UNION SELECT seen FROM acc) q(x)

SELECT x AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT seen FROM ev UNION SELECT created FROM acc EXCEPT SELECT NULL) q(x)

SELECT x AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT NULL UNION ALL SELECT created FROM acc) q(x)

SELECT x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT '2021-03-28 01:30' UNION ALL SELECT seen FROM acc) q(x)

SELECT x AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT ts::date FROM ev UNION ALL SELECT seen FROM acc) q(x)

SELECT x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM ((SELECT ts AS x FROM ev ORDER BY ts LIMIT 7) INTERSECT (SELECT ts FROM ev EXCEPT VALUES (timestamp '2021-01-01')) UNION ALL SELECT seen FROM acc) q

(SELECT seen AT TIME ZONE 'America/New_York' AS l, zone FROM ev EXCEPT ALL SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York', zone FROM ev WHERE n < 3) ORDER BY l, 2 LIMIT 11 OFFSET 1

((SELECT seen AT TIME ZONE 'America/New_York' AS l FROM ev)) INTERSECT ((SELECT (seen AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' FROM ev))

SELECT * FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev UNION SELECT v.x FROM (VALUES (timestamp '2021-03-28 01:30'), (NULL)) v(x)) q ORDER BY l NULLS FIRST

VALUES ((SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM ev)), ((SELECT min(seen AT TIME ZONE 'America/New_York') FROM ev))

SELECT v.x AT TIME ZONE 'America/New_York' AS l FROM (VALUES ((SELECT max(seen) FROM ev)), ((SELECT min(seen) FROM ev))) v(x)

SELECT v.x AT TIME ZONE 'America/New_York' AS l FROM (VALUES ((SELECT max(ts) FROM ev)), ((SELECT min(seen) FROM ev))) v(x)

SELECT v.x AT TIME ZONE 'America/New_York' AS l FROM (VALUES (timestamp '2021-03-14 07:30'), (NULL), ('2021-11-07 06:30')) v(x)

SELECT column1 AT TIME ZONE 'UTC' AT TIME ZONE column2 AS l FROM (VALUES (timestamp '2021-03-14 07:30', 'America/New_York'), (timestamp '2021-11-07 06:30', 'Europe/Paris')) v

SELECT v.a AT TIME ZONE 'UTC' AT TIME ZONE column2 AS l FROM (VALUES (timestamp '2021-03-14 07:30', 'America/New_York'), (timestamp '2021-11-07 06:30', 'Europe/Paris')) v(a)

WITH v(a, b) AS (VALUES (timestamp '2021-03-14 07:30', 'America/New_York'), (timestamp '2021-11-07 06:30', 'Europe/Paris')) SELECT a AT TIME ZONE 'UTC' AT TIME ZONE b AS l FROM v

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev ORDER BY (SELECT max(a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz) FROM acc a WHERE a.tz = ev.zone), seen AT TIME ZONE 'UTC' LIMIT (SELECT count(*) FROM acc WHERE created AT TIME ZONE tz > '2021-01-01') OFFSET (SELECT 1 FROM acc WHERE created AT TIME ZONE 'Europe/Paris' > '2021-01-01' LIMIT 1)

SELECT zone, count(*) FILTER (WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE zone < '2021-06-01') AS c, count(*) FILTER (WHERE seen AT TIME ZONE 'Europe/Paris' IN (SELECT a.created AT TIME ZONE 'Europe/Paris' FROM acc a)) AS d FROM ev GROUP BY 1

SELECT id, lag(seen AT TIME ZONE zone) OVER w AS p, sum(n) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM ev WINDOW w AS (PARTITION BY zone ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone, id)

SELECT id, count(*) OVER (PARTITION BY (seen AT TIME ZONE zone)::date ORDER BY seen AT TIME ZONE zone RANGE BETWEEN '1 hour' PRECEDING AND '1 hour' FOLLOWING EXCLUDE TIES) AS c FROM ev

SELECT id, first_value(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) OVER (w2 ROWS UNBOUNDED PRECEDING) AS f FROM ev WINDOW w AS (PARTITION BY n), w2 AS (w ORDER BY seen AT TIME ZONE 'America/New_York' DESC, id)

SELECT id, max(max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) OVER (ORDER BY min(seen AT TIME ZONE 'America/New_York'), id) AS m FROM ev GROUP BY id

SELECT id, ntile(3) OVER (ORDER BY (SELECT a.created AT TIME ZONE a.tz FROM acc a WHERE a.tz = ev.zone), id) AS t FROM ev

SELECT id, rank() OVER (ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS r FROM ev ORDER BY rank() OVER (ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone), id FETCH FIRST 5 ROWS WITH TIES

SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS p, mode() WITHIN GROUP (ORDER BY (seen AT TIME ZONE 'America/New_York')::time) AS m FROM ev

SELECT string_agg((seen AT TIME ZONE 'America/New_York')::text, ',' ORDER BY seen AT TIME ZONE 'America/New_York', id) AS s, array_agg(DISTINCT (ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::date ORDER BY (ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::date) AS a FROM ev

SELECT * FROM (WITH ev AS (SELECT ts AS seen, seen AS ts, zone FROM public.ev) SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, ts AT TIME ZONE 'Europe/Paris' AS k FROM ev) q

WITH ev AS (SELECT seen AS ts, ts AS seen, zone FROM ev) SELECT (WITH acc AS (SELECT * FROM ev) SELECT max(seen AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM acc) AS m, e.ts AT TIME ZONE 'America/New_York' AS l FROM ev e

WITH a AS (WITH a AS (SELECT created AS x, tz FROM acc) SELECT x AS y, x AT TIME ZONE tz AS x, tz FROM a) SELECT a.y AT TIME ZONE a.tz AS l, a.x FROM a

WITH a AS NOT MATERIALIZED (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, zone FROM ev), b AS MATERIALIZED (SELECT l AT TIME ZONE zone AS i, zone FROM a) SELECT i AT TIME ZONE zone AS l FROM b UNION ALL SELECT i AT TIME ZONE 'Asia/Kolkata' FROM b

SELECT (WITH c(x) AS (VALUES (a.created)) SELECT (SELECT x AT TIME ZONE 'America/New_York' FROM c)) AS l FROM acc a

SELECT (WITH c(x) AS (SELECT a.created) SELECT x AT TIME ZONE a.tz FROM c) AS l FROM acc a

SELECT (WITH c AS (SELECT e.seen AT TIME ZONE 'America/New_York' AS l, e.n FROM ev e WHERE e.zone = a.tz) SELECT max(c.l) FROM c WHERE c.n <> a.n) AS l FROM acc a

WITH RECURSIVE r(t, z, d) AS (SELECT seen, tz, 0 FROM acc UNION ALL SELECT t + interval '1 hour', z, d + 1 FROM r WHERE d < 3) SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS l, d FROM r

WITH RECURSIVE r(t, z, d) AS (SELECT created, tz, 0 FROM acc UNION SELECT t + interval '1 hour', z, d + 1 FROM r WHERE d < 3 AND t AT TIME ZONE z < '2021-11-05') SEARCH DEPTH FIRST BY t SET o SELECT t AT TIME ZONE z AS l, o IS NULL AS isn FROM r

WITH RECURSIVE r(t, d) AS (SELECT created AT TIME ZONE tz, 0 FROM acc UNION ALL SELECT r.t + interval '1 hour', (d + 1) % 3 FROM r) CYCLE d SET c USING p SELECT t, c FROM r WHERE t AT TIME ZONE 'America/New_York' > '2021-01-01'

WITH RECURSIVE x AS (SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev), ev AS (SELECT ts AS seen, zone FROM public.ev) SELECT * FROM x

WITH RECURSIVE q AS (SELECT id, created, tz FROM acc WHERE id = 1 UNION ALL (WITH x AS (SELECT * FROM q) SELECT a.id, x.created, a.tz FROM x JOIN acc a ON a.id = x.id + 1)) SELECT q.created AT TIME ZONE q.tz AS l FROM q

WITH RECURSIVE q AS (SELECT id, created AT TIME ZONE tz AS l FROM acc WHERE id = 1 UNION ALL SELECT a.id, a.created AT TIME ZONE a.tz FROM q JOIN acc a ON a.id = q.id + 1 AND a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz > q.l - interval '2 days') SELECT * FROM q

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ev e TABLESAMPLE BERNOULLI (100) REPEATABLE (3)

SELECT e.seen AT TIME ZONE 'Europe/Paris' AS l, a.created AT TIME ZONE a.tz AS k FROM acc a JOIN ev AS e TABLESAMPLE SYSTEM (100) ON e.zone = a.tz

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ONLY ev e, ONLY (acc) a WHERE a.tz = e.zone

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ev * AS e

SELECT l FROM (TABLE ev) AS e(i, t, s, z), LATERAL (SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z) x(l)

SELECT e.s AT TIME ZONE 'Europe/Paris' AS l FROM (TABLE ev) AS e(i, t, s, z)

SELECT FROM ev WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE zone > '2021-04-01'

SELECT count(*) FROM (SELECT FROM ev WHERE seen AT TIME ZONE zone > '2021-04-01') q

SELECT EXISTS (SELECT FROM ev e WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone = a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz) AS x, a.id FROM acc a

SELECT id FROM ev WHERE (SELECT ts) AT TIME ZONE 'UTC' AT TIME ZONE zone >= (SELECT min(seen AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM acc)

SELECT id FROM ev WHERE (seen AT TIME ZONE zone)::date IN (SELECT (created AT TIME ZONE zone)::date FROM acc)

SELECT id, ARRAY(SELECT (a.created AT TIME ZONE ev.zone)::date FROM acc a ORDER BY a.created AT TIME ZONE ev.zone) AS l FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' > '2021-04-01'

SELECT CASE WHEN max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) > '2021-06-01' THEN min(seen AT TIME ZONE 'Europe/Paris') ELSE max(seen) AT TIME ZONE 'America/New_York' END AS c FROM ev GROUP BY n

SELECT CASE zone WHEN 'UTC' THEN ts WHEN 'Asia/Kolkata' THEN seen AT TIME ZONE zone ELSE ts AT TIME ZONE 'UTC' AT TIME ZONE zone END AS c FROM ev

SELECT CASE n WHEN 1 THEN ts ELSE seen END AT TIME ZONE 'Europe/Paris' AS l FROM ev

SELECT coalesce(ts, seen) AT TIME ZONE 'Europe/Paris' AS l, nullif(ts, seen) AT TIME ZONE 'UTC' AT TIME ZONE zone AS k, greatest(ts, seen) AT TIME ZONE 'America/New_York' AS g FROM ev

SELECT nullif(seen, ts) AT TIME ZONE zone AS l, least(ts, NULL) AT TIME ZONE 'UTC' AT TIME ZONE zone AS k, coalesce(NULL, seen) AT TIME ZONE 'America/New_York' AS g FROM ev

SELECT ts::timestamptz AT TIME ZONE zone AS a, CAST(seen AS timestamp without time zone) AT TIME ZONE 'UTC' AT TIME ZONE zone AS b, timestamptz(ts) AT TIME ZONE 'Europe/Paris' AS c, "timestamptz"(ts) AT TIME ZONE zone AS d FROM ev

SELECT ts::timestamp(0) with time zone AT TIME ZONE zone AS a, seen::timestamptz(3) AT TIME ZONE zone AS b, ts::date AT TIME ZONE zone AS c, ts::text::timestamptz AT TIME ZONE zone AS d, (ts::pg_catalog.timestamptz) AT TIME ZONE 'Europe/Paris' AS e FROM ev

SELECT "Odd name"."the time" AT TIME ZONE 'UTC' AT TIME ZONE "Odd name"."Zone" AS "Local ""time""" FROM "Odd name"

SELECT "O"."THE" AT TIME ZONE 'UTC' AT TIME ZONE "z" AS "É" FROM "Odd name" AS "O"("THE", "z")

SELECT U&"\0074s" AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT e.U&"ts" AT TIME ZONE 'UTC' AT TIME ZONE zone AS U&"d\0061ta" FROM ev e

SELECT "TS" AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM (SELECT ts AS "TS", seen AS "ts", zone FROM ev) q

SELECT q."ts" AT TIME ZONE zone AS l, q."TS" AT TIME ZONE 'UTC' AT TIME ZONE q.zone AS k FROM (SELECT ts AS "TS", seen AS "ts", zone FROM ev) q

SELECT "E".seen AT TIME ZONE 'UTC' AT TIME ZONE "E".tz AS l, e.seen AT TIME ZONE e.zone AS k FROM ev e JOIN acc "E" ON e.zone = "E".tz

SELECT Tábla.ts AT TIME ZONE 'UTC' AT TIME ZONE Tábla.zone AS ő FROM ev AS Tábla

SELECT e . ts /* a */ AT -- b
 TIME /* c /* d */ */ ZONE 'UTC' AT TIME ZONE/**/e/**/./**/zone AS l FROM /* e */ ev -- f
 e

SELECT ts AT TIME ZONE $$UTC$$ AT TIME ZONE zone AS l, seen AT TIME ZONE $z$America/New_York$z$ AS k FROM ev

SELECT ts AT TIME ZONE E'UTC' AT TIME ZONE zone AS l, seen AT TIME ZONE U&'America/New\005fYork' AS k, seen AT TIME ZONE 'America/'
 'New_York' AS j FROM ev

SELECT id FROM ev WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE zone > $1 AND seen AT TIME ZONE 'Europe/Paris' >= $1::timestamp

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev WHERE n < 5 FOR UPDATE

SELECT q.l, a.created AT TIME ZONE a.tz AS k FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, zone FROM ev FOR SHARE) q JOIN acc a ON a.tz = q.zone

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ev e JOIN acc a ON a.tz = e.zone FOR NO KEY UPDATE OF e SKIP LOCKED

SELECT e.l FROM ev_view v JOIN (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) e USING (id) FOR UPDATE OF v

SELECT CAST(unnest(ARRAY[ts, ts + interval '1 hour']) AS timestamp) AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT id, (ts + generate_series(0, 2) * interval '1 hour') AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT id, (seen + generate_series(0, 2) * interval '1 hour') AT TIME ZONE 'America/New_York' AS l FROM ev

SELECT id, generate_series(1, 2) AS g, seen AT TIME ZONE 'America/New_York' AS l FROM ev

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE unnest(ARRAY['America/New_York', 'Europe/Paris'])::text AS l FROM ev

SELECT id, (max(ts) OVER (PARTITION BY n)) AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT id, max(seen) OVER (PARTITION BY zone) AT TIME ZONE 'America/New_York' AS l, max(seen) FILTER (WHERE n > 1) OVER () AT TIME ZONE zone AS k FROM ev

SELECT id, seen AT TIME ZONE max(zone) OVER (PARTITION BY n) AS l FROM ev

SELECT id, (ts + (SELECT interval '1 hour' * a.n FROM acc a WHERE a.tz = ev.zone)) AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT CASE WHEN n > 2 THEN t::timestamp AT TIME ZONE 'UTC' AT TIME ZONE zone END AS l FROM (SELECT *, CASE WHEN n > 2 THEN ts::text ELSE 'bad' END AS t FROM ev) q

SELECT t::timestamp AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM (SELECT *, CASE WHEN n > 2 THEN ts::text ELSE 'bad' END AS t FROM ev) q WHERE n > 2

SELECT t::timestamptz AT TIME ZONE zone AS l FROM (SELECT e.zone, a.n, CASE WHEN a.n > 1 THEN e.ts::text ELSE 'bad' END AS t FROM ev e JOIN acc a ON e.zone = a.tz OFFSET 0) q JOIN acc b ON b.tz = q.zone AND b.n = q.n AND b.n > 1

SELECT t::timestamptz AT TIME ZONE 'America/New_York' AS l FROM (SELECT e.zone, a.n, CASE WHEN a.n > 1 THEN e.ts::text ELSE 'bad' END AS t FROM ev e JOIN acc a ON e.zone = a.tz) q WHERE EXISTS (SELECT FROM acc b WHERE b.tz = q.zone AND b.n > 1)

SELECT max(t::timestamp AT TIME ZONE 'UTC' AT TIME ZONE zone) FILTER (WHERE n > 2) AS l FROM (SELECT *, CASE WHEN n > 2 THEN ts::text ELSE 'bad' END AS t FROM ev) q GROUP BY zone

SELECT coalesce(ts, t::timestamp AT TIME ZONE 'UTC' AT TIME ZONE zone) AS l FROM (SELECT *, CASE WHEN ts IS NULL THEN NULL ELSE 'bad' END AS t FROM ev) q

SELECT v.t AT TIME ZONE 'UTC' AT TIME ZONE v.z AS l FROM (VALUES (timestamp 'infinity', 'Europe/Paris'), (timestamp '-infinity', 'Europe/Paris'), (timestamp '0044-03-15 12:00 BC', 'Europe/Paris'), (timestamp '1850-01-01', 'America/New_York'), (timestamp '2500-07-01', 'America/New_York'), (timestamp '2021-07-01', 'EST5EDT'), (timestamp '2021-07-01', 'america/NEW_york'), (timestamp '2021-07-01', '<+03>-3'), (timestamp '2021-07-01', 'EST')) v(t, z)

SELECT v.t AT TIME ZONE 'America/New_York' AS l, v.t AT TIME ZONE 'Europe/Dublin' AS k FROM (VALUES (timestamptz 'infinity'), (timestamptz '0044-03-15 12:00 BC'), (timestamptz '1850-01-01'), (timestamptz '2500-07-01'), (timestamptz '2021-03-14 07:00:00+00')) v(t)

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE upper(zone) AS l, seen AT TIME ZONE lower(zone) AS k FROM ev

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone::char(30) AS l FROM ev

SELECT seen AT TIME ZONE zone::name AS l, seen AT TIME ZONE CAST(zone AS varchar(40)) AS k FROM ev

SELECT q.seen AT TIME ZONE q.z AS l FROM (SELECT seen, zone::char(30) AS z FROM ev) q

SELECT q.seen AT TIME ZONE q.z AS l FROM (SELECT seen, (n || ' hours')::interval AS z FROM ev) q

SELECT seen AT TIME ZONE interval '-5:00' AS l, ts AT TIME ZONE - interval '1 hour' AT TIME ZONE zone AS k FROM ev

SELECT (seen + random() * interval '0 hours') AT TIME ZONE 'America/New_York' AS l, (ts + floor(random()) * interval '1 hour') AT TIME ZONE 'UTC' AT TIME ZONE zone AS k FROM ev

SELECT e.l AT TIME ZONE 'America/New_York' AS l FROM ev JOIN LATERAL (SELECT seen + floor(random()) * interval '1 hour' AS l) e ON true

SELECT public.ev.ts AT TIME ZONE 'UTC' AT TIME ZONE public.ev.zone AS l, other.ev.ts AT TIME ZONE 'Europe/Paris' AS k FROM ev, other.ev WHERE public.ev.id = other.ev.id

SELECT (SELECT public.ev.ts AT TIME ZONE 'UTC' AT TIME ZONE public.ev.zone FROM other.ev WHERE other.ev.id = public.ev.id LIMIT 1) AS l FROM public.ev

SELECT (SELECT max(ev.seen AT TIME ZONE 'UTC' AT TIME ZONE ev.zone) FROM other.ev WHERE ev.id <= public.ev.id) AS l FROM public.ev

SELECT (SELECT max(ev.ts AT TIME ZONE 'America/New_York') FROM other.ev WHERE other.ev.id <= public.ev.id AND public.ev.seen AT TIME ZONE 'America/New_York' > '2021-01-01') AS l FROM public.ev

SELECT * FROM (ev e JOIN acc a ON e.zone = a.tz) WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone > '2021-06-01'

SELECT * FROM acc a, (ev e JOIN ev_view v ON e.id = v.id) WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone > '2021-06-01' AND a.tz = e.zone

SELECT *, e.seen AT TIME ZONE 'Europe/Paris' AS l FROM ev e, generate_series(1, 2) g, unnest(ARRAY['a', 'b']) WITH ORDINALITY

SELECT *, e.seen AT TIME ZONE e.zone AS l FROM ev e, generate_series(1, 2), unnest(ARRAY[1, 2]) WITH ORDINALITY AS u(a, b)

SELECT *, e.seen AT TIME ZONE e.zone AS l FROM json_to_record('{"a":1}') AS x(a int), ev e

SELECT *, public.ev.seen AT TIME ZONE public.ev.zone AS l FROM other.ev, public.ev WHERE public.ev.id = other.ev.id

SELECT *, seen AT TIME ZONE zone AS l FROM (SELECT * FROM ev)

SELECT *, (SELECT e.n), e.seen AT TIME ZONE e.zone AS l FROM (SELECT * FROM acc) AS "A b", ev E WHERE E.zone = tz

SELECT e.*, *, count(*) OVER () FROM ev e WHERE e.seen AT TIME ZONE e.zone > '2021-06-01'

SELECT count(*), count(e.*), count(DISTINCT e), max(e.seen AT TIME ZONE e.zone) AS l FROM ev e

SELECT time_zone_name, ts AT TIME ZONE 'UTC' AT TIME ZONE time_zone_name AS l, starts_at_utc FROM (SELECT ts, zone AS time_zone_name, n AS starts_at_utc FROM ev) q

SELECT q.n, (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone) FROM ev e WHERE e.zone = time_zone_name) AS l FROM (SELECT zone AS time_zone_name, n FROM ev) q

SELECT q.n, (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone) FROM ev e WHERE EXISTS (SELECT 1 FROM acc a WHERE a.tz = time_zone_name AND ends_before_utc > 1)) AS l FROM (SELECT zone AS time_zone_name, n, n AS ends_before_utc FROM ev) q

SELECT q.n, s.l FROM (SELECT zone AS time_zone_name, n FROM ev) q, LATERAL (SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l, s.z FROM ev e, LATERAL (SELECT time_zone_name AS z) s WHERE s.z = e.zone) s

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone USING >, id USING < LIMIT 4

SELECT id, seen AT LOCAL AS l, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS k FROM ev

SELECT n * interval '1 h' + seen AT TIME ZONE 'Europe/Paris' AS l, ts - seen AT TIME ZONE zone AS m, seen AT TIME ZONE zone IS NULL AS b, seen AT TIME ZONE zone - interval '1 day' AS d, seen AT TIME ZONE zone::text COLLATE "C" AS e, seen AT TIME ZONE (zone COLLATE "C") AS f FROM ev

SELECT id FROM ev WHERE NOT seen AT TIME ZONE zone BETWEEN SYMMETRIC '2021-11-01' AND ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AND (seen AT TIME ZONE zone, interval '1 day') OVERLAPS (timestamp '2021-03-01', timestamp '2022-04-01') AND seen AT TIME ZONE zone IS DISTINCT FROM ts

SELECT id, EXTRACT(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS h, (ARRAY[seen, NULL])[1] AT TIME ZONE zone AS a, (ARRAY[seen AT TIME ZONE zone])[1] AS b, ts AT TIME ZONE 'UTC' AT TIME ZONE zone OPERATOR(pg_catalog.>) ts AS c FROM ev

SELECT count(*) AS c FROM ev WHERE (seen AT TIME ZONE zone)::text LIKE '2021-03%' OR to_char(ts AT TIME ZONE 'UTC' AT TIME ZONE zone, 'HH24') IN ('01', '03')

SELECT x.l, x.l2 FROM ev e CROSS JOIN LATERAL (SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l, a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l2 FROM acc a WHERE a.tz = e.zone UNION ALL SELECT e.seen AT TIME ZONE 'America/New_York', e.ts) x

SELECT e.id, (SELECT count(*) FROM acc JOIN ev ON ev.zone = acc.tz AND ev.ts AT TIME ZONE 'UTC' AT TIME ZONE acc.tz <= e.ts AT TIME ZONE 'UTC' AT TIME ZONE ev.zone) AS c FROM ev e

SELECT e_63456789012345678901234567890123456789012345678901234567890123x.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' AS l FROM (SELECT ts, seen FROM ev) e_63456789012345678901234567890123456789012345678901234567890123x

SELECT (SELECT min(e_63456789012345678901234567890123456789012345678901234567890123x.ts AT TIME ZONE 'America/New_York')  FROM (SELECT id, seen AS ts FROM ev) e_63456789012345678901234567890123456789012345678901234567890123y WHERE id > 3) AS l FROM (SELECT ts, seen FROM ev) e_63456789012345678901234567890123456789012345678901234567890123x

WITH e_63456789012345678901234567890123456789012345678901234567890123x AS (SELECT ts FROM ev) SELECT (WITH e_63456789012345678901234567890123456789012345678901234567890123y AS (SELECT seen AS ts FROM ev) SELECT min(q.ts AT TIME ZONE 'America/New_York') FROM e_63456789012345678901234567890123456789012345678901234567890123x q) AS l FROM acc

SELECT q.c_63456789012345678901234567890123456789012345678901234567890123x AT TIME ZONE 'America/New_York' AS l FROM (SELECT ts AS c_63456789012345678901234567890123456789012345678901234567890123y, seen AS d FROM ev) q

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON a.id = b.id AND e.ts AT TIME ZONE 'America/New_York' > b.seen) AS c, id FROM ev e

SELECT (SELECT count(*) FROM acc a JOIN acc b ON a.id = b.id AND e.ts AT TIME ZONE 'America/New_York' > b.seen JOIN ev_view e ON e.id = a.id) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e JOIN (acc a JOIN acc b ON a.id = b.id AND e.ts AT TIME ZONE 'America/New_York' > b.seen) ON a.tz = e.zone) AS c, id FROM ev e

SELECT (SELECT min(q.l) FROM LATERAL (SELECT e.ts AT TIME ZONE 'America/New_York' AS l) q, ev_view e) AS c, id FROM ev e

SELECT (SELECT min(q.l) FROM acc a, LATERAL (SELECT e.ts AT TIME ZONE 'America/New_York' AS l FROM acc b WHERE b.id = a.id) q, ev_view e) AS c, id FROM ev e

SELECT (SELECT min(q.l) FROM ev_view e, (SELECT e.ts AT TIME ZONE 'America/New_York' AS l FROM acc b) q) AS c, id FROM ev e

SELECT (SELECT min(q.l) FROM unnest(ARRAY[e.ts AT TIME ZONE 'America/New_York']) AS q(l), ev_view e) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view v, acc a JOIN acc b ON a.id = b.id AND ts AT TIME ZONE 'America/New_York' > b.created) AS c, id FROM ev e

SELECT (SELECT count(*) FROM acc a JOIN acc b ON a.id = b.id AND zone = a.tz AND ts AT TIME ZONE 'UTC' AT TIME ZONE zone > b.seen, ev_view v) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone > b.seen) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a LEFT JOIN acc b ON a.id = b.id AND EXISTS (SELECT 1 WHERE e.ts AT TIME ZONE 'America/New_York' > b.seen)) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN LATERAL (SELECT e.ts AT TIME ZONE 'America/New_York' AS l) b ON b.l > a.seen) AS c, id FROM ev e

SELECT (SELECT string_agg(DISTINCT (e.ts AT TIME ZONE 'Europe/Paris')::text, ',') FROM (VALUES (e.ts AT TIME ZONE 'Europe/Paris')) v(x), ev_view e WHERE e.ts AT TIME ZONE 'Europe/Paris' > x::timestamp) AS c, id FROM ev e

SELECT x.seen AT TIME ZONE 'America/New_York' AS l FROM (SELECT * FROM (ev e CROSS JOIN (SELECT 1 AS one) o) AS j(id, seen, ts, zone)) x

SELECT seen AT TIME ZONE 'America/New_York' AS l FROM (ev e CROSS JOIN (SELECT 1 AS one) o) AS j(id, seen, ts, zone)

SELECT seen AT TIME ZONE 'America/New_York' AS l FROM (ev e CROSS JOIN (SELECT 1 AS one) o) AS j(id, seen, ts, zone) WHERE ts AT TIME ZONE 'America/New_York' > '2021-01-01'

SELECT acc.seen AT TIME ZONE 'UTC' AT TIME ZONE acc.zone AS l, acc.ts AT TIME ZONE 'America/New_York' AS k FROM acc(3)

SELECT ev.seen AT TIME ZONE 'America/New_York' AS l FROM ROWS FROM (acc(3)) AS ev(id, seen, ts)

SELECT jt.t AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l, e.seen AT TIME ZONE 'America/New_York' AS k FROM ev e, JSON_TABLE(jsonb_build_array(e.ts), '$[*]' COLUMNS (t timestamp PATH '$')) jt

WITH x AS (SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE tz AS l FROM acc), acc AS (SELECT created AS seen, tz FROM public.acc) SELECT x.l, acc.seen AT TIME ZONE acc.tz AS k FROM x, acc

WITH time_zone_conversion_zone AS (SELECT 1) SELECT * FROM (SELECT seen AT TIME ZONE 'America/New_York' AS l, ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev) q

WITH RECURSIVE a AS (SELECT seen AT TIME ZONE zone AS l, seen AT TIME ZONE 'America/New_York' AS k FROM ev), time_zone_conversion_zone AS (SELECT NULL::text AS time_zone_name, NULL::timestamp[] AS starts_at_utc, NULL::interval[] AS utc_offsets, NULL::timestamp[] AS starts_at_time_zone) SELECT * FROM a

WITH RECURSIVE a AS (SELECT seen AT TIME ZONE zone AS l, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS k FROM ev), time_zone_conversion AS (SELECT 1), time_zone_conversion_zone AS (SELECT 1) SELECT * FROM a

SELECT CASE WHEN n > 3 THEN ts ELSE seen AT TIME ZONE zone END FROM ev

SELECT CASE WHEN n > 3 THEN ts ELSE seen AT TIME ZONE 'America/New_York' END, (seen AT TIME ZONE 'America/New_York')::date, CAST(seen AT TIME ZONE zone AS date), (SELECT seen AT TIME ZONE zone), (SELECT max(e.seen AT TIME ZONE e.zone) FROM ev e), ARRAY[seen AT TIME ZONE zone], (ARRAY[seen AT TIME ZONE zone])[1], (SELECT a.created AT TIME ZONE a.tz FROM acc a WHERE a.id = ev.id) FROM ev

SELECT CASE WHEN n > 3 THEN ts ELSE (SELECT a.created AT TIME ZONE a.tz FROM acc a WHERE a.id = ev.id) END, (SELECT CASE WHEN a.n > 0 THEN NULL ELSE a.created AT TIME ZONE a.tz END FROM acc a WHERE a.id = ev.id) FROM ev

SELECT seen AT TIME ZONE zone FROM ev UNION ALL SELECT created FROM acc

SELECT "timezone" FROM ((SELECT seen AT TIME ZONE zone FROM ev) EXCEPT SELECT x.timezone FROM (SELECT created AT TIME ZONE tz FROM acc) x) q ORDER BY timezone

SELECT timezone, count(*) FROM (SELECT (seen AT TIME ZONE zone)::date FROM ev) q GROUP BY timezone

SELECT row_to_json(q)::text AS j FROM (SELECT (seen AT TIME ZONE zone)::date, -n, (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York'), CASE WHEN n = 1 THEN NULL ELSE seen AT TIME ZONE zone END FROM ev) q

SELECT timezone(zone, seen) AS l, count(*) FROM ev GROUP BY seen AT TIME ZONE zone

SELECT e.seen AT TIME ZONE e.zone AS l, count(*) FROM ev e GROUP BY seen AT TIME ZONE zone

SELECT SEEN at time zone Zone AS l, count(*) FROM ev e GROUP BY seen AT TIME ZONE zone ORDER BY (seen AT TIME ZONE (zone))::date DESC, l

SELECT (seen AT TIME ZONE zone)::date AS d, max(n) FROM ev GROUP BY ((seen AT TIME ZONE zone)), n HAVING seen AT TIME ZONE zone > '2021-03-01' ORDER BY seen AT TIME ZONE zone

SELECT rank() OVER (ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS r, count(*) FROM ev GROUP BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone

SELECT any_value(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS v, zone FROM ev WHERE n = 3 GROUP BY id, zone

SELECT l FROM (SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ev e -- the end
) q

SELECT*FROM(SELECT"Odd name"."the time"AT TIME ZONE'UTC'AT TIME ZONE"Zone"l,n FROM"Odd name")q WHERE(n)>2

SELECT seen AT TIME ZONE zone zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone "at", seen AT TIME ZONE 'Europe/Paris' time FROM ev

SELECT ALL id, timezone('UTC', ts) AT TIME ZONE zone AS l, timezone(zone, timezone('UTC'::text, ts)) AS k, pg_catalog.timezone(zone, seen) AS m FROM ev

SELECT e.tableoid::regclass::text AS t, e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l, ctid IS NULL AS c FROM ev e

SELECT upper(tsrange(ts, ts + interval '1 hour')) AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, e.seen AT TIME ZONE zone AS k FROM ev e

SELECT (e.x).ts AT TIME ZONE 'UTC' AT TIME ZONE (e.x).zone AS l, e.z AS z, (e.x).seen AT TIME ZONE e.z AS k FROM (SELECT ev AS x, zone AS z FROM ev) e

SELECT ev.seen AT TIME ZONE 'UTC' AT TIME ZONE ev.tz AS l FROM acc ev JOIN ev acc ON acc.zone = ev.tz AND acc.seen AT TIME ZONE ev.tz > '2021-03-01'

SELECT (SELECT acc.seen AT TIME ZONE 'UTC' AT TIME ZONE acc.tz FROM acc WHERE acc.tz = ev.zone) AS l, (SELECT acc.seen AT TIME ZONE 'Europe/Paris' FROM ev acc WHERE acc.id = ev.id) AS k FROM ev

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 04') AS c, id FROM ev e

SELECT (SELECT count(*) FROM acc a JOIN acc b ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 04' JOIN ev_view e ON true) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e JOIN (acc a JOIN acc b ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 04') ON true) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view v, acc a JOIN acc b ON (ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 04') AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view v JOIN (acc a JOIN acc b ON (ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 04') ON true) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON EXISTS (SELECT 1 FROM ev_view x WHERE (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 04')) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN LATERAL (SELECT (e.ts AT TIME ZONE 'America/New_York')::text AS l) b ON b.l > '2021-03-14 04') AS c, id FROM ev e

SELECT (SELECT min(q.l) FROM (SELECT e.ts AT TIME ZONE 'America/New_York' AS l) q, ev_view e) AS c, id FROM ev e

SELECT (SELECT min(x) FROM ROWS FROM (unnest(ARRAY[e.ts AT TIME ZONE 'America/New_York'])) AS q(x) JOIN ev_view e ON true) AS c, id FROM ev e

SELECT (SELECT min(x) FROM (ev_view e CROSS JOIN acc a) AS j(a, b, c) JOIN LATERAL (SELECT e.ts AT TIME ZONE 'America/New_York') q(x) ON true) AS c, id FROM ev e

SELECT (SELECT min(x) FROM (SELECT 1 AS one) o RIGHT JOIN ev_view v ON true, LATERAL (SELECT v.ts AT TIME ZONE 'America/New_York', e.ts AT TIME ZONE 'America/New_York') q(x, y)) AS c, id FROM ev e

SELECT (SELECT min(l.ts AT TIME ZONE 'America/New_York') FROM LATERAL (SELECT e.*) AS l, ev_view e) AS c, id FROM ev e

SELECT (SELECT min(l.ts AT TIME ZONE 'America/New_York') FROM ev_view e, LATERAL (SELECT e.*) AS l) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e WHERE (ev.seen AT TIME ZONE 'America/New_York')::text > '2021-03-14 04') AS c FROM ev

SELECT (SELECT array_agg(v.x ORDER BY v.x)::text FROM LATERAL (VALUES (e.ts AT TIME ZONE 'America/New_York')) v(x), ev_view e WHERE e.n = 3) AS c FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11') AS c, id FROM ev e

SELECT (SELECT count(*) FROM acc a JOIN acc b ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11' JOIN ev_view e ON true) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e JOIN (acc a JOIN acc b ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11') ON true) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view v, acc a JOIN acc b ON (ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11') AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view v JOIN (acc a JOIN acc b ON (ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11') ON true) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON EXISTS (SELECT 1 FROM ev_view x WHERE (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11')) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN LATERAL (SELECT (e.ts AT TIME ZONE 'America/New_York')::text AS l) b ON b.l > '2021-03-14 11') AS c, id FROM ev e

SELECT (SELECT e.ts AT TIME ZONE 'America/New_York' FROM (ev_view e JOIN acc a ON e.zone = a.tz) AS j LIMIT 1) AS l FROM ev e

SELECT (SELECT ts AT TIME ZONE 'America/New_York' FROM (ev_view v JOIN acc a ON v.zone = a.tz) AS j(i1, i2, i3, i4, i5) LIMIT 1) AS l FROM ev e

SELECT (SELECT q.l FROM (ev_view e JOIN acc a ON e.zone = a.tz) AS j, LATERAL (SELECT e.ts AT TIME ZONE 'America/New_York' AS l) q LIMIT 1) AS l FROM ev e

SELECT (SELECT x FROM ev_view e JOIN acc a ON true, generate_series(e.ts AT TIME ZONE 'America/New_York', e.ts AT TIME ZONE 'America/New_York', interval '1 day') AS g(x) WHERE e.id = 3 LIMIT 1) AS l FROM ev e

SELECT (SELECT count(*) FROM acc a LEFT JOIN acc b ON (b.created AT TIME ZONE 'America/New_York')::text > '2021' AND EXISTS (SELECT FROM acc c JOIN acc d ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11', ev_view e)) AS c FROM ev e

SELECT id, c FROM ev e, LATERAL (SELECT count(*) AS c FROM acc a JOIN acc b ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11', ev_view e) q

SELECT id, c FROM ev e, LATERAL (SELECT e.ts AT TIME ZONE 'America/New_York' AS c FROM (ev_view e CROSS JOIN acc a) AS j LIMIT 1) q

SELECT id FROM ev e WHERE EXISTS (SELECT FROM (SELECT 1 AS one) o JOIN (SELECT 2 AS two) t ON (e.ts AT TIME ZONE 'America/New_York')::text > '2021-03-14 11' CROSS JOIN ev_view e)

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l, b.n FROM ev e, acc a JOIN (SELECT id, n FROM acc) b USING (id)

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l, b.k FROM ev e, acc a LEFT JOIN (SELECT id, n AS k FROM acc) b USING (id) WHERE e.zone = a.tz

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l, b.k FROM ev e, acc a NATURAL JOIN (SELECT id, n AS k FROM acc) b WHERE e.zone = a.tz

SELECT id, (SELECT max(x.ts AT TIME ZONE a.tz) FROM ev_view x, acc a JOIN acc b ON x.n = b.n) AS l FROM ev x

SELECT id, (SELECT max(v.ts AT TIME ZONE a.tz) FROM ev_view v, acc a JOIN (SELECT n AS m FROM acc) b ON zone = a.tz) AS l FROM ev x

SELECT e.ts AT TIME ZONE 'America/New_York' AS l FROM (ev_view e CROSS JOIN acc a) AS j(i1, i2, i3, i4), ev e WHERE i4 = e.id

SELECT e.ts AT TIME ZONE 'America/New_York' AS l FROM (ev v CROSS JOIN (SELECT 1 AS o) e) AS e

SELECT e.ts AT TIME ZONE 'America/New_York' AS l FROM (ev e CROSS JOIN (SELECT 1 AS o) f) AS e(a, b, ts)

SELECT x.seen AT TIME ZONE 'America/New_York' AS l FROM (SELECT * FROM ev e(id, seen, ts)) x

WITH c(i, seen, ts) AS (SELECT * FROM ev) SELECT c.seen AT TIME ZONE 'America/New_York' AS l, ts AT TIME ZONE zone AS k FROM c

WITH c AS (SELECT seen AS ts, ts AS seen FROM ev) SELECT q.ts AT TIME ZONE 'America/New_York' AS l FROM (TABLE c) q

WITH c AS (SELECT seen AS ts, zone FROM ev) SELECT q.ts AT TIME ZONE 'America/New_York' AS l FROM (TABLE c UNION ALL TABLE c) q

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE tz AS l FROM (SELECT ts, zone FROM ev), (SELECT tz FROM acc) WHERE tz = zone

SELECT column1 AT TIME ZONE 'America/New_York' AS l, seen AT TIME ZONE tz AS k FROM (VALUES (timestamptz '2021-03-14 07:00+00')), (SELECT created AS seen, tz FROM acc)

SELECT seen AT TIME ZONE 'America/New_York' AS seen, count(*) FROM ev GROUP BY 1 ORDER BY seen

SELECT seen AT TIME ZONE 'America/New_York' AS time_zone_name, count(*) FROM ev GROUP BY time_zone_name ORDER BY time_zone_name

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS time_zone_name, count(*) AS utc_offsets FROM ev GROUP BY time_zone_name ORDER BY utc_offsets, time_zone_name

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, n AS starts_at_utc FROM ev ORDER BY starts_at_utc, l DESC

SELECT DISTINCT ON (starts_at_utc) ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS starts_at_utc, id FROM ev ORDER BY starts_at_utc, id

SELECT a.time_zone_name, e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.time_zone_name AS l FROM (SELECT tz AS time_zone_name FROM acc) a JOIN (SELECT ts, zone AS time_zone_name FROM ev) e USING (time_zone_name)

SELECT time_zone_conversion_zone IS NULL AS x, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, seen AT TIME ZONE 'America/New_York' AS k FROM ev time_zone_conversion_zone

SELECT tzconv_1.ts AT TIME ZONE 'UTC' AT TIME ZONE tzconv_1.zone AS l FROM ev tzconv_1 JOIN acc AS "TZCONV_2" ON true WHERE "TZCONV_2".created AT TIME ZONE "TZCONV_2".tz > '2021-01-01'

SELECT e.id, a.id AS i FROM ev e FULL JOIN acc a ON e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone = a.seen

SELECT e.id, a.id AS i FROM ev e FULL JOIN acc a ON e.zone = a.tz AND (e.seen AT TIME ZONE 'America/New_York')::date = a.created::date

SELECT e.id, a.created AT TIME ZONE e.zone AS l FROM ev e FULL JOIN acc a ON e.id = a.id + 3 RIGHT JOIN other.ev o ON o.id = e.id AND o.seen AT TIME ZONE 'UTC' AT TIME ZONE e.zone > a.created AT TIME ZONE a.tz - interval '1 year'

SELECT id FROM ev WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' >= '2021-03-14' AND seen AT TIME ZONE 'America/New_York' < '14 Mar 2021 04:00') IS NOT TRUE

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York' BETWEEN '2021-03-14' AND 'infinity' AS b, seen AT TIME ZONE 'America/New_York' > '-infinity' AS i, seen AT TIME ZONE 'Europe/Paris' < 'epoch' AS e FROM ev

SELECT id FROM ev WHERE CASE WHEN n > 2 THEN seen AT TIME ZONE 'America/New_York' < '2021-03-14 02:30' ELSE ts AT TIME ZONE 'UTC' AT TIME ZONE zone > '2021-11-07 01:30' END

SELECT e.id, a.id AS i FROM acc a LEFT JOIN ev e ON a.tz = e.zone AND e.seen AT TIME ZONE 'America/New_York' >= '2021-11-07 01:00' AND NOT (e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris')::date = '2021-10-31'

SELECT id FROM ev WHERE (seen AT TIME ZONE 'America/New_York', id) >= ('2021-03-14 03:00', 3) AND (seen AT TIME ZONE 'America/New_York')::date = ANY ('{2021-03-14,2021-11-07}')

SELECT id FROM ev WHERE date_trunc('month', seen AT TIME ZONE 'Europe/Paris') = '2021-03-01' OR (ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date IN ('2021-03-14', '2021-11-07') OR extract(month FROM seen AT TIME ZONE zone) = 5

SELECT zone, count(*) FROM ev WHERE NOT (seen AT TIME ZONE 'Pacific/Apia' < '2021-04-04' OR seen AT TIME ZONE 'Pacific/Apia' IS NULL) GROUP BY zone HAVING min(seen AT TIME ZONE 'Pacific/Apia') > '2021-01-01' AND bool_or(seen AT TIME ZONE 'Pacific/Apia' < '2021-09-26')

SELECT id FROM ev e WHERE e.seen >= timestamp '2021-03-14 02:30' AT TIME ZONE e.zone AND e.ts < timestamp '2021-11-07 01:30' AT TIME ZONE e.zone AT TIME ZONE 'UTC'

SELECT e.id FROM ev e JOIN acc a ON a.tz = e.zone AND e.seen > timestamp '2021-10-31 02:30' AT TIME ZONE a.tz LEFT JOIN ev_view v ON v.id = e.id AND v.ts < date '2021-12-01'::timestamp AT TIME ZONE e.zone

SELECT a.id, (SELECT count(*) FROM ev e WHERE e.seen >= timestamp '2021-03-28 02:30' AT TIME ZONE a.tz) AS c, (SELECT count(*) FROM ev e WHERE e.seen >= a.seen AT TIME ZONE e.zone) AS d FROM acc a

SELECT a.id, (SELECT count(*) FROM ev a WHERE a.seen >= timestamp '2021-03-28 02:30' AT TIME ZONE a.zone) AS c FROM acc a WHERE a.seen < timestamp '2021-10-31 02:30' AT TIME ZONE a.tz AT TIME ZONE 'UTC' OR a.n = 1

SELECT count(*) AS c FROM ev WHERE ts < now() AND seen < localtimestamp AND ts AT TIME ZONE 'UTC' AT TIME ZONE zone < current_timestamp AT TIME ZONE zone AND ts < now() AT TIME ZONE 'UTC'

SELECT seen AT TIME ZONE CASE WHEN e.n > 2 THEN e.zone ELSE a.tz END AS l, k FROM (SELECT seen, n, zone FROM ev) e, (SELECT id, tz FROM acc) a JOIN (SELECT id, n AS k FROM acc) b USING (id)

SELECT e.seen AT TIME ZONE coalesce(e.zone, a.tz) AS l, k FROM ev e, acc a JOIN (SELECT id, n AS k FROM acc) b USING (id) WHERE e.n = a.n

SELECT id, (SELECT max(x.ts AT TIME ZONE coalesce(x.zone, a.tz)) FROM ev_view x, acc a JOIN acc b ON x.n = b.n) AS l FROM ev x

SELECT id, (SELECT max(v.ts AT TIME ZONE coalesce(v.zone, a.tz)) FROM ev_view v, acc a JOIN (SELECT n AS m FROM acc) b ON ts < '2021-03-15') AS l FROM ev x

SELECT id, (SELECT count(*) FROM ev_view v, acc a JOIN (SELECT n AS m, created FROM acc) b ON v.n = b.m AND b.created AT TIME ZONE a.tz > '2021-01-01') AS l FROM other.ev v

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE greatest(e.zone, a.tz) AS l FROM ev e, acc a LEFT JOIN LATERAL (SELECT a.id + 1 AS k) b ON b.k = a.id WHERE e.n = a.n

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE greatest(e.zone, a.tz) AS l, u.id FROM ev e, acc a, other.ev u JOIN ev_view w USING (id) WHERE a.tz = e.zone AND e.id = u.id

SELECT count(*) AS c FROM ev e, acc a JOIN other.ev o ON o.zone = a.tz JOIN ev_view v ON v.id = o.id AND v.ts AT TIME ZONE v.zone > '2021-04-01' WHERE o.seen AT TIME ZONE 'UTC' AT TIME ZONE greatest(e.zone, a.tz, o.zone) > '2021-03-20'

SELECT u.l FROM acc a JOIN unnest(ARRAY[a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz]) AS u(l) ON true

SELECT u.l, e.id FROM acc a CROSS JOIN LATERAL unnest(ARRAY[a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz, a.created AT TIME ZONE 'Europe/Paris']) AS u(l) LEFT JOIN ev e ON e.zone = a.tz AND e.ts > u.l

SELECT g.l, e.id FROM ev e JOIN acc a ON a.tz = e.zone LEFT JOIN LATERAL generate_series(e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz, e.seen AT TIME ZONE e.zone + interval '1 hour', '1 hour') WITH ORDINALITY AS g(l, o) ON g.o < 2

SELECT f.id, f.seen AS s FROM acc a, acc(extract(hour FROM a.created AT TIME ZONE a.tz)::int - 5) f WHERE f.zone = a.tz

SELECT f.id, f.seen AS s FROM acc a CROSS JOIN LATERAL ROWS FROM (acc(extract(hour FROM a.created AT TIME ZONE a.tz)::int - 5)) AS f WHERE f.zone = a.tz

SELECT e.id, q.* FROM ev e LEFT JOIN LATERAL (SELECT a.created AT TIME ZONE a.tz AS l, x.* FROM acc a, LATERAL (SELECT a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS m, e.seen AT TIME ZONE 'Europe/Paris' AS p FROM ev_view v WHERE v.id = e.id) x WHERE a.tz = e.zone) q ON q.l < e.seen AT TIME ZONE e.zone + interval '300 days'

SELECT e.id, (SELECT jsonb_agg(x.l ORDER BY x.l)::text FROM (SELECT v.ts AT TIME ZONE v.zone AS l FROM ev_view v WHERE v.zone = e.zone UNION SELECT a.created AT TIME ZONE a.tz FROM acc a WHERE a.tz = e.zone) x) AS j FROM ev e

SELECT e.id, s.x FROM ev e, LATERAL (SELECT (SELECT (SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') FROM acc a WHERE a.tz = e.zone AND a.seen < e.ts AT TIME ZONE 'America/New_York') AS x) s

SELECT q.x, q.y FROM (SELECT e.seen AT TIME ZONE 'America/New_York' AS x, (SELECT y FROM (SELECT a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS y, a.tz FROM acc a) s WHERE s.tz = e.zone) FROM ev e) q WHERE q.y IS NOT NULL AND q.x > '2021-01-01'

SELECT id, CASE WHEN EXISTS (SELECT FROM acc WHERE tz = zone AND seen AT TIME ZONE 'UTC' AT TIME ZONE tz > '2021-10-31 02:00') THEN 1 END AS c FROM ev

SELECT ev.id, (SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE acc.tz) FROM acc WHERE tz = zone) AS c FROM ev

SELECT ev.id, (SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE tz FROM acc WHERE tz = ev.zone AND ts AT TIME ZONE 'UTC' AT TIME ZONE tz > '2021-03-14 03:00') AS c FROM ev

SELECT a.tz, s.* FROM acc a, LATERAL (SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FILTER (WHERE e.n > a.n), min(seen AT TIME ZONE zone) AS timezone, count(*) FROM ev e WHERE e.zone = a.tz GROUP BY GROUPING SETS ((n), ()) ORDER BY 1 NULLS LAST, 2, 3 LIMIT 2) s(m)

SELECT * FROM (SELECT zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, row_number() OVER (PARTITION BY zone ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone DESC) AS r FROM ev) q WHERE r <= 2 AND EXTRACT(month FROM l) > 9

SELECT zone, d, count(*) FROM (SELECT zone, date_trunc('day', seen AT TIME ZONE zone) FROM ev) AS q(zone, d) GROUP BY CUBE (1, 2) HAVING d IS NULL OR d > '2021-06-01' ORDER BY 1, 2

SELECT (seen AT TIME ZONE 'America/New_York')::date AS d, sum(count(*)) OVER (ORDER BY (seen AT TIME ZONE 'America/New_York')::date ROWS UNBOUNDED PRECEDING) AS s FROM ev GROUP BY (seen AT TIME ZONE 'America/New_York')::date

SELECT date_trunc('day', seen, zone) AS d, date_trunc('week', seen, 'America/New_York') AS w, date_bin('1 day', seen AT TIME ZONE zone, timestamp '2021-01-01') AS b FROM ev

SELECT date_trunc('hour', seen, zone) AS d, count(*) FROM ev GROUP BY 1 HAVING date_trunc('hour', seen, zone) > '2021-03-14 07:00+00'

SELECT extract(epoch FROM seen AT TIME ZONE zone - ts) AS s, age(seen AT TIME ZONE zone, ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') AS a, make_date(2021, extract(month FROM seen AT TIME ZONE zone)::int, 1) AS m FROM ev WHERE isfinite(seen AT TIME ZONE zone)

SELECT ts AT TIME ZONE zone AS i, ts AT TIME ZONE zone AT TIME ZONE 'UTC' AS u, ts AT TIME ZONE zone AT TIME ZONE 'America/New_York' AS x, seen AT TIME ZONE zone AT TIME ZONE zone AS y, ts AT TIME ZONE 'America/New_York' AT TIME ZONE zone AS w FROM ev

SELECT tsrange(ts AT TIME ZONE 'UTC' AT TIME ZONE zone, seen AT TIME ZONE zone, '[]') @> ts AS r, ARRAY[[seen AT TIME ZONE zone]] AS a, (seen AT TIME ZONE zone, n)::text AS t FROM ev

SELECT id FROM ev WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE zone) IN (SELECT * FROM (SELECT created AT TIME ZONE tz FROM acc UNION SELECT seen FROM acc) z)

SELECT e.* FROM ev e WHERE (e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone, e.*) IS NOT NULL

SELECT e FROM ev e WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone > (SELECT avg_l FROM (SELECT min(ts AT TIME ZONE e.zone) FROM ev_view) x(avg_l))

SELECT e::text AS r, e IS NULL AS nul, e.seen AT TIME ZONE e.zone AS l FROM (SELECT e.*, e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS q FROM ev e) e

SELECT x.e, (x.e).n, x.l FROM (SELECT e, e.seen AT TIME ZONE e.zone AS l FROM ev e WHERE e.n > 1) x ORDER BY x.l, (x.e).id

SELECT count(DISTINCT (e.zone, e.seen AT TIME ZONE e.zone)) AS c, count(DISTINCT ROW(ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) AS d FROM ev e

SELECT min(seen AT TIME ZONE zone) OVER w, lead(ts AT TIME ZONE 'UTC' AT TIME ZONE zone, 1, timestamp '2000-01-01') OVER w, nth_value(seen AT TIME ZONE zone, 2) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM ev WINDOW w AS (PARTITION BY zone ORDER BY id)

SELECT id, (SELECT e.ts AT TIME ZONE 'America/New_York' FROM ev_view "E" WHERE "E".id = 3) AS l FROM ev e

SELECT id, (SELECT e.ts AT TIME ZONE 'America/New_York' FROM (SELECT seen AS ts FROM ev LIMIT 1) "E") AS l FROM ev e

SELECT id, (SELECT "E".ts AT TIME ZONE 'America/New_York' FROM ev_view e WHERE e.id = 3) AS l FROM ev "E"

SELECT id, (SELECT é.ts AT TIME ZONE 'America/New_York' FROM ev_view É WHERE É.id = 3) AS l FROM ev é

SELECT id, (SELECT ts AT TIME ZONE 'America/New_York' FROM (SELECT seen AS "TS" FROM ev WHERE id = 3) q) AS l FROM ev

SELECT id, (SELECT max(l) FROM LATERAL (SELECT ts AT TIME ZONE 'America/New_York' AS l FROM (SELECT seen AS "Ts" FROM ev WHERE id = 3) q) s) AS l FROM ev

SELECT id, (SELECT e.ts AT TIME ZONE 'America/New_York' FROM (WITH "EV" AS (SELECT seen AS ts FROM ev) SELECT * FROM ev WHERE id = 3) e) AS l FROM acc

WITH "EV" AS (SELECT seen AS ts, zone FROM ev) SELECT e.ts AT TIME ZONE 'America/New_York' AS l, f.ts AT TIME ZONE 'America/New_York' AS k FROM ev e JOIN "EV" f USING (zone)

WITH c AS (SELECT ts FROM ev), "C" AS (SELECT seen AS ts FROM ev) SELECT a.ts AT TIME ZONE 'America/New_York' AS l FROM c a UNION ALL SELECT a.ts::timestamptz AT TIME ZONE 'America/New_York' FROM "C" a

WITH "C" AS (SELECT seen AS ts FROM ev) SELECT (WITH c AS (SELECT ts FROM ev WHERE id = 3) SELECT "C".ts AT TIME ZONE 'America/New_York' FROM "C" LIMIT 1) AS l FROM acc

WITH c AS (SELECT ts FROM ev WHERE id = 3) SELECT (WITH "C" AS (SELECT seen AS ts FROM ev) SELECT q.ts AT TIME ZONE 'America/New_York' FROM c q) AS l FROM acc

SELECT ts::"timestamp" AT TIME ZONE 'UTC' AT TIME ZONE zone::"text" AS l, ts::"timestamptz" AT TIME ZONE zone AS k, ts::time AT TIME ZONE 'America/New_York' AS t, seen::timetz AT TIME ZONE zone IS NULL AS z FROM ev

SELECT id FROM ev WHERE seen >= localtimestamp AT TIME ZONE zone - interval '30 years' AND seen < timestamp 'infinity' AT TIME ZONE zone AND ts > timestamp '-infinity' AT TIME ZONE zone AT TIME ZONE 'UTC'

SELECT id FROM ev WHERE seen >= $1::timestamp AT TIME ZONE zone AND NOT timestamp '2021-11-07 01:30' AT TIME ZONE zone <= seen

SELECT e.id, count(*) FILTER (WHERE e.seen < timestamp '2021-03-14 02:30' AT TIME ZONE e.zone) AS c, bool_and(e.seen <> timestamp '2021-11-07 01:30' AT TIME ZONE e.zone) AS b FROM ev e GROUP BY e.id, e.zone HAVING max(e.seen) > timestamp '2021-03-14 02:30' AT TIME ZONE e.zone

SELECT id, seen > timestamp '2021-03-28 02:30' AT TIME ZONE zone AS a, CASE WHEN seen < date_trunc('year', now() AT TIME ZONE zone) AT TIME ZONE zone THEN 1 END AS b FROM ev

SELECT a.id FROM acc a WHERE EXISTS (SELECT 1 FROM ev e WHERE e.zone = a.tz AND e.seen > timestamp '2021-10-31 01:30' AT TIME ZONE e.zone AND e.ts < timestamp '2021-12-31 23:45' AT TIME ZONE e.zone AT TIME ZONE 'UTC')

SELECT a.id, b.id AS i FROM ev a JOIN ev b ON a.zone = b.zone AND a.seen < timestamp '2021-04-04 02:00' AT TIME ZONE b.zone AND b.seen >= timestamp '2021-04-04 02:00' AT TIME ZONE a.zone

SELECT id FROM ev WHERE seen < (timestamp '2021-03-14 02:30' + interval '1 day') AT TIME ZONE zone UNION SELECT id FROM acc WHERE created < (SELECT max(ts) FROM ev) AT TIME ZONE tz

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON e.ts < timestamp '2021-03-14 02:30' AT TIME ZONE a.tz) AS c, id FROM ev e

SELECT (SELECT count(*) FROM ev_view e, acc a JOIN acc b ON e.ts < now()) AS c, id FROM ev e

SELECT id, (SELECT count(*) FROM acc a JOIN acc b ON e.seen::timestamp < e.ts AT TIME ZONE 'America/New_York' + interval '1 hour', ev_view e) AS c FROM ev e

SELECT DISTINCT seen AT TIME ZONE zone AS l FROM ev e ORDER BY e.seen AT TIME ZONE e.zone

SELECT DISTINCT seen AT TIME ZONE zone AS l FROM ev ORDER BY timezone(zone, seen)

SELECT DISTINCT ON (e.seen AT TIME ZONE e.zone) id, seen AT TIME ZONE zone AS l FROM ev e ORDER BY seen AT TIME ZONE zone, id

SELECT string_agg(DISTINCT (seen AT TIME ZONE zone)::text, ',' ORDER BY (e.seen AT TIME ZONE e.zone)::text) AS l FROM ev e

SELECT seen AT TIME ZONE zone AS l, count(*) FROM ev e GROUP BY seen AT TIME ZONE zone HAVING e.seen AT TIME ZONE e.zone > '2021-03-01'

SELECT (seen AT TIME ZONE zone)::date AS d, count(*) FROM ev GROUP BY CAST(seen AT TIME ZONE zone AS date)

SELECT date_trunc('day', seen AT TIME ZONE zone) AS d, count(*) FROM ev GROUP BY DATE_TRUNC('day', seen AT TIME ZONE zone)

SELECT date_trunc('day', seen AT TIME ZONE 'America/New_York') AS d, count(*) FROM ev GROUP BY date_trunc('day', ev.seen AT TIME ZONE 'America/New_York')

SELECT public.ev.seen AT TIME ZONE public.ev.zone AS l, count(*) FROM public.ev GROUP BY seen AT TIME ZONE zone, zone

SELECT count(*), zone, l FROM (SELECT zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) GROUP BY (l, zone), () HAVING l > '2021-03-01'

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, n, count(*) FROM ev GROUP BY GROUPING SETS (ROLLUP ((ts AT TIME ZONE 'UTC' AT TIME ZONE zone), n), CUBE (n))

SELECT DISTINCT * FROM ev WHERE seen AT TIME ZONE zone > '2021-04-01'

SELECT e.* FROM (SELECT DISTINCT *, seen AT TIME ZONE zone FROM ev) e JOIN LATERAL (SELECT *, e.timezone AS t FROM acc a WHERE a.created AT TIME ZONE a.tz < e.timezone) x ON x.tz = e.zone

SELECT * FROM other.ev WHERE seen AT TIME ZONE 'UTC' AT TIME ZONE zone > '2021-04-01' ORDER BY 1, 2, 3, 4, 5 LIMIT 7

SELECT * FROM ev "E x", acc AS "A""b" WHERE "E x".seen AT TIME ZONE "A""b".tz > '2021-10-01' AND "A""b".tz = "E x".zone

SELECT id FROM ev WHERE id IN (SELECT id FROM ev WHERE seen AT TIME ZONE zone > '2021-04-01' EXCEPT (SELECT id FROM other.ev WHERE ts AT TIME ZONE zone > '2021-06-01' INTERSECT SELECT id FROM acc))

SELECT id, zone FROM ev WHERE (id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone) NOT IN (SELECT id, seen AT TIME ZONE zone FROM ev WHERE n < 3 AND id > 0)

SELECT ARRAY(SELECT ROW(x.*)::text FROM (SELECT created AT TIME ZONE tz, created AT TIME ZONE 'Europe/Paris' AS p FROM acc ORDER BY id) x) AS a, (SELECT x FROM (SELECT created AT TIME ZONE tz FROM acc WHERE id = 2) x)::text AS b

SELECT (SELECT ROW(e.id, max(a.created AT TIME ZONE a.tz)) FROM acc a WHERE a.id <= e.id)::text AS r FROM ev e

SELECT CASE (SELECT max(created AT TIME ZONE tz) FROM acc) WHEN ts AT TIME ZONE 'UTC' AT TIME ZONE zone THEN 'a' ELSE (seen AT TIME ZONE 'Europe/Paris')::text END AS c FROM ev

SELECT COALESCE((SELECT min(x.ts AT TIME ZONE 'UTC' AT TIME ZONE x.zone) FROM ev x WHERE x.id > e.id), e.seen AT TIME ZONE e.zone, (SELECT created AT TIME ZONE tz FROM acc LIMIT 1)) AS c FROM ev e

SELECT e.id FROM ev e LEFT JOIN acc a ON (SELECT max(v.ts AT TIME ZONE v.zone) FROM ev_view v WHERE v.zone = e.zone) > a.seen AND a.tz = e.zone WHERE a.id IS NULL OR (SELECT a.created AT TIME ZONE a.tz) > '2021-10-31'

SELECT e.id FROM ev e ORDER BY CASE WHEN e.n > 2 THEN e.seen AT TIME ZONE e.zone END NULLS FIRST, e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' DESC, id OFFSET 3 ROWS FETCH NEXT 5 ROWS ONLY

WITH a(x) AS (SELECT seen FROM ev), b AS (SELECT x AT TIME ZONE 'America/New_York' AS x FROM a), c AS (SELECT x AT TIME ZONE 'Europe/Paris' AS x FROM b) SELECT a.x AT TIME ZONE 'Asia/Kolkata' AS l, b.x AT TIME ZONE 'Asia/Kolkata' AS k, c.x AT TIME ZONE 'UTC' AS m FROM a JOIN b ON a.x = b.x AT TIME ZONE 'America/New_York' JOIN c ON c.x = b.x AT TIME ZONE 'Europe/Paris'

WITH c AS (SELECT * FROM ev NATURAL JOIN (SELECT id FROM acc) a) SELECT c.seen AT TIME ZONE c.zone AS l, c.ts AT TIME ZONE 'UTC' AT TIME ZONE c.zone AS k FROM c

WITH c AS (SELECT * FROM ev JOIN (SELECT id, tz FROM acc) a USING (id)) SELECT c.seen AT TIME ZONE c.zone AS l, c.ts AT TIME ZONE 'UTC' AT TIME ZONE c.tz AS k FROM c

SELECT seen AT TIME ZONE zone AS l FROM (ev NATURAL LEFT JOIN (SELECT id FROM acc) a) WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE zone > '2021-06-01'

SELECT * FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) a NATURAL FULL JOIN (SELECT id, created AT TIME ZONE tz AS l FROM acc) b

SELECT l, a.id, b.id AS i FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) a FULL JOIN (SELECT id, created AT TIME ZONE tz AS l FROM acc) b USING (l) WHERE l AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' > '2021-01-01'

SELECT DISTINCT seen AT TIME ZONE zone AS l FROM ev ORDER BY seen AT TIME ZONE (zone)

SELECT DISTINCT seen AT TIME ZONE zone AS l FROM ev ORDER BY seen AT TIME ZONE ZONE

SELECT DISTINCT seen AT TIME ZONE zone AS l FROM ev ORDER BY seen AT TIME ZONE "zone"

SELECT DISTINCT seen AT TIME ZONE zone AS l FROM ev ORDER BY (seen) AT TIME ZONE zone::text

SELECT DISTINCT seen AT TIME ZONE 'America/New_York' AS l FROM ev ORDER BY seen AT TIME ZONE $$America/New_York$$

SELECT DISTINCT seen AT TIME ZONE 'America/New_York' AS l FROM ev e ORDER BY e.seen AT TIME ZONE 'America/New_York'

SELECT DISTINCT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev e ORDER BY ts AT TIME ZONE E'UTC' AT TIME ZONE zone

SELECT DISTINCT seen AT TIME ZONE lower(zone) AS l FROM ev ORDER BY seen AT TIME ZONE LOWER( zone )

SELECT DISTINCT (seen + interval '1 hour') AT TIME ZONE zone AS l FROM ev ORDER BY (seen + interval '1 hour'::interval) AT TIME ZONE zone

SELECT seen AT TIME ZONE zone AS l, count(*) FROM ev GROUP BY seen AT TIME ZONE "zone"

SELECT seen AT TIME ZONE zone AS l, count(*) FROM ev GROUP BY seen AT TIME ZONE zone::text

SELECT seen AT TIME ZONE 'America/New_York' AS l, count(*) FROM ev GROUP BY seen AT TIME ZONE $$America/New_York$$

SELECT (SELECT q.l FROM (SELECT DISTINCT e.seen AT TIME ZONE e.zone AS l, e.zone FROM ev e ORDER BY seen AT TIME ZONE zone) q WHERE q.zone = a.tz LIMIT 1) IS NULL AS l FROM acc a

SELECT rank() OVER (PARTITION BY seen AT TIME ZONE zone ORDER BY id) AS r, count(*) OVER (PARTITION BY e.seen AT TIME ZONE e.zone) AS c FROM ev e

SELECT mode() WITHIN GROUP (ORDER BY seen AT TIME ZONE zone) AS m FROM ev e GROUP BY e.seen AT TIME ZONE e.zone, seen AT TIME ZONE zone

SELECT max(e.seen AT TIME ZONE e.zone) AS m, (SELECT max(a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz) FROM acc a WHERE a.n = e.n) AS k FROM ev e GROUP BY n

SELECT e.n, e.zone, max(seen AT TIME ZONE zone) AS m FROM ev e GROUP BY n, zone HAVING max(e.seen AT TIME ZONE zone) > '2021-06-01' ORDER BY max(seen AT TIME ZONE e.zone), n

SELECT (timezone(zone, seen))::date AS d, pg_catalog.date_part('hour', seen AT TIME ZONE zone) AS h, pg_catalog.max(seen AT TIME ZONE zone) OVER () AS m FROM ev

SELECT pg_catalog.l FROM (SELECT seen AT TIME ZONE zone AS l FROM ev) AS pg_catalog

SELECT id FROM ev e, LATERAL (SELECT seen AT TIME ZONE zone AS l FROM ev WHERE ev.id = e.id) q WHERE (SELECT q.l AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') > (SELECT q.l)

SELECT (SELECT count(*) FROM ev v, acc a JOIN acc b ON a.id = b.id WHERE v.seen AT TIME ZONE a.tz > e.seen AT TIME ZONE e.zone) AS c FROM ev e

SELECT e.n FROM ev e WHERE EXISTS (SELECT 1 FROM acc JOIN ev_view USING (id) WHERE ts AT TIME ZONE zone > '2021-01-01' AND created AT TIME ZONE tz < '2022-01-01' AND e.zone = tz)

SELECT any_value(seen AT TIME ZONE zone) AS a FROM ev GROUP BY id

SELECT json_object_agg(id, seen AT TIME ZONE zone)::text AS a FROM ev GROUP BY id

SELECT jsonb_object_agg(id % 2, seen AT TIME ZONE zone)::text AS a FROM ev GROUP BY id

SELECT json_object_agg_unique(id, seen AT TIME ZONE zone)::text AS a FROM ev GROUP BY id

SELECT json_arrayagg(seen AT TIME ZONE zone)::text AS a FROM ev GROUP BY id

SELECT sum(extract(epoch FROM seen AT TIME ZONE zone)::float8) AS a FROM ev GROUP BY id

SELECT row_number() OVER () AS r, seen AT TIME ZONE zone AS l FROM ev WHERE id = 3

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev OFFSET 0

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev LIMIT ALL

SELECT DISTINCT seen AT TIME ZONE zone AS l FROM ev ORDER BY seen AT /* x */ TIME ZONE zone

SELECT DISTINCT e.seen AT TIME ZONE e.zone AS l FROM ev e ORDER BY E.seen AT TIME ZONE E.zone

SELECT (seen AT TIME ZONE e.zone)::date AS l, count(*) FROM ev e GROUP BY (seen AT TIME ZONE e . zone)::date

SELECT * FROM (SELECT id, (SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone FROM ev_view e WHERE e.id = o.id) FROM other.ev o) q

SELECT id FROM ev WHERE seen IN (SELECT timestamp '2021-03-14 03:00' AT TIME ZONE tz FROM acc) OR n = 2

SELECT (SELECT count(*) FROM ev x JOIN (acc a LEFT JOIN acc b ON x.seen AT TIME ZONE x.zone > b.seen) ON true) AS c FROM ev_view x

SELECT (SELECT count(*) FROM acc a LEFT JOIN acc b ON x.seen AT TIME ZONE a.tz > b.created::timestamp JOIN ev x ON true) AS c FROM ev_view x

SELECT (SELECT count(*) FROM acc a JOIN acc b ON x.ts < timestamp '2021-06-01' AT TIME ZONE a.tz, ev_view x) AS c FROM ev x

SELECT (SELECT count(*) FROM acc a JOIN acc b ON x.ts > now() - interval '20 years', ev_view x) AS c, (SELECT count(*) FROM acc a JOIN acc b ON (x.ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date = '2021-03-14', ev_view x) AS d FROM ev x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Asia/Kolkata') AS h FROM acc o, LATERAL (SELECT o.* FROM ev) x
