-- How scopes are nested in the engine's own regression tests, with conversions where a name or a type
-- is hard to follow. Blank lines separate the queries; some are ones that nothing must be done to.
-- Sums of fractions are of eighths, which are exact in any order: the last digits of others are not promised.

FROM ev SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS t

SELECT * EXCLUDE (seen), seen AT TIME ZONE 'Europe/Paris' AS seen FROM ev

SELECT * REPLACE (ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS ts) FROM ev

SELECT e.* REPLACE (seen AT TIME ZONE 'Europe/Paris' AS seen, ts AT TIME ZONE 'UTC' AS ts) FROM ev e

SELECT x.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS k, x.ts AT TIME ZONE 'Europe/Paris' AS p FROM (SELECT * RENAME (ts AS seen, seen AS ts) FROM ev) x

SELECT ts AT TIME ZONE 'America/New_York' AS k FROM (SELECT * EXCLUDE (ts) RENAME (seen AS ts) FROM ev) x

SELECT COLUMNS('ts|seen') AT TIME ZONE 'America/New_York' FROM ev

SELECT seen AT TIME ZONE 'America/New_York' AS k FROM (SELECT * LIKE 's%' FROM ev) x

SELECT seen AS ts, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS x FROM ev

SELECT ts AT TIME ZONE 'UTC' AS u, u AT TIME ZONE zone AS x FROM ev

SELECT seen AT TIME ZONE 'Asia/Kolkata' AS l, l AT TIME ZONE 'Asia/Kolkata' AS back FROM ev

SELECT seen AS s2, s2 AT TIME ZONE 'Asia/Kolkata' AS l FROM ev WHERE s2 AT TIME ZONE 'Asia/Kolkata' >= TIMESTAMP '2021-03-14'

SELECT seen AS ts, count(*) AS c FROM ev GROUP BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone, seen

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, count(*) AS c FROM ev GROUP BY l ORDER BY l

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, count(*) AS c FROM ev GROUP BY ALL ORDER BY ALL

SELECT date_trunc('day', seen AT TIME ZONE 'Europe/Paris') AS d, zone, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY ALL

SELECT zone, seen AT TIME ZONE 'Europe/Paris' AS seen FROM ev QUALIFY row_number() OVER (PARTITION BY zone ORDER BY seen AT TIME ZONE 'Europe/Paris', id) = 1

SELECT zone, ts AS seen, row_number() OVER (PARTITION BY zone ORDER BY ts, id) AS rn FROM ev QUALIFY rn = 2 AND seen AT TIME ZONE 'UTC' AT TIME ZONE zone > TIMESTAMP '2000-01-01'

SELECT ts AS id2, seen AS ts FROM ev WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' > TIMESTAMP '2021-03-28 01:00:00'

SELECT e.id, a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l FROM ev e ASOF JOIN acc a ON e.ts >= a.seen

SELECT l.t, a.tz FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS t, ts FROM ev) l ASOF LEFT JOIN acc a ON l.ts >= a.seen

SELECT e.seen AT TIME ZONE 'Europe/Paris' AS p, a.tz FROM ev e POSITIONAL JOIN acc a

SELECT p.t FROM (SELECT seen AT TIME ZONE 'Europe/Paris' AS t FROM ev ORDER BY id) p POSITIONAL JOIN (SELECT id FROM acc ORDER BY id) q

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev SEMI JOIN acc ON ev.zone = acc.tz AND ev.seen AT TIME ZONE 'Asia/Kolkata' > acc.seen

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM ev ANTI JOIN acc USING (id)

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM ev ANTI JOIN acc USING (id) WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' > TIMESTAMP '2021-01-01'

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM ev FULL JOIN (SELECT ts AS seen, n AS m FROM ev) z USING (seen)

SELECT z.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l, ev.seen AT TIME ZONE 'Europe/Paris' AS r FROM ev JOIN (SELECT ts AS seen, n AS m FROM ev) z USING (seen)

SELECT zone, n, seen AT TIME ZONE zone AS l FROM ev NATURAL JOIN (SELECT n, zone FROM ev WHERE id < 20) k

SELECT (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone) FROM ev e WHERE e.zone = a.tz) AS m FROM acc a

SELECT (SELECT max(seen AT TIME ZONE tz) FROM ev WHERE zone = tz) AS m FROM acc

SELECT (SELECT max(e.seen AT TIME ZONE 'Europe/Paris') FROM ev e WHERE EXISTS (SELECT 1 FROM ev seen WHERE seen.seen AT TIME ZONE 'Asia/Kolkata' > a.seen AND seen.zone = e.zone)) AS m FROM acc a

SELECT id FROM acc a WHERE a.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' > ANY (SELECT e.seen AT TIME ZONE 'Europe/Paris' FROM ev e WHERE e.zone = a.tz)

SELECT id FROM acc a WHERE a.seen AT TIME ZONE 'UTC' AT TIME ZONE tz >= ALL (SELECT e.seen AT TIME ZONE 'Europe/Paris' FROM ev e WHERE e.n = 3 AND e.seen < a.created)

SELECT id FROM ev WHERE (zone, seen AT TIME ZONE 'Europe/Paris') IN (SELECT zone, ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' FROM ev WHERE n < 3)

SELECT a.id, l.x FROM acc a, LATERAL (SELECT max(seen AT TIME ZONE a.tz) AS x FROM ev WHERE zone = a.tz) l

SELECT a.id, l.x FROM acc a, (SELECT a.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS x) l

SELECT a.id, l.x FROM acc a JOIN (SELECT zone, seen AT TIME ZONE 'Asia/Kolkata' AS x, a.n AS m FROM ev) l ON l.zone = a.tz

SELECT a.id, m.y FROM acc a, (SELECT a.seen AS x) l, (SELECT l.x AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS y, a.created AT TIME ZONE 'Asia/Kolkata' AS z) m

WITH ev AS (SELECT seen AS ts, ts AS seen, zone FROM ev) SELECT ts AT TIME ZONE 'Europe/Paris' AS p, seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS q FROM ev

WITH e AS (SELECT ts AS seen FROM ev) SELECT * FROM (WITH e AS (SELECT seen FROM ev) SELECT seen AT TIME ZONE 'Europe/Paris' AS p FROM e) x

WITH RECURSIVE r(i, s) AS (SELECT id, seen FROM acc UNION ALL SELECT i + 1, s + INTERVAL '7 days' FROM r WHERE i < 12) SELECT i, s AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS p FROM r

WITH RECURSIVE r(i, s) USING KEY (i) AS (SELECT id, created FROM acc UNION SELECT i, s + INTERVAL '7 days' FROM r WHERE s < TIMESTAMPTZ '2021-12-01 00:00:00+00') SELECT i, s AT TIME ZONE 'Europe/Paris' AS p FROM r

SELECT v.t AT TIME ZONE 'UTC' AT TIME ZONE v.z AS l FROM (VALUES (TIMESTAMP '2021-03-14 06:59:59', 'America/New_York'), (TIMESTAMP '2021-03-14 07:00:00', 'America/New_York')) v(t, z)

FROM (VALUES (TIMESTAMP '2021-03-14 06:59:59', 'America/New_York')) v(t, z) SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT seen, zone FROM ev UNION ALL BY NAME SELECT zone, created AS seen FROM acc JOIN ev USING (id)) u

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT seen FROM ev UNION ALL SELECT seen FROM acc) u

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT seen, n FROM ev EXCEPT ALL SELECT created, n FROM acc) u

SELECT id, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev INTERSECT ALL SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' FROM ev

SELECT id, seen AS ts FROM ev ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone, id LIMIT 5

SELECT id, (ts AT TIME ZONE 'UTC') + INTERVAL '3 hours' * n AS ts FROM ev ORDER BY extract(hour FROM ts AT TIME ZONE 'Europe/Paris'), id LIMIT 9

SELECT DISTINCT ON (extract(hour FROM ts AT TIME ZONE 'Europe/Paris')) id, seen + INTERVAL '3 hours' AS ts FROM ev ORDER BY extract(hour FROM ts AT TIME ZONE 'Europe/Paris'), id

SELECT DISTINCT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone LIMIT 6

SELECT DISTINCT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone DESC LIMIT 6

SELECT * REPLACE (seen + INTERVAL '5 hours' AS ts) FROM ev QUALIFY row_number() OVER (PARTITION BY n ORDER BY extract(hour FROM ts AT TIME ZONE 'Europe/Paris'), id) = 1

SELECT * RENAME (ts AS seen, seen AS ts) FROM ev QUALIFY row_number() OVER (PARTITION BY n ORDER BY extract(hour FROM ts AT TIME ZONE 'Europe/Paris'), id) = 1

SELECT * RENAME (ts AS seen, seen AS ts) FROM ev WHERE extract(hour FROM ts AT TIME ZONE 'Asia/Kolkata') < 3

SELECT * REPLACE (seen AS ts) FROM ev WHERE ts >= TIMESTAMP '2021-01-01' AND ts < TIMESTAMP '2022-01-01' QUALIFY row_number() OVER (PARTITION BY n ORDER BY extract(hour FROM ts AT TIME ZONE 'Europe/Paris'), id) = 1

SELECT * RENAME (ts AS seen, seen AS ts) FROM ev WHERE ts >= TIMESTAMP '2021-01-01' AND ts < TIMESTAMP '2022-01-01' QUALIFY row_number() OVER (PARTITION BY n ORDER BY extract(hour FROM ts AT TIME ZONE 'Europe/Paris'), id) = 1

SELECT ts AS created, extract(hour FROM created AT TIME ZONE 'Europe/Paris') AS x FROM ev SEMI JOIN acc ON ev.zone = acc.tz WHERE created >= TIMESTAMP '2021-01-01' AND created < TIMESTAMP '2022-01-01'

