"""What sqlglot has no node for, or has one for that dialects do not agree about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeAlias

from sqlglot import exp

Reader: TypeAlias = Callable[[list[Any]], exp.Expr]
"""How a call becomes a node, given its arguments."""

_AGGREGATES = {
    name for kind in exp.ALL_FUNCTIONS if issubclass(kind, exp.AggFunc) for name in kind.sql_names()
}

SESSION_ZONE = "CURRENT_TIMEZONE"
"""The word that stands for the zone of the session."""


class NewTime(exp.Expression, exp.Func):
    """NEW_TIME: ``this``, a TIMESTAMP of the clock of ``source``, on the clock of ``target``.

    ``kind`` is what the function takes and gives: ``timestamp``, or ``timestamptz`` for the two
    functions of Spark that move a TIMESTAMP WITH LOCAL TIME ZONE to where it shows another time.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "source": True,
        "target": True,
        "kind": False,
    }


class StatementTime(exp.Expression, exp.Func):
    """GETDATE(), SYSDATE: the start of the statement as a TIMESTAMP of the session's zone.

    With ``utc`` it is GETUTCDATE(), which shows it in UTC.
    """

    arg_types: ClassVar[dict[str, bool]] = {"utc": False}


class DateAdd(exp.Expression, exp.Func):
    """DATEADD(): ``this``, a DATE or TIMESTAMP, moved by a number of units, as a TIMESTAMP.

    Without ``unit`` its date moved by days, as a DATE.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "unit": False}


class Interpolate(exp.Expression, exp.Binary, exp.Predicate):
    """``this`` INTERPOLATE PREVIOUS VALUE ``expression``: joins to the last row before."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "direction": True}


def readers(
    base: Mapping[str, Any], kept: set[str], aggregates: Iterable[str], unit_first: Iterable[str]
) -> dict[str, Any]:
    """How a dialect reads calls: all but these stay calls of their names.

    Of ``base``, sqlglot's own, its aggregates and those ``kept``, whose names mean what they mean
    to sqlglot; ``aggregates`` that it has no node for; and ``unit_first``, functions of three
    arguments whose first may be a word such as DAY, which is no column.
    """
    return {
        **{name: read for name, read in base.items() if name in _AGGREGATES or name in kept},
        **{name: _aggregate(name) for name in aggregates},
        **{name: _unit_first(name) for name in unit_first},
    }


def reader(name: str, count: int, build: Callable[..., exp.Expr]) -> Reader:
    """How calls with ``count`` arguments are read; others stay calls of that name."""
    return lambda args: (
        build(*args) if len(args) == count else exp.Anonymous(this=name, expressions=args)
    )


def _aggregate(name: str) -> Reader:
    return lambda args: exp.AnonymousAggFunc(this=name, expressions=args)


def _unit_first(name: str) -> Reader:
    def read(args: list[Any]) -> exp.Expr:
        if len(args) == 3 and isinstance(args[0], exp.Column) and len(args[0].parts) == 1:
            args = [exp.var(args[0].name), *args[1:]]
        return exp.Anonymous(this=name, expressions=args)

    return read
