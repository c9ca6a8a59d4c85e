"""A rollup as the configuration describes it, and the measures that can be merged exactly."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tzconv.errors import DatabaseError, OutputError
from tzconv.impact import named, objects
from tzconv.rewriter import purity
from tzconv.sql.expressions import is_now, zone_conversion
from tzconv.sql.parse import Node, expression_of
from tzconv.sql.reading import reading_of
from tzconv.sql.text import identifier

MERGED: Mapping[type[Node], str] = {
    **dict.fromkeys((exp.Count, exp.Sum), "sum"),
    exp.Min: "min",
    exp.Max: "max",
}
"""What makes one value of the values of several buckets."""
_INSTEAD = {
    exp.Avg: "keep sum(...) and count(...) and divide them in the report",
    exp.Distinct: "a distinct count needs the column in keys, or a sketch in a table of your own",
}
_UNITS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_LOOKBACK = re.compile(rf"\s*(\d{{1,5}}) ({'|'.join(_UNITS)})s?\s*")
_OFFSET = re.compile(r":\d\d(\.\d+)? ?(Z|[+-]\d\d(:?\d\d)*)$", re.IGNORECASE)
_EXACT = re.compile(r"u?(tiny|small|big|huge)?int(eger|\d)?\b|(numeric|decimal)\b", re.IGNORECASE)


class Owner(NamedTuple):
    """The table that has the zones, its key, its zone, and the column of the source that refers."""

    table: str
    key: str
    zone: str
    foreign: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A table of sums by ``bucket``, a column with the UTC start of each bucket.

    Names are as the database spells them; ``table`` and ``source`` may have a schema. ``timestamp``
    is the UTC time in the source, ``keys`` are columns that it groups by, ``values`` the aggregates
    of its other columns, as SQL. The zone is the constant ``zone``, or ``zone_column``: a column of
    the source, or ``TABLE.COLUMN`` of another one that ``key``, ``COLUMN=COLUMN``, joins. ``zones``
    are served besides (``["all"]``). What is older than the ``lookback`` of the last run is closed.
    """

    table: str
    source: str
    timestamp: str
    bucket: str
    values: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    zone: str = ""
    zone_column: str = ""
    key: str = ""
    zones: tuple[str, ...] = ()
    lookback: str = "1 day"

    def error(self, text: str) -> DatabaseError:
        """The error whose sentence goes on with a text."""
        return DatabaseError(f"The rollup {self.table} {text}.")

    @property
    def job(self) -> str:
        """The command that keeps it, and none of the other rollups of its file."""
        return f"tzconv rollup {shlex.quote(self.table)}"

    @property
    def lookback_seconds(self) -> int:
        """The lookback in seconds; DatabaseError if it is none."""
        match = _LOOKBACK.fullmatch(self.lookback)
        if match is None:
            like = "write 3 days, 12 hours, 0 hours, or the like in minutes or weeks"
            raise self.error(f"has the lookback {self.lookback!r}: {like}")
        return int(match[1]) * _UNITS[match[2]]

    @property
    def definition(self) -> str:
        """What its rows depend on, as it is kept in the database."""
        # a view once had a name here, and the rollups of then are still kept
        kept = asdict(self) | {"zones": (), "lookback": "", "view": ""}
        return json.dumps(kept, sort_keys=True)

    @property
    def owner(self) -> Owner | None:
        """The other table that has the zones; None if there is none."""
        *table, column = named.parts(self.zone_column) or [""]
        if not table:
            return None
        foreign, _, primary = (one.strip() for one in self.key.partition("="))
        if not (foreign and primary):
            how = 'name the columns that join it, key = "account_id=id", first that of the source'
            raise self.error(f"has its zones in {self.zone_column}: {how}")
        return Owner(".".join(map(identifier, table)), primary, column, foreign)

    @property
    def kept_zone(self) -> str | None:
        """The column of the rollup that has the zone of its rows; None if it is found elsewhere."""
        owner = self.owner
        if owner is None:
            return self.zone_column or None
        return None if owner.foreign in self.keys else owner.zone

    @property
    def columns(self) -> list[str]:
        """The columns that a row is found by."""
        zone = self.kept_zone
        return [self.bucket, *self.keys, *([zone] if zone and zone not in self.keys else [])]

    def check(self, dialect: str, instants: Collection[str] = ()) -> None:
        """DatabaseError for what cannot be kept exactly; ``instants`` are TIMESTAMPTZ columns."""
        _ = self.lookback_seconds, self.owner
        if not self.values:
            raise self.error('has no values: add n = "count(*)"')
        if any("." in one for one in named.parts(self.table)):
            why = "and the view over it would not find its types: name it without one"
            raise self.error(f"has a dot in its name, {why}")
        beside, most = named.parts(self.table)[-1] + "_zones", reading_of(dialect).longest_name
        if most is not None and len(beside.encode()) > most:
            raise self.error(f"has a name too long for {beside}, of {most} bytes: shorten it")
        names = [one.casefold() for one in (*self.columns, *self.values)]
        if repeated := sorted({one for one in names if names.count(one) > 1}):
            raise self.error(f"would have two columns {repeated[0]!r}: rename one")
        for name, text in self.values.items():
            if (wrong := _wrong(text, dialect, instants)) is not None:
                raise self.error(f"cannot keep {name} = {text!r}: {wrong}")

    def check_types(self, types: Sequence[str], dialect: str) -> None:
        """DatabaseError for a sum whose type, among those of all columns, is not exact."""
        for (name, text), kind in zip(self.values.items(), types[-len(self.values) :], strict=True):
            if aggregate(text, dialect).find(exp.Sum) and not _EXACT.match(kind):
                why = "whose sum depends on the order of its rows: sum DECIMALs or integers"
                raise self.error(f"cannot keep {name} = {text!r}: it is a {kind}, {why}")


