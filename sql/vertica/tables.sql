-- The conversion tables for Vertica: sorted by zone, so that the zone is run-length encoded and the
-- times are stored as differences; a copy on every node, so that every join with them is local.
-- The keys are declared for the optimizer and not enforced. Which encoding is the smallest on your
-- server, DESIGNER_DESIGN_PROJECTION_ENCODINGS can tell; these were chosen without one.

-- one row per zone and contiguous span of one local calendar day
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

-- one row per zone and span inside one UTC hour, one local hour and one offset
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

-- one row per zone and span of constant UTC offset, the whole history
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

-- one row per zone: its number, the zone that it is a link to, and the number of its history since 1970, which zones share
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

-- one row per history since 1970 and period of 2^42 microseconds, with the one change of offset inside it; time_zone_name is the first zone with that history
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
    period_keys BIGINT,
    CONSTRAINT time_zone_conversion_release_pk PRIMARY KEY (finished_at) DISABLED
)
ORDER BY finished_at
UNSEGMENTED ALL NODES;
