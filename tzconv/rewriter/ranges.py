"""What a caller knows of the values of parameters: times between which they lie.

A parameter has no value when its query is rewritten, and so bounds nothing. Where the caller says
between which times it will lie, the window of a query that it bounds is no wider than these.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TypeAlias

from sqlglot import exp

from tzconv.errors import RewriteError
from tzconv.rewriter.constants import DAY, microseconds_of, uncast
from tzconv.rewriter.local import Interval
from tzconv.rewriter.parse import Node

Ranges: TypeAlias = Mapping[str, tuple[dt.datetime, dt.datetime]]
"""First and last time, by the name or number of the parameter; naive ones are TIMESTAMPs."""

_RANGE = "tzconv_between"


def note(tree: Node, ranges: Ranges) -> None:
    """Write the ranges to the parameters of a tree; RewriteError for one that is none."""
    for name, (first, last) in ranges.items():
        zoned = first.tzinfo is not None
        if zoned != (last.tzinfo is not None) or first > last:
            raise RewriteError(f"The parameter {name} cannot lie between {first} and {last}.")
    if not ranges:
        return  # as for nearly all: the tree need not be searched
    for node in tree.find_all(exp.Parameter, exp.Placeholder):
        if node.name in ranges:
            node.meta[_RANGE] = ranges[node.name]


def between(node: Node, operator: type[Node], *, zoned: bool) -> Interval | None:
    """The times that compare so with some value that a parameter may have; None if not known.

    With ``zoned`` it must be a TIMESTAMPTZ, without it none: from one to the other it would depend
    on the zone of the session.
    """
    kind, node = uncast(node)
    if kind not in (None, "timestamptz") if zoned else kind not in (None, "timestamp", "date"):
        return None
    noted: tuple[dt.datetime, dt.datetime] | None = node.meta.get(_RANGE)
    if noted is None or (noted[0].tzinfo is not None) != zoned:
        return None
    first, last = map(_microseconds, noted)
    if kind == "date":
        first -= first % DAY
    if operator in (exp.GT, exp.GTE):
        return Interval(first, None)
    if operator in (exp.LT, exp.LTE):
        return Interval(None, last + 1)
    return Interval(first, last + 1) if operator is exp.EQ else None


def _microseconds(time: dt.datetime) -> int:
    utc = time if time.tzinfo is None else time.astimezone(dt.UTC).replace(tzinfo=None)
    return microseconds_of(utc)