def read(settings: Iterable[Mapping[str, Any]], file: str, names: Iterable[str]) -> list[Entry]:
    """The rollups by bucket of a file, all or those of some names; OutputError."""
    entries = named.read(Entry, settings, file)
    known = {one.table: one for one in entries}
    if len(known) < len(entries):
        [table, *_] = [one.table for one in entries if known[one.table] is not one]
        raise OutputError(f"{file}: has two rollups {table!r}: name another table in one of them.")
    if not known:
        raise OutputError(f'{file}: has no [[rollups]] with a bucket: add one, bucket = "bucket".')
    if unknown := [name for name in names if name not in known]:
        there = ", ".join(sorted(known))
        raise OutputError(f"{file}: has no rollup {unknown[0]!r} with a bucket: it has {there}.")
    return [known[name] for name in dict.fromkeys(names or known)]


def aggregate(text: str, dialect: str) -> Node:
    """The tree of an aggregate; ValueError where it is no expression."""
    tree, tokens = expression_of(f"SELECT {text}", dialect)
    if any(one.token_type is TokenType.SEMICOLON for one in tokens):
        raise ValueError("it is more than an expression")
    return tree


def _wrong(text: str, dialect: str, instants: Collection[str]) -> str | None:
    """Why an aggregate cannot be merged exactly; None if it can."""
    try:
        tree = aggregate(text, dialect)
    except ValueError as error:
        return f"it cannot be read ({error})"
    call = tree.this if isinstance(tree, exp.Filter) else tree
    for kind, instead in _INSTEAD.items():
        if tree.find(kind):
            return f"it cannot be merged from buckets: {instead}"
    if type(call) not in MERGED or call.expressions or call.args.get("count"):
        return "only count, sum, min and max, each perhaps with a FILTER, can be merged"
    inside = [call.this, *([tree.expression.this] if tree is not call else [])]
    parts = [one for one in inside if one is not None and not isinstance(one, exp.Star)]
    if any(not purity.is_repeatable(one) or any(map(is_now, one.walk())) for one in parts):
        return "its argument may have another value tomorrow, or is not known to tzconv"
    if any(zone_conversion(part) or objects.zones_of(part) for part in tree.walk()):
        return "it converts a time zone, so that a new tz release could make it wrong"
    for one in tree.find_all(exp.Column, exp.Cast):
        is_column = isinstance(one, exp.Column) and one.name.casefold() in instants
        if (is_column or one.is_type("timestamptz")) and not _is_instant(one, instants):
            return (
                f"it reads {one.name} in the time zone of the session, which may be another one "
                "tomorrow: count, min, max and comparisons with constants such as "
                "'2026-01-01 00:00+00' can be kept"
            )
    return None


def _is_instant(one: Node, instants: Collection[str]) -> bool:
    """Whether a TIMESTAMPTZ is only counted, or compared with others and with constants."""
    above = one.parent
    if not isinstance(above, exp.Predicate):
        return isinstance(one, exp.Column) and isinstance(above, (exp.Count, exp.Min, exp.Max))
    for other in above.iter_expressions():
        bare = other.this if other.is_type("timestamptz") else other
        if isinstance(bare, exp.Column):
            if bare.name.casefold() not in instants:
                return False
        elif not isinstance(bare, exp.Null) and not (bare.is_string and _OFFSET.search(bare.name)):
            return False
    return True
