"""The SQL of a rollup: its bucket, the SELECT that computes rows, and what keeps its tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping

from tzconv.engines.write import Engine
from tzconv.errors import DatabaseError
from tzconv.impact.named import parts
from tzconv.rollup.entry import Entry
from tzconv.rollup.grid import ALWAYS, Grid
from tzconv.sql.constants import SECOND
from tzconv.sql.schema import Kind
from tzconv.sql.text import identifier, literal
from tzconv.tz.horizon import seconds_of
from tzconv.zone_names import Column

HOUR, DAY = 3_600, 86_400
FIRST, LAST = seconds_of(dt.date(1, 1, 3)), seconds_of(dt.date(9999, 12, 1))
"""Times that Python can hold; what begins with the first begins with all that are earlier."""
STATE = {
    **dict.fromkeys(("definition", "grid", "zones", "release"), "VARCHAR"),
    "filled_before": "BIGINT",
    "view": "VARCHAR",
    "finished_at": "TIMESTAMP",
}
"""The columns of the one row that a job keeps beside a rollup; ``finished_at`` is its heartbeat."""


class Shape:
    """A rollup on one engine: its names as SQL text, and its statements.

    ``schema`` is that of tables that the entry names without one; ``kind`` is the type of the time.
    ``table`` is the rollup, ``state`` the table of its state, ``members`` has the zone of each key
    at the last run; None unless the rollup keeps zones of another table. ``owners`` is the SELECT
    of the keys and zones of that one, ``owner_key`` its key. ``moment`` and ``zone`` are columns of
    ``relations``: the source t, and z if zones of another table are kept. ``bucket`` is a column of
    the rollup r.
    """

    kind: Kind = "timestamp"

    def __init__(self, entry: Entry, engine: Engine, schema: str = "") -> None:
        self.entry, self.engine, self.schema = entry, engine, schema
        self.table, self.state = (self.named(entry.table, more) for more in ("", "_state"))
        self.moment, self.bucket = f"t.{self.quoted(entry.timestamp)}", self.stored(entry.bucket)
        self.relations, self.zone = f"{self.named(entry.source)} AS t", ""
        self.owners, self.members, self.owner_key = "", None, None
        if (owner := entry.owner) is not None:
            key, zone = self.quoted(owner.key), self.quoted(owner.zone)
            self.owner_key = Column(self.named(owner.table), key)
            self.owners = (
                f"SELECT o.{key} AS tzconv_key, o.{zone} AS tzconv_zone "
                f"FROM {self.named(owner.table)} AS o WHERE o.{key} IS NOT NULL"
            )
        if entry.kept_zone is not None:
            self.zone = f"t.{self.quoted(entry.kept_zone)}"
            if owner is not None:
                self.zone, self.members = "z.tzconv_zone", self.named(entry.table, "_zones")
                on = f"z.tzconv_key = t.{self.quoted(owner.foreign)}"
                self.relations += f"\nLEFT JOIN ({self.owners}) AS z ON {on}"

    def named(self, table: str, more: str = "") -> str:
        """A table of the entry with its schema; ``more`` is added to its name."""
        *schema, name = parts(table)
        own = schema or ([self.schema] if self.schema else [])
        return ".".join(map(self.quoted, [*own, name + more]))

    def quoted(self, name: str) -> str:
        """A name as SQL text."""
        return identifier(name, self.engine.quote)

    def stored(self, column: str) -> str:
        """A column of the rollup."""
        return f"r.{self.quoted(column)}"

    def between(self, starts: int | None, ends: int | None, *, stored: bool = False) -> str:
        """A condition on the time in the source, or the bucket: UTC seconds since 1970."""
        value = self.bucket if stored else self.moment
        kind: Kind = "timestamp" if stored else self.kind
        bounds = ((">=", None if starts == FIRST else starts), ("<", ends))
        found = [f"{value} {sign} {self.at(one, kind)}" for sign, one in bounds if one is not None]
        return " AND ".join(found) or f"{value} IS NOT NULL"

    def held(self, begin: int, ends: int | None, *, stored: bool = False) -> str:
        """The same from the beginning of the source on, and for the times before all days."""
        far = self.between(FIRST, FIRST + DAY, stored=stored)
        return f"({self.between(begin, ends, stored=stored)} OR {far})"

    def at(self, seconds: int, kind: Kind = "timestamp") -> str:
        """A time as a constant."""
        return self.engine.constant(seconds * SECOND, kind)

    def bucket_of(self, grid: Grid) -> str:
        """The start of the bucket of a row of the source."""
        if self.engine.bucket is None:
            raise DatabaseError(f"No rollups were written for {self.engine.name}.")
        value = self.engine.utc_timestamp(self.moment, self.kind)
        even, second = (
            self.engine.bucket.format(value=value, seconds=width) for width in (grid.width, 1)
        )
        cases = ""
        if self.kind == "timestamptz":  # arithmetic loses infinite times
            far = f"{self.between(LAST, None)} OR {self.between(None, FIRST)}"
            cases += f"\n    WHEN {far} THEN ({self.moment} AT TIME ZONE 'UTC')"
        if grid.cuts:
            cases += f"\n    WHEN {self.between(grid.parts()[0][1], None)} THEN {even}"
        cases += self.cuts(grid, "timestamp")
        if grid.since != ALWAYS:
            cases += f"\n    WHEN {self.between(None, grid.since)} THEN {second}"
        return f"CASE{cases}\n    ELSE {even} END" if cases else even

    def cuts(self, grid: Grid, kind: Kind) -> str:
        """The branches of a CASE for the parts of buckets that begin at a cut."""
        return "".join(
            f"\n    WHEN {self.between(*part)} THEN {self.at(part[0], kind)}"
            for part in grid.parts()
        )

    def select(self, grid: Grid, where: str = "") -> str:
        """The rows of the rollup for the rows of the source that meet a condition."""
        return self.grouped({self.entry.bucket: self.bucket_of(grid)}, where)

    def grouped(self, buckets: Mapping[str, str], where: str = "") -> str:
        """The SELECT that groups by those texts, by column, and by the keys and the zone."""
        entry = self.entry
        columns = {**buckets, **{one: f"t.{self.quoted(one)}" for one in entry.keys}}
        if entry.kept_zone is not None:
            columns.setdefault(entry.kept_zone, self.zone)
        texts = {**columns, **entry.values}
        made = ",\n".join(f"  {text}\n    AS {self.quoted(name)}" for name, text in texts.items())
        grouped = ", ".join(str(place + 1) for place in range(len(columns)))
        condition = f"WHERE {where}\n" if where else ""
        return f"SELECT\n{made}\nFROM {self.relations}\n{condition}GROUP BY {grouped}"

    def insert(self, grid: Grid, where: str) -> str:
        """The INSERT of those rows."""
        names = ", ".join(map(self.quoted, [*self.entry.columns, *self.entry.values]))
        return f"INSERT INTO {self.table} ({names})\n{self.select(grid, where)}"

    def delete(self, where: str) -> str:
        """The DELETE of rows of the rollup, r."""
        return f"DELETE FROM {self.table} AS r WHERE {where}"

    def of_zones(self, names: Collection[str | None], *, stored: bool = False) -> str:
        """A condition on the kept zone."""
        column = self.stored(self.entry.kept_zone or "") if stored else self.zone
        texts = ", ".join(literal(one) for one in sorted(one for one in names if one is not None))
        found = [f"{column} IN ({texts})"] if texts else []
        found += [f"{column} IS NULL"] if None in names else []
        return f"({' OR '.join(found)})"

    def create(self, grid: Grid, *, indexed: bool) -> Iterator[str]:
        """The statements that make the empty tables."""
        yield f"CREATE TABLE {self.table} AS\n{self.select(grid)}\nLIMIT 0"
        if indexed:
            yield f"CREATE INDEX ON {self.table} ({self.quoted(self.entry.bucket)})"
        columns = ", ".join(f"{name} {kind}" for name, kind in STATE.items())
        yield f"CREATE TABLE {self.state} ({columns})"
        if self.members:
            yield f"CREATE TABLE {self.members} AS {self.owners}"

    def moved(self) -> str:
        """The SELECT of the zones, old and new, of keys that have another one than at the last run.

        With whether the key is new. Rows too if a key is there twice.
        """
        counts = (
            f"(SELECT count(*) FROM {self.members})",
            f"(SELECT count(*) FROM ({self.owners}) AS c)",
        )
        return (
            f"SELECT DISTINCT m.tzconv_zone AS before, z.tzconv_zone AS after, "
            f"CASE WHEN m.tzconv_key IS NULL THEN 1 ELSE 0 END AS is_new FROM {self.members} AS m "
            f"FULL JOIN ({self.owners}) AS z ON z.tzconv_key = m.tzconv_key\n"
            "WHERE m.tzconv_zone IS DISTINCT FROM z.tzconv_zone\n"
            f"UNION ALL SELECT NULL, NULL, 1 WHERE {' <> '.join(counts)}"
        )

    def last(self, starts: int, ends: int) -> str:
        """The SELECT of the last bucket between two times, in UTC seconds since 1970."""
        return (
            f"SELECT CAST(extract(epoch FROM max({self.bucket})) AS BIGINT) FROM {self.table} AS r "
            f"WHERE {self.bucket} >= {self.at(starts)} AND {self.bucket} < {self.at(ends)}"
        )

    def day(self, moment: str, seconds: int = DAY) -> str:
        """The UTC day of a TIMESTAMP, counted from 1970, at least that of ``FIRST``."""
        later = f"greatest({moment}, {self.at(FIRST)})"
        return f"CAST(floor(extract(epoch FROM {later}) / {seconds}) AS BIGINT)"

    def differing(self, grid: Grid, starts: int, ends: int) -> str:
        """The SELECT of the UTC days, counted from 1970, whose rows are not as the source has them.

        Days whose rows the source no longer has at all are among them.
        """
        names = ", ".join(map(self.stored, [*self.entry.columns, *self.entry.values]))
        within = self.between(starts, ends, stored=True)
        stored = f"SELECT {names} FROM {self.table} AS r WHERE {within}"
        fresh = self.select(grid, self.between(starts, ends))
        return (
            f"SELECT DISTINCT {self.day(self.bucket)} FROM (\n(({stored}) EXCEPT ALL ({fresh}))\n"
            f"UNION ALL\n(({fresh}) EXCEPT ALL ({stored}))) AS r ORDER BY 1"
        )
