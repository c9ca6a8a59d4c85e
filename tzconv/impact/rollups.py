"""The rows of rollups that a new release makes wrong, and the SQL that computes them anew.

Rows are computed by the offsets of the new release as constants: neither the server's rules nor the
loaded tables decide.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tzconv.errors import DatabaseError
from tzconv.impact import keys, windows
from tzconv.impact.inspection import Inspection, utc, values
from tzconv.impact.keys import Extent, KeyRange
from tzconv.impact.named import Rollup, quoted
from tzconv.sql.text import constant, identifier
from tzconv.tz.zones import Rules

_NUMBERS = ("int", "big", "small", "num", "dec", "double", "real", "float", "huge")


@dataclass(frozen=True, slots=True)
class AffectedRollup:
    """``ranges`` can be repaired; of ``lost`` the source no longer has all rows.

    ``keys`` and ``rows`` count what lies in either of them, ``total`` all rows. ``unknown_zones``
    are no names of the releases. ``other_columns`` are columns that a repair does not fill.
    """

    rollup: Rollup
    ranges: tuple[KeyRange, ...]
    lost: tuple[KeyRange, ...]
    keys: int
    rows: int
    total: int
    unknown_zones: tuple[str, ...]
    other_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verified:
    """The table of a rollup beside its recomputation, in the keys to repair.

    ``differing`` counts keys whose rows differ, or that one of the two lacks. ``totals`` has the
    stored and the recomputed sum of each column of numbers.
    """

    rollup: str
    stored: int
    recomputed: int
    differing: int
    totals: Mapping[str, tuple[str | None, str | None]]


def find(at: Inspection, rollup: Rollup) -> AffectedRollup:
    """The affected keys and rows of a rollup; DatabaseError if it lacks a table or column."""
    _check(at, rollup)
    table, key = quoted(rollup.table), f"r.{identifier(rollup.key)}"
    zone = f"r.{identifier(rollup.zone_column)}" if rollup.zone_column else constant(rollup.zone)
    stored = _extents(at, zone, key, f"{table} AS r")
    zone, time = _source_zone(rollup), _timestamp(at, rollup)
    source = _extents(at, zone, time, f"{quoted(rollup.source)} AS s")
    spellings = windows.by_spelling({*stored, *source}, at.difference)
    ranges: list[KeyRange] = []
    lost: list[KeyRange] = []
    for spelling, name in sorted(spellings.items()):
        if name is not None:
            extents = stored.get(spelling), source.get(spelling)
            whole, gone = keys.affected(at.difference, rollup, spelling, name, *extents)
            ranges += whole
            lost += gone
    if ranges and rollup.values:
        since = _whole_from(at, rollup, ranges)
        ranges, gone = keys.parted((one, since.get(one, one.starts)) for one in ranges)
        lost += gone
    rows = count = 0
    if ranges or lost:
        [(rows, count)] = at.rows(
            f"SELECT count(*), count(DISTINCT (k.tzconv_zone, {key})) FROM {table} AS r, "
            f"{_relation(rollup, [*ranges, *lost])} WHERE {_in_ranges(rollup)}"
        )
    return AffectedRollup(
        rollup,
        tuple(ranges),
        tuple(lost),
        keys=int(count),
        rows=int(rows),
        total=int(at.rows(f"SELECT count(*) FROM {table}")[0][0]),
        unknown_zones=tuple(sorted(one for one, name in spellings.items() if name is None)),
        other_columns=tuple(sorted(set(at.types(rollup.table)) - set(rollup.columns))),
    )


def repair(at: Inspection, found: AffectedRollup) -> Iterator[str]:
    """The statements that compute the affected rows anew, in one transaction."""
    rollup = found.rollup
    if not found.ranges or not rollup.values:
        return
    table, columns = quoted(rollup.table), ", ".join(map(identifier, rollup.columns))
    recomputed = _recomputed(at, rollup, found.ranges, at.difference.after)
    _tried(at, rollup, f"SELECT * FROM ({recomputed}) AS fresh LIMIT 0")
    yield "BEGIN"
    yield (
        f"DELETE FROM {table} AS r\nUSING {_relation(rollup, found.ranges)}\n"
        f"WHERE {_in_ranges(rollup)}"
    )
    yield f"INSERT INTO {table} ({columns})\n{recomputed}"
    yield "COMMIT"


def verify(at: Inspection, found: AffectedRollup) -> Verified:
    """Compare the stored rows with recomputed ones; reads only."""
    rollup = found.rollup
    if not found.ranges or not rollup.values:
        return Verified(rollup.table, 0, 0, 0, {})
    types = at.types(rollup.table)
    sums = [name for name in rollup.values if types[name].casefold().startswith(_NUMBERS)]
    columns = ", ".join(f"r.{identifier(name)}" for name in rollup.columns)
    totals = "".join(
        f", (SELECT sum({identifier(name)}) FROM {part})"
        for name in sums
        for part in ("stored", "fresh")
    )
    names = ", ".join(map(identifier, rollup.columns))
    key = ", ".join(identifier(one) for one in rollup.columns if one not in rollup.values)
    sql = (
        f"WITH stored AS (SELECT {columns} FROM {quoted(rollup.table)} AS r, "
        f"{_relation(rollup, found.ranges)} WHERE {_in_ranges(rollup)}), "
        f"fresh ({names}) AS ({_recomputed(at, rollup, found.ranges, at.difference.after)}) "
        "SELECT (SELECT count(*) FROM stored), (SELECT count(*) FROM fresh), "
        f"(SELECT count(*) FROM (SELECT {key} FROM (SELECT * FROM stored EXCEPT ALL "
        f"SELECT * FROM fresh) AS gone UNION SELECT {key} FROM (SELECT * FROM fresh EXCEPT ALL "
        f"SELECT * FROM stored) AS made) AS differing){totals}"
    )
    [row] = _tried(at, rollup, sql)
    stored, recomputed, differing = map(int, row[:3])
    pairs = zip(map(_text, row[3::2]), map(_text, row[4::2]), strict=True)
    totals_of = dict(zip(sums, pairs, strict=True))
    return Verified(rollup.table, stored, recomputed, differing, totals_of)


def _tried(at: Inspection, rollup: Rollup, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a SELECT with the aggregates of the configuration."""
    try:
        return at.rows(sql)
    except DatabaseError as error:
        raise DatabaseError(
            f"The rollup {rollup.table} cannot be recomputed, check its values: {error}"
        ) from error


