-- Every kind of statement that tzconv sends to a Vertica, in the order in which the commands below
-- first send it. A statement that differs from one above in its values alone is left out.
-- Rows go over after COPY, as gzipped lines. What only reads ends with ROLLBACK.

-- tzconv migrate
ROLLBACK;
BEGIN;
SELECT CURRENT_SCHEMA();
SELECT LOWER(table_name), LOWER(column_name), LOWER(data_type) FROM v_catalog.columns WHERE LOWER(table_schema) = LOWER('public') AND LOWER(table_name) IN ('time_zone_daily_conversion', 'time_zone_hourly_conversion', 'time_zone_offset_conversion', 'time_zone_conversion_zone', 'time_zone_period_conversion', 'time_zone_conversion_release', 'time_zone_conversion_migration') ORDER BY ordinal_position;
SELECT LOWER(table_name), LOWER(column_name), LOWER(data_type) FROM v_catalog.view_columns WHERE LOWER(table_schema) = LOWER('public') AND LOWER(table_name) IN ('time_zone_daily_conversion', 'time_zone_hourly_conversion', 'time_zone_offset_conversion', 'time_zone_conversion_zone', 'time_zone_period_conversion', 'time_zone_conversion_release', 'time_zone_conversion_migration') ORDER BY ordinal_position;
CREATE TABLE IF NOT EXISTS time_zone_conversion_migration (version_num VARCHAR(32) NOT NULL, CONSTRAINT time_zone_conversion_migration_pkc PRIMARY KEY (version_num) DISABLED) ORDER BY version_num UNSEGMENTED ALL NODES;
CREATE LOCAL TEMPORARY TABLE IF NOT EXISTS tzconv_asked (n INTEGER NOT NULL, time_zone_name VARCHAR(400) NOT NULL, moment TIMESTAMP NOT NULL) ON COMMIT PRESERVE ROWS;
COMMIT;
LOCK TABLE time_zone_conversion_migration IN EXCLUSIVE MODE NOWAIT;
SELECT version_num FROM time_zone_conversion_migration;
INSERT INTO time_zone_conversion_migration (version_num) VALUES ('0005');
CREATE TABLE IF NOT EXISTS time_zone_daily_conversion (
    time_zone_name VARCHAR(400) NOT NULL ENCODING RLE,
    day DATE NOT NULL ENCODING COMMONDELTA_COMP,
    day_starts_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    day_ends_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    day_ends_before_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    CONSTRAINT time_zone_daily_conversion_pk
        PRIMARY KEY (time_zone_name, day_starts_at_utc) DISABLED
)
ORDER BY time_zone_name, day_starts_at_utc
UNSEGMENTED ALL NODES;
CREATE TABLE IF NOT EXISTS time_zone_hourly_conversion (
    hour_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    time_zone_name VARCHAR(400) NOT NULL ENCODING RLE,
    hour_at_time_zone TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    day DATE NOT NULL ENCODING RLE,
    starts_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    ends_before_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    utc_offset_seconds INTEGER NOT NULL ENCODING RLE,
    CONSTRAINT time_zone_hourly_conversion_pk
        PRIMARY KEY (time_zone_name, starts_at_utc) DISABLED
)
ORDER BY time_zone_name, starts_at_utc
UNSEGMENTED ALL NODES;
CREATE TABLE IF NOT EXISTS time_zone_offset_conversion (
    time_zone_name VARCHAR(400) NOT NULL ENCODING RLE,
    starts_at_utc TIMESTAMP NOT NULL ENCODING AUTO,
    ends_before_utc TIMESTAMP NOT NULL ENCODING AUTO,
    starts_at_time_zone TIMESTAMP NOT NULL ENCODING AUTO,
    ends_before_time_zone TIMESTAMP NOT NULL ENCODING AUTO,
    utc_offset_seconds INTEGER NOT NULL ENCODING AUTO,
    abbreviation VARCHAR(16) NOT NULL ENCODING AUTO,
    is_dst BOOLEAN NOT NULL ENCODING RLE,
    CONSTRAINT time_zone_offset_conversion_pk
        PRIMARY KEY (time_zone_name, starts_at_utc) DISABLED
)
ORDER BY time_zone_name, starts_at_utc
UNSEGMENTED ALL NODES;
CREATE TABLE IF NOT EXISTS time_zone_conversion_zone (
    time_zone_name VARCHAR(400) NOT NULL ENCODING AUTO,
    zone_id INTEGER NOT NULL ENCODING AUTO,
    canonical_name VARCHAR(400) NOT NULL ENCODING AUTO,
    rules_id INTEGER NOT NULL ENCODING AUTO,
    CONSTRAINT time_zone_conversion_zone_pk
        PRIMARY KEY (time_zone_name) DISABLED
)
ORDER BY time_zone_name
UNSEGMENTED ALL NODES;
CREATE TABLE IF NOT EXISTS time_zone_period_conversion (
    zone_period BIGINT NOT NULL ENCODING COMMONDELTA_COMP,
    time_zone_name VARCHAR(400) NOT NULL ENCODING AUTO,
    changes_at_utc TIMESTAMP ENCODING AUTO,
    microseconds_before BIGINT ENCODING AUTO,
    microseconds_after BIGINT ENCODING AUTO,
    changes_at_time_zone TIMESTAMP ENCODING AUTO,
    local_microseconds_before BIGINT ENCODING AUTO,
    local_microseconds_after BIGINT ENCODING AUTO,
    CONSTRAINT time_zone_period_conversion_pk
        PRIMARY KEY (zone_period) DISABLED
)
ORDER BY zone_period
UNSEGMENTED ALL NODES;
CREATE TABLE IF NOT EXISTS time_zone_conversion_release (
    tz_release VARCHAR(40) NOT NULL,
    rules VARCHAR(400) NOT NULL,
    horizon_starts_on DATE NOT NULL,
    horizon_ends_before DATE NOT NULL,
    offset_ends_before DATE NOT NULL,
    zone_count INTEGER NOT NULL,
    daily_rows BIGINT NOT NULL,
    daily_checksum VARCHAR(64) NOT NULL,
    hourly_rows BIGINT NOT NULL,
    hourly_checksum VARCHAR(64) NOT NULL,
    offset_rows BIGINT NOT NULL,
    offset_checksum VARCHAR(64) NOT NULL,
    tzconv_version VARCHAR(40) NOT NULL,
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP NOT NULL,
    zone_rows BIGINT NOT NULL,
    zone_checksum VARCHAR(64) NOT NULL,
    period_rows BIGINT NOT NULL,
    period_checksum VARCHAR(64) NOT NULL,
    selection VARCHAR(65000),
    last_checked_at TIMESTAMP,
    rule_changes VARCHAR(65000),
    period_keys BIGINT,
    CONSTRAINT time_zone_conversion_release_pk PRIMARY KEY (finished_at) DISABLED
)
ORDER BY finished_at
UNSEGMENTED ALL NODES;

