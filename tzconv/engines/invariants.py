"""The invariants of the conversion tables, as queries for the zones that break them.

A refresh runs them before it commits, and ``tzconv doctor`` on every table.
"""

from __future__ import annotations

from collections.abc import Callable

from tzconv import tables
from tzconv.sql.text import literal
from tzconv.tables import Table
from tzconv.tables.checksums import BEFORE_1970
from tzconv.tz import periods

_PERIOD_START = (
    f"(zone_period - zone_period % {periods.MOST_RULES}) "
    f"* {(1 << periods.PERIOD_BITS) // periods.MOST_RULES}"
)
"""Microseconds since 1970: the length of a period times its number."""
_LAST_PERIOD = 1 << 25
"""Later than year 9999; with much later ones, that would overflow."""


def invariants(table: Table, name: Callable[[str], str], seconds: str, where: str) -> str:
    """The SELECT of the zones that break an invariant of the table, and of that invariant.

    ``name`` returns the SQL name of a conversion table, ``seconds`` is a backend's pattern.
    """
    source = f"{name(table.name)} {where}"
    if table is tables.ZONE:
        source, checks = _zone_checks(name, where)
    elif table is tables.PERIOD:
        source, checks = _period_checks(name, seconds, where)
    else:
        checks = _span_checks(table)
    times = [column.name for column in table.columns if column.type == "timestamp"]
    if times:
        broken = " OR ".join(f"{time} <> date_trunc('second', {time})" for time in times)
        checks = {"a time that is no whole second": broken} | checks
    cases = " ".join(f"WHEN {wrong} THEN {literal(text)}" for text, wrong in checks.items())
    return (
        "SELECT DISTINCT time_zone_name, wrong FROM (SELECT time_zone_name, "
        f"CASE {cases} END AS wrong FROM {source}) AS checked "
        "WHERE wrong IS NOT NULL ORDER BY 1, 2"
    )


def _zone_checks(name: Callable[[str], str], where: str) -> tuple[str, dict[str, str]]:
    """Checks against the offset table, which has the same zones."""
    source = (
        "(SELECT COALESCE(numbered.time_zone_name, spans.time_zone_name) AS time_zone_name, "
        "zone_id, rules_id, names, numbers, spans.time_zone_name AS spans_of "
        "FROM (SELECT time_zone_name, zone_id, rules_id, "
        "count(*) OVER (PARTITION BY time_zone_name) AS names, "
        f"count(*) OVER (PARTITION BY zone_id) AS numbers FROM {name(tables.ZONE.name)}) "
        "AS numbered "
        f"FULL OUTER JOIN (SELECT DISTINCT time_zone_name FROM {name(tables.OFFSET.name)}) "
        f"AS spans ON spans.time_zone_name = numbered.time_zone_name) AS both_sides {where}"
    )
    return source, {
        "no row": "zone_id IS NULL",
        "a row and no spans": "spans_of IS NULL",
        "more than one row": "names > 1",
        "the number of another zone": "numbers > 1",
        "a number that no zone can have": f"zone_id < 0 OR zone_id >= {periods.MOST_ZONES}",
        "a number that no period can have": f"rules_id < 0 OR rules_id >= {periods.MOST_RULES}",
    }


def _period_checks(
    name: Callable[[str], str], seconds: str, where: str
) -> tuple[str, dict[str, str]]:
    """Checks with the number of each zone's history from the zone table."""
    period, size = name(tables.PERIOD.name), periods.MOST_RULES
    source = (
        "(SELECT spans.*, rules_id, "
        "lead(zone_period) OVER (PARTITION BY spans.time_zone_name ORDER BY zone_period) "
        f"AS following FROM {period} AS spans LEFT JOIN {name(tables.ZONE.name)} AS numbered "
        f"ON numbered.time_zone_name = spans.time_zone_name) AS numbered_spans {where}"
    )
    unknown = f"zone_period = {periods.UNKNOWN}"
    checks = {
        "offsets of unknown values": (
            f"{unknown} AND (microseconds_before IS NOT NULL OR microseconds_after IS NOT NULL "
            "OR local_microseconds_before IS NOT NULL OR local_microseconds_after IS NOT NULL)"
        ),
        "rows with the number of another zone": (
            f"rules_id IS NULL OR zone_period NOT BETWEEN {periods.UNKNOWN} AND {_LAST_PERIOD} "
            f"OR zone_period <> {periods.UNKNOWN} AND zone_period % {size} <> rules_id"
        ),
        "a period without a row, or with two": (
            f"following <> CASE WHEN {unknown} THEN following % {size} "
            f"ELSE zone_period + {size} END OR (following IS NULL "
            f"AND zone_period + {size} <= (SELECT max(zone_period) FROM {period}))"
        ),
    }
    for line, changes in (("utc", "changes_at_utc"), ("local", "changes_at_time_zone")):
        unit = "microseconds" if line == "utc" else "local_microseconds"
        before, after = f"{unit}_before", f"{unit}_after"
        at = f"({seconds.format(column=changes)} - {BEFORE_1970}) * 1000000"
        inside = f"{at} > {_PERIOD_START} AND {at} < {_PERIOD_START} + {1 << periods.PERIOD_BITS}"
        checks[f"a change outside of its period ({line})"] = f"NOT ({inside})"
        checks[f"offsets that do not fit its change ({line})"] = (
            f"CASE WHEN {changes} IS NULL THEN COALESCE({before}, 0) <> COALESCE({after}, 0) "
            f"ELSE COALESCE({before} = {after}, TRUE) END"
        )
    return source, checks


def _span_checks(table: Table) -> dict[str, str]:
    """Spans of a zone have no holes and no overlaps, in UTC and in local time."""
    begin = table.order
    end = "day_ends_before_utc" if table is tables.DAILY else "ends_before_utc"
    over = f"OVER (PARTITION BY time_zone_name ORDER BY {begin})"
    checks = {
        "a hole or an overlap": f"lead({begin}) {over} <> {end}",
        "a span that ends before it begins": f"{end} <= {begin}",
    }
    if table is tables.OFFSET:
        checks["a hole or an overlap of local times"] = (
            f"lead(starts_at_time_zone) {over} <> ends_before_time_zone"
        )
    return checks