def _whole_from(
    at: Inspection, rollup: Rollup, ranges: list[KeyRange]
) -> dict[KeyRange, dt.datetime]:
    """The time from which on the source has the rows of a range, by the old or the new rules.

    A repair would delete a key without rows, and put nothing in its place. The key before each
    range counts too, and of the key after it, some rows may be gone.
    """
    bare, unit = replace(rollup, values={}), keys.UNITS[rollup.unit]
    wider = [replace(one, starts=one.starts - unit) for one in ranges]
    columns = ", ".join(f"r.{identifier(name)}" for name in bare.columns)
    made = " EXCEPT ".join(
        f"({_recomputed(at, bare, wider, rules)})"
        for rules in (at.difference.before, at.difference.after)
    )
    within = _relation(rollup, wider)
    found = at.rows(
        f"SELECT k.tzconv_zone, {_epoch('k.tzconv_starts')}, "
        f"{_epoch(f'max(r.{identifier(rollup.key)})')} "
        f"FROM (SELECT {columns} FROM {quoted(rollup.table)} AS r, {within} "
        f"WHERE {_in_ranges(rollup)} EXCEPT {made}) AS r, {within} "
        f"WHERE {_in_ranges(rollup)} GROUP BY 1, 2"
    )
    last_of = {(str(name), keys.moment(float(at))): last for name, at, last in found}
    return {
        one: keys.moment(float(last)) + 2 * unit
        for one in ranges
        if (last := last_of.get((one.spelling, one.starts - unit))) is not None
    }


