"""Of what kind the value of a call or an operation is, given the kinds of its parts.

Functions are known by their names: those that an engine has itself, on the list of its ``read``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from sqlglot import exp

from tzconv.sql.expressions import (
    field_of,
    is_now_call,
    may_show_columns,
    unnested,
    without_parens,
    zone_conversion,
)
from tzconv.sql.nodes import DateAdd, NewTime, StatementTime
from tzconv.sql.parse import Node
from tzconv.sql.reading import ITEM, Nested
from tzconv.sql.schema import Kind, Kinds, Name, Schema, kinds_by_name, name_of


class Names(Protocol):
    """What is known of the parts: see :class:`tzconv.sql.names.Names`."""

    schema: Schema

    def kind(self, node: Node | None) -> Kind | None:
        """The kind of an expression's value; None where it is unknown."""

    def may_be_column(self, word: str) -> bool:
        """Whether a relation has a column of that name, in lower case."""


_OF_CALLS: dict[type, Kind] = {
    exp.CurrentTimestamp: "timestamptz",
    **dict.fromkeys((exp.Localtimestamp, StatementTime), "timestamp"),
    **dict.fromkeys((exp.CurrentDate, exp.Date), "date"),
    **dict.fromkeys((exp.Interval, exp.MakeInterval, exp.ToDays), "interval"),
    **dict.fromkeys((exp.JustifyDays, exp.JustifyHours, exp.JustifyInterval), "interval"),
    **dict.fromkeys((exp.Concat, exp.ConcatWs, exp.Replace, exp.SplitPart, exp.Initcap), "text"),
    **dict.fromkeys((exp.JSONExtractScalar, exp.JSONBExtractScalar), "text"),
    **dict.fromkeys((exp.Extract, exp.TimeToUnix), "number"),
}
_OF_TEXTS = (exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.RegexpReplace)
"""What gives a text where it takes one; lower() of a range gives its first value."""
_FROM_TEXTS: dict[Kind | None, Kind] = {
    "text": "text",
    "tsrange": "timestamp",
    "tstzrange": "timestamptz",
}
_AS_ARGUMENT: dict[type[Node], str] = {
    **dict.fromkeys((exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue), "this"),
    **dict.fromkeys((exp.AnyValue, exp.ArgMax, exp.ArgMin, exp.First, exp.Last), "this"),
    exp.DateBin: "expression",
}
"""What gives a value of the kind of one of its arguments."""
_WORDS: dict[type, str] = {
    exp.CurrentDate: "current_date",
    exp.CurrentTimestamp: "current_timestamp",
    exp.Localtimestamp: "localtimestamp",
}
_CONVERTED: dict[Kind | None, Kind] = {"timestamp": "timestamptz", "timestamptz": "timestamp"}
_TIMES = ("timestamp", "timestamptz")


def kind_of_call(node: Node | None, names: Names) -> Kind | None:
    """The kind of what a call or an operation gives; None where it is unknown."""
    if isinstance(node, NewTime):
        return node.args.get("kind") or "timestamp"
    if type(node) in _OF_CALLS:
        # a word such as CURRENT_DATE may be a column, which DuckDB looks for first
        is_column = type(node) in _WORDS and names.may_be_column(_WORDS[type(node)])
        return None if is_column else _OF_CALLS[type(node)]
    if is_now_call(node):
        return "timestamptz"
    zone_and_value = zone_conversion(node)
    if zone_and_value is not None:
        return _CONVERTED.get(names.kind(zone_and_value[1]))
    if isinstance(node, exp.TimestampTrunc):
        kind = names.kind(node.this)
        return kind if kind in _TIMES else None
    if isinstance(node, _OF_TEXTS):
        # of a range it would be no zone, so a column of an unknown type may be taken for a text
        found = names.kind(node.this)
        is_column = found is None and isinstance(node.this, exp.Column)
        return "text" if is_column else _FROM_TEXTS.get(found)
    if isinstance(node, (exp.ExplodingGenerateSeries, exp.GenerateSeries)):
        return kind_of_series(node, names)
    return (
        _kind_inside(node, names) or _kind_by_engine(node, names) or _kind_of_operation(node, names)
    )


def _kind_inside(node: Node | None, names: Names) -> Kind | None:
    """The kind of a field of a struct, or of the values of a list."""
    field, values = field_of(node), unnested(node)
    of = node.this if node is not None and field is not None else values
    kind = names.kind(of) if of is not None else None
    return kind.inside(ITEM if field is None else field) if isinstance(kind, Nested) else None


def kind_of_series(node: Node, names: Names) -> Kind | None:
    """The kind of the values that generate_series() gives one by one."""
    start, end = names.kind(node.args["start"]), names.kind(node.args["end"])
    if start != end or names.kind(node.args.get("step")) != "interval":
        return None
    if start == "date":
        return names.schema.reading.series_of_dates
    return start if start in _TIMES else None


