select kind, l from ev e join acc a on a.id=e.acc_id cross join lateral (select e.ts at time zone 'UTC' at time zone a.tz as l) x;
select kind, l from ev join acc on acc.id=acc_id cross join lateral (select ts at time zone 'UTC' at time zone acc.tz as l) x;
select kind, l from ev join acc on acc.id=acc_id, lateral (values (ts at time zone 'UTC' at time zone acc.tz)) x(l);