def _recomputed(at: Inspection, rollup: Rollup, ranges: Iterable[KeyRange], rules: Rules) -> str:
    """The SELECT of the rows of some keys by some rules, from the source."""
    rows = [(one.spelling, *piece) for one in ranges for piece in keys.pieces(rules, one)]
    times = _timestamp(at, rollup)
    local = f"{times} + p.tzconv_seconds * INTERVAL '1 second'"
    key = f"CAST({local} AS DATE)" if rollup.unit == "day" else f"date_trunc('hour', {local})"
    zone = ["p.tzconv_zone"] if rollup.zone_column else []
    grouped = [*zone, key, *(f"s.{identifier(name)}" for name in rollup.keys)]
    on = f"{times} >= p.tzconv_starts AND {times} < p.tzconv_ends"
    if rollup.zone_column:
        on = f"{_source_zone(rollup)} = p.tzconv_zone AND {on}"
    return (
        "WITH p (tzconv_zone, tzconv_starts, tzconv_ends, tzconv_seconds) AS (\n"
        f"{values(rows)})\n"
        f"SELECT {', '.join([*grouped, *rollup.values.values()])}\n"
        f"FROM {quoted(rollup.source)} AS s JOIN p\nON {on}\n"
        f"GROUP BY {', '.join(str(place + 1) for place in range(len(grouped)))}"
    )


def _check(at: Inspection, rollup: Rollup) -> None:
    """DatabaseError with the nearest name for a table or column that is not there."""
    zone = [rollup.zone_column] if rollup.zone_column else []
    source = [rollup.timestamp, *rollup.keys]
    source += [rollup.source_zone_column or rollup.zone_column] if zone else []
    for table, columns in ((rollup.table, rollup.columns), (rollup.source, source)):
        at.check_columns(table, columns)
    at.check_times(rollup.table, rollup.key, ("date", "timestamp"), is_local=True)
    at.check_times(rollup.source, rollup.timestamp, ("timestamp",))
    if rollup.zone:
        at.check_zone(rollup.table, rollup.zone)


def _epoch(column: str) -> str:
    return f"extract(epoch FROM {column})"


def _relation(rollup: Rollup, ranges: Iterable[KeyRange]) -> str:
    """The ranges as a relation k."""
    rows = [
        (one.spelling, *(time.date() if rollup.unit == "day" else time for time in pair))
        for one in ranges
        for pair in [(one.starts, one.ends)]
    ]
    return f"(\n{values(rows)}) AS k (tzconv_zone, tzconv_starts, tzconv_ends)"


def _in_ranges(rollup: Rollup) -> str:
    key = f"r.{identifier(rollup.key)}"
    condition = f"{key} >= k.tzconv_starts AND {key} < k.tzconv_ends"
    if rollup.zone_column:
        condition = f"r.{identifier(rollup.zone_column)} = k.tzconv_zone AND {condition}"
    return condition


def _source_zone(rollup: Rollup) -> str:
    """The zone of a row of the source; of a constant zone each row has it."""
    column = rollup.source_zone_column or rollup.zone_column
    return f"s.{identifier(column)}" if column else constant(rollup.zone)


def _extents(at: Inspection, zone: str, time: str, relation: str) -> dict[str, Extent]:
    """The first and last time by zone."""
    rows = at.rows(
        f"SELECT {zone}, {_epoch(f'min({time})')}, {_epoch(f'max({time})')} FROM {relation} "
        f"WHERE {zone} IS NOT NULL AND {time} IS NOT NULL GROUP BY 1"
    )
    # some engines have no number for an infinite time
    limits = [float("-inf"), float("inf")]
    return {
        str(name): (
            keys.moment(limits[0] if first is None else float(first)),
            keys.moment(limits[1] if last is None else float(last)),
        )
        for name, first, last in rows
    }


def _timestamp(at: Inspection, rollup: Rollup) -> str:
    """The UTC time of a row of the source, as a TIMESTAMP."""
    kind = at.types(rollup.source).get(rollup.timestamp, "")
    return utc(f"s.{identifier(rollup.timestamp)}", kind)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
