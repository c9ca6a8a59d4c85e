"""SQL text to syntax trees whose nodes know the characters they were read from.

sqlglot reads the text; it keeps positions for names and literals only, so the parser is extended
to note, for every operand and every whole expression, the range of characters it consumed.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, TypeAlias

import sqlglot.parser
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from tzconv.errors import ParseError, RewriteError
from tzconv.sql.depth import refuse_depth, room
from tzconv.sql.places import line_and_column
from tzconv.sql.reading import reading_of

Node: TypeAlias = exp.Expr
Range: TypeAlias = tuple[int, int]
TablesByName: TypeAlias = Mapping[str, Sequence[exp.Table]]

_RANGE = "tzconv_range"
FIELD = "tzconv_field"
"""Where a field of a struct has the column that the parser took it for."""
_RECORDED = (
    "_parse_disjunction",
    "_parse_unary",
    "_parse_function",
    "_parse_select_query",
    "_parse_from",
    "_parse_join",
)
_TRUNCATING = ("DATE_TRUNC", "DATETRUNC")
_TEMPLATE = re.compile(r"\{\{|\{%|\{#|\$\{|#\{|<%")
_TEMPLATE_IN_STRING = re.compile(r"\{\{-?\s*[A-Za-z_]|\{%|\$\{|#\{|<%")
_LAST_PART: dict[type[Node], str] = {
    exp.AtTimeZone: "zone",
    exp.Between: "high",
    exp.Binary: "expression",
}
"""The argument that ends the text of a node; ``this`` begins it."""
_WITH_PLACE = (exp.Identifier, exp.Literal)
_NAMES = (exp.Column, *_WITH_PLACE)
_RENDERED = (exp.Anonymous, exp.Column, exp.Parameter, exp.Placeholder)
"""What stands for a statement that a template or a variable holds."""
_NULLS = {exp.IgnoreNulls, exp.RespectNulls}
"""What ends with two words that do not belong to the expression inside."""
_OFFSET = re.compile(r"from \d+:(\d+)")
_IS_QUIET = contextvars.ContextVar("tzconv_is_quiet", default=False)


@dataclass(frozen=True)
class Source:
    """One text with its tokens and the trees of its statements, in order."""

    text: str
    dialect: Dialect
    tokens: list[Token]
    statements: list[Node]
    _read: dict[int, bool] = field(default_factory=dict)
    _readings: dict[str, exp.Select | None] = field(default_factory=dict)
    _tables: dict[int, tuple[Node, TablesByName]] = field(default_factory=dict)

    def tables(self, root: Node) -> TablesByName:
        """The tables that a statement names, by their names in lower case."""
        if id(root) not in self._tables:
            found: dict[str, list[exp.Table]] = {}
            for table in root.find_all(exp.Table):
                found.setdefault(table.name.casefold(), []).append(table)
            self._tables[id(root)] = root, found
        return self._tables[id(root)][1]

    def range(self, node: Node) -> Range | None:
        """The characters ``[start, end)`` a node was read from, checked by reading them again."""
        found = range_of(node)
        if found is None:
            return None
        if id(node) not in self._read:
            # the tokens of a name or a literal say themselves where they stand
            is_name = isinstance(node, _NAMES)
            text = f"SELECT {self.text[found[0] : found[1]]}"
            again = None if is_name else self.reading(text, "kind")
            self._read[id(node)] = is_name or (
                again is not None and again.expressions in ([node], [_as_read(node)])
            )
        return found if self._read[id(node)] else None

    @functools.cached_property
    def last_alias(self) -> int:
        """The highest number of a name ``tzconv_1`` in the text."""
        return max(map(int, re.findall(r"tzconv_(\d+)", self.text, re.IGNORECASE)), default=0)

    @functools.cached_property
    def long_literals(self) -> list[str]:
        """The literals and quoted names with line breaks inside."""
        texts = (self.text[token.start : token.end + 1] for token in self.tokens)
        return [text for text in texts if "\n" in text]

    def reading(self, sql: str, *clauses: str) -> exp.Select | None:
        """The one SELECT that a text is, if it has no clauses but columns and ``clauses``.

        It is read once: in a report the same expressions are written many times.
        """
        if sql not in self._readings:
            self._readings[sql] = None
            with contextlib.suppress(SqlglotParseError, TokenError):
                found = tree_of(sql, list(self.dialect.tokenize(sql)), self.dialect)
                if len(found) == 1 and isinstance(found[0], exp.Select):
                    self._readings[sql] = found[0]
        select = self._readings[sql]
        allowed = ("expressions", *clauses)
        if select is None or any(v for key, v in select.args.items() if key not in allowed):
            return None
        return select


def parse(text: str, dialect: str) -> Source:
    """Read all statements of ``text``; ParseError with line and column where that fails."""
    if not str(sqlglot.parser.__file__).endswith(".py"):
        raise RewriteError(
            "The compiled modules of sqlglot (the package sqlglotc) do not say where in a text an "
            "expression stands: uninstall sqlglotc."
        )
    reader = reader_of(dialect)
    tokens = tokenize(text, reader)
    _refuse_templates(text, tokens)
    refuse_depth(text, tokens)
    try:
        with room(text):
            trees = tree_of(text, tokens, reader)
    except SqlglotParseError as error:
        raise _parse_error(text, dialect, error) from error
    except (TokenError, IndexError) as error:  # in a type's name; SHOW ALL
        raise ParseError(f"not understood as SQL, read as {dialect}") from error
    except RecursionError as error:
        raise ParseError("the statement is nested too deeply to be read") from error
    # to sqlglot a semicolon before a comment is a statement
    statements = [tree for tree in trees if not isinstance(tree, (exp.Semicolon, NoneType))]
    if not statements:
        raise ParseError(
            "there is no SQL statement in this text: check that it is the file you mean"
        )
    if any(isinstance(one, exp.Condition) and not isinstance(one, _RENDERED) for one in statements):
        raise ParseError(f"an expression is not a statement, read as {dialect}")
    return Source(text, reader, tokens, statements)


def reader_of(dialect: str) -> Dialect:
    """sqlglot's way to read a dialect."""
    reader: Dialect = reading_of(dialect).parser()
    return reader


