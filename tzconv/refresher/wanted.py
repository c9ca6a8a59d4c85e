"""The wanted state of the tables: rules, zones, horizon and tables, from the user's request."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tzconv import tables
from tzconv._version import __version__
from tzconv.engines import urls
from tzconv.engines.backend import Backend
from tzconv.errors import QueryError, RulesError
from tzconv.refresher import probing
from tzconv.refresher.selection import (
    BY_QUERY,
    FROM_DATABASE,
    INSTALLED,
    Request,
    Selection,
)
from tzconv.tables import RELEASE, generate
from tzconv.tz import horizon, numbers, periods, spans, zones
from tzconv.tz.horizon import Horizon
from tzconv.tz.periods import Numbers
from tzconv.tz.zones import Rules


@dataclass(frozen=True, slots=True)
class Wanted:
    """``left_out`` counts the rows of names that the query returned and the rules do not know.

    If the ``selection`` names no tables, the loaded ones stay.
    """

    rules: Rules
    names: tuple[str, ...]
    horizon: Horizon
    tables: tuple[str, ...]
    selection: Selection
    left_out: Mapping[str, int] = field(default_factory=dict)

    def fitted(self, taken: Numbers, loaded: Iterable[str]) -> Wanted:
        """This goal with the loaded numbers of zones, and the loaded tables if it names none."""
        chosen = self.selection.tables is not None
        tables = self.tables if chosen else _in_order({*self.tables, *loaded})
        end = horizon.seconds_of(self.horizon.offset_end)
        known = numbers.numbered(self.rules, self.names, taken, end)
        numbers.check(known, self.rules.source)
        return replace(self, rules=self.rules.with_numbers(known), tables=tables)

    def release(self) -> dict[str, Any]:
        """The columns of the release row that are known before a load."""
        return {
            "tz_release": self.rules.release,
            "rules": self.rules.source,
            "horizon_starts_on": self.horizon.start,
            "horizon_ends_before": self.horizon.end,
            "offset_ends_before": self.horizon.offset_end,
            "zone_count": len(self.names),
            "tzconv_version": __version__,
            "selection": self.selection.text(),
            "period_keys": self._period_keys(),
        }

    def _period_keys(self) -> int | None:
        """The sum of the squares of all keys of the period table: another set has another one."""
        known = self.rules.numbers
        if known is None or "period" not in self.tables:
            return None
        end = horizon.seconds_of(self.horizon.offset_end)
        found = spans.period_keys(known.rules.values(), end)
        return None if found >> 63 else found  # more than a BIGINT holds


def check(request: Request) -> None:
    """RulesError or HorizonError if the request is wrong for any database."""
    selection = request.selection(None)
    _tables(selection.tables, ())
    if selection.start is not None and selection.end is not None:
        Horizon(selection.start, selection.end)  # one alone depends on the database's today


def choose(backend: Backend, request: Request, kept: str | None) -> Wanted:
    """Read the rules and find the zones, by the ``request`` and the selection ``kept``.

    RulesError and HorizonError before anything is written.
    """
    selection = request.selection(kept)
    names, rows = selection.zones, Counter[str]()
    tables = _tables(selection.tables, backend.default_tables)
    # today is what the database says: the clock of one client must not replace the tables
    range_ = horizon.choose(selection.start, selection.end, backend.now().date())
    if isinstance(names, str):
        if not request.by_query and (writers := backend.selection_writers()):
            raise RulesError(
                f"The query for zones in {RELEASE.name} is not run, because {', '.join(writers)} "
                "may write there: REVOKE INSERT, UPDATE on it, or give the query with --zones."
            )
        rows = _from_query(backend, names.removeprefix(BY_QUERY))
        names = tuple(sorted(rows))
    if isinstance(request.rules, Rules):
        rules = request.rules
    elif selection.rules == FROM_DATABASE:
        # the last local days must be complete
        rules = probing.rules(backend, names, range_.offset_end + dt.timedelta(days=3))
    else:
        rules = zones.load(selection.rules or INSTALLED)
    left_out = {name: rows[name] for name in sorted(rows) if name not in rules}
    if rows:
        names = tuple(name for name in sorted(rows) if name in rules)
        if not names:
            raise RulesError(
                f"None of the {len(left_out)} names that the query of --zones returned is a time "
                f"zone of {rules.release}, {next(iter(left_out))!r} for example: show what they "
                "are with tzconv names."
            )
    selected = rules.select(names)
    if len(selected) > periods.MOST_ZONES:
        raise RulesError(
            f"{rules.source} has {len(selected):,} time zones, and the tables hold at most "
            f"{periods.MOST_ZONES:,}: name fewer with --zones."
        )
    for table in tables:  # raises if the rules end too early, before a row is written
        generate.check_reach(table, rules, selected, range_)
    return Wanted(rules, selected, range_, tables, selection, left_out)


def _from_query(backend: Backend, sql: str) -> Counter[str]:
    """The rows of each name that the query returns."""
    backend.confine()
    if not urls.is_text(sql):
        raise RulesError("The query of --zones is no text: write it in UTF-8, without NUL.")
    try:
        result = backend.query(sql)
    except QueryError as error:
        message = str(error).rstrip(".")
        raise QueryError(f"The query of --zones cannot be run: {message}.") from error
    if len(result.names) != 1:
        raise RulesError(
            f"The query of --zones returned {len(result.names)} columns: let it return one, the "
            "names of the time zones."
        )
    names = result.rows.column("c0").to_pylist()
    found = Counter(str(name) for name in names if name is not None)
    if not found:
        raise RulesError("The query of --zones returned no name: check the query.")
    return found


def _tables(chosen: Iterable[str] | None, default: Iterable[str]) -> tuple[str, ...]:
    """The tables in their usual order, with those that are always loaded."""
    names = set(default if chosen is None else chosen)
    unknown = sorted(names - set(tables.CONVERSIONS))
    if unknown:
        raise RulesError(
            f"There is no table {unknown[0]!r}: choose from {', '.join(tables.CONVERSIONS)}."
        )
    return _in_order(names | set(tables.ALWAYS))


def _in_order(names: set[str]) -> tuple[str, ...]:
    return tuple(name for name in tables.CONVERSIONS if name in names)
