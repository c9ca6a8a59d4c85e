"""Find slow or incorrect time-zone SQL: ``lint(text)`` returns findings with stable codes.

::

    from tzconv.lint import lint
    for finding in lint(text, dialect="postgres", schema=types):
        print(finding.line, finding.code, finding.message)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from tzconv import engines
from tzconv.errors import (
    ParseError,
    PlacedError,
    RewriteError,
    internal_errors,
    nearest_names,
)
from tzconv.lint.rules import RULES, Rule
from tzconv.lint.statement import Select, read
from tzconv.rewriter import DIALECTS, Script, statements
from tzconv.rewriter.statements import Statement
from tzconv.sql.depth import room
from tzconv.sql.lexer import Lexer
from tzconv.sql.parse import escapes_by_backslash
from tzconv.sql.places import line_and_column
from tzconv.tz import zones
from tzconv.tz.zones import Rules

__all__ = ["DIALECTS", "RULES", "Finding", "Fix", "Rule", "lint", "select_rules"]

_IGNORE = re.compile(r"\btzconv:\s*ignore\b(?:\s*\[(?P<codes>[^\]]*)\])?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fix:
    """Replace ``text[start:end]`` by ``after``: character offsets from 0."""

    start: int
    end: int
    after: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found, from ``line`` and ``column`` to ``end_line`` and ``end_column``.

    Lines and columns count from 1; the end is the place after the last character. ``fixes`` are all
    edits of the statement, to be made together; empty where there is no fix.
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

    @classmethod
    def of(
        cls, text: str, start: int, end: int, code: str, message: str, fixes: tuple[Fix, ...] = ()
    ) -> Self:
        """A finding in ``text[start:end]``."""
        first, last = line_and_column(text, start), line_and_column(text, end)
        return cls(code, message, *first, *last, start, end, fixes)

    def as_dict(self) -> dict[str, Any]:
        """The form that ``tzconv lint --format json`` prints."""
        return asdict(self)


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules to run: those of ``select`` (all), without those of ``ignore``.

    RewriteError for a code that no rule has.
    """
    chosen, left_out = ({code.strip().upper() for code in codes} for codes in (select, ignore))
    for code in sorted((chosen | left_out) - RULES.keys()):
        near = nearest_names(code, RULES)
        hint = f"did you mean {' or '.join(near)}?" if near else f"choose of {', '.join(RULES)}."
        raise RewriteError(f"There is no rule {code!r}: {hint}")
    return tuple(
        RULES[code] for code in RULES if code in (chosen or RULES) and code not in left_out
    )


def lint(
    text: str,
    *,
    dialect: str = engines.DEFAULT,
    schema: Mapping[str, Mapping[str, str]] | None = None,
    rules: Rules | None = None,
    session_time_zone: str | None = None,
    checks: Iterable[Rule] | None = None,
) -> tuple[Finding, ...]:
    """All findings in the queries, UPDATEs and DELETEs of a text, in order.

    Queries inside other statements, such as EXPLAIN, are those that the rewriter reads.

    ``schema``, ``rules`` and ``session_time_zone`` are those of :func:`tzconv.rewrite`; ``checks``
    are the rules to run, all by default. ParseError has the line and column of what is not SQL;
    RewriteError means an unknown dialect.
    """
    dialect = engines.named(dialect)
    chosen = tuple(RULES.values() if checks is None else checks)
    rules = rules or zones.installed()
    split = statements.split(text, backslash_escapes=escapes_by_backslash(dialect))
    ignored = _ignored(text, split)
    found: dict[Finding, None] = {}
    script, session = Script(), {"session_time_zone": session_time_zone}
    for one in split:
        own = text[one.start : one.end]
        selects: list[Select] = []
        try:
            with internal_errors(), room(own):
                if not one.is_shell:
                    selects = read(own, dialect, schema or {}, rules, script, **session)
                for select in selects:
                    found |= dict.fromkeys(_check(text, one.start, select, chosen))
        except PlacedError as error:
            if not (one.other and isinstance(error, ParseError)):
                raise error.moved(*line_and_column(text, one.start)) from error
        script.ran(own)
    kept = (one for one in found if not {"*", one.code} & ignored.get(one.line, frozenset()))
    return tuple(sorted(kept, key=lambda one: (one.start, one.code)))


def _check(text: str, shift: int, select: Select, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    """The findings in a SELECT whose statement begins at ``shift`` in the text."""
    statement = select.statement
    fixes = tuple(
        Fix(one.start + shift, one.end + shift, one.after) for one in statement.result.changes
    )
    for rule in rules:
        for node, message in rule.check(select):
            start, end = (place + shift for place in statement.place(node))
            is_fixed = rule.fixable and statement.is_changed(node)
            yield Finding.of(text, start, end, rule.code, message, fixes if is_fixed else ())


def _ignored(text: str, statements: Iterable[Statement]) -> dict[int, frozenset[str]]:
    """By line, counted from 1: the codes that are switched off there; ``*`` for all of them.

    A comment ``-- tzconv: ignore[TZ002]`` or ``-- tzconv: ignore`` holds for its own line. On a
    line of its own it holds for the next line with code and, where a statement begins there, for
    all of that statement.
    """
    found: dict[int, frozenset[str]] = {}
    lines = text.split("\n")
    spans = {
        line_and_column(text, one.start)[0]: line_and_column(text, one.end)[0] for one in statements
    }
    for piece in Lexer().pieces(text):
        is_comment = piece.kind == "comment"
        ignore = _IGNORE.search(text, piece.start, piece.end) if is_comment else None
        if ignore is None:
            continue
        codes = frozenset(code.strip().upper() for code in (ignore["codes"] or "*").split(","))
        first, column = line_and_column(text, piece.start)
        after = line_and_column(text, piece.end)[0] + 1
        covered = range(first, after)
        if not lines[first - 1][: column - 1].strip():  # on a line of its own
            while after <= len(lines) and re.match(r"\s*(--|$)", lines[after - 1]):
                after += 1
            covered = range(after, spans.get(after, after) + 1)
        for line in covered:
            found[line] = found.get(line, frozenset()) | codes
    return found