def escapes_by_backslash(dialect: str) -> bool:
    """Whether a backslash escapes a quote in every text of a dialect."""
    return "\\" in reader_of(dialect).tokenizer_class.STRING_ESCAPES


def expression_of(text: str, dialect: str) -> tuple[Node, list[Token]]:
    """The one expression that follows SELECT in a text, and the tokens of the text.

    ValueError where it is no SQL, or not one expression.
    """
    reader = reader_of(dialect)
    try:
        tokens = list(reader.tokenize(text))
        statement = tree_of(text, tokens, reader)[0]
    except (SqlglotParseError, TokenError) as error:
        raise ValueError(str(error).splitlines()[0]) from error
    if not isinstance(statement, exp.Select) or len(statement.expressions) != 1:
        raise ValueError("it is not one expression")
    return statement.expressions[0], tokens


def tree_of(text: str, tokens: list[Token], dialect: Dialect) -> list[Node | None]:
    """The trees of all statements; sqlglot's ParseError where it fails."""
    with without_warnings():
        parser = _recording_parser(dialect.parser_class)(dialect=dialect)
        return list(parser.parse(tokens, text))


@contextlib.contextmanager
def without_warnings() -> Iterator[None]:
    """sqlglot logs what it does not read in full; such statements are passed through untouched.

    Only what is logged inside, in this thread or task, is dropped: the level of a logger would be
    that of the whole process, and two threads would each restore what the other has set.
    """
    token = _IS_QUIET.set(True)
    try:
        yield
    finally:
        _IS_QUIET.reset(token)


logging.getLogger("sqlglot").addFilter(
    lambda record: record.levelno >= logging.ERROR or not _IS_QUIET.get()
)


def _as_read(node: Node) -> Node:
    """A node with the columns that the parser has taken fields of structs for."""
    found: Node = node.copy().transform(lambda one: one.meta.get(FIELD, one))
    return found


def noted_range(node: Node) -> Range | None:
    """The characters of a clause, as noted while reading."""
    noted: Range | None = node.meta.get(_RANGE)
    return noted


def range_of(node: Node) -> Range | None:
    """The characters a node was read from, as noted while reading, or those of its parts."""
    names = node.parts if isinstance(node, exp.Column) else [node]
    if all(isinstance(name, _WITH_PLACE) and "start" in name.meta for name in names):
        return (names[0].meta["start"], names[-1].meta["end"] + 1)
    if isinstance(node, exp.Column):
        return None
    noted = noted_range(node)
    last = next((last for kind, last in _LAST_PART.items() if isinstance(node, kind)), None)
    if noted is not None or last is None:
        return noted
    ends = range_of(node.this), range_of(node.args[last])
    return None if ends[0] is None or ends[1] is None else (ends[0][0], ends[1][1])


