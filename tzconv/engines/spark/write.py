"""How the rewriter writes Spark's SQL, and the zones that Spark reads wrongly.

It adds seconds; a conversion returns the kind of timestamp that it takes.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.engines.write import Ends, Engine, UnknownNameError
from tzconv.sql.constants import SECOND, to_text
from tzconv.sql.expressions import is_utc, without_parens
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node, expression_of
from tzconv.sql.schema import Kind
from tzconv.tz.zones import Rules

REFUSED = ("America/Coyhaique", "EST", "Factory", "GMT+0", "GMT-0", "HST", "MST", "ROC")
"""IANA names that Java does not know (JDK 17; Coyhaique is newer), or reads as fixed offsets."""
_TYPES: dict[exp.DType, str] = {
    exp.DType.DATE: "DATE",
    exp.DType.TEXT: "STRING",
    exp.DType.BIGINT: "BIGINT",
    exp.DType.INT: "INT",
    exp.DType.TIMESTAMPTZ: "TIMESTAMP",
    exp.DType.TIMESTAMPNTZ: "TIMESTAMP_NTZ",
}
_CALLS: dict[type[Node], str] = {exp.Max: "max", exp.Min: "min", exp.Coalesce: "coalesce"}
_SAME_NAME = frozenset(
    {
        *("hour", "minute", "second", "dayofweek", "month", "quarter", "year", "day", "dayofmonth"),
        *("date_format", "weekofyear", "weekday", "unix_micros", "unix_seconds", "dayofyear"),
    }
)
"""Functions that Spark prints by their own names, in lower case."""


class SparkWriter(Engine):
    """``timestamptz`` is Spark's TIMESTAMP, ``timestamp`` its TIMESTAMP_NTZ."""

    name = "spark"
    quote = "`"
    widest_offset = 18 * 3_600 * SECOND  # of a ZoneOffset of Java
    fixed_names = REFUSED
    ends = Ends(
        # one partition: Spark would send rows of several between executors
        rows="(SELECT /*+ COALESCE(1) */ * FROM {table})",
        first="min_by({}, {})",
        last="max_by({}, {})",
    )
    fold_is_earlier = True  # ZonedDateTime takes the offset before the transition
    casts_constants = True  # seen in the filters that reach Parquet (4.3)
    # date_trunc() and timestampdiff() would go through the session's local time
    bucket = (
        "timestampadd(MICROSECOND, -CAST((minute({value}) * 60 + extract(SECOND FROM {value})) "
        "* 1000000 AS BIGINT) % {seconds}000000, {value})"
    )
    # without it, Spark might shuffle the facts to join a table of 30,000 spans
    small_table = "/*+ BROADCAST({table}) */ "

    def constant(self, value: int, kind: Kind) -> str:
        if kind == "timestamptz":
            return f"TIMESTAMP_LTZ '{to_text(value)}Z'"
        return f"TIMESTAMP_NTZ '{to_text(value)}'"

    def column_as(self, column: str, kind: Kind) -> str:
        # a plain cast would take the zone of the session
        return f"CAST(CONCAT({column}, 'Z') AS TIMESTAMP_LTZ)" if kind == "timestamptz" else column

    def utc_timestamp(self, value: str, kind: Kind) -> str:
        # convert_timezone() would go through the session's local time, which has folds
        since = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
        added = f"timestampadd(MICROSECOND, unix_micros({value}), {since})"
        return added if kind == "timestamptz" else value

    def offset(self, microseconds: int) -> str:
        return str(microseconds // SECOND)

    def offset_of_seconds(self, seconds: str) -> str:
        return seconds

    def to_utc(self, value: str, offset: str, kind: Kind) -> str:
        return self.shifted(value, kind, f"-({offset})")

    def shifted(self, value: str, kind: Kind, offset: str, gives: Kind | None = None) -> str:
        is_zoned = kind == "timestamptz"
        instant = value if is_zoned else f"CAST({value} AS TIMESTAMP_LTZ)"
        shifted = f"timestamp_micros(unix_micros({instant}) + 1000000L * {offset})"
        if (gives or kind) == "timestamp":
            shifted = f"CAST({shifted} AS TIMESTAMP_NTZ)"
        if is_zoned:
            return shifted
        # timestampadd() takes three times as long (measured); the casts are right only in UTC, and
        # Spark knows the session's time zone when it plans
        added = f"timestampadd(SECOND, {offset}, {value})"
        return f"CASE WHEN current_timezone() = 'UTC' THEN {shifted} ELSE {added} END"

    def as_timestamp(self, value: str) -> str:
        return f"CAST({value} AS TIMESTAMP_NTZ)"

    def is_zone(self, name: str, zone: str) -> str:
        # Spark filters a column as the query filters one that equals it: a filter that converts
        # by the zone would convert by each name of the table, and an older Java refuses some
        return f"{name} = {zone}" if zone.startswith("'") else f"concat({name}, '') = {zone}"

    def output_name(self, expression: str) -> str:
        """The expression as Spark prints it.

        Columns lose their table and strings their quotes; calls and types have one case. Only the
        expressions around time-zone conversions are supported; others need an alias.
        """
        node = without_parens(expression_of(f"SELECT {expression}", "spark")[0])
        if isinstance(node, exp.Cast) and isinstance(node.this, exp.Column):
            return node.this.name
        return _name(node)

    def zone_name(self, constant: str, rules: Rules) -> str | None:
        # Java's zone names are case-sensitive
        return constant if constant in rules.names and constant not in REFUSED else None


def _name(node: Node) -> str:
    if isinstance(node, exp.Paren):
        return _name(node.this)
    if isinstance(node, (exp.Column, exp.Literal)):
        return node.name
    if isinstance(node, exp.Cast) and node.to.this in _TYPES and not node.to.expressions:
        return f"CAST({_name(node.this)} AS {_TYPES[node.to.this]})"
    if isinstance(node, exp.Date):
        inner = _name(node.this)
        return inner if node.meta["spelt"] == "date" else f"to_date({inner})"
    if isinstance(node, NewTime):
        return _of_conversion(node)
    if isinstance(node, exp.TimestampTrunc):
        return f"date_trunc({node.args['unit'].name}, {_name(node.this)})"
    if isinstance(node, tuple(_CALLS)):
        arguments = [node.this, *node.expressions]
        return f"{_CALLS[type(node)]}({', '.join(map(_name, arguments))})"
    if isinstance(node, exp.Anonymous) and node.name.casefold() in _SAME_NAME:
        return f"{node.name.lower()}({', '.join(map(_name, node.expressions))})"
    raise UnknownNameError("the name that Spark gives it is not known")


def _of_conversion(node: NewTime) -> str:
    value, source, target = (node.args[part] for part in ("this", "source", "target"))
    if node.args.get("kind") == "timestamp":
        begin = "current_timezone()" if isinstance(source, exp.Var) else _name(source)
        return f"convert_timezone({begin}, {_name(target)}, {_name(value)})"
    if is_utc(source) and "start" not in source.meta:  # not in the text: the parser added it
        return f"from_utc_timestamp({_name(value)}, {_name(target)})"
    return f"to_utc_timestamp({_name(value)}, {_name(source)})"


WRITER = SparkWriter()