-- tzconv refresh, the first time
SELECT CLOCK_TIMESTAMP() AT TIME ZONE 'UTC';
SELECT table_type FROM v_catalog.all_tables WHERE LOWER(schema_name) = LOWER('public') AND LOWER(table_name) = LOWER('time_zone_daily_conversion');
SELECT tz_release, rules, horizon_starts_on, horizon_ends_before, offset_ends_before, zone_count, daily_rows, daily_checksum, hourly_rows, hourly_checksum, offset_rows, offset_checksum, tzconv_version, started_at, finished_at, zone_rows, zone_checksum, period_rows, period_checksum, selection, last_checked_at, rule_changes, period_keys FROM time_zone_conversion_release ORDER BY finished_at DESC LIMIT 1;
SELECT 1 FROM time_zone_daily_conversion LIMIT 1;
SELECT 1 FROM time_zone_hourly_conversion LIMIT 1;
SELECT 1 FROM time_zone_offset_conversion LIMIT 1;
SELECT 1 FROM time_zone_conversion_zone LIMIT 1;
SELECT 1 FROM time_zone_period_conversion LIMIT 1;
SELECT 1 FROM time_zone_conversion_release LIMIT 1;
SELECT count(*) FROM time_zone_daily_conversion;
SELECT count(*) FROM time_zone_hourly_conversion;
SELECT count(*) FROM time_zone_offset_conversion;
SELECT count(*) FROM time_zone_conversion_zone;
SELECT count(*) FROM time_zone_period_conversion;
COPY tzconv_asked (n, time_zone_name, moment) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
SELECT GET_NUM_ACCEPTED_ROWS(), GET_NUM_REJECTED_ROWS();
SAVEPOINT tzconv_question;
SELECT MAX(NEW_TIME(moment, 'UTC', time_zone_name)) FROM tzconv_asked WHERE n BETWEEN 0 AND 2;
DELETE FROM tzconv_asked;
SELECT n, shift FROM (SELECT n, shift, LAG(shift) OVER (ORDER BY n) AS shift_before FROM (SELECT n, COALESCE(DATEDIFF('microsecond', moment, NEW_TIME(moment, 'UTC', time_zone_name)), 864000000000) AS shift FROM tzconv_asked) AS shifts) AS runs WHERE shift_before IS NULL OR shift <> shift_before ORDER BY n;
SELECT n, shift FROM (SELECT n, shift, LAG(shift) OVER (ORDER BY n) AS shift_before FROM (SELECT n, COALESCE(DATEDIFF('microsecond', moment, NEW_TIME(moment, time_zone_name, 'UTC')), 864000000000) AS shift FROM tzconv_asked) AS shifts) AS runs WHERE shift_before IS NULL OR shift <> shift_before ORDER BY n;
COPY time_zone_daily_conversion (time_zone_name, day, day_starts_at_utc, day_ends_at_utc, day_ends_before_utc) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_starts_at_utc) + 62135683200) + 522289 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_at_utc) + 62135683200) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_before_utc) + 62135683200) AS n FROM time_zone_daily_conversion ) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN day_starts_at_utc <> date_trunc('second', day_starts_at_utc) OR day_ends_at_utc <> date_trunc('second', day_ends_at_utc) OR day_ends_before_utc <> date_trunc('second', day_ends_before_utc) THEN 'a time that is no whole second' WHEN lead(day_starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY day_starts_at_utc) <> day_ends_before_utc THEN 'a hole or an overlap' WHEN day_ends_before_utc <= day_starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_daily_conversion ) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
COPY time_zone_hourly_conversion (hour_at_utc, time_zone_name, hour_at_time_zone, day, starts_at_utc, ends_before_utc, utc_offset_seconds) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_utc) + 62135683200) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_time_zone) + 62135683200) + 522289 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_utc) + 62135683200) + 830503 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_utc) + 62135683200) + 461017 * (CAST(utc_offset_seconds AS BIGINT) + 1000000) AS n FROM time_zone_hourly_conversion ) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN hour_at_utc <> date_trunc('second', hour_at_utc) OR hour_at_time_zone <> date_trunc('second', hour_at_time_zone) OR starts_at_utc <> date_trunc('second', starts_at_utc) OR ends_before_utc <> date_trunc('second', ends_before_utc) THEN 'a time that is no whole second' WHEN lead(starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_utc THEN 'a hole or an overlap' WHEN ends_before_utc <= starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_hourly_conversion ) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
COPY time_zone_offset_conversion (time_zone_name, starts_at_utc, ends_before_utc, starts_at_time_zone, ends_before_time_zone, utc_offset_seconds, abbreviation, is_dst) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_utc) + 62135683200) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_utc) + 62135683200) + 522289 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_time_zone) + 62135683200) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_time_zone) + 62135683200) + 830503 * (CAST(utc_offset_seconds AS BIGINT) + 1000000) + 461017 * ((CAST(LENGTH(abbreviation) AS BIGINT) * 131071 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 1, 1)), 0) AS BIGINT) * 1000003 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 2, 1)), 0) AS BIGINT) * 4000012 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 3, 1)), 0) AS BIGINT) * 9000027 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 4, 1)), 0) AS BIGINT) * 16000048 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 5, 1)), 0) AS BIGINT) * 25000075 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 6, 1)), 0) AS BIGINT) * 36000108 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 7, 1)), 0) AS BIGINT) * 49000147 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 8, 1)), 0) AS BIGINT) * 64000192 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 9, 1)), 0) AS BIGINT) * 81000243 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 10, 1)), 0) AS BIGINT) * 100000300 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 11, 1)), 0) AS BIGINT) * 121000363 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 12, 1)), 0) AS BIGINT) * 144000432 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 13, 1)), 0) AS BIGINT) * 169000507 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 14, 1)), 0) AS BIGINT) * 196000588 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 15, 1)), 0) AS BIGINT) * 225000675 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 16, 1)), 0) AS BIGINT) * 256000768) % 549755813881) + 705163 * CASE WHEN is_dst THEN 1 ELSE 0 END AS n FROM time_zone_offset_conversion ) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN starts_at_utc <> date_trunc('second', starts_at_utc) OR ends_before_utc <> date_trunc('second', ends_before_utc) OR starts_at_time_zone <> date_trunc('second', starts_at_time_zone) OR ends_before_time_zone <> date_trunc('second', ends_before_time_zone) THEN 'a time that is no whole second' WHEN lead(starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_utc THEN 'a hole or an overlap' WHEN ends_before_utc <= starts_at_utc THEN 'a span that ends before it begins' WHEN lead(starts_at_time_zone) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_time_zone THEN 'a hole or an overlap of local times' END AS wrong FROM time_zone_offset_conversion ) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
COPY time_zone_conversion_zone (time_zone_name, zone_id, canonical_name, rules_id) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (CAST(zone_id AS BIGINT) + 1000000) + 743747 * ((CAST(LENGTH(canonical_name) AS BIGINT) * 131071 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 1, 1)), 0) AS BIGINT) * 1000003 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 2, 1)), 0) AS BIGINT) * 4000012 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 3, 1)), 0) AS BIGINT) * 9000027 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 4, 1)), 0) AS BIGINT) * 16000048 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 5, 1)), 0) AS BIGINT) * 25000075 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 6, 1)), 0) AS BIGINT) * 36000108 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 7, 1)), 0) AS BIGINT) * 49000147 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 8, 1)), 0) AS BIGINT) * 64000192 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 9, 1)), 0) AS BIGINT) * 81000243 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 10, 1)), 0) AS BIGINT) * 100000300 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 11, 1)), 0) AS BIGINT) * 121000363 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 12, 1)), 0) AS BIGINT) * 144000432 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 13, 1)), 0) AS BIGINT) * 169000507 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 14, 1)), 0) AS BIGINT) * 196000588 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 15, 1)), 0) AS BIGINT) * 225000675 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 16, 1)), 0) AS BIGINT) * 256000768 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 17, 1)), 0) AS BIGINT) * 289000867 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 18, 1)), 0) AS BIGINT) * 324000972 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 19, 1)), 0) AS BIGINT) * 361001083 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 20, 1)), 0) AS BIGINT) * 400001200 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 21, 1)), 0) AS BIGINT) * 441001323 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 22, 1)), 0) AS BIGINT) * 484001452 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 23, 1)), 0) AS BIGINT) * 529001587 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 24, 1)), 0) AS BIGINT) * 576001728 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 25, 1)), 0) AS BIGINT) * 625001875 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 26, 1)), 0) AS BIGINT) * 676002028 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 27, 1)), 0) AS BIGINT) * 729002187 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 28, 1)), 0) AS BIGINT) * 784002352 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 29, 1)), 0) AS BIGINT) * 841002523 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 30, 1)), 0) AS BIGINT) * 900002700 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 31, 1)), 0) AS BIGINT) * 961002883 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 32, 1)), 0) AS BIGINT) * 1024003072 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 33, 1)), 0) AS BIGINT) * 1089003267 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 34, 1)), 0) AS BIGINT) * 1156003468 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 35, 1)), 0) AS BIGINT) * 1225003675 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 36, 1)), 0) AS BIGINT) * 1296003888 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 37, 1)), 0) AS BIGINT) * 1369004107 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 38, 1)), 0) AS BIGINT) * 1444004332 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 39, 1)), 0) AS BIGINT) * 1521004563 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 40, 1)), 0) AS BIGINT) * 1600004800) % 549755813881) + 522289 * (CAST(rules_id AS BIGINT) + 1000000) AS n FROM time_zone_conversion_zone ) AS numbers) AS remainders GROUP BY time_zone_name;
COPY time_zone_period_conversion (zone_period, time_zone_name, changes_at_utc, microseconds_before, microseconds_after, changes_at_time_zone, local_microseconds_before, local_microseconds_after) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * CASE WHEN zone_period NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(zone_period AS BIGINT) + 137438953472) END + 743747 * COALESCE((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_utc) + 62135683200), 549755813881) + 522289 * COALESCE(CASE WHEN microseconds_before NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(microseconds_before AS BIGINT) + 137438953472) END, 549755813881) + 914261 * COALESCE(CASE WHEN microseconds_after NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(microseconds_after AS BIGINT) + 137438953472) END, 549755813881) + 830503 * COALESCE((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_time_zone) + 62135683200), 549755813881) + 461017 * COALESCE(CASE WHEN local_microseconds_before NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(local_microseconds_before AS BIGINT) + 137438953472) END, 549755813881) + 705163 * COALESCE(CASE WHEN local_microseconds_after NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(local_microseconds_after AS BIGINT) + 137438953472) END, 549755813881) AS n FROM time_zone_period_conversion ) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN changes_at_utc <> date_trunc('second', changes_at_utc) OR changes_at_time_zone <> date_trunc('second', changes_at_time_zone) THEN 'a time that is no whole second' WHEN zone_period = -1 AND (microseconds_before IS NOT NULL OR microseconds_after IS NOT NULL OR local_microseconds_before IS NOT NULL OR local_microseconds_after IS NOT NULL) THEN 'offsets of unknown values' WHEN rules_id IS NULL OR zone_period NOT BETWEEN -1 AND 33554432 OR zone_period <> -1 AND zone_period % 512 <> rules_id THEN 'rows with the number of another zone' WHEN following <> CASE WHEN zone_period = -1 THEN following % 512 ELSE zone_period + 512 END OR (following IS NULL AND zone_period + 512 <= (SELECT max(zone_period) FROM time_zone_period_conversion)) THEN 'a period without a row, or with two' WHEN NOT (((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_utc) + 62135683200) - 62135683200) * 1000000 > (zone_period - zone_period % 512) * 8589934592 AND ((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_utc) + 62135683200) - 62135683200) * 1000000 < (zone_period - zone_period % 512) * 8589934592 + 4398046511104) THEN 'a change outside of its period (utc)' WHEN CASE WHEN changes_at_utc IS NULL THEN COALESCE(microseconds_before, 0) <> COALESCE(microseconds_after, 0) ELSE COALESCE(microseconds_before = microseconds_after, TRUE) END THEN 'offsets that do not fit its change (utc)' WHEN NOT (((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_time_zone) + 62135683200) - 62135683200) * 1000000 > (zone_period - zone_period % 512) * 8589934592 AND ((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_time_zone) + 62135683200) - 62135683200) * 1000000 < (zone_period - zone_period % 512) * 8589934592 + 4398046511104) THEN 'a change outside of its period (local)' WHEN CASE WHEN changes_at_time_zone IS NULL THEN COALESCE(local_microseconds_before, 0) <> COALESCE(local_microseconds_after, 0) ELSE COALESCE(local_microseconds_before = local_microseconds_after, TRUE) END THEN 'offsets that do not fit its change (local)' END AS wrong FROM (SELECT spans.*, rules_id, lead(zone_period) OVER (PARTITION BY spans.time_zone_name ORDER BY zone_period) AS following FROM time_zone_period_conversion AS spans LEFT JOIN time_zone_conversion_zone AS numbered ON numbered.time_zone_name = spans.time_zone_name) AS numbered_spans ) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN zone_id IS NULL THEN 'no row' WHEN spans_of IS NULL THEN 'a row and no spans' WHEN names > 1 THEN 'more than one row' WHEN numbers > 1 THEN 'the number of another zone' WHEN zone_id < 0 OR zone_id >= 1024 THEN 'a number that no zone can have' WHEN rules_id < 0 OR rules_id >= 512 THEN 'a number that no period can have' END AS wrong FROM (SELECT COALESCE(numbered.time_zone_name, spans.time_zone_name) AS time_zone_name, zone_id, rules_id, names, numbers, spans.time_zone_name AS spans_of FROM (SELECT time_zone_name, zone_id, rules_id, count(*) OVER (PARTITION BY time_zone_name) AS names, count(*) OVER (PARTITION BY zone_id) AS numbers FROM time_zone_conversion_zone) AS numbered FULL OUTER JOIN (SELECT DISTINCT time_zone_name FROM time_zone_offset_conversion) AS spans ON spans.time_zone_name = numbered.time_zone_name) AS both_sides ) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
INSERT INTO time_zone_conversion_release (tz_release, rules, horizon_starts_on, horizon_ends_before, offset_ends_before, zone_count, daily_rows, daily_checksum, hourly_rows, hourly_checksum, offset_rows, offset_checksum, tzconv_version, started_at, finished_at, zone_rows, zone_checksum, period_rows, period_checksum, selection, last_checked_at, rule_changes, period_keys) VALUES ('unknown', '/rules', DATE '2026-11-01', DATE '2026-11-08', DATE '2038-01-01', 3, 23, '4835290ec5b1669895aac11d908321d5', 672, '1d841ee3e85d736d3ad92c2899abbb44', 160, '1a1a83d632cc6f73675863f3e3072873', 'VERSION', TIMESTAMP '2026-11-21 10:00:00', TIMESTAMP '2026-11-21 10:00:00', 3, '7d298f1754d1cf888d5698ad10b9e091', 1462, '302e00764ad5f1afb1a72fb6e2441536', '{"zones": ["America/Edmonton", "Asia/Kolkata", "UTC"], "tables": ["daily", "hourly", "offset", "zone", "period"], "rules": "/rules", "start": "2026-11-01", "end": "2026-11-08"}', TIMESTAMP '2026-11-21 10:00:00', NULL, 30212059437072);
SELECT ANALYZE_STATISTICS('"public".time_zone_daily_conversion');

