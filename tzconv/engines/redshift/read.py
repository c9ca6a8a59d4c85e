"""How Redshift's SQL is read: sqlglot's dialect without its own rewrites.

A rewrite replaces characters of the text, so nothing here prints SQL, and a tree must match the
text. Functions stay plain calls, except aggregates and the few that mean the same to sqlglot:

* :class:`NewTime` is CONVERT_TIMEZONE(); with two arguments it begins in UTC
* :class:`StatementTime` is GETDATE() and SYSDATE
* exp.Date is TRUNC() of one argument, DATEADD() is :class:`DateAdd`

Outer joins by ``(+)`` are refused: they cannot stand beside the JOIN of a rewrite.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.dialects.redshift import Redshift
from sqlglot.parsers.redshift import RedshiftParser

from tzconv.sql.nodes import DateAdd, NewTime, StatementTime, reader, readers
from tzconv.sql.reading import Reading

_OWN_AGGREGATES = ("APPROXIMATE_PERCENTILE", "LISTAGG")
_KEPT = {
    *("COALESCE", "NVL", "CURRENT_DATE", "CURRENT_TIMESTAMP", "DATE", "DATE_TRUNC", "NOW"),
    *("GREATEST", "LEAST", "LOWER", "UPPER", "NULLIF"),
}
_KEPT_PARSERS = {
    *("CAST", "CONVERT", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "TRIM", "TRY_CAST"),
}
_UNIT_FIRST = ("DATEDIFF", "DATE_DIFF")


def _convert(args: list[Any]) -> exp.Expr:
    if len(args) == 2:
        args = [exp.Literal.string("UTC"), *args]
    if len(args) != 3:
        return exp.Anonymous(this="convert_timezone", expressions=args)
    return NewTime(this=args[2], source=args[0], target=args[1], kind="timestamp")


def _added(unit: exp.Expr, number: exp.Expr, this: exp.Expr) -> exp.Expr:
    return DateAdd(this=this, expression=number, unit=_unit(unit))


def _part(args: list[Any]) -> exp.Expr:
    return exp.Anonymous(this="date_part", expressions=[*map(_unit, args[:1]), *args[1:]])


def _unit(word: exp.Expr) -> exp.Expr:
    """A word such as DAY, which is no column."""
    is_word = isinstance(word, exp.Column) and len(word.parts) == 1
    return exp.var(word.name) if is_word else word


def _mark(self: Any) -> exp.Expr:
    """A word that says nothing of names and types."""
    return exp.Property(this=self._prev.text.upper(), value=exp.true())


class TzconvRedshiftParser(RedshiftParser):
    """Parses Redshift's SQL; CAST is never TRY_CAST."""

    STRICT_CAST = True

    FUNCTIONS = {
        **readers(RedshiftParser.FUNCTIONS, _KEPT, _OWN_AGGREGATES, _UNIT_FIRST),
        **dict.fromkeys(("DATEADD", "DATE_ADD"), reader("dateadd", 3, _added)),
        **dict.fromkeys(("DATE_PART", "PGDATE_PART"), _part),
        "CONVERT_TIMEZONE": _convert,
        "GETDATE": reader("GETDATE", 0, lambda: StatementTime(utc=False)),
        "TRUNC": reader("TRUNC", 1, lambda this: exp.Date(this=this)),
    }
    FUNCTION_PARSERS = {
        name: parse
        for name, parse in RedshiftParser.FUNCTION_PARSERS.items()
        if name in _KEPT_PARSERS
    }
    NO_PAREN_FUNCTION_PARSERS = {
        **RedshiftParser.NO_PAREN_FUNCTION_PARSERS,
        "SYSDATE": lambda self: self.expression(StatementTime(utc=False)),
    }

    CONSTRAINT_PARSERS = {
        **RedshiftParser.CONSTRAINT_PARSERS,
        **dict.fromkeys(("DISTKEY", "SORTKEY"), _mark),
    }
    PROPERTY_PARSERS = {
        **RedshiftParser.PROPERTY_PARSERS,
        **dict.fromkeys(("INTERLEAVED", "LOCAL"), _mark),
        "ENCODE": lambda self: self._parse_physical("ENCODE"),
        "SORTKEY": lambda self: self._parse_sortkey(),
    }

    def _parse_statement(self) -> exp.Expr | None:
        statement = super()._parse_statement()
        for column in statement.find_all(exp.Column) if statement is not None else ():
            if column.args.get("join_mark"):
                self.raise_error("Write the outer join with JOIN instead of (+)")
        return statement

    def _parse_sortkey(self, compound: bool = False) -> Any:
        if self._match_text_seq("AUTO"):
            return exp.Property(this="SORTKEY", value=exp.var("AUTO"))
        return super()._parse_sortkey(compound)

    def _parse_physical(self, name: str) -> exp.Expr:
        return self.expression(exp.Property(this=name, value=self._parse_var(any_token=True)))

    def _parse_projections(self) -> tuple[list[exp.Expr], list[exp.Expr] | None]:
        """EXCLUDE at the end of the list holds for all stars in it."""
        projections, excluded = super()._parse_projections()
        parts = (one.this if isinstance(one, exp.Column) else one for one in projections)
        stars = [one for one in parts if isinstance(one, exp.Star)]
        names = [*(excluded or []), *(n for one in stars for n in one.args.get("except_") or [])]
        for star in stars if names else ():
            star.set("except_", [name.copy() for name in names])
        return projections, None

    def _implicit_unnests_to_explicit(self, this: Any) -> Any:
        """``FROM t, t.items`` lists the elements of a column, and nothing else may be joined."""
        query = super()._implicit_unnests_to_explicit(this)
        if any(isinstance(join.this, exp.Unnest) for join in query.args.get("joins") or []):
            query.set("unnests", True)
        return query


class TzconvRedshift(Redshift):
    """Known to sqlglot as ``tzconvredshift``, so that its own dialect is unchanged."""

    Parser = TzconvRedshiftParser


READING = Reading(
    TzconvRedshift,
    truncates_dates_as_dates=True,
    longest_name=127,
    sees_aliases=True,
    shell_has_variables=True,
    default_schema="public",
    has_fields=False,
)
