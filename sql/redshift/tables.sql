-- The conversion tables, as `tzconv ddl --dialect redshift` prints them. Load them from the files
-- of `tzconv generate`, for example:
-- COPY time_zone_offset_conversion FROM 's3://BUCKET/time_zone_offset_conversion.csv.gz'
--     IAM_ROLE default FORMAT CSV IGNOREHEADER 1 GZIP TIMEFORMAT 'auto';

-- Every node has a copy, so that joins move no rows. Keys are not enforced, but the planner relies
-- on them. After loading, check the tables as docs/redshift.md says.

-- one row per zone and span of constant UTC offset, the whole history
CREATE TABLE IF NOT EXISTS time_zone_offset_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    starts_at_utc TIMESTAMP NOT NULL,
    ends_before_utc TIMESTAMP NOT NULL,
    starts_at_time_zone TIMESTAMP NOT NULL,
    ends_before_time_zone TIMESTAMP NOT NULL,
    utc_offset_seconds INTEGER NOT NULL,
    abbreviation VARCHAR(16) NOT NULL,
    is_dst BOOLEAN NOT NULL,
    PRIMARY KEY (time_zone_name, starts_at_utc)
)
DISTSTYLE ALL
SORTKEY (time_zone_name, starts_at_utc);

-- one row per zone: its number, the zone that it is a link to, and the number of its history since 1970, which zones share
CREATE TABLE IF NOT EXISTS time_zone_conversion_zone (
    time_zone_name VARCHAR(400) NOT NULL,
    zone_id INTEGER NOT NULL,
    canonical_name VARCHAR(400) NOT NULL,
    rules_id INTEGER NOT NULL,
    PRIMARY KEY (time_zone_name)
)
DISTSTYLE ALL
SORTKEY (time_zone_name);

-- one row per history since 1970 and period of 2^42 microseconds, with the one change of offset inside it; time_zone_name is the first zone with that history
CREATE TABLE IF NOT EXISTS time_zone_period_conversion (
    zone_period BIGINT NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    changes_at_utc TIMESTAMP,
    microseconds_before BIGINT,
    microseconds_after BIGINT,
    changes_at_time_zone TIMESTAMP,
    local_microseconds_before BIGINT,
    local_microseconds_after BIGINT,
    PRIMARY KEY (zone_period)
)
DISTSTYLE ALL
SORTKEY (zone_period);

-- one row per zone and contiguous span of one local calendar day
CREATE TABLE IF NOT EXISTS time_zone_daily_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    day DATE NOT NULL,
    day_starts_at_utc TIMESTAMP NOT NULL,
    day_ends_at_utc TIMESTAMP NOT NULL,
    day_ends_before_utc TIMESTAMP NOT NULL,
    PRIMARY KEY (time_zone_name, day_starts_at_utc)
)
DISTSTYLE ALL
SORTKEY (time_zone_name, day_starts_at_utc);

-- one row per zone and span inside one UTC hour, one local hour and one offset
CREATE TABLE IF NOT EXISTS time_zone_hourly_conversion (
    hour_at_utc TIMESTAMP NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    hour_at_time_zone TIMESTAMP NOT NULL,
    day DATE NOT NULL,
    starts_at_utc TIMESTAMP NOT NULL,
    ends_before_utc TIMESTAMP NOT NULL,
    utc_offset_seconds INTEGER NOT NULL,
    PRIMARY KEY (time_zone_name, starts_at_utc)
)
DISTSTYLE ALL
SORTKEY (time_zone_name, starts_at_utc);
