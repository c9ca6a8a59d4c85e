"""Bring the conversion tables of a database to what the rules and the horizon say.

Compare what is loaded with what should be; where they differ load all anew in one transaction,
check the rows inside the database against what was generated, and write the release row last. A
reader sees the old tables or the new ones, and a killed job leaves the old ones.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tzconv import backends, checksums, generate, horizon, tables, zones
from tzconv._version import __version__
from tzconv.backends import Backend, Disagreement
from tzconv.checksums import Sums
from tzconv.errors import DatabaseError
from tzconv.horizon import Horizon
from tzconv.zones import Rules

Progress = Callable[[str, int, int], None]
"""Called with a table's short name, the number of zones loaded and the number of all zones."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """What a refresh found or did.

    ``rows`` counts the rows by the short names of the tables. ``disagreements`` are the zones for
    which the database's own function has other rules; they are looked for after a load.
    """

    changed: bool
    tz_release: str
    rules: str
    start: dt.date
    end: dt.date
    zone_count: int
    rows: dict[str, int]
    seconds: float
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    rules: Rules
    names: tuple[str, ...]
    horizon: Horizon

    def release(self) -> dict[str, Any]:
        """The part of the release row that is known before anything is loaded."""
        return {
            "tz_release": self.rules.release,
            "rules": self.rules.source,
            "horizon_starts_on": self.horizon.start,
            "horizon_ends_before": self.horizon.end,
            "offset_ends_before": self.horizon.offset_end,
            "zone_count": len(self.names),
            "tzconv_version": __version__,
        }


def refresh(
    database: str | Backend | None = None,
    *,
    zones: Iterable[str] | None = None,
    start: dt.date | None = None,
    end: dt.date | None = None,
    rules: str | Path | Rules = "tzdata",
    progress: Progress | None = None,
) -> Refresh:
    """Create or renew the conversion tables of a database; write nothing where they are right.

    ``database`` is a URL (``duckdb:///tzconv.duckdb`` by default) or an open backend; ``zones`` are
    IANA names (all of the tz release); ``start`` and ``end`` the UTC days ``[start, end)`` (from
    last year to the end of next year). Errors are TzconvErrors, and leave the database as it was.
    """
    wanted = _wanted(zones, start, end, rules)
    if database is None or isinstance(database, str):
        with backends.connect(database) as backend:
            return _refresh(backend, wanted, progress)
    return _refresh(database, wanted, progress)


def _wanted(
    names: Iterable[str] | None,
    start: dt.date | None,
    end: dt.date | None,
    rules: str | Path | Rules,
) -> _Wanted:
    loaded = zones.load(rules)
    wanted = _Wanted(loaded, loaded.select(names), horizon.choose(start, end))
    for table in tables.CONVERSIONS:  # wrong input is found before a database is touched
        generate.stream(table, loaded, wanted.names, wanted.horizon)
    return wanted


def _refresh(backend: Backend, wanted: _Wanted, progress: Progress | None) -> Refresh:
    began = backend.now()
    backend.check_ours()
    release = backend.newest_release()
    if release is not None and _is_loaded(backend, release, wanted):
        rows = backend.row_counts()
        return _report(backend, wanted, rows, began, None)
    with backend.transaction():
        backend.create_tables()
        row = wanted.release() | {"started_at": began}
        rows = {}
        for name in tables.CONVERSIONS:
            sums = _load(backend, name, wanted, progress)
            _verify(backend, name, sums)
            rows[name] = sum(count for count, _, _ in sums.values())
            row |= {f"{name}_rows": rows[name], f"{name}_checksum": checksums.digest(sums)}
        finished = backend.now()
        if release is not None:  # the newest row counts, even where the clock has gone back
            finished = max(finished, release["finished_at"] + dt.timedelta(microseconds=1))
        backend.insert_release(row | {"finished_at": finished})
    backend.tidy()
    return _report(backend, wanted, rows, began, backend.disagreements())


def _is_loaded(backend: Backend, release: dict[str, Any], wanted: _Wanted) -> bool:
    """Whether the newest release row and the tables agree with what is wanted.

    The offset table is small and holds every rule, so it alone is generated and compared: a folder
    of rules may change without a new release name.
    """
    if any(release[key] != value for key, value in wanted.release().items()):
        return False
    counts = backend.row_counts()
    if any(release[f"{name}_rows"] != count for name, count in counts.items()):
        return False
    sums: dict[str, Sums] = {}
    stream = generate.stream("offset", wanted.rules, wanted.names, wanted.horizon)
    for _ in _counting(stream, "offset", sums):
        pass
    return (
        checksums.digest(sums) == release["offset_checksum"]
        and backend.checksums(tables.OFFSET) == sums
    )


def _load(
    backend: Backend, name: str, wanted: _Wanted, progress: Progress | None
) -> dict[str, Sums]:
    """Replace the rows of one table and return the sums of what was generated, zone by zone."""
    sums: dict[str, Sums] = {}
    done = 0

    def zone_done(_: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(name, done, len(wanted.names))

    stream = generate.stream(name, wanted.rules, wanted.names, wanted.horizon, zone_done)
    table = tables.CONVERSIONS[name]
    backend.clear(table)
    counted = pa.RecordBatchReader.from_batches(stream.schema, _counting(stream, name, sums))
    backend.load(table, counted)
    return sums


def _counting(
    stream: pa.RecordBatchReader, name: str, sums: dict[str, Sums]
) -> Iterator[pa.RecordBatch]:
    table = tables.CONVERSIONS[name]
    for batch in stream:
        if batch.num_rows:
            zone = batch.column("time_zone_name")[0].as_py()
            columns = {
                column.name: batch.column(column.name).to_numpy(zero_copy_only=False)
                for column in table.columns
                if column.name != "time_zone_name"
            }
            part = checksums.of_columns(table, columns)
            sums[zone] = checksums.add(sums[zone], part) if zone in sums else part
        yield batch


def _verify(backend: Backend, name: str, generated: dict[str, Sums]) -> None:
    """DatabaseError where the rows in the database are not those that were generated."""
    table = tables.CONVERSIONS[name]
    loaded = backend.checksums(table)
    if loaded != generated:
        wrong = sorted(
            zone
            for zone in loaded.keys() | generated.keys()
            if loaded.get(zone) != generated.get(zone)
        )
        raise DatabaseError(
            f"{table.name} does not hold what was generated for {len(wrong)} zones, "
            f"{wrong[0]} first: nothing was changed; please report this."
        )


def _report(
    backend: Backend,
    wanted: _Wanted,
    rows: dict[str, int],
    began: dt.datetime,
    found: list[Disagreement] | None,
) -> Refresh:
    """``found`` is None where nothing was loaded."""
    return Refresh(
        found is not None,
        wanted.rules.release,
        wanted.rules.source,
        wanted.horizon.start,
        wanted.horizon.end,
        len(wanted.names),
        rows,
        (backend.now() - began).total_seconds(),
        tuple(found or ()),
    )
