"""Findings in files: SQL, templates in each way to render them, and files that hold queries."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from tzconv import rewriter
from tzconv.errors import ParseError
from tzconv.lint import RULES, Finding, Fix, Rule, lint
from tzconv.rewriter.embedded import as_query, rewrite_each, texts
from tzconv.sql.declarations import Declared
from tzconv.sql.embedded import Piece
from tzconv.sql.masks import ARGUMENT, NAME, ways
from tzconv.sql.templates import is_template

Lint: TypeAlias = Callable[..., tuple[Finding, ...]]
""":func:`tzconv.lint.lint` with its options; takes a text and ``schema``."""
_RENDERED = "the zone is known only when the template is rendered"
_UNREAD = ("not-parsed", "template")
_UNSURE = (*_UNREAD, "statement", "unknown-column", "unknown-type", "unknown-zone")
"""Codes of places of which a rewrite knows too little; of SQL files TZ001 says the others."""


def lint_file(
    name: str,
    text: str,
    declared: Declared,
    checks: Iterable[Rule] = tuple(RULES.values()),
    *,
    dialect: str,
    **settings: Any,
) -> tuple[Finding, ...]:
    """All findings in a file, or in the queries in it by what its name says.

    ``declared`` are the columns that are known and dbt's models; ``checks`` and ``settings`` are
    those of :func:`tzconv.lint.lint`. Where a rewrite could not read a query, or knows too little
    of it, a conversion is a finding, too.
    """
    checks = tuple(checks)
    each = functools.partial(lint, checks=checks, dialect=dialect, **settings)
    pieces = texts(name, text)
    if pieces is None:
        found = [*lint_template(text, each, declared)]
    else:
        found = []
        for piece in map(as_query, pieces):
            with contextlib.suppress(ParseError):  # the rewriter says so
                own = lint_template(piece.text, each, declared)
                found += [_moved(text, piece, one) for one in own]
    is_known = pieces is None and not is_template(text)
    if is_known or RULES["TZ001"] not in checks:
        return tuple(found)
    rewrite = functools.partial(rewriter.rewrite, dialect=dialect, **settings)
    codes = _UNREAD if pieces is None else _UNSURE
    for left in rewrite_each(name, text, rewrite, declared, dialect).left:
        is_new = all(it.start > left.end or left.start > it.end for it in found)
        if left.code in codes and is_new:
            message = f"a time zone may be converted for each row: {left.reason}"
            found.append(Finding.of(text, left.start, left.end, "TZ001", message))
    return tuple(sorted(found, key=lambda one: (one.start, one.code)))


def lint_template(text: str, lint: Lint, declared: Declared) -> tuple[Finding, ...]:
    """All findings in a text; those of a template have places in it, and no fixes.

    None in a template that cannot be read before it is rendered.
    """
    if not is_template(text):
        return lint(text, schema=declared.tables)
    found: dict[tuple[str, int], Finding] = {}
    try:
        for masked in ways(text, declared):
            known = {**declared.tables, **masked.types}
            for one in lint(masked.text, schema=known) if masked.text.strip() else ():
                message = NAME.sub("", masked.restored(one.message) or one.message)
                if ARGUMENT in message and ARGUMENT not in text:
                    message = f"{message.partition(':')[0]}: {_RENDERED}"
                places = (masked.nearest(one.start), masked.nearest(one.end))
                placed = Finding.of(text, *places, one.code, message)
                found.setdefault((one.code, placed.start), placed)
    except ParseError:
        return ()
    return tuple(sorted(found.values(), key=lambda one: (one.start, one.code)))


def _moved(text: str, piece: Piece, one: Finding) -> Finding:
    start = piece.starts[one.start]
    afters = [piece.encode(fix.after) if piece.encode else None for fix in one.fixes]
    fixes = tuple(
        Fix(piece.starts[fix.start], piece.starts[fix.end], after)
        for fix, after in zip(one.fixes, afters, strict=True)
        if after is not None and None not in afters
    )
    end = max(start, piece.starts[one.end])
    return Finding.of(text, start, end, one.code, one.message, fixes)
