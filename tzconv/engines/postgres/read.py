"""How PostgreSQL's SQL is read: by sqlglot's own dialect, and forms that it does not know."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import TokenType

from tzconv.sql.reading import Reading

_SIGNS = {*"+-*/<>=~!@#%^&|`?"}


class TzconvPostgresParser(PostgresParser):
    """``a AT LOCAL`` is ``timezone(a)``; the operator of ORDER BY ... USING is read over."""

    def _parse_at_time_zone(self, this: exp.Expr | None) -> exp.Expr | None:
        if not self._match_text_seq("AT", "LOCAL"):
            return super()._parse_at_time_zone(this)
        return self._parse_at_time_zone(exp.Anonymous(this="timezone", expressions=[this]))

    def _parse_wrapped_properties(self) -> list[exp.Expr | list[exp.Expr]]:
        # WITH (security_barrier)
        return self._parse_wrapped_csv(lambda: self._parse_property() or self._parse_var())

    def _parse_on_property(self) -> exp.Expr | None:
        is_dropped = self._match_text_seq("COMMIT", "DROP")
        return exp.OnCommitProperty() if is_dropped else super()._parse_on_property()

    def _parse_ordered(
        self, parse_method: Callable[[], exp.Expr | None] | None = None
    ) -> exp.Ordered | None:
        def with_operator() -> exp.Expr | None:
            this = parse_method() if parse_method else self._parse_disjunction()
            if self._match(TokenType.USING):
                is_named = self._match_text_seq("OPERATOR", "(")
                while is_named and self._match(TokenType.VAR) and self._match(TokenType.DOT):
                    pass  # its schema
                while self._curr and {*self._curr.text} <= _SIGNS:
                    self._advance()
                if is_named and not self._match(TokenType.R_PAREN):
                    self.raise_error("Expecting )")
            return this

        return super()._parse_ordered(with_operator)


class TzconvPostgres(Postgres):
    """Known to sqlglot as ``tzconvpostgres``, so that its own dialect is unchanged."""

    NUMBERS_CAN_BE_UNDERSCORE_SEPARATED = True

    class Tokenizer(Postgres.Tokenizer):
        """``U&"a"`` is no ``U & "a"``; it is read as no column."""

        UNICODE_STRINGS = [*Postgres.Tokenizer.UNICODE_STRINGS, ('U&"', '"'), ('u&"', '"')]

    Parser = TzconvPostgresParser


READING = Reading(
    TzconvPostgres,
    keeps_case=True,
    longest_name=63,
    groups_by_columns=True,
    shell_has_variables=True,
    has_one_database=True,
    default_schema="public",
    has_fields=False,
    slow=frozenset({"text", "json"}),
    functions={
        "unix_to_time": "timestamptz",  # to_timestamp(number)
        "str_to_time": "timestamptz",  # to_timestamp(text, format)
        "timestamp_from_parts": "timestamp",  # make_timestamp()
        "make_timestamptz": "timestamptz",
        "make_date": "date",
        "str_to_date": "date",
        "age": "interval",
        "time_bucket": 1,
        **dict.fromkeys(("json_extract_path_text", "jsonb_extract_path_text"), "text"),
        **dict.fromkeys(("btrim", "ltrim", "rtrim", "format"), "text"),
        "current_setting": "text",
    },
    series_of_dates="timestamptz",
    series_is_named_by_alias=True,
)
