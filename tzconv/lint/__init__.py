"""Find what costs time or answers in SQL: ``lint(text)`` gives findings with stable codes.

::

    from tzconv.lint import lint
    for finding in lint(text, dialect="postgres", schema=types):
        print(finding.line, finding.code, finding.message)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tzconv import rewriter, zones
from tzconv.errors import ParseError, RewriteError, nearest_names
from tzconv.lint import comments
from tzconv.lint.rules import RULES, Rule
from tzconv.lint.statement import Statement, read
from tzconv.rewriter import statements
from tzconv.rewriter.report import line_and_column
from tzconv.zones import Rules

__all__ = ["DIALECTS", "RULES", "Finding", "Fix", "Rule", "lint", "select_rules"]

DIALECTS: tuple[str, ...] = tuple(dict.fromkeys([*rewriter.DIALECTS, "vertica"]))
"""The dialects that can be linted; where there is no rewriter there are no fixes."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Put ``after`` in the place of ``text[start:end]``: character offsets from 0."""

    start: int
    end: int
    after: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found, from ``line`` and ``column`` to ``end_line`` and ``end_column``.

    Lines and columns count from 1; the end is the place after the last character. ``fixes`` are the
    edits of the whole statement, made together; empty where there is no fix.
    """

    code: str
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int
    fixes: tuple[Fix, ...]

    def as_dict(self) -> dict[str, Any]:
        """The form that ``tzconv lint --format json`` prints."""
        return asdict(self)


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules to run: those of ``select`` (all), without those of ``ignore``.

    RewriteError for a code that no rule has.
    """
    chosen, left_out = ([code.strip().upper() for code in codes] for codes in (select, ignore))
    for code in [*chosen, *left_out]:
        if code not in RULES:
            near = nearest_names(code, RULES)
            hint = (
                f"did you mean {' or '.join(near)}?" if near else f"choose of {', '.join(RULES)}."
            )
            raise RewriteError(f"There is no rule {code!r}: {hint}")
    return tuple(
        rule
        for code, rule in RULES.items()
        if (not chosen or code in chosen) and code not in left_out
    )


def lint(
    text: str,
    *,
    dialect: str = "duckdb",
    schema: Mapping[str, Mapping[str, str]] | None = None,
    rules: Rules | None = None,
    session_time_zone: str = "UTC",
    checks: Iterable[Rule] | None = None,
) -> tuple[Finding, ...]:
    """Everything the rules find in the queries of a text, in order; other statements are skipped.

    ``schema``, ``rules`` and ``session_time_zone`` are those of :func:`tzconv.rewrite`. ParseError
    names line and column of what is not SQL, RewriteError a dialect that is not known.
    """
    if dialect not in DIALECTS:
        raise RewriteError(
            f"The dialect {dialect!r} is not supported: choose one of {', '.join(DIALECTS)}."
        )
    chosen = tuple(RULES.values()) if checks is None else tuple(checks)
    known = rules or zones.installed()
    split = statements.split(text)
    off = comments.ignored(text, split)
    found: list[Finding] = []
    for one in split:
        if one.other:
            continue
        try:
            parts = read(text[one.start : one.end], dialect, schema or {}, known, session_time_zone)
        except ParseError as error:
            raise _moved(error, text, one.start) from error
        for part in parts:
            found += _check(text, one.start, part, chosen)
    return tuple(
        sorted(
            (one for one in dict.fromkeys(found) if not _is_off(one, off)),
            key=lambda one: (one.start, one.code),
        )
    )


def _check(text: str, shift: int, statement: Statement, rules: tuple[Rule, ...]) -> list[Finding]:
    found = []
    changes = statement.result.changes if statement.result else ()
    fixes = tuple(Fix(one.start + shift, one.end + shift, one.after) for one in changes)
    for rule in rules:
        for hit in rule.check(statement):
            start, end = (place + shift for place in statement.place(hit.node))
            fix = fixes if rule.fixable and statement.is_changed(hit.node) else ()
            line, column = line_and_column(text, start)
            end_line, end_column = line_and_column(text, end)
            found.append(
                Finding(rule.code, hit.message, line, column, end_line, end_column, start, end, fix)
            )
    return found


def _is_off(finding: Finding, off: Mapping[int, frozenset[str]]) -> bool:
    codes = off.get(finding.line, frozenset())
    return "*" in codes or finding.code in codes


def _moved(error: ParseError, text: str, start: int) -> ParseError:
    line, column = line_and_column(text, start)
    reason = str(error).removeprefix(f"line {error.line}, column {error.column}: ")
    first = column - 1 if error.line == 1 else 0
    return ParseError(reason, error.line + line - 1, error.column + first)