-- tzconv refresh, with nothing to do
SELECT time_zone_name, zone_id, canonical_name, rules_id FROM time_zone_conversion_zone ORDER BY time_zone_name;
UPDATE time_zone_conversion_release SET last_checked_at = TIMESTAMP '2026-11-21 10:00:00' WHERE finished_at = TIMESTAMP '2026-11-21 10:00:00';

-- tzconv refresh, with a new tz release
SELECT time_zone_name, utc_offset_seconds, is_dst, abbreviation, least(greatest(starts_at_utc, TIMESTAMP '0001-01-01'), TIMESTAMP '9999-12-31') FROM time_zone_offset_conversion ORDER BY time_zone_name, starts_at_utc;
DELETE FROM time_zone_daily_conversion WHERE time_zone_name IN ('America/Edmonton');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_starts_at_utc) + 62135683200) + 522289 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_at_utc) + 62135683200) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_before_utc) + 62135683200) AS n FROM time_zone_daily_conversion WHERE time_zone_name IN ('America/Edmonton')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN day_starts_at_utc <> date_trunc('second', day_starts_at_utc) OR day_ends_at_utc <> date_trunc('second', day_ends_at_utc) OR day_ends_before_utc <> date_trunc('second', day_ends_before_utc) THEN 'a time that is no whole second' WHEN lead(day_starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY day_starts_at_utc) <> day_ends_before_utc THEN 'a hole or an overlap' WHEN day_ends_before_utc <= day_starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_daily_conversion WHERE time_zone_name IN ('America/Edmonton')) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
DELETE FROM time_zone_hourly_conversion WHERE time_zone_name IN ('America/Edmonton');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_utc) + 62135683200) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_time_zone) + 62135683200) + 522289 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_utc) + 62135683200) + 830503 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_utc) + 62135683200) + 461017 * (CAST(utc_offset_seconds AS BIGINT) + 1000000) AS n FROM time_zone_hourly_conversion WHERE time_zone_name IN ('America/Edmonton')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN hour_at_utc <> date_trunc('second', hour_at_utc) OR hour_at_time_zone <> date_trunc('second', hour_at_time_zone) OR starts_at_utc <> date_trunc('second', starts_at_utc) OR ends_before_utc <> date_trunc('second', ends_before_utc) THEN 'a time that is no whole second' WHEN lead(starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_utc THEN 'a hole or an overlap' WHEN ends_before_utc <= starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_hourly_conversion WHERE time_zone_name IN ('America/Edmonton')) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
DELETE FROM time_zone_offset_conversion WHERE time_zone_name IN ('America/Edmonton');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_utc) + 62135683200) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_utc) + 62135683200) + 522289 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_time_zone) + 62135683200) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_time_zone) + 62135683200) + 830503 * (CAST(utc_offset_seconds AS BIGINT) + 1000000) + 461017 * ((CAST(LENGTH(abbreviation) AS BIGINT) * 131071 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 1, 1)), 0) AS BIGINT) * 1000003 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 2, 1)), 0) AS BIGINT) * 4000012 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 3, 1)), 0) AS BIGINT) * 9000027 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 4, 1)), 0) AS BIGINT) * 16000048 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 5, 1)), 0) AS BIGINT) * 25000075 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 6, 1)), 0) AS BIGINT) * 36000108 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 7, 1)), 0) AS BIGINT) * 49000147 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 8, 1)), 0) AS BIGINT) * 64000192 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 9, 1)), 0) AS BIGINT) * 81000243 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 10, 1)), 0) AS BIGINT) * 100000300 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 11, 1)), 0) AS BIGINT) * 121000363 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 12, 1)), 0) AS BIGINT) * 144000432 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 13, 1)), 0) AS BIGINT) * 169000507 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 14, 1)), 0) AS BIGINT) * 196000588 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 15, 1)), 0) AS BIGINT) * 225000675 + CAST(COALESCE(ASCII(SUBSTR(abbreviation, 16, 1)), 0) AS BIGINT) * 256000768) % 549755813881) + 705163 * CASE WHEN is_dst THEN 1 ELSE 0 END AS n FROM time_zone_offset_conversion WHERE time_zone_name IN ('America/Edmonton')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN starts_at_utc <> date_trunc('second', starts_at_utc) OR ends_before_utc <> date_trunc('second', ends_before_utc) OR starts_at_time_zone <> date_trunc('second', starts_at_time_zone) OR ends_before_time_zone <> date_trunc('second', ends_before_time_zone) THEN 'a time that is no whole second' WHEN lead(starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_utc THEN 'a hole or an overlap' WHEN ends_before_utc <= starts_at_utc THEN 'a span that ends before it begins' WHEN lead(starts_at_time_zone) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_time_zone THEN 'a hole or an overlap of local times' END AS wrong FROM time_zone_offset_conversion WHERE time_zone_name IN ('America/Edmonton')) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
DELETE FROM time_zone_conversion_zone WHERE time_zone_name IN ('UTC');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (CAST(zone_id AS BIGINT) + 1000000) + 743747 * ((CAST(LENGTH(canonical_name) AS BIGINT) * 131071 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 1, 1)), 0) AS BIGINT) * 1000003 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 2, 1)), 0) AS BIGINT) * 4000012 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 3, 1)), 0) AS BIGINT) * 9000027 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 4, 1)), 0) AS BIGINT) * 16000048 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 5, 1)), 0) AS BIGINT) * 25000075 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 6, 1)), 0) AS BIGINT) * 36000108 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 7, 1)), 0) AS BIGINT) * 49000147 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 8, 1)), 0) AS BIGINT) * 64000192 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 9, 1)), 0) AS BIGINT) * 81000243 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 10, 1)), 0) AS BIGINT) * 100000300 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 11, 1)), 0) AS BIGINT) * 121000363 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 12, 1)), 0) AS BIGINT) * 144000432 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 13, 1)), 0) AS BIGINT) * 169000507 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 14, 1)), 0) AS BIGINT) * 196000588 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 15, 1)), 0) AS BIGINT) * 225000675 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 16, 1)), 0) AS BIGINT) * 256000768 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 17, 1)), 0) AS BIGINT) * 289000867 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 18, 1)), 0) AS BIGINT) * 324000972 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 19, 1)), 0) AS BIGINT) * 361001083 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 20, 1)), 0) AS BIGINT) * 400001200 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 21, 1)), 0) AS BIGINT) * 441001323 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 22, 1)), 0) AS BIGINT) * 484001452 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 23, 1)), 0) AS BIGINT) * 529001587 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 24, 1)), 0) AS BIGINT) * 576001728 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 25, 1)), 0) AS BIGINT) * 625001875 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 26, 1)), 0) AS BIGINT) * 676002028 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 27, 1)), 0) AS BIGINT) * 729002187 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 28, 1)), 0) AS BIGINT) * 784002352 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 29, 1)), 0) AS BIGINT) * 841002523 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 30, 1)), 0) AS BIGINT) * 900002700 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 31, 1)), 0) AS BIGINT) * 961002883 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 32, 1)), 0) AS BIGINT) * 1024003072 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 33, 1)), 0) AS BIGINT) * 1089003267 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 34, 1)), 0) AS BIGINT) * 1156003468 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 35, 1)), 0) AS BIGINT) * 1225003675 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 36, 1)), 0) AS BIGINT) * 1296003888 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 37, 1)), 0) AS BIGINT) * 1369004107 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 38, 1)), 0) AS BIGINT) * 1444004332 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 39, 1)), 0) AS BIGINT) * 1521004563 + CAST(COALESCE(ASCII(SUBSTR(canonical_name, 40, 1)), 0) AS BIGINT) * 1600004800) % 549755813881) + 522289 * (CAST(rules_id AS BIGINT) + 1000000) AS n FROM time_zone_conversion_zone WHERE time_zone_name IN ('UTC')) AS numbers) AS remainders GROUP BY time_zone_name;
DELETE FROM time_zone_period_conversion WHERE time_zone_name IN ('America/Edmonton');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * CASE WHEN zone_period NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(zone_period AS BIGINT) + 137438953472) END + 743747 * COALESCE((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_utc) + 62135683200), 549755813881) + 522289 * COALESCE(CASE WHEN microseconds_before NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(microseconds_before AS BIGINT) + 137438953472) END, 549755813881) + 914261 * COALESCE(CASE WHEN microseconds_after NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(microseconds_after AS BIGINT) + 137438953472) END, 549755813881) + 830503 * COALESCE((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_time_zone) + 62135683200), 549755813881) + 461017 * COALESCE(CASE WHEN local_microseconds_before NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(local_microseconds_before AS BIGINT) + 137438953472) END, 549755813881) + 705163 * COALESCE(CASE WHEN local_microseconds_after NOT BETWEEN -137438953472 AND 137438953472 THEN 0 ELSE (CAST(local_microseconds_after AS BIGINT) + 137438953472) END, 549755813881) AS n FROM time_zone_period_conversion WHERE time_zone_name IN ('America/Edmonton')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN changes_at_utc <> date_trunc('second', changes_at_utc) OR changes_at_time_zone <> date_trunc('second', changes_at_time_zone) THEN 'a time that is no whole second' WHEN zone_period = -1 AND (microseconds_before IS NOT NULL OR microseconds_after IS NOT NULL OR local_microseconds_before IS NOT NULL OR local_microseconds_after IS NOT NULL) THEN 'offsets of unknown values' WHEN rules_id IS NULL OR zone_period NOT BETWEEN -1 AND 33554432 OR zone_period <> -1 AND zone_period % 512 <> rules_id THEN 'rows with the number of another zone' WHEN following <> CASE WHEN zone_period = -1 THEN following % 512 ELSE zone_period + 512 END OR (following IS NULL AND zone_period + 512 <= (SELECT max(zone_period) FROM time_zone_period_conversion)) THEN 'a period without a row, or with two' WHEN NOT (((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_utc) + 62135683200) - 62135683200) * 1000000 > (zone_period - zone_period % 512) * 8589934592 AND ((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_utc) + 62135683200) - 62135683200) * 1000000 < (zone_period - zone_period % 512) * 8589934592 + 4398046511104) THEN 'a change outside of its period (utc)' WHEN CASE WHEN changes_at_utc IS NULL THEN COALESCE(microseconds_before, 0) <> COALESCE(microseconds_after, 0) ELSE COALESCE(microseconds_before = microseconds_after, TRUE) END THEN 'offsets that do not fit its change (utc)' WHEN NOT (((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_time_zone) + 62135683200) - 62135683200) * 1000000 > (zone_period - zone_period % 512) * 8589934592 AND ((DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', changes_at_time_zone) + 62135683200) - 62135683200) * 1000000 < (zone_period - zone_period % 512) * 8589934592 + 4398046511104) THEN 'a change outside of its period (local)' WHEN CASE WHEN changes_at_time_zone IS NULL THEN COALESCE(local_microseconds_before, 0) <> COALESCE(local_microseconds_after, 0) ELSE COALESCE(local_microseconds_before = local_microseconds_after, TRUE) END THEN 'offsets that do not fit its change (local)' END AS wrong FROM (SELECT spans.*, rules_id, lead(zone_period) OVER (PARTITION BY spans.time_zone_name ORDER BY zone_period) AS following FROM time_zone_period_conversion AS spans LEFT JOIN time_zone_conversion_zone AS numbered ON numbered.time_zone_name = spans.time_zone_name) AS numbered_spans WHERE time_zone_name IN ('America/Edmonton')) AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;

-- tzconv impact
SELECT rule_changes FROM time_zone_conversion_release ORDER BY finished_at;

-- tzconv refresh, with other zones and another horizon
DELETE FROM time_zone_daily_conversion WHERE time_zone_name IN ('Asia/Kolkata') AND (day_starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND day_ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR day_starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_starts_at_utc) + 62135683200) + 522289 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_at_utc) + 62135683200) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_before_utc) + 62135683200) AS n FROM time_zone_daily_conversion WHERE time_zone_name IN ('Asia/Kolkata') AND (day_starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND day_ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR day_starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN day_starts_at_utc <> date_trunc('second', day_starts_at_utc) OR day_ends_at_utc <> date_trunc('second', day_ends_at_utc) OR day_ends_before_utc <> date_trunc('second', day_ends_before_utc) THEN 'a time that is no whole second' WHEN lead(day_starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY day_starts_at_utc) <> day_ends_before_utc THEN 'a hole or an overlap' WHEN day_ends_before_utc <= day_starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_daily_conversion WHERE time_zone_name IN ('Asia/Kolkata') AND day_starts_at_utc >= TIMESTAMP '2026-10-31 00:00:00' AND day_starts_at_utc < TIMESTAMP '2026-11-06 00:00:00') AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
DELETE FROM time_zone_hourly_conversion WHERE time_zone_name IN ('Asia/Kolkata') AND (starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_utc) + 62135683200) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_time_zone) + 62135683200) + 522289 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_utc) + 62135683200) + 830503 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_utc) + 62135683200) + 461017 * (CAST(utc_offset_seconds AS BIGINT) + 1000000) AS n FROM time_zone_hourly_conversion WHERE time_zone_name IN ('Asia/Kolkata') AND (starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN hour_at_utc <> date_trunc('second', hour_at_utc) OR hour_at_time_zone <> date_trunc('second', hour_at_time_zone) OR starts_at_utc <> date_trunc('second', starts_at_utc) OR ends_before_utc <> date_trunc('second', ends_before_utc) THEN 'a time that is no whole second' WHEN lead(starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_utc THEN 'a hole or an overlap' WHEN ends_before_utc <= starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_hourly_conversion WHERE time_zone_name IN ('Asia/Kolkata') AND starts_at_utc >= TIMESTAMP '2026-10-31 00:00:00' AND starts_at_utc < TIMESTAMP '2026-11-06 00:00:00') AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
DELETE FROM time_zone_period_conversion;

-- tzconv refresh, with a horizon that moved
DELETE FROM time_zone_daily_conversion WHERE (day_starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND day_ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR day_starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_starts_at_utc) + 62135683200) + 522289 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_at_utc) + 62135683200) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', day_ends_before_utc) + 62135683200) AS n FROM time_zone_daily_conversion WHERE (day_starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND day_ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR day_starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN day_starts_at_utc <> date_trunc('second', day_starts_at_utc) OR day_ends_at_utc <> date_trunc('second', day_ends_at_utc) OR day_ends_before_utc <> date_trunc('second', day_ends_before_utc) THEN 'a time that is no whole second' WHEN lead(day_starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY day_starts_at_utc) <> day_ends_before_utc THEN 'a hole or an overlap' WHEN day_ends_before_utc <= day_starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_daily_conversion WHERE day_starts_at_utc >= TIMESTAMP '2026-10-31 00:00:00' AND day_starts_at_utc < TIMESTAMP '2026-11-06 00:00:00') AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;
DELETE FROM time_zone_hourly_conversion WHERE (starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00');
SELECT time_zone_name, count(*), sum(a), sum(a * b % 2147483647) FROM (SELECT time_zone_name, n % 2147483647 AS a, n % 2147483629 AS b FROM (SELECT time_zone_name, 648389 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_utc) + 62135683200) + 743747 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', hour_at_time_zone) + 62135683200) + 522289 * (CAST(day - DATE '1970-01-01' AS BIGINT) + 719163) + 914261 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', starts_at_utc) + 62135683200) + 830503 * (DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', ends_before_utc) + 62135683200) + 461017 * (CAST(utc_offset_seconds AS BIGINT) + 1000000) AS n FROM time_zone_hourly_conversion WHERE (starts_at_utc < TIMESTAMP '2026-11-03 00:00:00' AND ends_before_utc <= TIMESTAMP '2026-11-03 00:00:00' OR starts_at_utc >= TIMESTAMP '2026-11-08 00:00:00')) AS numbers) AS remainders GROUP BY time_zone_name;
SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, CASE WHEN hour_at_utc <> date_trunc('second', hour_at_utc) OR hour_at_time_zone <> date_trunc('second', hour_at_time_zone) OR starts_at_utc <> date_trunc('second', starts_at_utc) OR ends_before_utc <> date_trunc('second', ends_before_utc) THEN 'a time that is no whole second' WHEN lead(starts_at_utc) OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) <> ends_before_utc THEN 'a hole or an overlap' WHEN ends_before_utc <= starts_at_utc THEN 'a span that ends before it begins' END AS wrong FROM time_zone_hourly_conversion WHERE starts_at_utc >= TIMESTAMP '2026-10-31 00:00:00' AND starts_at_utc < TIMESTAMP '2026-11-06 00:00:00') AS checked WHERE wrong IS NOT NULL ORDER BY 1, 2;

