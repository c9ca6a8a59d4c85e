-- The conversion tables, as `tzconv ddl --dialect duckdb` prints them. Load them from the files
-- of `tzconv generate`, for example:
-- INSERT INTO time_zone_offset_conversion BY NAME
--     FROM 'time_zone_offset_conversion.parquet';

-- one row per zone and contiguous span of one local calendar day
CREATE TABLE IF NOT EXISTS time_zone_daily_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    day DATE NOT NULL,
    day_starts_at_utc TIMESTAMP NOT NULL,
    day_ends_at_utc TIMESTAMP NOT NULL,
    day_ends_before_utc TIMESTAMP NOT NULL
);

-- one row per zone and span inside one UTC hour, one local hour and one offset
CREATE TABLE IF NOT EXISTS time_zone_hourly_conversion (
    hour_at_utc TIMESTAMP NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    hour_at_time_zone TIMESTAMP NOT NULL,
    day DATE NOT NULL,
    starts_at_utc TIMESTAMP NOT NULL,
    ends_before_utc TIMESTAMP NOT NULL,
    utc_offset_seconds INTEGER NOT NULL
);

-- one row per zone and span of constant UTC offset, the whole history
CREATE TABLE IF NOT EXISTS time_zone_offset_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    starts_at_utc TIMESTAMP NOT NULL,
    ends_before_utc TIMESTAMP NOT NULL,
    starts_at_time_zone TIMESTAMP NOT NULL,
    ends_before_time_zone TIMESTAMP NOT NULL,
    utc_offset_seconds INTEGER NOT NULL,
    abbreviation VARCHAR(16) NOT NULL,
    is_dst BOOLEAN NOT NULL
);

-- one row per zone: its number, the zone that it is a link to, and the number of its history since 1970, which zones share
CREATE TABLE IF NOT EXISTS time_zone_conversion_zone (
    time_zone_name VARCHAR(400) NOT NULL,
    zone_id INTEGER NOT NULL,
    canonical_name VARCHAR(400) NOT NULL,
    rules_id INTEGER NOT NULL
);

-- one row per history since 1970 and period of 2^42 microseconds, with the one change of offset inside it; time_zone_name is the first zone with that history
CREATE TABLE IF NOT EXISTS time_zone_period_conversion (
    zone_period BIGINT NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    changes_at_utc TIMESTAMP,
    microseconds_before BIGINT,
    microseconds_after BIGINT,
    changes_at_time_zone TIMESTAMP,
    local_microseconds_before BIGINT,
    local_microseconds_after BIGINT
);

-- one row per successful refresh; the newest describes what is loaded
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
    period_keys BIGINT
);
