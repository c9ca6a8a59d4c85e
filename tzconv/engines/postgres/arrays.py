"""The arrays that the zone table has on PostgreSQL only: a zone's changes, ready for width_bucket.

The server makes them from the offset table, and compares the two with another query. They hold the
spans that end after 1970, and after the last one its end: what lies before or after has no element.
"""

from __future__ import annotations

from tzconv import tables

COLUMNS = {
    "starts_at_utc": ("TIMESTAMP[]", "timestamp without time zone[]"),
    "starts_at_instant": ("TIMESTAMPTZ[]", "timestamp with time zone[]"),
    "starts_at_time_zone": ("TIMESTAMP[]", "timestamp without time zone[]"),
    "utc_offsets": ("INTERVAL[]", "interval[]"),
}
"""Their types as a CREATE TABLE writes them, and as the catalog does."""

_MOST_SPANS = 180
"""The row of a zone with more spans would not fit into a page without being moved out of it."""

# PostgreSQL reads these names as abbreviations of a fixed offset: its own function must answer.
_HAVE_ARRAYS = """\
ends_before_utc > TIMESTAMP '1970-01-01'
        AND time_zone_name NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')"""


def fill(zone: str, offset: str, where: str = "") -> str:
    """The UPDATE that makes the arrays of the zones of a WHERE clause, NULL where there are none.

    ``zone`` and ``offset`` are the names of the two tables, ``where`` begins with WHERE.
    """
    return f"""\
UPDATE {zone} AS stored
SET (starts_at_utc, starts_at_instant, starts_at_time_zone, utc_offsets) = (
    SELECT array_agg(starts_at_utc ORDER BY starts_at_utc) || max(ends_before_utc),
        array_agg(starts_at_utc AT TIME ZONE 'UTC' ORDER BY starts_at_utc)
            || max(ends_before_utc) AT TIME ZONE 'UTC',
        array_agg(starts_at_time_zone ORDER BY starts_at_utc) || max(ends_before_time_zone),
        array_agg(make_interval(secs => utc_offset_seconds) ORDER BY starts_at_utc)
    FROM {offset}
    WHERE time_zone_name = stored.time_zone_name
        AND {_HAVE_ARRAYS}
    HAVING count(*) BETWEEN 1 AND {_MOST_SPANS}
) {where}""".rstrip()


def wrong(zone: str, offset: str) -> str:
    """The SELECT of the zones whose arrays are not what the offset table says.

    Compares all elements, and the lengths: none is wrong, missing, too many or in another place.
    """
    return f"""\
SELECT DISTINCT time_zone_name
FROM {zone} AS stored LEFT JOIN (
    SELECT *, starts_at_utc AT TIME ZONE 'UTC' AS starts_at_instant,
        make_interval(secs => utc_offset_seconds) AS utc_offset,
        row_number() OVER (PARTITION BY time_zone_name ORDER BY starts_at_utc) AS place,
        count(*) OVER (PARTITION BY time_zone_name) AS spans
    FROM {offset}
    WHERE {_HAVE_ARRAYS}
) AS span USING (time_zone_name)
WHERE CASE WHEN spans <= {_MOST_SPANS} THEN
    stored.starts_at_utc[place] IS DISTINCT FROM span.starts_at_utc
    OR stored.starts_at_instant[place] IS DISTINCT FROM span.starts_at_instant
    OR stored.starts_at_time_zone[place] IS DISTINCT FROM span.starts_at_time_zone
    OR stored.utc_offsets[place] IS DISTINCT FROM utc_offset
    OR place = spans AND (
        stored.starts_at_utc[spans + 1] IS DISTINCT FROM ends_before_utc
        OR stored.starts_at_instant[spans + 1] IS DISTINCT FROM ends_before_utc AT TIME ZONE 'UTC'
        OR stored.starts_at_time_zone[spans + 1] IS DISTINCT FROM ends_before_time_zone
        OR array_dims(stored.starts_at_utc) <> '[1:' || spans + 1 || ']'
        OR array_dims(stored.starts_at_instant) <> '[1:' || spans + 1 || ']'
        OR array_dims(stored.starts_at_time_zone) <> '[1:' || spans + 1 || ']'
        OR array_dims(stored.utc_offsets) <> '[1:' || spans || ']'
    )
    ELSE num_nonnulls(
        stored.starts_at_utc, stored.starts_at_instant, stored.starts_at_time_zone, utc_offsets
    ) > 0 END
ORDER BY 1"""


def plain() -> str:
    """The ALTER TABLE after which reading a row never fetches a value from elsewhere."""
    named = [c.name for c in tables.ZONE.columns if c.type in ("name", "text")]
    columns = ",\n".join(
        f"    ALTER COLUMN {name} SET STORAGE PLAIN" for name in (*named, *COLUMNS)
    )
    return f"ALTER TABLE {tables.ZONE.name}\n{columns}"
