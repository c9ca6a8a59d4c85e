"""How Vertica's SQL is read: a read-only dialect based on sqlglot's PostgreSQL.

A rewrite replaces characters of the text, so nothing here prints SQL. A tree must match the text:
columns are columns, no argument is lost, and unknown syntax is an error, where sqlglot would make a
Command of the statement, or a column of a word such as SYSDATE.

New in the trees:

* ``Select.args["timeseries"]``: a :class:`TimeSeries`, for TIMESERIES … OVER (…)
* ``Limit.args["over"]``: a Window, for LIMIT n OVER (…)
* ``Query.args["epoch"]``: for AT EPOCH … and AT TIME … before a query
* :class:`Interpolate`, for ``a INTERPOLATE PREVIOUS VALUE b`` in an ON clause
* a cast with ``::!`` is a TryCast
* :class:`NewTime` with three arguments, :class:`StatementTime` for GETDATE() and SYSDATE
* functions are Anonymous except aggregates and the few that mean the same to sqlglot
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import TokenType

from tzconv.sql.nodes import Interpolate, NewTime, StatementTime, reader, readers
from tzconv.sql.reading import Reading

_TIMESERIES = TokenType.PREWHERE
_INTERPOLATE = TokenType.GLOB
_FORCED_CAST = TokenType.DCOLONQMARK
"""Token types that neither PostgreSQL nor Vertica uses: sqlglot's list is closed."""

_STATEMENTS = (
    *(exp.Query, exp.Values, exp.Create, exp.Insert, exp.Update, exp.Delete, exp.Merge),
    *(exp.Alter, exp.Drop, exp.TruncateTable, exp.Comment, exp.Grant, exp.Revoke),
    *(exp.Set, exp.Transaction, exp.Commit, exp.Rollback, exp.Semicolon),
)
_OWN_AGGREGATES = (
    *("APPROXIMATE_COUNT_DISTINCT", "APPROXIMATE_MEDIAN", "APPROXIMATE_PERCENTILE", "LISTAGG"),
    *("TS_FIRST_VALUE", "TS_LAST_VALUE"),
)
_KEPT = {
    *("COALESCE", "IFNULL", "NVL", "CURRENT_DATE", "CURRENT_TIMESTAMP", "DATE", "DATE_TRUNC"),
    *("NOW", "GREATEST", "LEAST", "NULLIF"),
}
_KEPT_PARSERS = {"CAST", "DATE_PART", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "TRIM"}
_UNIT_FIRST = ("DATEDIFF", "TIMESTAMPADD", "TIMESTAMPDIFF")
_AFTER_A_QUERY = {"SEGMENTED", "UNSEGMENTED", "KSAFE"}
"""Words after CREATE TABLE … AS SELECT, which are no table alias there."""


class TimeSeries(exp.Expression):
    """TIMESERIES name AS 'length' OVER (…): ``this`` is the name, ``expression`` the Window."""

    arg_types = {"this": True, "expression": True}


def _new_time(this: exp.Expr, source: exp.Expr, target: exp.Expr) -> exp.Expr:
    return NewTime(this=this, source=source, target=target)


def _first_known(this: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=this, expressions=[other])