@functools.cache
def _recording_parser(base: type[Any]) -> type[Any]:
    methods = {name: _recording(getattr(base, name)) for name in _RECORDED}
    methods["_parse_type"] = _recording(_typing(base._parse_type))
    units = {
        name: _truncating(base.FUNCTIONS[name]) for name in _TRUNCATING if name in base.FUNCTIONS
    }
    if hasattr(base, "_parse_date_part"):
        methods["_parse_date_part"] = _parting(base._parse_date_part)
    attributes = {**methods, "FUNCTIONS": {**base.FUNCTIONS, **units}}
    return type(f"Recording{base.__name__}", (base,), attributes)


def _typing(parse_type: Callable[..., Any]) -> Callable[..., Any]:
    """Reads a type before E'', $$ $$ and a text in pieces, and before what follows the text.

    sqlglot wants one plain literal, and reads ``DATE '2024-01-31'::text`` as a DATE.
    """

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        first, kind = self._index, self._curr and self._curr.token_type
        if kind in self.TYPE_TOKENS and kind != TokenType.INTERVAL:
            to = self._parse_types(check_func=True, allow_identifiers=False)
            value = self._parse_primary() if to else None
            is_plain = isinstance(value, exp.Literal)
            if (is_plain and self._curr.token_type in self.COLUMN_OPERATORS) or (
                isinstance(value, (exp.RawString, exp.ByteString, exp.UnicodeString, exp.Concat))
            ):
                return self._parse_column_ops(exp.Cast(this=value, to=to))
            self._retreat(first)
        return parse_type(self, *args, **kwargs)

    return method


def _parting(parse_part: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Like ``_truncating``, for date_part()."""

    def method(self: Any) -> Any:
        is_text = self._curr and self._curr.token_type == TokenType.STRING
        node = parse_part(self)
        if not is_text:
            node.set("this", exp.Paren(this=node.this))
        return node

    return method


def _truncating(read: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    """Keeps a column that names the unit, which sqlglot takes for the unit of its name."""

    def build(args: list[Any]) -> Any:
        is_column = bool(args) and isinstance(args[0], exp.Column)
        return read([exp.Paren(this=args[0]), *args[1:]] if is_column else args)

    return build


def _recording(parse_part: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(parse_part)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        first = self._index
        node = parse_part(self, *args, **kwargs)
        kind = type(node)
        # a column is found by its names, and there are more columns than all else
        if kind is exp.Column or node is None:
            return node
        if self._index > first:
            tokens = self._tokens
            node.meta[_RANGE] = (tokens[first].start, tokens[self._index - 1].end + 1)
            if kind in _NULLS:
                end = tokens[max(first, self._index - 3)].end + 1
                node.this.meta.setdefault(_RANGE, (tokens[first].start, end))
        return node

    return method


def tokenize(text: str, dialect: Dialect) -> list[Token]:
    """The tokens of a text; ParseError where a quoted text or comment is not closed."""
    try:
        return list(dialect.tokenize(text))
    except TokenError as error:
        found = _OFFSET.search(str(error.__cause__))
        place = line_and_column(text, int(found[1]) if found else len(text))
        raise ParseError("a quoted text or comment is not closed", *place) from error


def _refuse_templates(text: str, tokens: list[Token]) -> None:
    """ParseError at the first template tag outside of comments."""
    for token in tokens if _TEMPLATE.search(text) else ():
        pattern = _TEMPLATE_IN_STRING if token.token_type == TokenType.STRING else _TEMPLATE
        # Outside strings the braces are tokens of their own; look one character further.
        found = pattern.search(text, token.start, min(token.end + 2, len(text)))
        if found and found.start() <= token.end:
            reason = f"this is a template ({found[0]} …), not SQL yet: render it first"
            raise ParseError(reason, *line_and_column(text, found.start()))


def _parse_error(text: str, dialect: str, error: SqlglotParseError) -> ParseError:
    details = error.errors[0] if error.errors else {}
    token = details.get("highlight") or ""
    column = max(1, (details.get("col") or 1) - len(token) + 1)
    near = f" near {token.splitlines()[0][:40]!r}" if token.strip() else ""
    # sqlglot may count the lines of a text twice
    place = min((details.get("line") or 1, column), line_and_column(text, len(text)))
    return ParseError(f"not understood as SQL{near}, read as {dialect}", *place)
