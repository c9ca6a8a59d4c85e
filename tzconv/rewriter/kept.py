"""Texts that are kept: which literals they may hold, and the comment that names the others.

What lies before a tz release is history; what lies after it may still change by law. A text that
runs after the next refresh should read the latter from the tables. Where literals of the future are
asked for, the comment ``-- tzconv: literals of 2026f for America/Vancouver`` goes before the
statement, so that they are found when the rules have moved on.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tzconv.rewriter.report import Rewrite
from tzconv.sql.lexer import Lexer
from tzconv.sql.places import line_and_column
from tzconv.tz.zones import Rules

_RELEASE = re.compile(r"(\d{4}[a-z])(?![a-z\d])")
# of the file NEWS of tz; the days between two letters were 1 at the least, 2023a and 2023b
_PUBLISHED = {
    **{"2025a": "2025-01-15", "2025b": "2025-03-22", "2025c": "2025-12-10"},
    **{"2026a": "2026-03-01", "2026b": "2026-04-22", "2026c": "2026-07-08"},
    **{"2026d": "2026-09-11", "2026e": "2026-09-29"},
}
_NEWEST = max(_PUBLISHED)
_COMMENT = re.compile(r"-- tzconv: literals of (?P<release>\S.*?) for (?P<zones>.*?)\s*")
COMMENT = re.compile(r"^-- tzconv: literals of .*$", re.MULTILINE)
"""Such a comment on a line of its own."""
_QUOTED = re.compile(r"'([^'\n]+)'")


@dataclass(frozen=True, slots=True)
class Held:
    """A comment that names the zones whose literals of a release stand in the statement after it.

    ``line`` and ``column`` count from 1.
    """

    line: int
    column: int
    release: str
    zones: tuple[str, ...]


def history_until(release: str) -> dt.date:
    """A day on or before which a tz release was published, by its name; 1970 for other names.

    The known ones have their day. A later one came at least a day a letter after the newest of
    them (``2026f`` on 2026-09-30 at the earliest), and not before its year; of earlier ones only
    the year counts.
    """
    found = _RELEASE.match(release)
    if found is None:
        return dt.date(1970, 1, 1)
    name = found[1]
    if name in _PUBLISHED:
        return dt.date.fromisoformat(_PUBLISHED[name])
    begin = dt.date(int(name[:4]), 1, 1)
    if name < _NEWEST:
        return begin
    letters = ord(name[4]) - ord(_NEWEST[4])
    return max(begin, dt.date.fromisoformat(_PUBLISHED[_NEWEST]) + dt.timedelta(days=letters))


def outdated(text: str, release: str) -> list[Held]:
    """The comments of a text that name literals of another release than ``release``."""
    return [
        Held(*line_and_column(text, piece.start), found["release"], tuple(zones))
        for piece in Lexer().pieces(text)
        if (found := _COMMENT.fullmatch(text, piece.start, piece.end))
        if found["release"] != release and (zones := found["zones"].split(", "))
    ]


def with_comment(
    rewrite: Callable[..., Rewrite], kept: Callable[..., Rewrite], rules: Rules
) -> Callable[..., Rewrite]:
    """``rewrite``, and a comment before each statement that ``kept`` would give other literals."""

    def rewritten(sql: str, **options: str) -> Rewrite:
        result = rewrite(sql, **options)
        also = {(one.start, one.end, one.after) for one in kept(sql, **options).changes}
        new = [one for one in result.changes if (one.start, one.end, one.after) not in also]
        zones = _zones((one.before for one in new), rules) or _zones([sql] if new else [], rules)
        if not zones:
            return result
        comment = f"-- tzconv: literals of {rules.release} for {', '.join(zones)}"
        line_end = "\r\n" if "\r\n" in sql else "\n"
        return replace(result, sql=f"{comment}{line_end}{result.sql}")

    return rewritten


def _zones(texts: Iterable[str], rules: Rules) -> list[str]:
    """The zones with changing clocks that constants of some texts name."""
    found = {rules.spelled(text) for sql in texts for text in _QUOTED.findall(sql)}
    zones = {name: rules.zone(name) for name in found if name is not None}
    return sorted(
        name
        for name, zone in zones.items()
        if len(zone.starts) > 1 or (zone.footer is not None and zone.footer.dst is not None)
    )
