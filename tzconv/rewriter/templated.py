"""Templates are rewritten as the SQL that they become, whichever way they are rendered.

Each way to render the blocks of a template is read as SQL of its own, with masks for what is not
known before. Only what is edited alike in all of them is edited in the template, and every byte
outside the edits stays.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter import statements
from tzconv.rewriter.kept import COMMENT
from tzconv.rewriter.report import Change, Left, Rewrite, left_at, placed
from tzconv.sql import masks
from tzconv.sql.declarations import Declared
from tzconv.sql.lexer import Lexer
from tzconv.sql.masks import ARGUMENT, NAME, Masked
from tzconv.sql.parse import escapes_by_backslash
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Tables
from tzconv.sql.templates import is_template, macros
from tzconv.sql.text import spliced

_WORDS = (
    r"\b(?:AT\s+TIME\s*ZONE\b"
    r"|(?:timezone|new_time|convert_timezone|(?:from|to)_utc_timestamp)\s*\()"
)
ANYWHERE = re.compile(_WORDS, re.IGNORECASE)
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
MAY_CHANGE = re.compile(
    r"time\s*zone|new_time|utc_timestamp|date_trunc|\bnow\b|current_|getdate|sysdate|localtime"
    r"|statement_time|transaction_time|getutcdate",
    re.IGNORECASE,
)
"""What a text without any conversion has none of."""
_HIDDEN = "it is in a loop, a macro or another part that becomes SQL when the template is rendered"
_INSTEAD = (
    "tzconv.local_time() of tzconv's dbt package joins the tables instead, and tzconv dbt rewrites "
    "what dbt compiles"
)
_IN_MACRO = f"it becomes SQL where the macro {{name}} is called: {_INSTEAD}"
_CALLS = f"the macro {{name}} converts a time zone: {_INSTEAD}"
_BRACES = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_CALL = re.compile(r"\b(?:\w+\.)?(\w+)\s*\(")
_CTE = re.compile(r"(\w+)\s+AS\s+(?:(?:NOT\s+)?MATERIALIZED\s+)?\(", re.IGNORECASE)
_REFERENCE = re.compile(r"\{\{-?\s*(?:ref|source)\s*\(.*?\}\}", re.DOTALL)
_UTC = re.compile(r"AT\s+TIME\s+ZONE\s+'(?:UTC|GMT)'", re.IGNORECASE)
_CLAUSE = re.compile(r"\s*(?:(?:LEFT |CROSS )?JOIN)\b")
_ALIAS = re.compile(r"\s*AS\s")
_TORN = "the rewrite would move or repeat a part of the template that may not be the same each time"
_UNKNOWN = (
    "{} may stand for all columns, or for what depends on the order of rows: tzconv joins no table "
    "beside it"
)
_DIFFER = "a block is around it or beside it, and the rewrite would depend on how it is rendered"


def rewrite_each(
    text: str,
    rewrite: Callable[..., Rewrite],
    declared: Declared,
    dialect: str | None = None,
) -> Rewrite:
    """Rewrite the queries of a text, which may be a template.

    ``rewrite`` is that of :func:`statements.rewrite_each`; it takes ``schema`` too. ``declared``
    are the columns that it knows and dbt's models.
    """
    if not is_template(text):
        known = functools.partial(rewrite, schema=declared.tables)
        return statements.rewrite_each(text, known, dialect=dialect)
    calls = list(_calls(text, declared.converting))
    if not MAY_CHANGE.search(text):
        return Rewrite(text, (), tuple(calls))
    try:
        ways = [_Way(one) for one in masks.ways(text, declared)]
        is_whole = len(ways) == 1 and not _may_read_cte(text, ways[0].masked)
        each = functools.partial(rewrite, is_whole=is_whole)
        for way in ways:
            way.rewrite(each, declared.tables, dialect)
    except (ParseError, CheckError) as error:
        reason = NAME.sub("a part of it", error.reason)
        unread = _unread(text, f"render the template first: {reason}")
        return Rewrite(text, (), (*unread, *calls))
    agreed = _agreed(text, ways)
    every = (*agreed.left, *_hidden(text, ways), *calls)
    left = sorted(every, key=lambda one: (one.line, one.column))
    return replace(agreed, left=tuple(left))


def _may_read_cte(text: str, masked: Masked) -> bool:
    """Whether a part may read a CTE again: it names one (``{{ deduplicate('orders') }}``), or is
    a relation or column that only rendering tells."""
    texts = (_REFERENCE.sub("", one) for one in (text, masked.text))
    words, seen = (Counter(re.findall(r"\w+", one)) for one in texts)
    return any(masked.unknown or words[one] > seen[one] for one in _CTE.findall(masked.text))


class _Way:
    """One way to render a template: its changes, in places and texts of the template."""

    def __init__(self, masked: Masked) -> None:
        self.masked = masked
        self.changes: list[Change] = []
        self.refused: list[tuple[Change, str]] = []
        self.left: list[Left] = []
        self.comments: list[str] = []
        self.statements: list[statements.Statement] = []

    def rewrite(self, rewrite: Callable[..., Rewrite], tables: Tables, dialect: str | None) -> None:
        """Rewrite the masked text, statement by statement."""
        text = self.masked.text
        known = functools.partial(rewrite, schema={**tables, **self.masked.types})
        result = statements.rewrite_each(text, known, dialect=dialect)
        escapes = dialect is not None and escapes_by_backslash(dialect)
        self.statements = statements.split(text, backslash_escapes=escapes)
        self.comments = [one for one in COMMENT.findall(result.sql) if one not in text]
        for one in self.statements:
            own = [change for change in result.changes if one.start <= change.start <= one.end]
            moved = [new for one in own if (new := self._moved(one)) is not None]
            is_joined = any(one.start == one.end and _CLAUSE.match(one.after) for one in own)
            if any(_ALIAS.match(one.after) and self.masked.used(one.after) for one in own):
                why = "a column is named after its text, as it is rendered: give it an alias"
            elif len(moved) < len(own):
                why = _TORN
            elif is_joined and self.masked.unknown:  # it may show all columns, or number rows
                why = _UNKNOWN.format(self.masked.unknown[0])
            else:
                self.changes += moved
                continue
            self.refused += [(self._place(one), why) for one in own]
        self.left = [self._left(one) for one in result.left]

    def _moved(self, change: Change) -> Change | None:
        """A change with places and texts of the template; None where that is not certain."""
        masked = self.masked
        start, end = masked.place(change.start), masked.place(change.end)
        after = masked.restored(change.after)
        if start is None or end is None or after is None:
            return None
        old, new = masked.used(change.before), masked.used(change.after)
        for one in {*old, *new}:
            if not one.is_constant and old.count(one) != new.count(one):
                return None
            if one not in new:
                return None
            if one not in old and one.epoch not in (None, masked.epoch_at(change.start)):
                return None
        change = replace(change, before=masked.source[start:end], after=after)
        return placed(change, masked.source, start, end)

    def _place(self, change: Change) -> Change:
        """A change that is refused, where it begins in the template."""
        source, start = self.masked.source, self.masked.nearest(change.start)
        end = self.masked.nearest(change.end)
        return placed(replace(change, before=source[start:end], after=""), source, start, end)

    def _left(self, left: Left) -> Left:
        """A place that is left, with place and text of the template."""
        masked = self.masked
        start, end = masked.nearest(left.start), masked.nearest(left.end)
        # the lines and columns of an error are those of the masked text
        code, reason = left.code, re.sub(r"\btzt_\d+_\.| \(line \d+.*\)", "", left.reason)
        used = masked.used(reason)
        if ARGUMENT in reason and ARGUMENT not in masked.source:
            used = [one for one in masked.used(left.text) if ARGUMENT in one.sql]
        if used:
            code, reason = "template", f"{used[0].text} is known only when the template is rendered"
        return left_at(masked.source, start, end, Reason(code, reason))


def _agreed(text: str, ways: list[_Way]) -> Rewrite:
    """What all ways change alike, wherever they show its place."""
    found = [{(one.start, one.end, one.after): one for one in way.changes} for way in ways]
    torn = [one for way in ways for one in way.refused]
    for own in found:
        for key, change in own.items():
            if any(
                key not in theirs and way.masked.shows(change.start, change.end)
                for way, theirs in zip(ways, found, strict=True)
            ):
                torn.append((change, _DIFFER))
    changes = {key: one for own in found for key, one in own.items()}
    for start, end in _statements_of(text, ways, torn):
        torn += [(one, _DIFFER) for one in changes.values() if start <= one.start <= end]
        changes = {key: one for key, one in changes.items() if not start <= one.start <= end}
    kept = [changes[key] for key in sorted(changes, key=lambda one: one[:2])]
    places = {(one.line, one.column) for one in kept}
    refused = [
        left_at(text, one.start, one.end, Reason("template", why))
        for one, why in torn
        if one.before.strip()
    ]
    left = {
        (one.line, one.column): one
        for one in [*(one for way in ways for one in way.left), *refused][::-1]
        if (one.line, one.column) not in places
    }
    comments = dict.fromkeys(one for way in ways for one in way.comments)
    made = spliced(text, ((one.start, one.end, one.after) for one in kept))
    sql = "".join([*(f"{one}\n" for one in comments if kept), made])
    return Rewrite(sql, tuple(kept), tuple(left[place] for place in sorted(left)))


def _statements_of(
    text: str, ways: list[_Way], torn: Iterable[tuple[Change, str]]
) -> Iterator[tuple[int, int]]:
    """The statements that hold changes which the ways do not agree about; all if they split."""
    places = [one.start for one, _ in torn]
    if not places:
        return
    split = [way.statements for way in ways]
    if len(set(map(len, split))) > 1:
        yield 0, len(text)
        return
    for number in range(len(split[0])):
        ends = [
            (way.masked.nearest(own[number].start), way.masked.nearest(own[number].end))
            for way, own in zip(ways, split, strict=True)
        ]
        start, end = min(one for one, _ in ends), max(one for _, one in ends)
        if any(start <= place <= end for place in places):
            yield start, end


def _unread(text: str, why: str) -> Iterator[Left]:
    """The conversions of a template that cannot be read before it is rendered.

    Those in quotes too: they may be SQL, and a quote of the template itself may stand before them.
    """
    comments = [one for one in Lexer().pieces(text) if one.kind == "comment"]
    for match in ANYWHERE.finditer(text):
        is_sql = not any(one.start < match.start() < one.end for one in comments)
        if is_sql and not _is_comment(text, match.start()):
            yield left_at(text, *match.span(), Reason("template", why))


def _hidden(text: str, ways: list[_Way]) -> Iterator[Left]:
    """The conversions in parts of a template that have a mask in all ways."""
    for match in ANYWHERE.finditer(text):
        inside = match.start() + 1
        is_shown = any(way.masked.shows(inside, inside) for way in ways)
        if not is_shown and not _is_comment(text, inside):
            named = (name for name, start, end in macros(text) if start <= inside < end)
            name = next(named, None)
            why = _HIDDEN if name is None else _IN_MACRO.format(name=name)
            yield left_at(text, *match.span(), Reason("template", why))


def converting(texts: Mapping[str, str]) -> frozenset[str]:
    """Of macros by name those that convert a time zone, themselves or by a macro that they call."""
    bare = {name: _UTC.sub(" ", _COMMENT.sub(" ", text)) for name, text in texts.items()}
    found = {name for name, text in bare.items() if ANYWHERE.search(text)}
    called = {name: set(map(str, _CALL.findall(text))) for name, text in bare.items()}
    while more := {name for name, others in called.items() if others & found} - found:
        found |= more
    return frozenset(found)


def _calls(text: str, names: Collection[str]) -> Iterator[Left]:
    """The calls of macros that convert a time zone, outside of other macros."""
    inside = [(start, end) for _, start, end in macros(text)] if names else []
    for block in _BRACES.finditer(text) if names else ():
        for match in _CALL.finditer(block[0]):
            start = block.start() + match.start()
            is_own = match[0].startswith("tzconv.") or any(it[0] <= start < it[1] for it in inside)
            if match[1] in names and not is_own and not _is_comment(text, start):
                why = _CALLS.format(name=match[1])
                yield left_at(text, *block.span(), Reason("template", why))
                break


def _is_comment(text: str, place: int) -> bool:
    return any(one.start() < place < one.end() for one in _COMMENT.finditer(text))
