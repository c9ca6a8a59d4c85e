-- Shapes that a rewrite must leave alone, wholly or in part, or refuse; no column type is known.
-- The numbers are those of the survey of queries that the shapes were taken from.

-- expect: none
-- 034: lower case chain of an expression
select sum(extract(epoch from (a + b) at time zone 'utc' at time zone 'Europe/Paris')) from t;

-- expect: none
-- 028, 032, 038: conversion of an aggregate, the zone of a joined row
select t.id, max(v.at) at time zone 'UTC' at time zone z.pg_tz, date(min(v.at) at time zone z.pg_tz) from t join v on v.t = t.id left join z on z.id = t.z group by t.id, z.pg_tz;

-- expect: none
-- 052: truncated in the session's zone before the conversion
select date_trunc('day', a.created) at time zone 'Europe/Berlin' as d, count(*) from a group by d;

-- expect: none
-- 056: a column compared with the local present time
select avg(p) from fs where fs.trading_interval > now() at time zone 'Australia/Brisbane' - interval '1 day';

-- expect: none
-- 067, 068: the result of a function is converted
select time_bucket('1 day', m.time) at time zone 'Asia/Tokyo' as b, (time_bucket('1 h', m.time) at time zone 'utc')::date as d from m group by 1, 2;

-- expect: none
-- 113: a local time of one row is computed and converted back
with s as (select (date_trunc('day', now() at time zone 'Asia/Tokyo') + interval '1 day') as d) select d at time zone 'Asia/Tokyo' - now() from s where 1 = 1 and d is null and false;

-- expect: none
-- 116: the present time in the zone of a row, stored
insert into reminders (user_id, local_day) select u.id, (now() at time zone u.tz)::date from users u on conflict do nothing;

-- expect: none
-- 119: the present time in the zone of a row, compared
select * from users u where u.wakes_at < (now() at time zone u.tz)::time and not exists (select 1 from sent s where s.user_id = u.id);

-- expect: none
-- 127: a view of the present time by zone
create view clocks as with n as (select tz, now() at time zone tz as local from cities) select tz, local from n union all select 'UTC', now() order by tz;

-- expect: none
-- 128: series from the present time
select generate_series(date_trunc('day', now()) - interval '6 days', now(), '1 day')::date as d, (select count(*) from o where o.day = d.day) from d;

-- expect: none
-- 136, 202: to UTC
select distinct on (a.id) a.created at time zone 'UTC' as u, timezone('utc', a.updated) from a order by a.id, a.created;

-- expect: none
-- 137: a sum of date and time, and the present time
select * from shifts s where (s.day + s.starts) at time zone 'Europe/Berlin' > now() and s.at between (now() at time zone 'UTC') and now();

-- expect: none
-- 139: a date between timestamps
select count(*) from r where r.day between timestamp '2026-01-01' and timestamp '2026-02-01';

-- expect: none
-- 145: set-returning function and an upsert
with d as (select 1 as x) insert into a select g, now() from d, generate_series(1, 3) g on conflict (g) do update set at = excluded.at;

-- expect: none
-- 148: the aggregate of a lateral subquery is converted
select u.id, l.last_at from u cross join lateral (select max(e.at) at time zone u.tz as last_at from e where e.u = u.id) l;

-- expect: none
-- 151: age of a row
select age(now(), r.created) from r;

-- expect: none
-- 152: day of a row
select count(*) from r where date(r.created) = current_date;

-- expect: none
-- 169, 170: constants
select timestamp '2020-01-01' at time zone 'EST', timezone('America/New_York', now());

-- expect: none
-- 173: a round trip compared with the session's day
select count(*) from h where (date_trunc('day', f(h.time)) at time zone 'Europe/Rome') = current_date;

-- expect: none
-- 203: the zone is a parameter, the source an expression
select count(*) filter (where x.ok) from x where (x.at + interval '1 h') at time zone $1 > $2;

-- expect: none
-- 208: constant source, zone with a default
with z as (select coalesce(nullif(tz, ''), 'UTC') as tz from s) select (select current_timestamp at time zone tz from z) as here;

-- expect: none
-- 211: both branches are exact, a float divides outside
select case when a > 0 then 1.5 else 0.0 end / cast(b as float) from d;

-- expect: none
-- 212: exact in both branches
select sum(case when k = 1 then v::numeric(10,2) else 0.00 end), sum(case when k = 2 then v::numeric(10,2) else 0.00 end) from d;

-- expect: TZ007
-- 214: three mixtures
select case when a then x::double precision else 0.0 end, case when b then 0.0 else y::float8 end, case when c then 1.0 else z::real end from d;

-- expect: none
-- 014: a table of the last day
create table recent as select * from a join b on b.id = a.id where a.day >= current_timestamp - interval '1 day';

-- expect: none
-- 104, 221: a parameter is read as local time
select sum(coalesce(p.n, 0)) from s left join p on p.s = s.id and p.at >= ($1::timestamp at time zone s.tz);

-- expect: none
-- 181: session's days compared
select * from (select s.* from s) q where date(q.sunset) = date(q.time) and q.time in (select time from w);

-- expect: TZ001
-- 061, 103: seconds since 1970
select to_timestamp(e.ts) at time zone 'Europe/Paris' as local, lag(e.v) over (order by e.ts) from e;

-- expect: none
-- 029: text is cast and converted, a date shown in a zone
select (meta ->> 'at') as raw, current_date at time zone tz as midnight from orders;

-- expect: none
-- 157: the three types of DuckDB, here the one without a date
select (x.ttz::timetz) at time zone 'Europe/Rome' from x;