-- tzconv refresh, with none of the old zones
DELETE FROM time_zone_daily_conversion;
DELETE FROM time_zone_hourly_conversion;
DELETE FROM time_zone_offset_conversion;
DELETE FROM time_zone_conversion_zone;

-- tzconv refresh, with a name that the server does not know
ROLLBACK TO SAVEPOINT tzconv_question;

-- tzconv refresh --rules database
SELECT VERSION();

-- tzconv refresh, while another one is at work
SELECT s.client_label, s.user_name FROM v_monitor.locks l JOIN v_monitor.sessions s ON s.transaction_id = l.transaction_id WHERE LOWER(l.object_name) = LOWER('Table:public.time_zone_conversion_migration') AND l.lock_mode = 'X';

-- tzconv status --db-schema public
SELECT 1 FROM v_catalog.schemata WHERE LOWER(schema_name) = LOWER('public');
SELECT SUM(used_bytes) FROM v_monitor.projection_storage WHERE LOWER(anchor_table_schema) = LOWER('public') AND LOWER(anchor_table_name) = LOWER('time_zone_daily_conversion');

-- tzconv compare, with the user's query
SHOW TIMEZONE;
SHOW SEARCH_PATH;
SELECT CURRENT_USER;
SELECT table_schema, table_name, column_name, data_type FROM (SELECT table_schema, table_name, column_name, data_type, ordinal_position FROM v_catalog.columns UNION ALL SELECT table_schema, table_name, column_name, data_type, ordinal_position FROM v_catalog.view_columns) AS found ORDER BY 1, 2, ordinal_position;
SELECT CURRENT_DATABASE();
SET TIME ZONE TO 'UTC';
SELECT COUNT(*) FROM time_zone_hourly_conversion;