class VerticaParser(PostgresParser):
    """Parses Vertica's SQL; ParseError for anything else."""

    STRING_ALIASES = True

    FUNCTIONS = {
        **readers(PostgresParser.FUNCTIONS, _KEPT, _OWN_AGGREGATES, _UNIT_FIRST),
        "ISNULL": reader("ISNULL", 2, _first_known),
        "NEW_TIME": reader("NEW_TIME", 3, _new_time),
        "GETDATE": reader("GETDATE", 0, lambda: StatementTime(utc=False)),
        "GETUTCDATE": reader("GETUTCDATE", 0, lambda: StatementTime(utc=True)),
    }
    FUNCTION_PARSERS = {
        name: parse
        for name, parse in PostgresParser.FUNCTION_PARSERS.items()
        if name in _KEPT_PARSERS
    }
    NO_PAREN_FUNCTION_PARSERS = {
        **PostgresParser.NO_PAREN_FUNCTION_PARSERS,
        "SYSDATE": lambda self: self._parse_sysdate(),
    }
    FACTOR = {**PostgresParser.FACTOR, TokenType.DIV: exp.IntDiv}
    COLUMN_OPERATORS = {
        **PostgresParser.COLUMN_OPERATORS,
        _FORCED_CAST: lambda self, this, to: self.expression(exp.TryCast(this=this, to=to)),
    }
    CAST_COLUMN_OPERATORS = {*PostgresParser.CAST_COLUMN_OPERATORS, _FORCED_CAST}
    RANGE_PARSERS = {
        **PostgresParser.RANGE_PARSERS,
        _INTERPOLATE: lambda self, this: self._parse_interpolated(this),
    }
    QUERY_MODIFIER_PARSERS = {
        **PostgresParser.QUERY_MODIFIER_PARSERS,
        _TIMESERIES: lambda self: ("timeseries", self._parse_timeseries()),
    }
    CONSTRAINT_PARSERS = {
        **PostgresParser.CONSTRAINT_PARSERS,
        "ACCESSRANK": lambda self: self._parse_physical("ACCESSRANK", self._parse_number),
        "ENCODING": lambda self: self._parse_physical("ENCODING", self._parse_var),
    }
    PROPERTY_PARSERS = {
        **PostgresParser.PROPERTY_PARSERS,
        "KSAFE": lambda self: self._parse_physical("KSAFE", self._parse_number),
        "LOCAL": lambda self: exp.Property(this="LOCAL", value=exp.true()),
        "PARTITION BY": lambda self: self._parse_partitioned(),
        "SEGMENTED": lambda self: self._parse_segmented(),
        "UNSEGMENTED": lambda self: self._parse_nodes("UNSEGMENTED"),
    }

    def _parse_statement(self) -> exp.Expr | None:
        at = self._curr
        epoch = self._parse_epoch()
        statement = super()._parse_statement()
        if epoch is not None:
            if not isinstance(statement, exp.Query):
                self.raise_error("Expected a query after AT EPOCH", at)
            else:
                statement.set("epoch", epoch)
        if statement is not None and not isinstance(statement, _STATEMENTS):
            self.raise_error("Expected a statement", at)  # `SHOW x` would be a column's alias
        return statement

    def _parse_as_command(self, start: Any) -> exp.Command:
        self.raise_error("Not understood from here", self._curr or start)
        raise AssertionError  # sqlglot's errors are raised at once

    def _parse_epoch(self) -> exp.Expr | None:
        if not (self._curr and self._next and self._next.text.upper() in ("EPOCH", "TIME")):
            return None
        if not self._match_text_seq("AT"):
            return None
        self._advance()
        return self._parse_primary() or self._parse_var()

    def _parse_at_time_zone(self, this: exp.Expr | None) -> exp.Expr | None:
        while self._match_text_seq("AT", "TIME", "ZONE") or self._match_text_seq("AT", "TIMEZONE"):
            this = self.expression(exp.AtTimeZone(this=this, zone=self._parse_unary()))
        return this

    def _parse_sysdate(self) -> exp.Expr:
        self._match_pair(TokenType.L_PAREN, TokenType.R_PAREN)
        return self.expression(StatementTime(utc=False))

    def _parse_interval(
        self, require_interval: bool = True, parse_function_unit: bool = True
    ) -> exp.Interval | None:
        """INTERVAL, an optional precision, a text, optional fields; otherwise the word is a name.

        sqlglot would make the rest (``INTERVAL '1 day' + 5``) a part of the interval.
        """
        index = self._index
        if not self._match(TokenType.INTERVAL):
            return None
        precision = self._parse_precision()
        text = self._parse_string() if self._match(TokenType.STRING, advance=False) else None
        if text is None:
            self._retreat(index)
            return None
        interval = self._parse_interval_span(text)
        interval.set("precision", precision)
        return interval

    def _parse_precision(self) -> exp.Expr | None:
        if not self._match_pair(TokenType.L_PAREN, TokenType.NUMBER):
            return None
        precision = exp.Literal.number(self._prev.text)
        self._match_r_paren()
        return precision

    def _parse_types(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        found = super()._parse_types(*args, **kwargs)
        if isinstance(found, exp.DataType) and isinstance(found.this, exp.Interval):
            found.this.set("precision", self._parse_precision() or found.this.args.get("precision"))
        return found

    def _parse_table_alias(self, *args: Any, **kwargs: Any) -> exp.TableAlias | None:
        if self._curr and self._curr.text.upper() in _AFTER_A_QUERY:
            return None
        return super()._parse_table_alias(*args, **kwargs)

    def _parse_function_args(self, alias: bool = False) -> list[exp.Expr]:
        args = super()._parse_function_args(alias)
        if self._match_text_seq("USING", "PARAMETERS"):
            args += self._parse_csv(self._parse_assignment)
        return args

    def _parse_interpolated(self, this: exp.Expr | None) -> exp.Expr:
        direction = self._curr.text.upper() if self._curr else ""
        if not (self._match_texts(("PREVIOUS", "NEXT")) and self._match_text_seq("VALUE")):
            self.raise_error("Expected PREVIOUS VALUE")
        other = self._parse_bitwise()
        return self.expression(Interpolate(this=this, expression=other, direction=direction))

    def _parse_timeseries(self) -> exp.Expr:
        self._advance()
        name = self._parse_id_var()
        self._match(TokenType.ALIAS)
        window = self._parse_window(self._parse_string())
        if not isinstance(window, exp.Window):
            self.raise_error("Expected OVER")
        return self.expression(TimeSeries(this=name, expression=window))

    def _parse_limit(
        self, this: exp.Expr | None = None, top: bool = False, skip_limit_token: bool = False
    ) -> exp.Expr | None:
        limit = super()._parse_limit(this, top, skip_limit_token)
        if isinstance(limit, exp.Limit) and self._match(TokenType.OVER, advance=False):
            limit.set("over", self._parse_window(exp.var("LIMIT")))
        return limit

    def _parse_key_constraint_options(self) -> list[str]:
        options: list[str] = super()._parse_key_constraint_options()
        if self._match_texts(("ENABLED", "DISABLED")):
            options.append(self._prev.text.upper())
        return options

    def _parse_physical(self, name: str, value: Callable[[], exp.Expr | None]) -> exp.Expr:
        return self.expression(exp.Property(this=name, value=value()))

    def _parse_partitioned(self) -> exp.Expr:
        by = self.expression(exp.Property(this="PARTITION BY", value=self._parse_disjunction()))
        by.set("group", self._parse_group())
        return by

    def _parse_segmented(self) -> exp.Expr:
        if not self._match_text_seq("BY"):
            self.raise_error("Expected BY")
        by = self._parse_disjunction()
        nodes = self._parse_nodes("SEGMENTED")
        nodes.set("value", by)
        return nodes

    def _parse_nodes(self, name: str) -> exp.Expr:
        if not self._match_text_seq("ALL", "NODES"):
            self.raise_error("Expected ALL NODES")
        if self._match(TokenType.OFFSET):
            self._parse_number()
        return exp.Property(this=name, value=exp.true())


class Vertica(Postgres):
    """The dialect that ``Dialect.get_or_raise("vertica")`` finds once this module is imported."""

    Parser = VerticaParser

    class Tokenizer(Postgres.Tokenizer):
        """Vertica's own words; no statement becomes an unparsed Command."""

        COMMANDS: ClassVar[set[TokenType]] = set()

        KEYWORDS = {
            **{
                word: kind
                for word, kind in Postgres.Tokenizer.KEYWORDS.items()
                if kind is not _INTERPOLATE
            },
            "//": TokenType.DIV,
            "::!": _FORCED_CAST,
            "DATETIME": TokenType.TIMESTAMP,
            "INTERPOLATE": _INTERPOLATE,
            "LONG VARBINARY": TokenType.VARBINARY,
            "LONG VARCHAR": TokenType.TEXT,
            "MINUS": TokenType.EXCEPT,
            "SMALLDATETIME": TokenType.TIMESTAMP,
            "TIMESERIES": _TIMESERIES,
            "TIMESTAMP WITH TIMEZONE": TokenType.TIMESTAMPTZ,
            "TIMESTAMP WITHOUT TIMEZONE": TokenType.TIMESTAMP,
        }


READING = Reading(
    Vertica,
    shell_has_variables=True,
    has_one_database=True,
    default_schema="public",
    has_fields=False,
    functions={"to_timestamp": "timestamp", "to_timestamp_tz": "timestamptz"},
)