def columns_of_series(node: Node, listed: list[Name], names: Names) -> Kinds | None:
    """The one column of generate_series(), range() or unnest(); of others nothing is known."""
    if unnested(node) is not None:
        return kinds_by_name([(listed[0], _kind_inside(node, names))]) if len(listed) == 1 else None
    call, alias = node.this, node.args.get("alias")
    is_series = isinstance(call, (exp.ExplodingGenerateSeries, exp.GenerateSeries))
    is_plain = {key for key, one in node.args.items() if one} <= {"this", "alias"}
    kind = kind_of_series(call, names) if is_series and is_plain else None
    if kind is None or len(listed) > 1:
        return None
    if not listed:
        by_alias = names.schema.reading.series_is_named_by_alias
        function = "range" if call.args.get("is_end_exclusive") else "generate_series"
        own = Name(function, "" if by_alias else function)
        listed = [name_of(alias.this, names.schema.dialect) if by_alias and alias else own]
    return kinds_by_name([(listed[0], kind)])


def shows_several(projection: Node, names: Names) -> bool:
    """Whether a projection may give several output columns; the values of a list give one."""
    if not names.schema.reading.may_show_columns or not may_show_columns(projection):
        return False
    return _kind_inside(projection.unalias(), names) is None


def _kind_by_engine(node: Node | None, names: Names) -> Kind | None:
    """The kind of what a function of the engine gives, or of the argument that it is like."""
    known = names.schema.reading.functions
    if isinstance(node, exp.Anonymous):
        found = known.get(node.name.casefold()) if not isinstance(node.parent, exp.Dot) else None
        if isinstance(found, int):
            return names.kind(node.expressions[found]) if found < len(node.expressions) else None
        return found
    if isinstance(node, exp.UnixToTime):
        # the scale is sqlglot's: it says which function it was
        scale = node.args.get("scale")
        found = known.get(f"unix_to_time_{scale.name}" if scale is not None else "unix_to_time")
        is_number = scale is None or names.kind(node.this) == "number"
        return found if is_number and not isinstance(found, int) else None
    if isinstance(node, exp.Func):
        found = known.get(node.sql_name().casefold())
        if isinstance(node, exp.StrToTime) and found == "timestamp":  # %z makes it a TIMESTAMPTZ
            form = node.args.get("format")
            is_known = isinstance(form, exp.Literal) and form.is_string
            return found if is_known and "%z" not in str(form).casefold() else None
        return found if not isinstance(found, int) else None
    return None


def _kind_of_operation(  # noqa: PLR0911 # one form after the other
    node: Node | None, names: Names
) -> Kind | None:
    if isinstance(node, (exp.Add, exp.Sub)):
        return _kind_of_sum(node, names)
    if isinstance(node, DateAdd) and not node.args.get("unit"):
        return "date"
    if isinstance(node, DateAdd):
        return "timestamp" if names.kind(node.this) in ("timestamp", "date") else None
    if isinstance(node, (exp.Mul, exp.Div)):
        sides = {names.kind(node.this), names.kind(node.expression)}
        return "interval" if "interval" in sides else "number" if sides == {"number"} else None
    if isinstance(node, exp.Neg):
        kind = names.kind(node.this)
        return kind if kind in ("interval", "number") else None
    if isinstance(node, exp.DPipe):
        sides = {names.kind(node.this), names.kind(node.expression)}
        return "text" if "text" in sides and sides <= {"text", "number"} else None
    if node is not None and type(node) in _AS_ARGUMENT:
        return same_kind([node.args.get(_AS_ARGUMENT[type(node)]), node.args.get("default")], names)
    if isinstance(node, exp.Case):
        results = [*(part.args["true"] for part in node.args["ifs"]), node.args.get("default")]
        return same_kind(results, names)
    if isinstance(node, exp.If):
        return same_kind([node.args.get("true"), node.args.get("false")], names)
    if isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least, exp.Max, exp.Min)):
        return same_kind([node.this, *node.expressions], names)
    return None


def _kind_of_sum(node: exp.Add | exp.Sub, names: Names) -> Kind | None:
    kind, by = names.kind(node.this), names.kind(node.expression)
    is_first = (kind == "interval" and by != kind) or (kind == "time" and by == "date")
    if isinstance(node, exp.Add) and is_first:
        kind, by = by, kind
    is_zoned = names.schema.reading.timestamp_is_zoned  # to Spark a day may stay a date
    if by == "interval":
        if kind == "date":
            return None if is_zoned else "timestamp"
        return kind if kind in (*_TIMES, "interval", "time") else None
    if by == "time" and isinstance(node, exp.Add):
        return "timestamp" if kind == "date" and not is_zoned else None
    if by == "number":
        return kind if kind in ("date", "number") else None
    if isinstance(node, exp.Sub) and kind in _TIMES and kind == by:
        return "interval"
    return None


def same_kind(parts: Iterable[Node | None], names: Names) -> Kind | None:
    """The kind that all parts have; NULL takes that of the others, and a text that of times."""
    given = [
        one for one in parts if one is not None and not isinstance(without_parens(one), exp.Null)
    ]
    kinds = {names.kind(one) for one in given if not one.is_string}
    is_time = kinds and kinds <= {"date", *_TIMES} and not names.schema.reading.timestamp_is_zoned
    kinds |= {"text" for one in given if one.is_string and not is_time}
    return kinds.pop() if len(kinds) == 1 else None
