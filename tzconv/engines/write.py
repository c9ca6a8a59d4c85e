"""How engines write SQL: the base class of every engine's ``WRITER``, used by the rewriter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tzconv.sql.binder import Bind
from tzconv.sql.constants import to_text
from tzconv.sql.schema import Kind, Tables
from tzconv.tz.zones import Rules


@dataclass(frozen=True, slots=True)
class Ends:
    """The SQL for the value of the first and the last row of a group.

    ``rows`` are the rows of a ``{table}``; ``first`` and ``last`` are aggregates that return their
    first argument from the row with the least and the greatest second one.
    """

    rows: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Periods:
    """The SQL to find a time's row in ``tables.PERIOD``.

    ``of`` is the period of a ``{value}``, whose UTC as a TIMESTAMP is ``{utc}``, and ``of_key``
    that of a ``{key}`` of the table. ``offset`` is the second or third of three texts, of which
    these two are microseconds, as an offset in the form that ``shifted`` takes. Unless ``of``
    ``is_total``, it is not known what it gives for times that the table does not cover.

    ``checked`` is a condition that a table called ``{period}`` is the one of the newest refresh in
    ``{release}``: with it, an inner join is safe, and from ``inner_from`` rows on it is faster.
    """

    of: str
    of_key: str
    offset: str
    is_total: bool = True
    checked: str = ""
    inner_from: float = 0


class Engine:
    """Arguments and results are SQL text unless said otherwise."""

    name: str
    quote = '"'
    """The quotation mark of names."""
    widest_offset: int
    """Microseconds. No zone the engine accepts, IANA or not, is further from UTC."""
    fixed_names: tuple[str, ...] = ()
    """IANA names that the engine reads as abbreviations of a fixed offset, not as these zones."""
    compares_sides = True
    """Whether a comparison of two relations is made of values computed before they are joined."""
    joins_on_subqueries = True
    """Whether the condition of an outer join may have a subquery."""
    has_array_lookup = False
    """Whether ``width_bucket`` takes an array of thresholds."""
    is_measured: bool = True
    """Whether its strategies were timed on it."""
    periods: Periods | None = None
    """None if no join on periods was written for it."""
    hides_once = False
    """Whether the planner cannot estimate a value computed ``once``: an index serves few rows."""
    join_limit: int | None = None
    """From this number of relations, the order of explicit joins is kept; None: never."""
    views_are_updatable = False
    """Whether a view over one table can be written to."""
    fewest_rows: float = 0
    """Conversions of fewer rows are not faster with the tables (measured)."""
    fewest_of_one: float | None = None
    """The same where all rows have one zone, if the engine joins a single row."""
    open_times = 1
    """The factor of ``fewest_rows`` if no condition bounds the times."""
    ends: Ends | None = None
    """None if the offsets of a zone as columns are not faster, or not measured."""
    rules_hold: tuple[int | None, int | None] = (None, None)
    """Between these UTC times, in microseconds since 1970, its rules are those of tz releases."""
    zone_must_be_text = False
    """Whether a zone may also be an interval, so that its type must be known."""
    fold_is_earlier = False
    """Whether a local time in a fold is read as the earlier of its two times."""
    gaps_are_known = True
    """Whether it is known how it reads local times in gaps and folds.

    If not, the function converts those within a day of a change."""
    loops_over_ranges = False
    """Whether a join that compares no columns for equality tries every pair of rows."""
    joins_in_subqueries = True
    """Whether a correlated subquery may have any join."""
    joins_outer_zones = False
    """Whether it joins the zone of a row of the query around it once, not for each such row."""
    joins_laterals = False
    """Whether a LATERAL is a join with all distinct values that it names, of which we add some."""
    looks_at_zones_last = False
    """Whether ``AT TIME ZONE 'UTC' AT TIME ZONE zone`` costs time where the zone is NULL."""
    late_rows = 0
    """The largest LIMIT behind ORDER BY for which it reads one table's other columns afterwards."""
    casts_constants = False
    """Whether its optimizer casts the constant of a comparison instead of the bare column."""
    bucket: str | None = None
    """The start of the bucket of ``{seconds}`` around a TIMESTAMP ``{value}``, counted from 1970; a
    divisor of an hour. None if no rollup was written for it."""
    small_table = ""
    """A hint for a SELECT from a small ``{table}``, which sends its rows to all workers."""

    def bind_in_memory(
        self, types: Tables, table_schema: str | None, names: Iterable[str]
    ) -> Bind | None:
        """Binds statements in an empty database with those tables and the conversion tables.

        ``types`` has the types of columns by ``table`` or ``schema.table`` in lower case. None if
        the engine is not embedded.
        """
        return None

    def constant(self, value: int, kind: Kind) -> str:
        """A UTC time in microseconds since 1970 as a constant of that kind."""
        if kind == "timestamptz":
            return f"TIMESTAMPTZ '{to_text(value)}+00'"
        return f"TIMESTAMP '{to_text(value)}'"

    def column_as(self, column: str, kind: Kind) -> str:
        """A TIMESTAMP column that holds UTC, as a value of that kind."""
        return f"{column} AT TIME ZONE 'UTC'" if kind == "timestamptz" else column

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        """A UTC value of that kind as a TIMESTAMP."""
        raise NotImplementedError

    def infinite_in_utc(self, value: str) -> str:
        """A TIMESTAMPTZ that may be infinite as a TIMESTAMP in UTC."""
        return self.utc_timestamp(value, "timestamptz")

    def offset(self, microseconds: int) -> str:
        """A constant offset, in the form that ``shifted`` takes."""
        raise NotImplementedError

    def offset_of_seconds(self, seconds: str) -> str:
        """An offset from a column that holds seconds, in the form that ``shifted`` takes."""
        raise NotImplementedError

    def shifted(self, value: str, kind: Kind, offset: str, gives: Kind | None = None) -> str:
        """A UTC value of either kind as the local TIMESTAMP at that offset.

        It may be the argument of a function; elsewhere see ``alone``. On Spark, ``gives`` is the
        kind of the result if the session's time zone is UTC.
        """
        raise NotImplementedError

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        """A local TIMESTAMP at that offset as the UTC time of that kind."""
        raise NotImplementedError

    def alone(self, shifted: str) -> str:
        """A shifted value as an operand of any expression."""
        return shifted

    def as_timestamp(self, value: str) -> str:
        """A constant TIMESTAMPTZ as the local TIMESTAMP of the session's time zone."""
        return f"CAST({value} AS TIMESTAMP)"

    def as_text(self, zone: str) -> str:
        """A zone that is no column, as a text whose type needs no context."""
        return zone

    def is_zone(self, name: str, zone: str) -> str:
        """The condition that a column of names, with SQL type varchar, holds that zone."""
        return f"{name} = {zone}"

    def once(self, value: str) -> str:
        """A constant in a form that the engine computes once, not for every row."""
        return value

    def output_name(self, expression: str) -> str:
        """The name that the engine gives an output column without alias.

        ValueError if the engine does not parse the expression.
        """
        raise NotImplementedError

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        """The IANA name that the engine understands by a constant zone; None if none."""
        if not constant.isascii():
            return None  # engines disagree on letters whose lower case is in ASCII
        name = rules.spelled(constant)
        return None if name in self.fixed_names else name


class UnknownNameError(ValueError):
    """The name of an output column is unknown."""
