-- pg_cron runs SQL and no programs: it watches the job of another scheduler, and its run fails if that one stops.
-- cron.job_run_details keeps the failures.
SELECT cron.schedule('tzconv-watch', '30 6 * * *', $watch$
DO $check$
DECLARE
    looked timestamp;
    ends date;
BEGIN
    SELECT coalesce(last_checked_at, finished_at), horizon_ends_before INTO STRICT looked, ends
    FROM reporting.time_zone_conversion_release ORDER BY finished_at DESC LIMIT 1;
    IF looked < (now() AT TIME ZONE 'UTC') - interval '36 hours' THEN
        RAISE EXCEPTION 'tzconv refresh last looked at % UTC', looked;
    ELSIF ends < (now() AT TIME ZONE 'UTC')::date + 90 THEN
        RAISE EXCEPTION 'the conversion tables end on %', ends;
    END IF;
END
$check$
$watch$);
