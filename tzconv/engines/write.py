"""What differs between engines: the base of every engine's class, which says what most have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tzconv.sql.binder import Bind
from tzconv.sql.constants import to_text
from tzconv.sql.schema import Kind, Tables
from tzconv.tz.zones import Rules


@dataclass(frozen=True, slots=True)
class Ends:
    """How an engine takes a value of the first and of the last row of a group, as texts to fill in.

    ``rows`` are the rows of a ``{table}``; ``first`` and ``last`` are the aggregates that take
    their first argument where the second is least and greatest.
    """

    rows: str
    first: str
    last: str


class Engine:
    """Arguments and results are SQL text unless said otherwise."""

    name: str
    quote = '"'
    """What a name is put between."""
    widest_offset: int
    """Microseconds. No zone the engine accepts, IANA or not, is further from UTC."""
    fixed_names: tuple[str, ...] = ()
    """IANA names that the engine reads as abbreviations of a fixed offset, not as these zones."""
    has_array_lookup = False
    """Whether ``width_bucket`` takes an array of thresholds."""
    period = ""
    """The period of a ``{value}``, see ``tables.PERIOD``; empty where it was not measured."""
    hides_once = False
    """Whether the planner cannot estimate a value computed ``once``: an index serves few rows."""
    join_limit: int | None = None
    """From how many relations on the order of explicit joins is kept; None where it never is."""
    views_are_updatable = False
    """Whether a view over one table can be written to."""
    fewest_rows: float = 0
    """A conversion of fewer rows was measured to be no faster with the tables."""
    open_times = 1
    """How many times as many rows it takes where no condition bounds the times."""
    ends: Ends | None = None
    """None where it was not measured to gain by the offsets of a zone as columns."""
    rules_hold: tuple[int | None, int | None] = (None, None)
    """Between these UTC times, in microseconds since 1970, its rules are those of tz releases."""
    zone_must_be_text = False
    """Whether a zone may also be an interval, so that its type has to be known."""
    fold_is_earlier = False
    """Whether a local time that a clock shows twice is read as the first of the two."""
    casts_constants = False
    """Whether its optimizer casts the constant by itself, where a bare column would be cast."""
    small_table = ""
    """A hint for a SELECT from a small ``{table}``: its rows go to all workers; may be empty."""

    def bind_in_memory(
        self, types: Tables, table_schema: str | None, names: Iterable[str]
    ) -> Bind | None:
        """Binds in an empty database with the tables of these names and the conversion tables.

        ``types`` has the types of columns by ``table`` or ``schema.table`` in lower case. None for
        an engine that is no library.
        """
        del types, table_schema, names
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

    def offset(self, microseconds: int) -> str:
        """A constant offset, in the form that ``shifted`` takes."""
        raise NotImplementedError

    def offset_of_seconds(self, seconds: str) -> str:
        """An offset from a column that holds seconds, in the form that ``shifted`` takes."""
        raise NotImplementedError

    def shifted(self, value: str, kind: Kind, offset: str, gives: Kind | None = None) -> str:
        """A UTC value of either kind as the TIMESTAMP that a clock with that offset shows.

        It may stand as the argument of a function; elsewhere see ``alone``. Spark may be asked for
        the kind that it ``gives`` where the session's zone is UTC.
        """
        raise NotImplementedError

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        """A TIMESTAMP that a clock with that offset shows, as the UTC time of that kind."""
        raise NotImplementedError

    def alone(self, shifted: str) -> str:
        """A shifted value as it may stand anywhere in an expression."""
        return shifted

    def as_timestamp(self, value: str) -> str:
        """A constant TIMESTAMPTZ as the TIMESTAMP that the session's time zone shows."""
        return f"CAST({value} AS TIMESTAMP)"

    def once(self, value: str) -> str:
        """A constant in a form that the engine computes once, not for every row."""
        return value

    def output_name(self, expression: str) -> str:
        """The name that the engine gives an output column without alias.

        ValueError where the engine cannot read the expression.
        """
        raise NotImplementedError

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        """The IANA name that a constant zone means to the engine; None if it means none."""
        if not constant.isascii():
            return None  # some letters outside ASCII have lower cases inside, and engines disagree
        folded = constant.lower()
        name = next((name for name in rules.names if name.lower() == folded), None)
        return None if name in self.fixed_names else name


def quoted(name: str, quote: str = '"') -> str:
    """An identifier between quotes."""
    return quote + name.replace(quote, quote * 2) + quote


class UnknownNameError(ValueError):
    """The name of an output column is unknown."""
