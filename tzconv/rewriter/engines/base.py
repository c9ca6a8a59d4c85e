"""What differs between engines: the shape that every engine's class has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tzconv.rewriter.schema import Kind
from tzconv.zones import Rules


@dataclass(frozen=True, slots=True)
class Lists:
    """How an engine gathers what a zone has in lists, as texts with names in braces to fill in.

    ``source`` are the rows of a ``{table}`` that are gathered, ``made`` is the aggregate of a
    ``{value}`` in the order of ``{by}``, and ``taken`` the item of a ``{list}`` with a
    ``{number}`` from 1, NULL where there is none. ``but`` is the word for a star without some
    columns, empty where the engine has none. ``most`` is the number of items up to which it was
    measured to be fast to carry each as a column. ``first`` and ``last`` are the aggregates
    that take a ``{value}`` where ``{by}`` is least and greatest, where they are faster than a
    list of two; empty where they are not.
    """

    source: str
    made: str
    taken: str
    but: str
    most: int
    first: str = ""
    last: str = ""


class Engine(Protocol):
    """Arguments and results are SQL text unless said otherwise."""

    name: str
    quote: str
    """What a name is put between."""
    widest_offset: int
    """Microseconds. No zone the engine accepts, IANA or not, is further from UTC."""
    asks_for_unknown_zones: bool
    """Whether it was measured to pay to ask once for such zones: without them a day is enough."""
    fixed_names: tuple[str, ...]
    """IANA names that the engine reads as abbreviations of a fixed offset, not as these zones."""
    fence: str
    """What ends a derived table that the optimizer must not merge into the query; may be empty."""
    has_array_lookup: bool
    """Whether ``width_bucket`` takes an array of thresholds."""
    lists: Lists | None
    """None where it has none, or was not measured to carry their items fast."""
    rules_hold: tuple[int | None, int | None]
    """Between these UTC times, in microseconds since 1970, its rules are those of tz releases."""
    zone_must_be_text: bool
    """Whether a zone may also be an interval, so that its type has to be known."""
    fold_is_earlier: bool
    """Whether a local time that a clock shows twice is read as the first of the two."""
    knows_loaded_zones: bool
    """Whether its function knows all zones of the tables but ``fixed_names``."""
    casts_constants: bool
    """Whether its optimizer casts the constant by itself, where a bare column would be cast."""
    case_beats_coalesce: bool
    """Whether a CASE that asks first was measured to be faster than COALESCE with the function."""
    small_table: str
    """A hint for a SELECT from a small ``{table}``, that its rows go to all workers; may be empty.
    """

    def constant(self, value: int, kind: Kind) -> str:
        """A UTC time in microseconds since 1970 as a constant of that kind."""
        ...

    def column_as(self, column: str, kind: Kind) -> str:
        """A TIMESTAMP column that holds UTC, as a value of that kind."""
        ...

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        """A UTC value of that kind as a TIMESTAMP."""
        ...

    def infinity(self, kind: Kind, sign: int) -> str:
        """A constant of that kind before (``sign`` -1) or after (1) all times."""
        ...

    def offset(self, microseconds: int) -> str:
        """A constant offset, in the form that ``shifted`` takes."""
        ...

    def offset_of_seconds(self, seconds: str) -> str:
        """An offset from a column that holds seconds, in the form that ``shifted`` takes."""
        ...

    def shifted(self, value: str, kind: Kind, offset: str) -> str:
        """A UTC value of either kind as the TIMESTAMP that a clock with that offset shows.

        It may stand as the argument of a function; elsewhere see ``alone``.
        """
        ...

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        """A TIMESTAMP that a clock with that offset shows, as the UTC time of that kind."""
        ...

    def alone(self, shifted: str) -> str:
        """A shifted value as it may stand anywhere in an expression."""
        ...

    def shifted_as(self, value: str, kind: Kind, offset: str, gives: Kind) -> str:
        """A value with an offset added as the kind ``gives``, where the session's zone is UTC."""
        ...

    def as_timestamp(self, value: str) -> str:
        """A constant TIMESTAMPTZ as the TIMESTAMP that the session's time zone shows."""
        ...

    def now_as(self, value: str, kind: Kind) -> str:
        """A constant TIMESTAMPTZ as a UTC time of that kind, computed once."""
        ...

    def output_name(self, expression: str) -> str:
        """The name that the engine gives an output column without alias.

        ValueError where the engine cannot read the expression.
        """
        ...

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        """The IANA name that a constant zone means to the engine; None if it means none."""
        ...


def iana_name(constant: str, rules: Rules) -> str | None:
    """The name of the rules that is the same but for case."""
    if not constant.isascii():
        return None  # some letters outside ASCII have lower cases inside, and engines disagree
    folded = constant.lower()
    return next((name for name in rules.names if name.lower() == folded), None)


def quoted(name: str, quote: str = '"') -> str:
    """An identifier between quotes."""
    return quote + name.replace(quote, quote * 2) + quote


class UnknownNameError(ValueError):
    """The name of an output column cannot be told."""