SELECT (SELECT count(*) FROM ev SEMI JOIN acc ON ev.id = acc.id WHERE created AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') AS h, o.id FROM (SELECT ts AS created, id FROM ev) o

SELECT ts AS created, id FROM ev ANTI JOIN acc ON ev.id = acc.n WHERE created AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00'

SELECT (SELECT max(l.x) FROM acc a, LATERAL (SELECT extract(hour FROM b.seen AT TIME ZONE 'Europe/Paris') AS x WHERE b.seen >= TIMESTAMP '2021-01-01' AND b.seen < TIMESTAMP '2022-01-01') l, acc b WHERE b.id = 1) AS h, b.id FROM ev b

SELECT (SELECT max(l.x) FROM acc a, LATERAL (SELECT 1 AS x WHERE b.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') l, acc b WHERE b.id = 1) AS h, b.id FROM ev b

SELECT l.x, l.s FROM ev s, LATERAL (SELECT {'ts': s.seen} AS s, extract(hour FROM s.ts AT TIME ZONE 'Europe/Paris') AS x WHERE s.ts >= TIMESTAMP '2021-01-01' AND s.ts < TIMESTAMP '2022-01-01') l

SELECT l.x FROM ev o, LATERAL (SELECT extract(hour FROM s.ts AT TIME ZONE 'Europe/Paris') AS x FROM (SELECT {'ts': o.seen} AS s) q WHERE s.ts >= TIMESTAMP '2021-01-01' AND s.ts < TIMESTAMP '2022-01-01') l

SELECT *, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM (SELECT {'a': 1} AS e, ts, zone FROM ev) e

SELECT * FROM (SELECT {'a': 1} AS e, ts, zone FROM ev) e WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE zone > TIMESTAMP '2021-04-01'

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM (SELECT {'ts': seen} AS e, ts, zone FROM ev) e

SELECT e.seen AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT {'seen': ts} AS e, zone FROM ev) e

SELECT extract(hour FROM e.seen AT TIME ZONE 'Europe/Paris') AS l FROM (SELECT {'seen': ts} AS e, zone, id FROM ev) x JOIN ev e ON x.id = e.id

SELECT *, main.ev.seen AT TIME ZONE 'Europe/Paris' AS l FROM main.ev JOIN other.ev o ON main.ev.id = o.id

FROM ev WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE zone > TIMESTAMP '2021-04-01'

SELECT list_transform([seen], lambda ts: extract(hour FROM ts AT TIME ZONE 'Europe/Paris')) AS l FROM ev

SELECT list_transform([ts], lambda ts: extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) AS l FROM ev

SELECT list_transform([seen], lambda ts: extract(hour FROM ts AT TIME ZONE 'Europe/Paris')) AS l FROM ev WHERE ts >= TIMESTAMP '2021-01-01' AND ts < TIMESTAMP '2022-01-01'

SELECT list_filter([seen, seen + INTERVAL '6 months'], lambda ts: ts AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') AS l FROM ev

SELECT [seen].list_transform(lambda ts: ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') AS l FROM ev

SELECT list_transform([seen, seen + INTERVAL '6 months'], lambda ts, i: list_transform([ts], lambda seen: extract(hour FROM seen AT TIME ZONE 'Europe/Paris') + i)) AS l FROM ev

SELECT list_reduce([seen, seen + INTERVAL '6 months'], lambda ts, n: CASE WHEN ts AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' THEN n ELSE ts END) AS l FROM ev

SELECT list_transform([n], lambda x: e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone) AS l FROM ev e

SELECT list_transform([seen], lambda e: e AT TIME ZONE 'Europe/Paris') AS l FROM ev e

SELECT list_transform([{'ts': seen}], lambda e: extract(hour FROM e.ts AT TIME ZONE 'Europe/Paris')) AS l FROM ev e WHERE e.ts >= TIMESTAMP '2021-01-01' AND e.ts < TIMESTAMP '2022-01-01'

SELECT list_filter([{'ts': seen}], lambda e: e.ts AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') AS l FROM ev e

SELECT any_value(id) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev WHERE id >= 0

SELECT arbitrary(id) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev WHERE id >= 0

SELECT mode(n) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT list(id) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT histogram(n) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT listagg(id, ',') AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT min(id, 3) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone, 2) AS m FROM ev

SELECT array_agg(DISTINCT n) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT zone, mad(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY zone

SELECT zone, quantile_disc(ts AT TIME ZONE 'UTC' AT TIME ZONE zone, 0.5) AS m, median(seen AT TIME ZONE 'Europe/Paris') AS k FROM ev GROUP BY zone

SELECT zone, percentile_disc(0.5) WITHIN GROUP (ORDER BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY zone

SELECT zone, mode() WITHIN GROUP (ORDER BY extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) AS m FROM ev GROUP BY zone

SELECT zone, list(ts AT TIME ZONE 'UTC' AT TIME ZONE zone ORDER BY id) AS m, string_agg(strftime(seen AT TIME ZONE 'Europe/Paris', '%H'), ',' ORDER BY seen AT TIME ZONE 'Europe/Paris', id) FILTER (WHERE n > 1) AS s FROM ev GROUP BY zone

SELECT id, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) OVER w AS m, first_value(seen AT TIME ZONE 'Europe/Paris') OVER (w ROWS UNBOUNDED PRECEDING) AS f FROM ev WINDOW w AS (PARTITION BY zone ORDER BY id)

SELECT id, row_number() OVER w AS r FROM ev WINDOW w AS (PARTITION BY zone ORDER BY seen AT TIME ZONE 'Europe/Paris', id)

SELECT id, row_number() OVER w FROM ev WINDOW w AS (PARTITION BY zone ORDER BY seen AT TIME ZONE 'Europe/Paris', id)

SELECT ARRAY(SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev WHERE n = 2 ORDER BY id) AS f

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev USING SAMPLE 10 ROWS (reservoir, 5)

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev TABLESAMPLE 50% (bernoulli, 5)

SELECT id, l FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev ORDER BY id) x LIMIT 20%

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev ORDER BY id LIMIT (SELECT count(*) / 4 FROM acc WHERE created AT TIME ZONE 'Europe/Paris' > TIMESTAMP '2021-10-31 02:00:00')

SELECT sum(n / 8.0) AS s, avg(n::DOUBLE) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT approx_quantile(n, 0.3) AS s, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT t: ts AT TIME ZONE 'UTC' AT TIME ZONE zone, s: seen AT TIME ZONE 'Europe/Paris' FROM e: ev

SELECT s: e.seen AT TIME ZONE 'Europe/Paris' FROM e: (SELECT seen: ts AT TIME ZONE 'UTC' FROM ev)

SELECT s: seen AT TIME ZONE 'Europe/Paris' FROM (SELECT seen: ts, ts: seen FROM ev) x

SELECT seen: ts, h: extract(hour FROM seen AT TIME ZONE 'Europe/Paris') FROM ev GROUP BY ALL HAVING seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' > TIMESTAMP '2021-04-01'

SELECT seen: ts FROM ev GROUP BY ts, ev.seen HAVING seen AT TIME ZONE 'Europe/Paris' > '2021-04-01 02:00:00'

SELECT ts AS x, alias.x AT TIME ZONE 'UTC' AT TIME ZONE zone AS y FROM ev

SELECT seen AS ts, extract(hour FROM alias.ts AT TIME ZONE 'Europe/Paris') AS y FROM ev

SELECT ts AS x, extract(hour FROM alias.x AT TIME ZONE 'Europe/Paris') AS y FROM ev alias2 WHERE alias.x AT TIME ZONE 'Europe/Paris' > '2021-04-01'

PIVOT (SELECT zone, n, seen FROM ev WHERE n < 3) ON n USING max(seen AT TIME ZONE 'Europe/Paris')

PIVOT (SELECT zone, n, seen FROM ev WHERE n < 3) ON n USING max(seen AT TIME ZONE 'Europe/Paris') AS m, count(*) AS c GROUP BY zone

FROM ev PIVOT (max(ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') FOR n IN (1, 2, 3) GROUP BY zone)

SELECT * FROM (SELECT zone, n, extract(hour FROM seen AT TIME ZONE 'Europe/Paris') AS h FROM ev) PIVOT (count(*) FOR h IN (0, 1, 2, 3) GROUP BY zone)

SELECT p.zone, "1" AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM (SELECT zone, n, ts FROM ev) PIVOT (max(ts) FOR n IN (1, 2) GROUP BY zone) p

UNPIVOT (SELECT id, ts, seen AT TIME ZONE 'Europe/Paris' AS p, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS q FROM ev) ON ts, p, q INTO NAME what VALUE seen

SELECT seen AT TIME ZONE 'Europe/Paris' AS l, what FROM (SELECT id, ts, seen AT TIME ZONE 'Europe/Paris' AS p FROM ev) UNPIVOT (seen FOR what IN (ts, p))

SELECT x.seen AT TIME ZONE 'Europe/Paris' AS l FROM ev UNPIVOT (seen FOR what IN (ts)) x

SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT id, ts, zone FROM ev) UNPIVOT INCLUDE NULLS (seen FOR what IN (ts)) x

SELECT min(COLUMNS(*)), max(seen AT TIME ZONE 'Europe/Paris') AS m FROM ev

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev WHERE COLUMNS(* EXCLUDE (zone)) IS NOT NULL

SELECT coalesce(*COLUMNS(['ts'])) AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, id FROM ev

SELECT coalesce(*COLUMNS('tz|zone')) AS z, seen AT TIME ZONE 'Europe/Paris' AS l, id FROM ev

SELECT * LIKE '%n', seen AT TIME ZONE 'Europe/Paris' AS l FROM ev

SELECT * SIMILAR TO 's.*', ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT e.* LIKE 's%', e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l FROM ev e

SELECT extract(hour FROM x.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata') AS h FROM (SELECT COLUMNS('ts|seen'), seen AS ts FROM ev) x

SELECT extract(hour FROM x.ts AT TIME ZONE 'Asia/Kolkata') AS h FROM (SELECT max(COLUMNS(*)), max(seen) AS ts FROM ev) x

SELECT extract(hour FROM x.ts AT TIME ZONE 'Asia/Kolkata') AS h FROM (SELECT * LIKE '%s', seen AS ts FROM ev) x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Asia/Kolkata') AS h FROM (SELECT count(*) AS n, EXISTS (SELECT * FROM acc) AS e, seen FROM ev GROUP BY seen) x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Asia/Kolkata') AS h FROM acc o, LATERAL (SELECT o.* FROM ev) x

SELECT id FROM ev SEMI JOIN (SELECT seen AS created, created AS seen FROM acc) x ON x.created < now() AND x.seen AT TIME ZONE 'Asia/Kolkata' < now()

SELECT struct_pack(*) AS s FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, id FROM ev) x

SELECT unnest(x) FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone, id FROM ev) x

SELECT x FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone, seen AT TIME ZONE 'Europe/Paris', id FROM ev) x

SELECT x."timezone('Europe/Paris', seen)" FROM (SELECT seen AT TIME ZONE 'Europe/Paris' FROM ev) x

SELECT (SELECT q FROM (SELECT seen AT TIME ZONE 'Europe/Paris', ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev WHERE id = a.id) q) AS s FROM acc a

SELECT (SELECT seen AT TIME ZONE 'Europe/Paris' FROM ev WHERE id = 3), id FROM acc

SELECT EXISTS (SELECT 1 FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' < a.seen), a.id, created AT TIME ZONE tz FROM acc a

SELECT id IN (SELECT n FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' < TIMESTAMP '2021-03-28 03:00:00') FROM acc

SELECT seen AT TIME ZONE 'Europe/Paris' FROM ev UNION ALL BY NAME SELECT seen AT TIME ZONE 'Europe/Paris' FROM ev UNION ALL BY NAME SELECT created AT TIME ZONE tz FROM acc

SELECT * FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone, id FROM ev UNION ALL BY NAME SELECT id, seen AT TIME ZONE 'UTC' AT TIME ZONE tz FROM acc) u

SELECT EXISTS (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev UNION BY NAME SELECT id FROM acc) AS e, id FROM acc

SELECT id FROM acc WHERE id IN (SELECT extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM ev UNION BY NAME SELECT extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM ev)

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev

SELECT struct_pack(a := ts AT TIME ZONE 'UTC' AT TIME ZONE zone, b := {'c': seen AT TIME ZONE 'Europe/Paris'}) AS s FROM ev

SELECT row(ts AT TIME ZONE 'UTC' AT TIME ZONE zone, n) AS s, (seen AT TIME ZONE 'Europe/Paris', id) AS t FROM ev

SELECT unnest([ts, ts + INTERVAL '1 hour']) AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT unnest([ts, ts + INTERVAL '1 hour']) AS u, u AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT u AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev, unnest([ts, ts + INTERVAL '1 hour']) AS x(u)

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l, u FROM ev e, unnest([e.ts, e.ts + INTERVAL '1 hour']) AS x(u)

SELECT g AT TIME ZONE 'UTC' AT TIME ZONE tz AS l FROM acc, generate_series(TIMESTAMP '2021-03-14', TIMESTAMP '2021-03-15', INTERVAL '6 hours') s(g)

SELECT g AT TIME ZONE 'Europe/Paris' AS l FROM range(TIMESTAMPTZ '2021-03-28 00:00:00+00', TIMESTAMPTZ '2021-03-28 04:00:00+00', INTERVAL '30 minutes') s(g)

SELECT *, created AT TIME ZONE tz AS l FROM acc, range(2)

SELECT *, created AT TIME ZONE tz AS l FROM acc, range(2) r(created2)

SELECT *, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev, unnest([1, 2])

SELECT first(id) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY n

SELECT mode(id) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY n

SELECT [1 FOR ts IN [TIMESTAMPTZ '2021-07-01 00:00:00+00'] IF ts AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00'] AS l FROM ev WHERE id < 3

SELECT [x AT TIME ZONE 'Europe/Paris' FOR x IN [seen]] AS l FROM ev

SELECT [e.seen AT TIME ZONE 'Europe/Paris' FOR x IN [1, 2]] AS l FROM ev e

SELECT [seen AT TIME ZONE 'Europe/Paris' FOR ts IN [1, 2]] AS l FROM ev e

SELECT [x FOR x IN [seen AT TIME ZONE 'Europe/Paris', ts AT TIME ZONE 'UTC' AT TIME ZONE zone]] AS l FROM ev e

SELECT [strftime(x, '%H') FOR x IN [ts AT TIME ZONE 'UTC' AT TIME ZONE zone] IF x > ts] AS l FROM ev e

SELECT [e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' FOR e IN [{'ts': seen AT TIME ZONE 'UTC'}]] AS k FROM ev e

SELECT list_transform([1], lambda x: seen AT TIME ZONE 'Europe/Paris') AS l FROM ev

SELECT list_transform(['Europe/Paris', 'Asia/Kolkata'], lambda zone: seen AT TIME ZONE zone) AS l FROM ev

SELECT list_transform(['Europe/Paris', 'Asia/Kolkata'], lambda z: ts AT TIME ZONE 'UTC' AT TIME ZONE z) AS l FROM ev

SELECT (seen AT TIME ZONE 'Europe/Paris').strftime('%H:%M') AS d, ('hour').date_trunc(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS h FROM ev

SELECT ('Europe/Paris').timezone(seen) AS t, timezone('Europe/Paris', seen) AS u FROM ev

SELECT zone, extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS h, count(*) AS c, grouping(zone, extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) AS g FROM ev GROUP BY ROLLUP (zone, extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone))

SELECT zone, h: extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone), count(*) AS c FROM ev GROUP BY GROUPING SETS ((zone, h), (h), ())

SELECT seen AT TIME ZONE 'Europe/Paris' AS p, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m, grouping_id(p) AS g FROM ev GROUP BY CUBE (p, n)

SELECT seen AT TIME ZONE 'Europe/Paris' AS p, n, count(*) FROM ev GROUP BY 1, 2 HAVING max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) > TIMESTAMP '2021-04-01'

SELECT date_trunc('day', ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS d, count(*) FILTER (WHERE seen AT TIME ZONE 'Europe/Paris' > TIMESTAMP '2021-06-01') AS c FROM ev GROUP BY d HAVING d > '2021-01-01' ORDER BY d LIMIT 5

SELECT count(DISTINCT ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS c, count(DISTINCT (seen AT TIME ZONE 'Europe/Paris')::date) AS d FROM ev

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS ts, count(*) AS c FROM ev GROUP BY ts, zone

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS ts, count(*) AS c FROM ev GROUP BY 1 ORDER BY ts LIMIT 3

SELECT max(seen) AS ts, zone FROM ev GROUP BY zone HAVING ts AT TIME ZONE 'Europe/Paris' > TIMESTAMP '2021-12-31'

SELECT max(seen) AS ts, zone FROM ev GROUP BY zone ORDER BY max(ts) AT TIME ZONE 'UTC' AT TIME ZONE zone

WITH time_zone_period_conversion AS (SELECT 1 AS x), t AS (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) SELECT l FROM t, time_zone_period_conversion

WITH RECURSIVE t AS (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev), time_zone_period_conversion AS (SELECT 1 AS x), time_zone_conversion_zone AS (SELECT 2 AS y) SELECT l FROM t, time_zone_period_conversion, time_zone_conversion_zone

WITH RECURSIVE time_zone_period_conversion AS (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM ev) SELECT l FROM time_zone_period_conversion

WITH RECURSIVE time_zone_period_conversion AS (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM ev UNION SELECT id, l + INTERVAL '1 day' FROM time_zone_period_conversion WHERE l < TIMESTAMP '2021-02-01') SELECT l FROM time_zone_period_conversion

WITH time_zone_period_conversion AS (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM ev) SELECT l FROM time_zone_period_conversion

SELECT (WITH Time_Zone_Period_Conversion AS (SELECT 1 AS one) SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM ev, time_zone_period_conversion) AS m, id FROM acc

WITH "Time_Zone_Period_Conversion" AS (SELECT 1 AS one) SELECT (SELECT max(q.l) FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) q) AS m, one FROM "Time_Zone_Period_Conversion"

SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev time_zone_period_conversion

SELECT tzconv_1.ts AT TIME ZONE 'UTC' AT TIME ZONE tzconv_1.zone AS m FROM ev tzconv_1

SELECT zone AS time_zone_name, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM ev WHERE time_zone_name LIKE 'E%' ORDER BY time_zone_name

SELECT zone AS zone_id, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY zone_id HAVING zone_id > 'B' ORDER BY zone_id

SELECT zone AS zone_id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM ev QUALIFY row_number() OVER (PARTITION BY zone_id ORDER BY id) = 1

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS changes_at_utc, changes_at_utc + INTERVAL '1 hour' AS zone_period FROM ev

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m, alias.m FROM ev

SELECT list_transform([n], lambda zone_id: zone_id + 1) AS q, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM ev

SELECT [zone_id + 1 FOR zone_id IN [n]] AS q, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM ev

SELECT {'zone_id': n}.zone_id AS q, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM ev

SELECT zone_id: n, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM ev WHERE zone_id > 3

SELECT (SELECT zone_id) AS q, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM (SELECT n AS zone_id, ts, zone FROM ev) x

SELECT z.seen AT TIME ZONE 'Europe/Paris' AS l FROM (ev e FULL JOIN (SELECT ts AS seen, id FROM ev) y USING (id)) AS z(id, ts, seen, zone, n, seen2)

SELECT id, e.seen AT TIME ZONE 'Europe/Paris' AS l FROM ev e RIGHT JOIN acc a USING (id, n)

SELECT id, created AT TIME ZONE tz AS l, count(*) AS c FROM ev JOIN acc USING (id) GROUP BY ALL ORDER BY ALL

SELECT created AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT created, id FROM acc) a NATURAL LEFT JOIN (SELECT id, ts FROM ev) b

SELECT created AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT seen AS created, id FROM acc) a NATURAL FULL JOIN (SELECT id, created FROM acc) b

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz AS l FROM ev e NATURAL JOIN (SELECT id, tz FROM acc) a

SELECT q.l FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) q NATURAL JOIN (SELECT id, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev) r

SELECT id FROM (SELECT id, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev) q JOIN (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM ev) r USING (id, l)

SELECT e.id, e.ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev e ASOF JOIN (SELECT created AS seen, tz FROM acc) a USING (seen)

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM ev e ASOF JOIN (SELECT seen, tz FROM acc) a USING (seen)

SELECT a.id FROM acc a SEMI JOIN (SELECT zone, seen AT TIME ZONE 'Asia/Kolkata' AS l FROM ev) e ON a.tz = e.zone AND a.seen < e.l

SELECT id, created AT TIME ZONE 'Europe/Paris' AS l FROM acc SEMI JOIN (SELECT id, ts AS created FROM ev) e USING (id)

SELECT created AT TIME ZONE 'Europe/Paris' AS l FROM acc ANTI JOIN (SELECT 100 + id AS id, ts AS made FROM ev) e USING (id) WHERE created AT TIME ZONE 'Europe/Paris' >= '2021-10-31 02:00:00'

SELECT l.h FROM acc a CROSS JOIN LATERAL (SELECT extract(hour FROM x.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT a.*) x) l

SELECT l.h FROM acc a LEFT JOIN LATERAL (SELECT a.created AT TIME ZONE 'Europe/Paris' AS h, a.id AS i) l ON l.i = a.n

SELECT l.h, m.k FROM acc a, LATERAL (SELECT a.created AS c) l(h), LATERAL (SELECT l.h AT TIME ZONE 'Europe/Paris' AS k) m

SELECT l.h, m.k FROM acc a, LATERAL (SELECT a.created AS h) l, LATERAL (SELECT l.h AT TIME ZONE 'Europe/Paris' AS k WHERE l.h AT TIME ZONE 'Europe/Paris' > '2021-10-31 02:30:00') m

SELECT a.id, (SELECT max(l.k) FROM ev e, LATERAL (SELECT e.seen AT TIME ZONE 'Europe/Paris' + (a.created - a.created) AS k) l WHERE e.zone = a.tz) AS m FROM acc a

SELECT a.id, (SELECT (SELECT (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') FROM ev e WHERE e.zone = a.tz))) AS m FROM acc a

SELECT a.id, (SELECT (SELECT (SELECT a.created AT TIME ZONE 'Europe/Paris'))) AS m FROM acc a

SELECT id FROM acc a WHERE (SELECT (SELECT a.created AT TIME ZONE 'Europe/Paris')) > TIMESTAMP '2021-10-31 02:30:00'

SELECT id FROM acc a WHERE EXISTS (FROM ev a WHERE a.seen AT TIME ZONE 'Europe/Paris' < TIMESTAMP '2021-03-28 03:00:00' AND EXISTS (FROM acc b WHERE b.tz = a.zone AND b.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' > TIMESTAMP '2021-10-31 07:00:00'))

SELECT (SELECT max(x.seen AT TIME ZONE 'Europe/Paris') FROM (SELECT a.created AS seen UNION ALL SELECT e.seen FROM ev e WHERE e.zone = a.tz) x) AS m FROM acc a

SELECT (WITH x AS (SELECT a.created AS seen) SELECT max(x.seen AT TIME ZONE 'Europe/Paris') FROM x) AS m FROM acc a

SELECT (WITH a AS (SELECT a.created AS seen) SELECT max(a.seen AT TIME ZONE 'Europe/Paris') FROM a) AS m FROM acc a

WITH acc AS (SELECT created AS seen, seen AS created, tz FROM acc) SELECT (SELECT max(acc.seen AT TIME ZONE 'Europe/Paris') FROM main.acc) AS m, acc.seen AT TIME ZONE tz AS k FROM acc

WITH a AS (SELECT seen AS x FROM acc), b AS (WITH a AS (SELECT created AS x FROM acc) SELECT * FROM a), c AS (FROM a) SELECT b.x AT TIME ZONE 'Europe/Paris' AS l, c.x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS k FROM b, c

WITH a AS (SELECT seen AS x FROM acc) SELECT * FROM (WITH b AS (FROM a), a AS (SELECT created AS x FROM acc) SELECT b.x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l, a.x AT TIME ZONE 'Europe/Paris' AS k FROM b, a) q

WITH a AS (SELECT seen AS x FROM acc) SELECT (WITH a AS (SELECT x + INTERVAL '1 hour' AS x FROM a) SELECT max(x AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') FROM a) AS m FROM a

WITH a(seen) AS MATERIALIZED (SELECT ts FROM ev), A2(ts) AS NOT MATERIALIZED (SELECT seen FROM EV) SELECT A.SEEN AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM A UNION ALL SELECT a2.Ts AT TIME ZONE 'Europe/Paris' FROM a2

WITH w(a) AS (SELECT id, created FROM acc) SELECT created AT TIME ZONE 'Europe/Paris' AS l, a FROM w

WITH w(seen) AS (SELECT created AS x, seen AS y FROM acc) SELECT seen AT TIME ZONE 'Europe/Paris' AS l, y AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS k FROM w t

SELECT t.b AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM acc t(a, tz, b)

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM acc t(a, b, c, seen)

SELECT EV.Seen AT TIME ZONE 'Europe/Paris' AS l, "EV"."TS" AT TIME ZONE 'UTC' AT TIME ZONE "Zone" AS k FROM "Ev"

SELECT "the time" AT TIME ZONE 'UTC' AT TIME ZONE "ZONE" AS k FROM "odd NAME"

SELECT seen/* a */AT--b
TIME /* 'x */ZONE /**/'Europe/Paris'/* AS q */AS l FROM ev--end

SELECT /* ; */ ts AT TIME ZONE/*1*/'UTC'/*2*/AT/*3*/TIME/*4*/ZONE/*5*/zone/*6*/FROM/*7*/ev/*8*/

SELECT seen AT TIME ZONE $$Europe/Paris$$ AS l, $a$it's$a$ AS q FROM ev

SELECT ts AT TIME ZONE $x$UTC$x$ AT TIME ZONE zone AS l FROM ev

SELECT ts AT TIME ZONE 'utc' AT TIME ZONE 'EUROPE/paris' AS l FROM ev

SELECT seen AT TIME ZONE e'Europe/Paris' AS l FROM ev

SELECT seen AT TIME ZONE ('Europe' || '/Paris') AS l FROM ev

SELECT seen AT TIME ZONE lower(zone) AS l, seen AT TIME ZONE CASE WHEN n > 3 THEN zone ELSE 'Europe/Paris' END AS k FROM ev

SELECT seen AT TIME ZONE coalesce(zone, 'Europe/Paris') AS l, ts AT TIME ZONE 'UTC' AT TIME ZONE if(n > 2, 'Asia/Kolkata', zone) AS k FROM ev

SELECT rowid, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev

SELECT e.rowid, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev e

SELECT CAST(seen AS TIMESTAMP) AT TIME ZONE 'Europe/Paris' AS l, seen::TIMESTAMP::TIMESTAMPTZ AT TIME ZONE 'Asia/Kolkata' AS k FROM ev

SELECT TRY_CAST(ts::VARCHAR AS TIMESTAMP WITH TIME ZONE) AT TIME ZONE 'Europe/Paris' AS l, ts::TIMESTAMP_S AT TIME ZONE 'Asia/Kolkata' AS k FROM ev

SELECT ts::TIMESTAMP_MS AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, ts::DATETIME AT TIME ZONE 'UTC' AT TIME ZONE zone AS k FROM ev

SELECT ts::TIMESTAMP_NS AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM ev

SELECT ts::TIMESTAMP_NS AT TIME ZONE 'Europe/Paris' AS l FROM ev

SELECT l AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS m FROM (SELECT (ts::TIMESTAMP_NS) + INTERVAL '1 hour' AS l FROM ev) q

SELECT ts::DATE AT TIME ZONE 'Europe/Paris' AS l FROM ev

SELECT (seen::DATE)::TIMESTAMP AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, date_trunc('day', ts) AT TIME ZONE 'UTC' AT TIME ZONE zone AS k FROM ev

SELECT date_trunc('day', ts::DATE) AT TIME ZONE 'UTC' AT TIME ZONE zone AS k FROM ev

SELECT TIMESTAMP '2021-03-28 02:30:00' AT TIME ZONE zone AS k, '2021-03-28 02:30:00'::TIMESTAMPTZ AT TIME ZONE zone AS l FROM ev WHERE zone <> ''

SELECT TRY(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS t FROM ev

SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS l FROM (VALUES (TIMESTAMP 'infinity', 'Europe/Paris'), (TIMESTAMP '-infinity', 'Asia/Kolkata'), (TIMESTAMP '1800-01-01', 'Europe/Paris'), (TIMESTAMP '0044-03-15 (BC)', 'Europe/Paris'), (TIMESTAMP '2500-07-01', 'America/New_York'), (NULL, 'UTC')) v(t, z)

SELECT t AT TIME ZONE 'Europe/Paris' AS l FROM (VALUES (TIMESTAMPTZ 'infinity', 'Europe/Paris'), (TIMESTAMPTZ '-infinity', 'Asia/Kolkata'), (TIMESTAMPTZ '2500-07-01 00:00:00+00', 'Nowhere')) v(t, z)

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM (VALUES (1, TIMESTAMP '2021-03-28 01:00:00'), (2, NULL)) v(a, seen)

SELECT v.seen AT TIME ZONE 'Europe/Paris' AS l FROM (VALUES (NULL), (TIMESTAMPTZ '2021-03-28 01:00:00+00')) v(seen)

SELECT col0 AT TIME ZONE 'UTC' AT TIME ZONE col1 AS l FROM (VALUES (TIMESTAMP '2021-03-28 01:00:00', 'Europe/Paris'))

SELECT c AT TIME ZONE 'Europe/Paris' AS l FROM (VALUES (TIMESTAMP '2021-03-28 01:00:00'), (TIMESTAMPTZ '2021-03-28 01:00:00+00')) v(c)

SELECT c AT TIME ZONE 'Europe/Paris' AS l FROM (VALUES (TIMESTAMP '2021-03-28 01:00:00'), ('2021-07-28 01:00:00')) v(c)

SELECT extract(hour FROM seen AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT seen, unnest({'seen': ts}) FROM ev) x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT s.*, seen FROM (SELECT {'seen': ts} AS s, seen FROM ev) q) x

SELECT extract(hour FROM a.seen AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT *, ts AS seen FROM ev) a

SELECT extract(hour FROM a.seen_1 AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT ts AS seen, seen AS seen_1, seen FROM ev) a

SELECT #2 AT TIME ZONE 'UTC' AT TIME ZONE #4 AS l, #1 AS i FROM ev

SELECT x.ts AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT * EXCLUDE (e.ts) RENAME (a.created AS ts) FROM ev e JOIN acc a USING (id)) x

SELECT x.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT * EXCLUDE (e.seen) FROM ev e JOIN acc a ON e.id = a.id) x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Europe/Paris') AS l FROM (SELECT * REPLACE (a.created AS seen) FROM ev e JOIN acc a ON e.id = a.id) x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Europe/Paris') AS l FROM (SELECT e.*, a.* EXCLUDE (seen) FROM ev e JOIN acc a ON e.id = a.id) x

SELECT extract(hour FROM ts AT TIME ZONE 'Europe/Paris') AS l FROM (FROM ev SELECT * REPLACE (seen AS ts)) x

SELECT extract(hour FROM ts AT TIME ZONE 'Europe/Paris') AS l FROM (FROM ev SELECT seen AS ts, zone) x

SELECT extract(hour FROM ts AT TIME ZONE 'Europe/Paris') AS l FROM (FROM ev_view) x

WITH v AS (FROM ev_view), w AS (FROM v SELECT *, seen AS s2) FROM w SELECT ts AT TIME ZONE 'Europe/Paris' AS p, s2 AT TIME ZONE 'UTC' AT TIME ZONE zone AS q

FROM VALUES (TIMESTAMP '2021-03-14 06:59:00', 'America/New_York') v(t, z) SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS l

SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS l FROM VALUES (TIMESTAMP '2021-03-14 06:59:00', 'America/New_York') v(t, z)

WITH v(t, z) AS (VALUES (TIMESTAMP '2021-03-14 06:59:00', 'America/New_York')) SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS l FROM v

WITH RECURSIVE r AS (SELECT id, seen AS s, 0 AS i FROM acc UNION ALL SELECT id, r.s AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris', i + 1 FROM r WHERE i < 2) SELECT * FROM r

WITH RECURSIVE r AS (SELECT id, created AS s, 0 AS i FROM acc UNION ALL SELECT id, r.s AT TIME ZONE 'Europe/Paris', i + 1 FROM r WHERE i < 2) SELECT * FROM r

WITH RECURSIVE ev AS (SELECT id, ts AS seen, 0 AS i FROM main.ev UNION ALL SELECT id, seen, i + 1 FROM ev WHERE i < 1) SELECT extract(hour FROM seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') AS h, i FROM ev

WITH RECURSIVE r(id, s) USING KEY (id) AS (SELECT id, created FROM acc UNION SELECT a.id, x.s + INTERVAL '1 hour' FROM r a JOIN recurring.r x ON a.id = x.id WHERE x.s AT TIME ZONE 'Europe/Paris' < TIMESTAMP '2021-10-31 04:00:00') SELECT id, s AT TIME ZONE 'Europe/Paris' AS l FROM r

SELECT seen AT TIME ZONE 'Europe/Paris'::VARCHAR AS l FROM ev

SELECT seen AT TIME ZONE zone || '' AS l FROM ev

SELECT seen AT TIME ZONE ['Europe/Paris', zone][2] AS l FROM ev

SELECT seen AT TIME ZONE zone.lower() AS l FROM ev

SELECT seen AT TIME ZONE {'a': zone}.a AS l, seen AT TIME ZONE (MAP {'a': 'Asia/Kolkata'})['a'] AS k FROM ev

SELECT seen AT TIME ZONE 'Europe/Paris' - INTERVAL '1 hour' AS l, seen AT TIME ZONE 'Europe/Paris' - ts AS d FROM ev

SELECT seen AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, seen AT TIME ZONE 'Europe/Paris' AT TIME ZONE 'Asia/Kolkata' AS k, (ts AT TIME ZONE 'UTC') AT TIME ZONE (zone) AS m FROM ev

SELECT seen AT TIME ZONE 'Europe/Paris' BETWEEN '2021-03-28 02:30:00' AND '2021-10-31 02:30:00' AS b, seen AT TIME ZONE 'Australia/Lord_Howe' >= '2021-04-04 01:45:00' AS c, (seen AT TIME ZONE 'Pacific/Apia')::DATE = DATE '2021-04-04' AS d FROM ev

SELECT NOT seen AT TIME ZONE 'Europe/Paris' < '2021-03-28 02:30:00' AS b, seen AT TIME ZONE 'Africa/Casablanca' IS DISTINCT FROM TIMESTAMP '2021-05-16 02:30:00' AS c, seen AT TIME ZONE 'America/St_Johns' IN ('2021-11-07 01:00:00', TIMESTAMP '2021-03-14 03:00:00') AS d, seen AT TIME ZONE 'Europe/Paris' <> '2021-10-31 02:30:00' AS e FROM ev

SELECT id FROM ev WHERE date_trunc('month', seen AT TIME ZONE 'America/New_York') = '2021-11-01' OR (ts AT TIME ZONE 'UTC' AT TIME ZONE 'Australia/Lord_Howe')::DATE BETWEEN '2021-04-04' AND '2021-04-05'

SELECT e.id, a.id FROM ev e LEFT JOIN acc a ON a.id = e.n AND e.seen AT TIME ZONE 'Europe/Paris' >= '2021-10-31 02:00:00' WHERE a.created AT TIME ZONE 'Asia/Kolkata' > '2021-10-31 07:00:00' OR a.id IS NULL

SELECT e.id, a.id FROM ev e FULL JOIN acc a ON a.id = e.n AND a.created AT TIME ZONE 'Asia/Kolkata' > e.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris'

SELECT e.id, a.id FROM ev e RIGHT JOIN acc a ON a.tz = e.zone AND a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz > e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone

SELECT e.id, a.id FROM (ev e JOIN acc a ON a.tz = e.zone) LEFT JOIN (acc b JOIN ev c ON b.id = c.n AND c.seen AT TIME ZONE 'Europe/Paris' > b.seen) ON b.id = a.id WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz > '2021-11-01' AND c.id < 9

SELECT a.id, x.l FROM acc a, (ev b JOIN (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) x ON b.id = x.id) WHERE b.seen AT TIME ZONE a.tz > x.l

SELECT a.id, b.seen AT TIME ZONE 'Europe/Paris' AS l FROM acc a, ev b JOIN acc c ON b.id = c.id, ev d WHERE d.id = a.id AND d.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz > '2021-01-01'

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM ev seen

SELECT ts.ts AT TIME ZONE 'UTC' AT TIME ZONE ts.zone AS l, seen AT TIME ZONE 'Europe/Paris' AS ts FROM ev ts ORDER BY ts, ts.ts LIMIT 7

SELECT zone AS l, (SELECT count(*) FROM acc WHERE tz = l AND created AT TIME ZONE 'Europe/Paris' > '2021-10-31 02:00:00') AS c FROM ev

SELECT a.id, (SELECT min(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone) FROM ev e WHERE e.n = a.n HAVING max(e.seen AT TIME ZONE 'Europe/Paris') > a.seen) AS m FROM acc a

SELECT a.n, (SELECT max(e.id) FROM ev e WHERE e.seen AT TIME ZONE 'Europe/Paris' < max(a.seen)) AS m FROM acc a GROUP BY a.n

SELECT a.id FROM acc a ORDER BY (SELECT max(e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone) FROM ev e WHERE e.zone = a.tz), a.created AT TIME ZONE a.tz LIMIT 4

SELECT CASE WHEN EXISTS (SELECT 1 FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' = a.seen) THEN 1 ELSE (SELECT min(seen AT TIME ZONE zone)::DATE - DATE '2021-01-01' FROM ev) END AS c FROM acc a

SELECT b.id, (SELECT count(*) FROM ev a JOIN ev c ON a.id = c.id AND b.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00' JOIN acc b ON b.id = a.id) AS c FROM ev b

SELECT b.id, (SELECT max(l.x) FROM acc a, LATERAL (SELECT extract(hour FROM b.seen AT TIME ZONE 'Europe/Paris') AS x) l, ev b WHERE b.id = 1 AND b.seen >= TIMESTAMPTZ '2021-01-01 00:00:00+00' AND b.seen < TIMESTAMPTZ '2022-01-01 00:00:00+00') AS h FROM acc b

SELECT unnamed_subquery.seen AT TIME ZONE 'Europe/Paris' AS y FROM (SELECT ts AS seen, id FROM ev)

SELECT *, id.seen AT TIME ZONE 'Europe/Paris' AS k FROM ev AS id JOIN acc n ON id.id = n.id

SELECT *, "the time" AT TIME ZONE 'UTC' AT TIME ZONE "Zone" AS k FROM main."Odd name"

SELECT *, ts AT TIME ZONE 'Europe/Paris' AS k FROM other.ev

SELECT extract(hour FROM x.seen AT TIME ZONE 'Europe/Paris') AS k FROM (SELECT unnest(a), seen FROM (SELECT seen, {'b': 1} AS b FROM acc) a) x

WITH x AS (SELECT unnest({'seen': ts}), seen FROM ev) SELECT count(*) FROM x WHERE (seen AT TIME ZONE 'Europe/Paris')::DATE > DATE '2021-03-28'

SELECT x.* FROM (SELECT *, seen AT TIME ZONE 'Europe/Paris' FROM ev) x ORDER BY ALL LIMIT 5

SELECT count(*), count(ev.*), max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM ev

SELECT ev, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone AS l, to_json(e) AS j, e::VARCHAR AS v FROM ev e

SELECT l AT TIME ZONE 'Europe/Paris' AS k FROM (SELECT max(seen) FILTER (WHERE n > 2) AS l, min(ts) OVER () AS m FROM ev GROUP BY zone, ts) q

SELECT l AT TIME ZONE 'Europe/Paris' AS k, m AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS o FROM (SELECT max(seen) OVER (PARTITION BY zone ORDER BY id) AS l, coalesce(lag(ts) OVER (ORDER BY id), ts) AS m FROM ev) q

SELECT m AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS o FROM (SELECT CASE n WHEN 1 THEN ts WHEN 2 THEN NULL ELSE ts + INTERVAL '1 month' END AS m FROM ev) q

SELECT m AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS o FROM (SELECT CASE n WHEN 1 THEN ts ELSE seen END AS m FROM ev) q

SELECT extract(hour FROM m AT TIME ZONE 'Asia/Kolkata') AS o FROM (SELECT if(n = 1, seen, NULL) AS m, ifnull(seen, now()) AS k FROM ev) q

SELECT extract(hour FROM m AT TIME ZONE 'Asia/Kolkata') AS o FROM (SELECT greatest(seen, TIMESTAMPTZ '2021-04-01 00:00:00+00') AS m, least(ts, '2021-01-01') AS k FROM ev) q

SELECT extract(hour FROM m AT TIME ZONE 'Asia/Kolkata') AS o FROM (SELECT coalesce(seen, '2021-01-01') AS m FROM ev) q

SELECT extract(hour FROM coalesce(NULL, seen) AT TIME ZONE 'Asia/Kolkata') AS o, extract(hour FROM nullif(seen, ts) AT TIME ZONE 'Asia/Kolkata') AS p FROM ev

SELECT extract(hour FROM (ts - INTERVAL (n) DAY) AT TIME ZONE 'UTC' AT TIME ZONE zone) AS o, (seen + n * INTERVAL '1 hour') AT TIME ZONE 'Asia/Kolkata' AS p, (seen + to_days(n)) AT TIME ZONE 'Asia/Kolkata' AS q FROM ev

SELECT date_trunc('day', seen) AT TIME ZONE 'Europe/Paris' AS a, date_trunc('week', ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS b, date_trunc('hour', seen AT TIME ZONE 'Europe/Paris') AT TIME ZONE 'Europe/Paris' AS c FROM ev

SELECT time_bucket(INTERVAL '1 day', seen, 'Europe/Paris') AS a, time_bucket(INTERVAL '6 hours', ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS b FROM ev

SELECT strftime(seen AT TIME ZONE 'Europe/Paris', '%Y-%m-%d %H:%M') AS a, date_part('hour', ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS b, (seen AT TIME ZONE 'Europe/Paris')::TIME AS c, age(seen AT TIME ZONE 'Europe/Paris', ts) AS d FROM ev

SELECT last_day(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS a, datediff('hour', ts, seen AT TIME ZONE 'Europe/Paris') AS b, dayname(seen AT TIME ZONE 'Asia/Kolkata') AS c FROM ev

SELECT a.id FROM acc a WHERE a.seen AT TIME ZONE 'UTC' AT TIME ZONE a.tz NOT IN (SELECT e.seen AT TIME ZONE 'Europe/Paris' FROM ev e WHERE e.seen IS NOT NULL AND e.zone = a.tz)

SELECT a.id, row(a.tz, a.created AT TIME ZONE a.tz) IN (SELECT row(zone, ts) FROM ev) AS b FROM acc a

SELECT zone, sum(c) AS s FROM (SELECT zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, count(*) AS c FROM ev GROUP BY ALL) q GROUP BY ALL HAVING max(l AT TIME ZONE zone) > TIMESTAMPTZ '2021-06-01 00:00:00+00'

SELECT min(l) AS m FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev) q(l)

SELECT q."AT" AS m FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS "AT" FROM ev) q

SELECT e.id FROM ev e JOIN acc a ON e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.tz >= a.created AT TIME ZONE a.tz AND e.n = a.n

SELECT e.id, a.id FROM ev e, acc a WHERE e.seen AT TIME ZONE a.tz > TIMESTAMP '2021-10-31 12:00:00' AND e.ts >= TIMESTAMP '2021-06-01' AND e.ts < TIMESTAMP '2022-01-01'

SELECT e.id FROM ev e, acc a WHERE a.id = e.n AND e.ts >= TIMESTAMP '2021-10-31 02:00:00' AT TIME ZONE a.tz AT TIME ZONE 'UTC' AND e.ts < TIMESTAMP '2021-12-31 02:00:00' AT TIME ZONE a.tz AT TIME ZONE 'UTC'

SELECT id FROM ev WHERE seen >= TIMESTAMP '2021-03-28' AT TIME ZONE zone AND seen < TIMESTAMP '2021-11-08' AT TIME ZONE zone

SELECT id FROM ev WHERE ts < now() AND ts > current_date - 100000

SELECT id FROM ev WHERE ts < CURRENT_TIMESTAMP - INTERVAL '1 day' AND seen < now()

SELECT alias.seen AT TIME ZONE 'Europe/Paris' AS h, ts AS seen FROM ev alias

SELECT (SELECT max(l.h) FROM (SELECT ts AS seen, id FROM ev) q, LATERAL (SELECT q.seen AS created, alias.created AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00' AS h) l) AS m, id FROM acc alias

SELECT b.id, (SELECT count(*) FROM ev a JOIN (acc b JOIN acc c ON b.id = c.id AND a.seen AT TIME ZONE 'Europe/Paris' >= '2021-10-31 03:00:00') ON a.id = b.id) AS c FROM ev b

SELECT a.id, (SELECT count(*) FROM ev a JOIN (acc b JOIN acc c ON b.id = c.id AND a.seen AT TIME ZONE 'Europe/Paris' >= '2021-10-31 03:00:00') ON a.id = b.id) AS c FROM acc a

SELECT o.id, (SELECT count(*) FROM (ev SEMI JOIN (SELECT id, created FROM acc) a ON ev.id = a.id) WHERE created AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') AS c FROM (SELECT id, ts AS created FROM ev) o

SELECT ts AS created, id FROM (ev SEMI JOIN (SELECT id AS i, created FROM acc) a ON ev.id = a.i) WHERE created AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00'

SELECT * FROM (ev a JOIN acc b ON a.id = b.id) WHERE b.created AT TIME ZONE b.tz > '2021-10-31'

SELECT * FROM (ev a JOIN acc b ON a.id = b.id) JOIN ev c ON c.id = b.id WHERE c.ts AT TIME ZONE 'UTC' AT TIME ZONE b.tz > '2021-01-01'

SELECT * FROM ev e, LATERAL (SELECT e.id AS i, e.seen AT TIME ZONE 'Europe/Paris' AS l) l WHERE e.ts AT TIME ZONE 'UTC' AT TIME ZONE zone > '2021-06-01'

SELECT * FROM unnest([1, 2]) u, ev WHERE ev.ts AT TIME ZONE 'UTC' AT TIME ZONE zone > '2021-06-01'

SELECT *, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev TABLESAMPLE 100%

SELECT *, seen AT TIME ZONE zone AS l FROM ev e TABLESAMPLE (100 PERCENT)

SELECT e.seen AT TIME ZONE zone AS l FROM ev e TABLESAMPLE 40% (system, 7) JOIN acc a ON a.tz = e.zone

SELECT seen AT TIME ZONE zone IS NULL AS a, ts AT TIME ZONE 'UTC' AT TIME ZONE zone NOTNULL AS b, seen AT TIME ZONE zone ISNULL AS c, ts AT TIME ZONE 'UTC' AT TIME ZONE zone = seen AT TIME ZONE 'Europe/Paris' AS d FROM ev

SELECT n * INTERVAL '1' DAY + seen AT TIME ZONE zone AS a, INTERVAL '1 day' + (ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS b, - (seen AT TIME ZONE 'Europe/Paris' - ts) AS c FROM ev

SELECT ts BETWEEN seen AT TIME ZONE zone AND ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS a, CASE seen AT TIME ZONE 'Europe/Paris' WHEN ts THEN 1 WHEN ts AT TIME ZONE 'UTC' AT TIME ZONE zone THEN 2 END AS b FROM ev

SELECT [10, 11, 12, 13, 14][extract(hour FROM seen AT TIME ZONE 'Europe/Paris')::INT % 5 + 1] AS a, 'abcdefghij'[extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::INT % 5:] AS b FROM ev

SELECT ts AT TIME ZONE 'UTC'::VARCHAR AT TIME ZONE zone AS a, ts AT TIME ZONE ('UTC') AT TIME ZONE (zone::TEXT) AS b, ((seen)) AT TIME ZONE ((('Europe/Paris'))) AS c FROM ev

SELECT seen AT TIME ZONE zone AS "timezone(zone, seen)", seen AT TIME ZONE zone FROM ev

SELECT seen AT TIME ZONE zone, (seen AT TIME ZONE zone), -(seen AT TIME ZONE zone - ts), (seen AT TIME ZONE zone)::DATE, CAST(seen AT TIME ZONE zone AS DATE), TRY_CAST(seen AT TIME ZONE zone AS DATE), extract(hour FROM seen AT TIME ZONE zone), seen AT TIME ZONE zone IS NULL, [seen AT TIME ZONE zone], {'a': seen AT TIME ZONE zone}, CASE WHEN TRUE THEN seen AT TIME ZONE zone END, coalesce(seen AT TIME ZONE zone, ts), max(seen AT TIME ZONE zone) OVER (), sum(n) FILTER (WHERE seen AT TIME ZONE 'Europe/Paris' > ts) OVER (PARTITION BY zone ORDER BY seen AT TIME ZONE zone, id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM ev

SELECT seen AT TIME ZONE zone BETWEEN ts AND ts + INTERVAL '3 hours', seen AT TIME ZONE zone IN (ts, ts + INTERVAL '1 hour'), seen AT TIME ZONE 'Europe/Paris' > ALL (SELECT created FROM acc), EXISTS (SELECT 1 FROM acc WHERE acc.seen > ev.seen AT TIME ZONE 'Europe/Paris'), if(seen AT TIME ZONE zone > ts, 1, 2), date_trunc('day', seen AT TIME ZONE zone), strftime(seen AT TIME ZONE zone, '%H'), seen AT TIME ZONE zone IS DISTINCT FROM ts, NOT seen AT TIME ZONE zone > ts FROM ev

SELECT count(*) FILTER (seen AT TIME ZONE zone > ts), max(seen AT TIME ZONE zone), quantile_cont(seen AT TIME ZONE zone, 0.5), list(seen AT TIME ZONE zone ORDER BY seen AT TIME ZONE zone, id), string_agg(zone, ',' ORDER BY seen AT TIME ZONE zone, id), count(DISTINCT seen AT TIME ZONE zone) FROM ev

SELECT id, lead(seen AT TIME ZONE zone) OVER (PARTITION BY zone ORDER BY seen AT TIME ZONE zone, id), first_value(seen AT TIME ZONE zone IGNORE NULLS) OVER (ORDER BY id), rank() OVER (ORDER BY date_trunc('month', seen AT TIME ZONE zone)), sum(n) OVER (ORDER BY seen AT TIME ZONE 'Europe/Paris' RANGE BETWEEN INTERVAL '30 days' PRECEDING AND INTERVAL '1 day' FOLLOWING) FROM ev

SELECT id, count(*) OVER (PARTITION BY (seen AT TIME ZONE zone)::DATE) AS c, dense_rank() OVER w AS r FROM ev WINDOW w AS (PARTITION BY zone ORDER BY (ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::DATE) QUALIFY dense_rank() OVER w < 3 AND max(seen AT TIME ZONE zone) OVER w > TIMESTAMP '2021-01-01'

SELECT zone, arg_max(id, seen AT TIME ZONE zone) AS a, min(seen AT TIME ZONE zone) FILTER (WHERE n > 2) AS b FROM ev GROUP BY ALL ORDER BY ALL DESC NULLS LAST LIMIT 4

SELECT zone, x FROM ev, LATERAL (SELECT unnest(range((extract(hour FROM ev.seen AT TIME ZONE 'Europe/Paris')::INT) % 3)) AS x) q

SELECT zone, unnest(generate_series(ts AT TIME ZONE 'UTC' AT TIME ZONE zone, (ts AT TIME ZONE 'UTC' AT TIME ZONE zone) + INTERVAL '2 hours', INTERVAL '1 hour')) AS g FROM ev WHERE zone <> ''

SELECT e.id, g FROM ev e, generate_series(e.seen AT TIME ZONE 'Europe/Paris', (e.seen AT TIME ZONE 'Europe/Paris') + INTERVAL '2 hours', INTERVAL '1 hour') t(g)

SELECT e.id, u FROM ev e CROSS JOIN unnest([e.seen AT TIME ZONE e.zone, e.ts]) t(u)

SELECT seen AT TIME ZONE 'Europe/Paris' AS l FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' > (SELECT min(l) FROM (SELECT created AT TIME ZONE 'Asia/Kolkata' AS l FROM acc)) UNION (SELECT ts FROM ev EXCEPT SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev) INTERSECT ALL SELECT seen AT TIME ZONE 'UTC' FROM ev ORDER BY l LIMIT 7

SELECT ts, ts < current_timestamp AS b FROM (SELECT ts, seen + INTERVAL '1 hour' AS current_timestamp FROM ev) x

SELECT id FROM (SELECT id, ts, seen - INTERVAL '1 hour' AS current_timestamp FROM ev) x WHERE ts >= current_timestamp

SELECT id FROM (SELECT id, ts, (ts + INTERVAL '1 hour')::DATE AS current_date, seen FROM ev) x WHERE seen > current_date

SELECT timestamp AT TIME ZONE 'Europe/Paris' AS l, date AT TIME ZONE 'UTC' AT TIME ZONE zone AS k FROM (SELECT seen AS timestamp, ts AS date, zone FROM ev) x

SELECT seen AT TIME ZONE zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone, FROM ev

SELECT seen AT TIME ZONE zone AS a, id, FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' == '2021-12-31 23:30:00' OR seen AT TIME ZONE 'Asia/Kolkata' != '2021-12-31 23:30:00' ORDER BY ALL

SELECT ts::TIMESTAMP(3) AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, ts::TIMESTAMP(0) AT TIME ZONE 'Europe/Paris' AS k, ts::TIMESTAMP WITHOUT TIME ZONE AT TIME ZONE 'UTC' AT TIME ZONE zone AS m FROM ev

SELECT x.t AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT ts::TIMESTAMP(9) AS t FROM ev) x

SELECT timezone(zone, timezone('UTC', ts)) AS l, count(*) AS c FROM ev GROUP BY ts AT TIME ZONE 'UTC' AT TIME ZONE zone

SELECT (ts AT TIME ZONE 'UTC') AT TIME ZONE zone AS l, count(*) AS c FROM ev GROUP BY ((ts AT TIME ZONE ('UTC')) AT TIME ZONE zone)

SELECT extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone) + 1 AS l, count(*) AS c FROM ev GROUP BY extract(hour FROM ts AT TIME ZONE 'UTC' AT TIME ZONE zone)

SELECT n, list(DISTINCT seen AT TIME ZONE zone ORDER BY seen AT TIME ZONE zone) AS l FROM ev GROUP BY n

SELECT CASE WHEN z <> 'Nowhere' THEN t AT TIME ZONE 'UTC' AT TIME ZONE z END AS l FROM (SELECT ts AS t, CASE WHEN n = 1 THEN 'Nowhere' ELSE zone END AS z FROM ev) x

SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS l FROM (SELECT ts AS t, CASE WHEN n = 1 THEN 'Nowhere' ELSE zone END AS z, n FROM ev) x WHERE n <> 1

SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z AS l FROM (SELECT ts AS t, CASE WHEN n = 1 THEN 'europe/PARIS' WHEN n = 2 THEN '+05:30' WHEN n = 3 THEN 'Etc/GMT+5' ELSE zone END AS z, n FROM ev WHERE n <> 2) x

SELECT (SELECT u FROM (SELECT seen AT TIME ZONE 'Europe/Paris' FROM ev WHERE id = 3 UNION ALL SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev WHERE id = 99) u) AS s

SELECT list(u ORDER BY u) AS s FROM (SELECT seen AT TIME ZONE 'Europe/Paris', n FROM ev EXCEPT SELECT ts, n FROM ev) u

SELECT to_json(u) AS s FROM (FROM ev SELECT seen AT TIME ZONE 'Europe/Paris', ts AT TIME ZONE 'UTC' AT TIME ZONE zone) u

SELECT zone.timezone(seen) AS a, zone.timezone(('UTC').timezone(ts)) AS b FROM ev

SELECT seen AT TIME ZONE 'Europe/Paris' AS ev, ev AS e FROM ev

SELECT alias.p + INTERVAL '1 hour' AS q, seen AT TIME ZONE 'Europe/Paris' AS p FROM (SELECT seen, TIMESTAMP '2021-01-01' AS p FROM ev) alias

SELECT seen AT TIME ZONE 'Europe/Paris' AS p FROM ev WHERE p > TIMESTAMP '2021-04-01' AND p::DATE < '2021-12-31' ORDER BY p

SELECT seen AT TIME ZONE zone AS p, p::DATE AS d, count(*) OVER (PARTITION BY d) AS c FROM ev QUALIFY c > 1 AND p > '2021-01-01'

SELECT date_trunc('day', seen AT TIME ZONE zone) AS d, count(*) AS c, sum(c) OVER (ORDER BY d) AS r FROM ev GROUP BY d ORDER BY d

SELECT d, max(l) AS m FROM (SELECT *, l::DATE AS d FROM (SELECT *, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev)) GROUP BY d

SELECT l AT TIME ZONE zone AS b FROM (SELECT *, l::DATE AS d FROM (SELECT *, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev))

SELECT e1.l AT TIME ZONE e2.zone AS b FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) e1 JOIN (SELECT * EXCLUDE (ts, seen), FROM ev) e2 ON e1.id = e2.id

SELECT id FROM ev WHERE (SELECT max(x) FROM (VALUES (seen AT TIME ZONE 'Europe/Paris'), (ts)) v(x)) > '2021-06-01'

SELECT id, (SELECT max(x) FROM unnest([seen AT TIME ZONE 'Europe/Paris', ts AT TIME ZONE 'UTC' AT TIME ZONE zone]) v(x)) AS m FROM ev

SELECT id, list_max([seen AT TIME ZONE 'Europe/Paris', ts AT TIME ZONE 'UTC' AT TIME ZONE zone]) AS m, list_aggregate([seen AT TIME ZONE zone], 'max') AS a FROM ev

SELECT id, list_transform(list_sort([seen AT TIME ZONE 'Europe/Paris', ts]), lambda x, i: x + i * INTERVAL '1 hour') AS m FROM ev

SELECT id, m['a'] AS a, s.b AS b FROM (SELECT id, MAP {'a': seen AT TIME ZONE zone} AS m, {'b': ts AT TIME ZONE 'UTC' AT TIME ZONE zone} AS s FROM ev) x

SELECT s.b AT TIME ZONE 'Europe/Paris' AS b FROM (SELECT {'b': ts AT TIME ZONE 'UTC' AT TIME ZONE zone} AS s FROM ev) x

SELECT (s).b AT TIME ZONE 'Europe/Paris' AS b, s['b'] AT TIME ZONE 'Europe/Paris' AS c, struct_extract(s, 'b') AT TIME ZONE 'UTC' AS d FROM (SELECT {'b': seen} AS s FROM ev) x

SELECT ev.ts.year() AS y, ev.seen AT TIME ZONE ev.zone AS l FROM ev

SELECT x.ev.seen AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT ev FROM ev) x

SELECT ev.seen AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT ev FROM ev) x

SELECT (SELECT max(ev.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') FROM (SELECT acc AS ev FROM acc) x) AS l, id FROM ev

SELECT (SELECT max(ev.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') FROM (SELECT * FROM (SELECT acc AS ev FROM acc)) x) AS l, id FROM ev

SELECT (SELECT max(ev.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') FROM (SELECT unnest({'ev': {'seen': acc.seen}}) FROM acc) x) AS l, id FROM ev

SELECT (SELECT max(ev.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') FROM (SELECT ev, ev, id FROM (SELECT id, {'seen': seen} AS ev FROM acc) y) x) AS l, id FROM ev

SELECT (SELECT max(ev_1.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00') FROM (SELECT ev, ev, id FROM (SELECT id, {'seen': seen} AS ev FROM acc) y) x) AS l, id FROM ev ev_1

SELECT (SELECT max(ev_1.seen AT TIME ZONE 'Europe/Paris' >= '2021-11-07 03:00:00') FROM (SELECT ev, ev, id FROM (SELECT id, {'seen': seen} AS ev FROM acc) y) x) AS l, id FROM ev ev_1

SELECT (SELECT bool_or(ev_1.seen AT TIME ZONE 'Europe/Paris' >= '2021-11-07 03:00:00') FROM (SELECT ev, ev, id FROM (SELECT id, {'seen': seen} AS ev FROM acc) y) x WHERE x.id < 3) AS l, id FROM ev ev_1

SELECT id FROM (SELECT id, ts, seen, seen - INTERVAL '1 hour' AS current_timestamp FROM ev) x WHERE seen AT TIME ZONE 'Europe/Paris' >= date_trunc('hour', current_timestamp AT TIME ZONE 'Europe/Paris')

SELECT id, seen AT TIME ZONE 'Europe/Paris' AS l FROM (SELECT id, ts, seen, TIMESTAMPTZ '2021-07-01 00:00:00+00' AS current_timestamp FROM ev) x WHERE seen >= current_timestamp - INTERVAL '3 months' AND seen < current_timestamp

SELECT id, seen AT TIME ZONE zone AS l FROM (SELECT id, zone, seen, TIMESTAMP '2021-07-01 00:00:00' AS current_timestamp FROM ev) x WHERE (seen AT TIME ZONE 'Europe/Paris')::DATE < current_timestamp AND (seen AT TIME ZONE 'Asia/Kolkata') >= current_timestamp - INTERVAL '2 months'

SELECT id, seen AT TIME ZONE 'Europe/Paris' >= current_date AS b, ts AT TIME ZONE 'UTC' AT TIME ZONE zone < current_date AS c FROM (SELECT id, zone, ts, seen, DATE '2021-07-01' AS current_date FROM ev) x

SELECT id FROM (SELECT id, zone, ts, seen, DATE '2021-07-01' AS current_date FROM ev) x WHERE (seen AT TIME ZONE 'Europe/Paris')::DATE = current_date - 56

SELECT ts <= current_timestamp AS b, id FROM (SELECT id, ts, DATE '2021-05-05' AS current_timestamp FROM ev) x

SELECT (seen AT TIME ZONE 'Europe/Paris')::VARCHAR LIKE '2021-03%' AS a, concat_ws('|', zone, ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS c, format('{}', seen AT TIME ZONE zone) AS f FROM ev

SELECT ev.id, x.h FROM ev LEFT JOIN (SELECT id, extract(hour FROM seen AT TIME ZONE 'Europe/Paris') AS h FROM ev WHERE n > 3) x USING (id) WHERE x.h IS NULL OR ev.ts AT TIME ZONE 'UTC' AT TIME ZONE ev.zone > '2021-06-01'

WITH a AS (SELECT id, seen AT TIME ZONE zone AS l FROM ev), b AS (SELECT id, l::DATE AS d, lag(l) OVER (ORDER BY id) AS p FROM a), c AS (SELECT d, count(*) AS k, max(p) AS p FROM b GROUP BY d) SELECT d, k, p AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS q FROM c

WITH a AS (SELECT * FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00'), b AS (SELECT * FROM a WHERE ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' < '2021-11-01') SELECT b.zone, count(*) AS c, min(b.seen AT TIME ZONE b.zone) AS m FROM b LEFT JOIN acc ON acc.tz = b.zone AND acc.created AT TIME ZONE 'Europe/Paris' > b.ts GROUP BY b.zone

WITH RECURSIVE d(i, t) AS (SELECT 0, TIMESTAMP '2021-03-27 00:00:00' UNION ALL SELECT i + 1, t + INTERVAL '1 hour' FROM d WHERE i < 30) SELECT d.i, count(e.id) AS c, max(e.seen AT TIME ZONE 'Europe/Paris') AS m FROM d LEFT JOIN ev e ON e.seen AT TIME ZONE 'Europe/Paris' >= d.t AND e.ts < d.t + INTERVAL '1 day' GROUP BY d.i

SELECT x.zone, y.c FROM (SELECT DISTINCT zone FROM ev) x LEFT JOIN LATERAL (SELECT count(*) AS c FROM ev e WHERE e.zone = x.zone AND e.ts AT TIME ZONE 'UTC' AT TIME ZONE e.zone > '2021-06-01') y ON TRUE

SELECT DISTINCT ON (zone) zone, seen AT TIME ZONE zone AS l FROM ev ORDER BY zone, seen AT TIME ZONE zone DESC, id

SELECT DISTINCT ON (l::DATE) id, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev ORDER BY l::DATE, id

SELECT id, seen AT TIME ZONE 'Europe/Paris' AS l FROM ev ORDER BY l DESC NULLS LAST, id LIMIT 5 OFFSET 2

SELECT id FROM ev ORDER BY seen AT TIME ZONE 'Europe/Paris' DESC NULLS FIRST, id LIMIT 10%

SELECT n, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m, sum(count(*)) OVER (ORDER BY n) AS s, rank() OVER (ORDER BY max(seen AT TIME ZONE 'Europe/Paris')) AS r FROM ev GROUP BY n

SELECT n, max(max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) OVER () AS m FROM ev GROUP BY n QUALIFY max(max(seen AT TIME ZONE 'Europe/Paris')) OVER (PARTITION BY n) IS NOT NULL

SELECT * EXCLUDE (l) FROM (SELECT ev.*, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) x WHERE l > '2021-06-01' AND l AT TIME ZONE 'Europe/Paris' < TIMESTAMPTZ '2021-12-31 00:00:00+00'

SELECT COLUMNS('l|id') FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, seen AT TIME ZONE 'Europe/Paris' AS ll FROM ev) x

SELECT ANY_VALUE(COLUMNS(lambda c: c LIKE 'l%')), count(*) FROM (SELECT 1 AS one, TIMESTAMP '2021-01-01' AS l) x

SELECT l.l.l FROM (SELECT {'l': seen AT TIME ZONE 'Europe/Paris'} AS l FROM ev) l

SELECT zone FROM ev GROUP BY zone HAVING count(*) FILTER (WHERE seen AT TIME ZONE 'Europe/Paris' > '2021-06-01') > 1 AND max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) > '2021-12-01'

SELECT id FROM ev WHERE seen AT TIME ZONE 'Europe/Paris' > ANY (SELECT unnest([seen AT TIME ZONE 'UTC', ts])) AND id IN (FROM acc SELECT id WHERE created AT TIME ZONE tz > '2021-10-31')

SELECT if(EXISTS (FROM acc WHERE acc.tz = ev.zone AND acc.created AT TIME ZONE acc.tz < ev.ts), seen AT TIME ZONE zone, ts) AS r FROM ev

SELECT a.id, b.l FROM acc a LEFT JOIN (SELECT n, max(seen AT TIME ZONE zone) AS l FROM ev GROUP BY n) b ON a.n = b.n AND b.l > a.seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris'

SELECT id, ((seen AT TIME ZONE zone, ts) < (ts, ts)) AS r FROM ev

SELECT seen AT TIME ZONE 'Europe/Paris' AS l, arg_max(id, n) AS a FROM ev GROUP BY seen ORDER BY 1

SELECT [[e.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' FOR e IN [{'seen': ts}]] FOR x IN [1]] AS b FROM ev e

SELECT [e.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' FOR e IN [{'seen': ts}]] AS b FROM ev e

SELECT list_transform([{'seen': ts}], lambda e: e.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00') AS b FROM ev e

SELECT list_transform([ts], lambda seen: seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00') AS b FROM ev e

SELECT list_transform([ts], lambda seen: list_filter([1], lambda y: seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00')) AS b FROM ev e

SELECT list_transform([1], lambda y: seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AND y = 1) AS b FROM ev e

SELECT list_reduce([0, 1], lambda x, y: x + y + (seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00')::INT) AS b FROM ev e

SELECT COLUMNS(lambda seen: seen LIKE 'n%'), seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AS b FROM ev e

SELECT (SELECT min(b) FROM (SELECT id AS i, ts AS seen, alias.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AS b FROM (SELECT ts, id FROM ev WHERE id < 5) q) z) AS m FROM ev alias

SELECT (SELECT q.ts AS seen FROM ev q WHERE q.id = 1 AND alias.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00') AS m FROM ev alias

SELECT [extract(hour FROM ts AT TIME ZONE 'Europe/Paris') FOR ts IN [seen]] AS l FROM ev WHERE ts >= TIMESTAMP '2021-01-01' AND ts < TIMESTAMP '2022-01-01'

SELECT [1 FOR ts IN [seen, seen + INTERVAL '6 months'] IF ts AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00'] AS l FROM ev

SELECT [zone FOR zone IN ['Europe/Paris'] IF zone <> ''] AS l, [seen AT TIME ZONE zone FOR zone IN ['Asia/Kolkata']] AS k FROM ev e

SELECT extract(hour FROM x.seen AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT unnest({'seen': ts}), seen FROM ev) x

SELECT extract(hour FROM seen AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT unnest({'seen': ts}), seen FROM ev) x

SELECT count(*) AS c FROM (SELECT unnest({'seen': ts, 'n': n}), seen FROM ev) x WHERE x.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00'

SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, #6, #8 FROM ev, acc WHERE ev.id < 9

SELECT length(#7) AS k, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev, acc WHERE ev.id < 9

SELECT id, l FROM (SELECT ev.id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev, acc WHERE ev.n = acc.n AND #7 = 'Europe/Paris') q

SELECT b.id, (SELECT count(*) FROM acc a JOIN acc c ON a.id = c.id AND b.seen AT TIME ZONE 'Europe/Paris' >= '2021-10-31 03:00:00' JOIN ev b ON b.id = a.id) AS c FROM acc b

SELECT b.id, (SELECT count(*) FROM acc a, LATERAL (SELECT 1 AS x WHERE b.seen AT TIME ZONE 'Europe/Paris' >= '2021-10-31 03:00:00') l, ev b WHERE b.id = 1) AS h FROM acc b

SELECT id, (SELECT count(*) FROM acc a JOIN acc c ON a.id = c.id AND when_ AT TIME ZONE 'Europe/Paris' >= '2021-10-31 03:00:00' JOIN (SELECT seen AS when_, id AS i FROM ev) b ON b.i = a.id) AS c FROM (SELECT seen AS when_, id FROM acc) o

SELECT *, seen AT TIME ZONE 'Europe/Paris' AS k FROM ev AS 'e'

SELECT x.seen AT TIME ZONE 'Europe/Paris' AS k FROM (SELECT {'seen': ts}.unnest(), seen FROM ev) x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Europe/Paris') AS k FROM (SELECT unnest([{'seen': ts}], recursive := true), seen FROM ev) x

SELECT extract(hour FROM x.seen AT TIME ZONE 'Europe/Paris') AS k FROM (SELECT unnest(a), created AS seen FROM acc a) x

SELECT (SELECT max(x.seen AT TIME ZONE 'Europe/Paris')::VARCHAR FROM (SELECT unnest({'seen': e.ts}), e.seen FROM ev e) x) AS m

SELECT extract(hour FROM x.seen_1 AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT id AS seen, ts AS seen, seen AS seen_1 FROM ev) x

WITH x AS (SELECT id AS seen, ts AS seen, seen AS seen_1 FROM ev) SELECT extract(hour FROM seen_1 AT TIME ZONE 'Europe/Paris') AS h FROM x

SELECT extract(hour FROM x.id_1 AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT q.id, q.ts AS id, w.* FROM ev q JOIN (SELECT created AS id_1, id AS j FROM acc) w ON q.id = w.j) x

SELECT extract(hour FROM x.id_1 AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT * FROM (SELECT id, ts AS id, n AS m FROM ev) q JOIN (SELECT created AS id_1, id AS j FROM acc) w ON q.m = w.j) x

SELECT extract(hour FROM x.a_1 AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT ts, ts, seen FROM ev) x(a, a, a_1)

SELECT l.h FROM ev alias, LATERAL (SELECT alias.ts AS seen, alias.seen AT TIME ZONE 'Europe/Paris' >= '2021-03-28 03:00:00' AS h) l

SELECT timezone(zone, ts AT TIME ZONE 'UTC') AS a, timezone('Europe/Paris', seen) AS b, TIMEZONE(zone, timezone('UTC', ts)) AS c, main.timezone('Europe/Paris', seen) AS d, timezone(seen) AS e FROM ev

SELECT "timezone"('Europe/Paris', seen) AS b, system.main.timezone('Europe/Paris', seen) AS c FROM ev

SELECT extract(hour FROM y.l AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT current_timestamp AS l FROM (SELECT ts AS current_timestamp FROM ev) x) y

SELECT extract(hour FROM y.l AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris') AS h FROM (SELECT localtimestamp AS l FROM (SELECT seen AS localtimestamp FROM ev) x) y

SELECT y.l AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AS h FROM (SELECT current_timestamp AS l FROM (SELECT ts AS current_timestamp FROM ev) x) y

SELECT ev.ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, count(*) AS c FROM ev GROUP BY ts AT TIME ZONE 'UTC' AT TIME ZONE EV.zone

SELECT (SELECT count(*) FILTER (ev_1.seen AT TIME ZONE 'Europe/Paris' >= '2021-10-31 04:00:00' AND x.id >= 0) FROM (SELECT ev, ev, id FROM (SELECT id, {'seen': seen} AS ev FROM acc) y) x) AS l, id FROM ev ev_1

SELECT (SELECT count(*) FROM ev JOIN acc c ON b.seen AT TIME ZONE 'Europe/Paris' > '2021-10-31 03:00:00' JOIN ev b ON TRUE) AS c FROM acc b

SELECT x.id_1 AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AS b FROM (SELECT id, ts AS id, seen AS id_1 FROM ev) x

SELECT [ts AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' FOR ts IN [seen]] AS b FROM ev

SELECT [seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' FOR seen IN [ts]] AS b FROM ev

SELECT l.b FROM ev alias, LATERAL (SELECT alias.ts AS seen, alias.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AS b) l

SELECT y.l AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AS h FROM (SELECT current_timestamp AS l FROM (SELECT ts AS current_timestamp FROM ev)) y

SELECT x.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' AS b FROM (SELECT unnest({'seen': ts}), seen FROM ev) x

SELECT main.ev.ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' AS l, other.ev.ts AT TIME ZONE 'Asia/Kolkata' AS k FROM ev JOIN other.ev ON main.ev.id = other.ev.id

SELECT * FROM ev, other.ev WHERE main.ev.id = other.ev.id AND main.ev.seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00'

SELECT *, created AT TIME ZONE 'Europe/Paris' AS l FROM ev, other.ev, acc WHERE main.ev.id = other.ev.id AND acc.id = main.ev.id

SELECT a AS x, b AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris' AS y FROM (SELECT ts AS b, id FROM ev), (SELECT seen AS a, id AS j FROM ev) WHERE id = j

SELECT apply([ts], lambda seen: [seen AT TIME ZONE 'Europe/Paris' > '2021-03-28 03:00:00' FOR y IN [1]]) AS b FROM ev e

SELECT arg_max(id, n) AS a, arg_min(id, n) AS b, max_by(id, n) AS c, min_by(id, n) AS d, arg_max_null(id, n) AS e, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT json_group_array(id) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT json_group_object(id, n) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev WHERE id >= 0

SELECT arg_max(id, n, 3) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev

SELECT id, sum(id) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT id, row_number() OVER w AS s, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev WINDOW w AS (PARTITION BY zone)

SELECT id, any_value(id) OVER (PARTITION BY n) AS s, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT id, count(*) OVER (ROWS UNBOUNDED PRECEDING) AS s, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev

SELECT id, mode(n) OVER (PARTITION BY zone ORDER BY seen AT TIME ZONE 'Europe/Paris' RANGE BETWEEN INTERVAL '10 days' PRECEDING AND CURRENT ROW) AS l FROM ev

SELECT l FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) x LIMIT 3

WITH x AS (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) SELECT * FROM x LIMIT 5 OFFSET 2

WITH x AS (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) SELECT first(id) AS f, last(id) AS g, list(id) AS h FROM x

WITH x AS (SELECT id, n, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) SELECT DISTINCT ON (n) id, l FROM x

WITH x AS (SELECT id, n, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) SELECT id, row_number() OVER () AS r FROM x

SELECT p.*, q.* FROM (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) p POSITIONAL JOIN (SELECT id AS i FROM acc) q

(SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) LIMIT 4

SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev UNION ALL SELECT id, created AT TIME ZONE tz FROM acc LIMIT 4

SELECT (SELECT l FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l, id FROM ev) q WHERE q.id > a.id LIMIT 1) AS f FROM acc a

SELECT ARRAY(SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM ev WHERE n = 2) AS f

SELECT count(*) AS c, max(l) AS m FROM (SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone AS l FROM ev) x TABLESAMPLE reservoir(10 ROWS) REPEATABLE (3)

SELECT any_value(id) AS a, max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS m FROM ev GROUP BY n

SELECT n, arg_max(id, n) AS a, max(seen AT TIME ZONE zone) AS m FROM ev GROUP BY n

SELECT first_value(id) OVER w AS f, seen AT TIME ZONE zone AS l FROM ev WINDOW w AS ()

SELECT id, ntile(3) OVER w AS f, seen AT TIME ZONE zone AS l FROM ev WINDOW w AS (PARTITION BY n)

SELECT id, sum(n) OVER w AS f, seen AT TIME ZONE zone AS l FROM ev WINDOW w AS (ROWS 2 PRECEDING)
