"""Constants that a query compares with, as points on a time line in microseconds."""

from __future__ import annotations

import datetime as dt
import re

from sqlglot import exp

from tzconv.rewriter.names import without_parens
from tzconv.rewriter.parse import Node
from tzconv.rewriter.schema import kind_of_type

_TEXT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?"
    r"(?P<utc>Z|\+00(?::?00)?)?"
)
_EPOCH = dt.datetime(1970, 1, 1)
SECOND = 1_000_000
DAY = 86_400 * SECOND


def microseconds(node: Node, *, zoned: bool = False) -> int | None:
    """Microseconds since 1970 of a date or timestamp constant; None for all other expressions.

    Understood are ``TIMESTAMP '…'``, ``DATE '…'``, ``'…'::timestamp`` and bare text, all in ISO
    form. With ``zoned`` the constant must name UTC as its zone, without it must name none.
    """
    node = without_parens(node)
    date_only = False
    if isinstance(node, exp.Cast) and not isinstance(node, exp.TryCast):
        kind = kind_of_type(node.to, "")
        if node.to.expressions or kind not in ("timestamptz" if zoned else "timestamp", "date"):
            return None
        date_only = kind == "date"
        node = without_parens(node.this)
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    match = _TEXT.fullmatch(node.name.strip())
    if match is None or bool(match["utc"]) != zoned or not 1000 <= int(match[1]) <= 9000:
        return None  # near the ends of the calendar a truncated or padded time would not fit
    year, month, day, hour, minute, second, fraction = match.groups()[:7]
    try:
        date = dt.datetime(int(year), int(month), int(day))
        time = dt.time(int(hour or 0), int(minute or 0), int(second or 0))
    except ValueError:
        return None
    whole = (dt.datetime.combine(date, time) - _EPOCH) // dt.timedelta(microseconds=1)
    if date_only and hour is not None:
        return None
    return whole + int((fraction or "").ljust(6, "0"))


def microseconds_of(date: dt.date) -> int:
    """Microseconds from 1970 to the beginning of a day."""
    return (date - _EPOCH.date()).days * DAY


def to_datetime(value: int) -> dt.datetime:
    """Microseconds since 1970 as a naive datetime."""
    return _EPOCH + dt.timedelta(microseconds=value)


def to_text(value: int) -> str:
    """Microseconds since 1970 in ISO form, fractions only where there are any."""
    return to_datetime(value).isoformat(" ")


def is_midnight(value: int) -> bool:
    """Whether a time is the first microsecond of a day."""
    return value % DAY == 0
