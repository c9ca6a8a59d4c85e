"""What makes a view wrong, found on the user's own rows before it is created."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Iterator, Mapping

from tzconv import zone_names
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError, QueryError
from tzconv.refresher import function_check, loaded
from tzconv.tz.horizon import Horizon
from tzconv.view.source import Source
from tzconv.zone_names import Column, ask

_EPOCH = dt.datetime(1970, 1, 1)


def refuse_zones(backend: Backend, source: Source) -> Iterator[str]:
    """Notes about the zones of the rows.

    DatabaseError for names that the function refuses, and for zones that it reads by other rules
    than those of the tables, from the first time of the rows on.
    """
    release, rules = loaded.read_rules(backend)
    title = source.zone_title
    counted = zone_names.counts(backend, source.relations, source.zone, title)
    judged = zone_names.of_counts(title, counted, backend).names
    refused = [repr(one.text) for one in judged if one.accepted is False]
    if refused:
        raise DatabaseError(
            f"{title}: the database's function refuses {', '.join(refused[:3])}, so a "
            "view would fail at those rows: correct them first; tzconv names --column "
            f"{shlex.quote(title)} --sql with the same --url shows how."
        )
    if release is None:
        return
    horizon = Horizon(release["horizon_starts_on"], release["horizon_ends_before"])
    used = sorted(one for one in counted if one is not None)
    joined = [one for one in used if one in rules]
    apart = function_check.disagreements(backend, rules, joined, horizon)
    if apart:  # only the times of the rows matter
        sql = f"SELECT extract(epoch FROM min({source.moment})) FROM {source.table} AS t"
        [(first,)] = ask(backend, sql, source.title).tuples()
        since = float("-inf") if first is None else float(first)
        apart = [
            one for one in apart if one.last is None or (one.last - _EPOCH).total_seconds() >= since
        ]
    if apart:
        zones = ", ".join(one.zone for one in apart[:5])
        raise DatabaseError(
            f"{title}: the database's function has other rules than {rules.release} "
            f"for {zones}, so the view would differ from it: see tzconv doctor, or load the "
            "database's own rules with tzconv refresh --rules database."
        )
    absent = [repr(one) for one in used if one not in rules]
    if absent:
        yield (
            f"The tables have no zone {', '.join(absent[:5])}: the view calls the function for "
            "those rows."
        )


def refuse_repeated_keys(backend: Backend, owner: Column | None) -> None:
    """DatabaseError if the join to the zones by that key would repeat rows of the fact table."""
    if owner is None:
        return
    table, key = owner.table, owner.name
    there = f"FROM {table} AS z WHERE z.{key} IS NOT NULL"
    # a user's count() of a type could be called; of rows there is one
    sql = f"SELECT count(*) - (SELECT count(*) FROM (SELECT DISTINCT z.{key} {there}) AS k) {there}"
    [(repeated,)] = ask(backend, sql, f"{table}.{key}").tuples()
    if int(repeated):
        raise DatabaseError(
            f"{table}.{key} is no key: {int(repeated):,} of its values are repeated, and the join "
            "would repeat rows: name a unique column in --key."
        )


def refuse_differences(
    backend: Backend, source: Source, native: str, relation: str, columns: Mapping[str, str]
) -> int:
    """The number of rows of a relation; QueryError if one has another local time than ``native``.

    A time and its zone have one local time, so the distinct ones of them are compared.
    """
    compared = ", ".join([*source.identity, *columns.values()])
    sql = (
        f"SELECT (SELECT count(*) FROM {source.table} AS t), "
        f"(SELECT count(*) FROM {relation} AS r), "
        f"(SELECT count(*) FROM (SELECT {compared} FROM (\n{native}\n) AS n "
        f"EXCEPT SELECT {compared} FROM {relation} AS r) AS d)"
    )
    [row] = ask(backend, sql, source.title).tuples()
    facts, rows, other = map(int, row)
    if facts != rows:
        raise QueryError(f"The view has {rows:,} rows and {source.table} {facts:,}: see --key.")
    if other:
        raise QueryError(
            f"The view has {other:,} local times that differ from those of the database's "
            "function: see tzconv doctor."
        )
    return rows