-- tzconv doctor, of revision 0001
SELECT tz_release, rules, horizon_starts_on, horizon_ends_before, offset_ends_before, zone_count, daily_rows, daily_checksum, hourly_rows, hourly_checksum, offset_rows, offset_checksum, tzconv_version, started_at, finished_at FROM time_zone_conversion_release ORDER BY finished_at DESC LIMIT 1;

-- tzconv refresh, of revision 0001
CREATE TABLE IF NOT EXISTS time_zone_conversion_zone (
    time_zone_name VARCHAR(400) NOT NULL ENCODING AUTO,
    zone_id INTEGER NOT NULL ENCODING AUTO,
    canonical_name VARCHAR(400) NOT NULL ENCODING AUTO,
    CONSTRAINT time_zone_conversion_zone_pk
        PRIMARY KEY (time_zone_name) DISABLED
)
ORDER BY time_zone_name
UNSEGMENTED ALL NODES;
CREATE TABLE IF NOT EXISTS time_zone_period_conversion (
    zone_period BIGINT NOT NULL ENCODING COMMONDELTA_COMP,
    time_zone_name VARCHAR(400) NOT NULL ENCODING AUTO,
    changes_at_utc TIMESTAMP ENCODING AUTO,
    utc_offset_before BIGINT ENCODING AUTO,
    utc_offset_after BIGINT ENCODING AUTO,
    changes_at_time_zone TIMESTAMP ENCODING AUTO,
    local_offset_before BIGINT ENCODING AUTO,
    local_offset_after BIGINT ENCODING AUTO,
    CONSTRAINT time_zone_period_conversion_pk
        PRIMARY KEY (zone_period) DISABLED
)
ORDER BY zone_period
UNSEGMENTED ALL NODES;
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS zone_rows BIGINT DEFAULT 0 NOT NULL;
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS zone_checksum VARCHAR(64) DEFAULT 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' NOT NULL;
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS period_rows BIGINT DEFAULT 0 NOT NULL;
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS period_checksum VARCHAR(64) DEFAULT 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' NOT NULL;
ALTER TABLE time_zone_conversion_release DROP COLUMN IF EXISTS utc_day_rows;
ALTER TABLE time_zone_conversion_release DROP COLUMN IF EXISTS utc_day_checksum;
DROP TABLE IF EXISTS time_zone_utc_day_conversion;
UPDATE time_zone_conversion_migration SET version_num='0002' WHERE time_zone_conversion_migration.version_num = '0001';
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS selection VARCHAR(65000);
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS last_checked_at TIMESTAMP;
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS rule_changes VARCHAR(65000);
DROP TABLE IF EXISTS time_zone_period_conversion;
ALTER TABLE time_zone_conversion_zone ADD COLUMN IF NOT EXISTS rules_id INTEGER DEFAULT -1 NOT NULL;
ALTER TABLE time_zone_conversion_release ADD COLUMN IF NOT EXISTS period_keys BIGINT;

