"""The fixes that ``tzconv lint --fix`` makes: same rows, and no table has to be loaded.

They are the rewriter's: a constant is cast instead of each row (TZ002), and a predicate gains
bounds on the UTC column (TZ003). What joins the conversion tables is left to ``tzconv rewrite``,
because a linter without a database cannot know that they are there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from tzconv import rewriter, tables
from tzconv.errors import CheckError
from tzconv.lint import Finding, comments
from tzconv.rewriter import Change, statements
from tzconv.rewriter.kept import history_until
from tzconv.sql.parse import escapes_by_backslash
from tzconv.sql.places import line_and_column
from tzconv.sql.templates import is_template
from tzconv.tz.zones import Rules

STRATEGIES = {"TZ002": "now", "TZ003": "range"}
"""By rule: the strategy that fixes what it finds."""
_TABLES = tuple(table.name for table in tables.CONVERSIONS.values())


def fix(
    text: str, lint: Callable[[str], tuple[Finding, ...]], *, rules: Rules, **options: Any
) -> str:
    """The text with all certain fixes of what ``lint`` finds; a template stays as it is.

    A statement is fixed as a whole or not at all: it stays if a rule that would change it is
    switched off there. ``options`` are more arguments of :func:`tzconv.rewrite`. Literals are those
    of times that the rules cannot change any more. ParseError where the text is no SQL.
    """
    if is_template(text):
        return text
    until = history_until(rules.release)
    escapes = escapes_by_backslash(options["dialect"])
    for code, strategy in STRATEGIES.items():
        rewrite = functools.partial(
            rewriter.rewrite, rules=rules, strategy=strategy, literals_until=until, **options
        )
        try:
            result = statements.rewrite_each(text, rewrite, dialect=options["dialect"])
        except CheckError:
            continue  # the other statements are fixed after a fix of tzconv itself
        found = [one for one in lint(text) if one.code == code]
        made: list[Change] = []
        for start, end in _fixable(text, code, found, escapes=escapes):
            changes = [one for one in result.changes if start <= one.start <= end]
            made += [] if any(map(_joins, changes)) else changes
        text = statements.changed_text(text, made)
    return text


def _fixable(
    text: str, code: str, found: list[Finding], *, escapes: bool
) -> Iterator[tuple[int, int]]:
    """The statements with findings in which no comment switches the rule off."""
    split = statements.split(text, backslash_escapes=escapes)
    ignored = comments.ignored(text, split)
    off = {line for line, codes in ignored.items() if codes & {code, "*"}}
    for one in split:
        first, last = (line_and_column(text, at)[0] for at in (one.start, one.end))
        if any(one.start <= each.start <= one.end for each in found) and not off & {
            *range(first, last + 1)
        }:
            yield one.start, one.end


def _joins(change: Change) -> bool:
    return any(name in change.after and name not in change.before for name in _TABLES)
