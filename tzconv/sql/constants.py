"""Constants that a query compares with, as points on a time line in microseconds."""

from __future__ import annotations

import datetime as dt
import re

from sqlglot import exp

from tzconv.sql.expressions import without_parens
from tzconv.sql.names import Names
from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind, kind_of_type

_TEXT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?"
    r"(?P<utc>Z|\+00(?::?00)?)?"
)
_EPOCH = dt.datetime(1970, 1, 1)
SECOND = 1_000_000
DAY = 86_400 * SECOND


def constant(node: Node, kind: Kind | None, names: Names) -> int | None:
    """Microseconds since 1970 of a constant, as the engine compares it with a time of that kind.

    Spark shows both kinds on the clock of the session, and so writes their constants alike.
    """
    if not names.schema.reading.timestamp_is_zoned:
        return microseconds(node, zoned=kind == "timestamptz")
    own = names.kind(node)
    if own == "text":
        own = kind
    elif own not in (kind, "date"):  # one is cast to the other in the zone of the session
        return _of_session(node, names)
    if own == "timestamptz" or (own == "date" and kind == "timestamptz"):
        zoned = microseconds(node, zoned=True)
        return _of_session(node, names) if zoned is None else zoned
    return microseconds(node)


def _of_session(node: Node, names: Names) -> int | None:
    if not names.schema.session_is_utc:
        return None
    node = without_parens(node)
    if isinstance(node, exp.Cast) and names.kind(node) == "timestamptz":
        node = exp.Cast(this=node.this.copy(), to=exp.DataType(this=exp.DType.TIMESTAMP))
    return microseconds(node)


def microseconds(node: Node, *, zoned: bool = False) -> int | None:
    """Microseconds since 1970 of a date or timestamp constant; None for all other expressions.

    Understood are ``TIMESTAMP '…'``, ``DATE '…'``, ``'…'::timestamp`` and bare text, all in ISO
    form. With ``zoned`` the constant must name UTC as its zone, without it must name none.
    """
    kind, node = uncast(node)
    if kind not in (None, "date", "timestamptz" if zoned else "timestamp"):
        return None
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
    if kind == "date" and hour is not None:
        return None
    return microseconds_of(dt.datetime.combine(date, time)) + int((fraction or "").ljust(6, "0"))


def uncast(node: Node) -> tuple[Kind | None, Node]:
    """What a date or time is cast to, and what is cast; no kind where nothing is.

    A cast that may fail or cut digits off has the kind ``other``.
    """
    node = without_parens(node)
    if not isinstance(node, exp.Cast):
        return None, node
    plain = not isinstance(node, exp.TryCast) and not node.to.expressions
    kind = kind_of_type(node.to, "") if plain else None
    return kind or "other", without_parens(node.this)


def microseconds_of(time: dt.date) -> int:
    """Microseconds from 1970 to a time, in UTC if it has no zone, or to the beginning of a day."""
    if not isinstance(time, dt.datetime):
        time = dt.datetime.combine(time, dt.time())
    elif time.tzinfo is not None:
        time = time.astimezone(dt.UTC).replace(tzinfo=None)
    return (time - _EPOCH) // dt.timedelta(microseconds=1)


def to_datetime(value: int) -> dt.datetime:
    """Microseconds since 1970 as a naive datetime."""
    return _EPOCH + dt.timedelta(microseconds=value)


def to_text(value: int) -> str:
    """Microseconds since 1970 in ISO form, fractions only where there are any."""
    return to_datetime(value).isoformat(" ")