-- tzconv bench, without its queries
CREATE SCHEMA "tzconv_bench";
SET SEARCH_PATH TO "tzconv_bench", "$user", public, v_catalog, v_monitor, v_internal;
CREATE TABLE actions (action_event_time timestamp, action_publisher_id int, action_end_time timestamp, action_name varchar(400));
COPY actions (action_event_time, action_publisher_id, action_end_time, action_name) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
CREATE TABLE history (action_event_time timestamp, action_publisher_id int, seen timestamptz, local_time timestamp);
COPY history (action_event_time, action_publisher_id, seen, local_time) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
CREATE TABLE history_12 (action_event_time timestamp, action_publisher_id int);
COPY history_12 (action_event_time, action_publisher_id) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
CREATE TABLE history_50 (action_event_time timestamp, action_publisher_id int);
COPY history_50 (action_event_time, action_publisher_id) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
CREATE TABLE publishers (id int, name varchar(400), time_zone_name varchar(400));
COPY publishers (id, name, time_zone_name) FROM STDIN GZIP DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR NO COMMIT;
DROP SCHEMA IF EXISTS "tzconv_bench" CASCADE;

-- tzconv refresh --repair, without three of the tables
CREATE TABLE IF NOT EXISTS time_zone_conversion_migration (version_num VARCHAR(32) NOT NULL);

-- tzconv refresh, with the number of an older revision
DELETE FROM time_zone_conversion_migration;

-- tzconv refresh, of revision 0004
SELECT tz_release, rules, horizon_starts_on, horizon_ends_before, offset_ends_before, zone_count, daily_rows, daily_checksum, hourly_rows, hourly_checksum, offset_rows, offset_checksum, tzconv_version, started_at, finished_at, zone_rows, zone_checksum, period_rows, period_checksum, selection, last_checked_at, rule_changes FROM time_zone_conversion_release ORDER BY finished_at DESC LIMIT 1;
SELECT DISTINCT time_zone_name FROM time_zone_conversion_zone;
SELECT time_zone_name, zone_id, canonical_name FROM time_zone_conversion_zone ORDER BY time_zone_name;
SELECT DISTINCT time_zone_name FROM time_zone_period_conversion;
