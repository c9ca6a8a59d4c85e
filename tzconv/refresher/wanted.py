"""The wanted state of the tables: rules, zones, horizon and tables, from the user's request."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tzconv import tables
from tzconv._version import __version__
from tzconv.engines.backend import Backend
from tzconv.errors import QueryError, RulesError
from tzconv.refresher import probing
from tzconv.tables import checksums, generate
from tzconv.tables.checksums import Sums
from tzconv.tz import horizon, periods, zones
from tzconv.tz.horizon import Horizon
from tzconv.tz.zones import Rules

BY_QUERY = "sql:"


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of :func:`tzconv.refresh`; None for the default."""

    zones: str | Iterable[str] | None = None
    start: dt.date | None = None
    end: dt.date | None = None
    rules: str | Path | Rules = "tzdata"
    tables: Iterable[str] | None = None

    @property
    def asks_database(self) -> bool:
        """Whether the zones or the rules come from the database."""
        return self.by_query or self.rules == probing.SOURCE

    @property
    def by_query(self) -> bool:
        """Whether a query returns the zones."""
        return isinstance(self.zones, str) and self.zones.startswith(BY_QUERY)


@dataclass(frozen=True, slots=True)
class Wanted:
    """``left_out`` are names that the query for zones returned and the rules do not know.

    ``tables_chosen`` says that the user has named the tables; otherwise the loaded ones stay.
    """

    rules: Rules
    names: tuple[str, ...]
    horizon: Horizon
    tables: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    tables_chosen: bool = True

    def fitted(self, ids: Mapping[str, int], loaded: Iterable[str]) -> Wanted:
        """The same for a database with those numbers of zones and those loaded tables."""
        tables = self.tables if self.tables_chosen else _in_order({*self.tables, *loaded})
        return replace(self, rules=self.rules.numbered(self.names, ids), tables=tables)

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
        }

    def sums(self, backend: Backend, table: str) -> dict[str, Sums]:
        """Rows and checksums of one table by zone; empty for an unwanted table."""
        one, names = tables.CONVERSIONS[table], self.names if table in self.tables else ()
        return {
            name: checksums.total(
                backend.sums_of(one, name, columns)
                for columns in generate.zone_columns(table, self.rules, name, self.horizon)
            )
            for name in names
        }


def check(request: Request) -> None:
    """RulesError or HorizonError if the request is wrong for any database."""
    chosen = _tables(request.tables, ())
    horizon.choose(request.start, request.end)
    if not request.asks_database:
        _choose(request, zones.load(request.rules), request.zones, chosen)


def choose(backend: Backend, request: Request) -> Wanted:
    """Read the rules and find the zones; RulesError and HorizonError before anything is written."""
    names = request.zones
    chosen = _tables(request.tables, backend.default_tables)
    if isinstance(names, str):
        is_query = request.by_query
        names = _from_query(backend, names.removeprefix(BY_QUERY)) if is_query else [names]
    if request.rules == probing.SOURCE:
        end = horizon.choose(request.start, request.end).offset_end
        # the last local days must be complete
        rules = probing.rules(backend, names, end + dt.timedelta(days=3))
    else:
        rules = zones.load(request.rules)
    if not request.by_query or names is None:
        return _choose(request, rules, names, chosen)
    known = [name for name in names if name in rules]
    left_out = tuple(name for name in names if name not in rules)
    if not known:
        raise RulesError(
            f"None of the {len(left_out)} names that the query of --zones returned is a time zone "
            f"of {rules.release}, {left_out[0]!r} for example: check the query."
        )
    return _choose(request, rules, known, chosen, left_out)


def _choose(
    request: Request,
    rules: Rules,
    names: str | Iterable[str] | None,
    chosen: tuple[str, ...],
    left_out: tuple[str, ...] = (),
) -> Wanted:
    range_ = horizon.choose(request.start, request.end)
    selected = rules.select(names)
    if len(selected) > periods.MOST_ZONES:
        raise RulesError(
            f"{rules.source} has {len(selected):,} time zones, and the tables hold at most "
            f"{periods.MOST_ZONES:,}: name fewer with --zones."
        )
    for table in chosen:  # raises if the rules end too early, before a row is written
        generate.stream(table, rules, selected, range_)
    return Wanted(rules, selected, range_, chosen, left_out, request.tables is not None)


def _from_query(backend: Backend, sql: str) -> list[str]:
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
    found = {str(name) for name in result.rows.column("c0").to_pylist() if name is not None}
    if not found:
        raise RulesError("The query of --zones returned no name: check the query.")
    return sorted(found)


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
