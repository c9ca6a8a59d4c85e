"""The arrays of PostgreSQL's zone table: the transitions of a zone, ready for width_bucket.

The strategy ``array`` reads them. The server makes them from the offset table, and a refresh
compares the two. They have the spans that end after 1970, and after the last one its end: earlier
and later times have no element.
"""

from __future__ import annotations

from tzconv import tables

COLUMNS = {
    "starts_at_utc": ("TIMESTAMP[]", "timestamp without time zone[]"),
    "starts_at_instant": ("TIMESTAMPTZ[]", "timestamp with time zone[]"),
    "starts_at_time_zone": ("TIMESTAMP[]", "timestamp without time zone[]"),
    "utc_offsets": ("INTERVAL[]", "interval[]"),
}
"""Their types in a CREATE TABLE, and in the catalog."""

_MOST_SPANS = 180
"""The row of a zone with more spans would not fit into a page."""


def fill(zone: str, offset: str, where: str = "") -> str:
    """The UPDATE that makes the arrays of the zones of a WHERE clause; zones without any get NULL.

    ``zone`` and ``offset`` are the names of the two tables, ``where`` begins with WHERE.
    """
    return f"""\
UPDATE {zone} AS stored
SET ({", ".join(COLUMNS)}) = (
{_arrays(offset)}
) {where}""".rstrip()


def wrong(zone: str, offset: str) -> str:
    """The SELECT of the zones whose arrays differ from the offset table."""
    stored, computed = (
        ", ".join(f"{side}.{column}" for column in COLUMNS) for side in ("stored", "computed")
    )
    return f"""\
SELECT time_zone_name
FROM {zone} AS stored LEFT JOIN LATERAL (
{_arrays(offset)}
) AS computed ({", ".join(COLUMNS)}) ON TRUE
WHERE ({stored}) IS DISTINCT FROM ({computed})
ORDER BY 1"""


def _arrays(offset: str) -> str:
    # PostgreSQL reads those names as abbreviations of a fixed offset: its own function must answer
    return f"""\
    SELECT {_array("starts_at_utc", "ends_before_utc")},
        {_array("starts_at_utc AT TIME ZONE 'UTC'", "ends_before_utc AT TIME ZONE 'UTC'")},
        {_array("starts_at_time_zone", "ends_before_time_zone")},
        pg_catalog.array_agg(pg_catalog.make_interval(secs => utc_offset_seconds)
            ORDER BY starts_at_utc)
    FROM {offset}
    WHERE time_zone_name::text = stored.time_zone_name::text
        AND ends_before_utc > TIMESTAMP '1970-01-01'
        AND time_zone_name::text NOT IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET')
    HAVING count(*) BETWEEN 1 AND {_MOST_SPANS}"""


def _array(starts: str, ends: str) -> str:
    """All starts, and the last end; a user's function could fit better where none is qualified."""
    return (
        "pg_catalog.array_append(\n"
        f"            pg_catalog.array_agg({starts} ORDER BY starts_at_utc), max({ends}))"
    )


def plain() -> str:
    """The ALTER TABLE that stores all values inside the row, so that reading one never detoasts."""
    named = [c.name for c in tables.ZONE.columns if c.type in ("name", "text")]
    columns = ",\n".join(
        f"    ALTER COLUMN {name} SET STORAGE PLAIN" for name in (*named, *COLUMNS)
    )
    return f"ALTER TABLE {tables.ZONE.name}\n{columns}"
