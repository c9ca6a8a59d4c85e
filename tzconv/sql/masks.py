"""SQL that stands for the parts of a template, so that the text around them can be read.

A mask says no more of a part than is certain: a relation, a quoted text, an expression of unknown
type that may differ each time. What is put into the text is found again by its name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tzconv.errors import ParseError
from tzconv.sql import placeholders
from tzconv.sql.declarations import Declared, Model
from tzconv.sql.places import line_and_column
from tzconv.sql.templates import Part, inner_values, variants
from tzconv.sql.text import identifier

_TOKEN = re.compile(
    r"--[^\n]*(\Z)?|/\*.*?(?:\*/|(\Z))|'(?:''|[^'])*'|\"(?:\"\"|[^\"])*\"|[^\W\d][\w$]*|\d[\w.]*|::|<=|>=|<>|!=|\|\||\S",
    re.DOTALL,
)
_OURS = re.compile(r"\btzconv_\d|tzt_\d+_", re.IGNORECASE)
_TRIMS_BEFORE = re.compile(r"\{[{%#]-|<%-")
_TRIMS_AFTER = re.compile(r"-(?:[}%#]\}|%>)\s*\Z")
_TAG = re.compile(r"\{%.*?%\}|\{#.*?#\}|<%(?!=).*?%>", re.DOTALL)
_SEPARATOR = re.compile(
    r"\{%-?\s*if\s+not\s+loop\.(?:last|first)\s*-?%\}.*?\{%-?\s*endif\s*-?%\}", re.DOTALL
)
_WORDS = re.compile(r"[\w$'\"]")
_OPERATORS = tuple("<>=!-+*/|:%&^~@#")
_BETWEEN_QUERIES = ("UNION", "EXCEPT", "INTERSECT", ";")
_LIST = ("SELECT", "GROUP", "ORDER", "HAVING", "QUALIFY", "WINDOW")
_CLAUSES = (*_LIST, "FROM", "JOIN", "WHERE", "ON", "LIMIT", "VALUES", "SET", *_BETWEEN_QUERIES)
_BEFORE_CONDITION = ("WHERE", "AND", "OR", "ON", "HAVING", "NOT", "WHEN", "(")
_AFTER_TEXT = """
) ; AND OR THEN GROUP ORDER HAVING LIMIT OFFSET UNION EXCEPT INTERSECT JOIN INNER LEFT RIGHT FULL
CROSS WINDOW QUALIFY FETCH WHERE
"""
_AFTER_CONDITION = ("", *_AFTER_TEXT.split())
_SIGNS = (",", "=", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "*", "/", "%", "||")
"""What stands between two values."""
_BEFORE_TEXT = """
( [ SELECT DISTINCT ALL WHERE AND OR NOT ON BY CASE WHEN THEN ELSE IN LIKE ILIKE BETWEEN HAVING ZONE
TIMEZONE LIMIT OFFSET USING IS SET QUALIFY SIMILAR FROM
"""
_BEFORE_VALUE = (*_SIGNS, *_BEFORE_TEXT.split())
_BEHIND_TEXT = "] :: AS FROM IN IS LIKE ILIKE BETWEEN NOT AT ASC DESC NULLS END WHEN ELSE"
_AFTER_VALUE = (*_AFTER_CONDITION, *_SIGNS, *_BEHIND_TEXT.split())
_BEFORE_NAME = (".", "AS", "TABLE", "VIEW", "INTO", "UPDATE", "WITH")
_RELATIONS = ("FROM", "JOIN", "LATERAL", ",")
_ARGUMENTS = {
    ("DATE_TRUNC", "(", ","),
    ("TIMEZONE", "(", ","),
    *(("CONVERT_TIMEZONE", before, ",") for before in "(,"),
    *(("NEW_TIME", ",", after) for after in ",)"),
    *((f"{way}_UTC_TIMESTAMP", ",", ")") for way in ("FROM", "TO")),
    *((call, ",", ")") for call in ("DATE_TRUNC", "TIME_BUCKET", "DATE_ADD", "DATE_SUBTRACT")),
}
"""Where a zone or a unit is an argument: the function, and what stands before and behind it."""
_BARE = ("SELECT", "DISTINCT", "ALL", ",")

NAME = re.compile(r"tzt_\d+_")
"""The names of all masks."""
ARGUMENT = "time_zone_name"
"""The column that an unknown expression is masked with, so that no name of ours is taken."""


@dataclass(frozen=True, slots=True)
class Mask:
    """``sql`` stands for ``text``; it is one value wherever it is written if ``is_constant``.

    ``epoch`` is that of the variables it reads, None where they have one value in a run.
    """

    sql: str
    text: str
    is_constant: bool
    epoch: int | None


@dataclass
class Masked:
    """The text of one way to render a template, and how places in it are those of the template.

    ``unknown`` are the texts beside which no table may be joined; ``types`` those of relations.
    """

    source: str
    text: str = ""
    masks: dict[str, Mask] = field(default_factory=dict)
    types: dict[str, Mapping[str, str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    _places: list[tuple[int, int, Part]] = field(default_factory=list)
    _epoch: int = 0

    def add(self, sql: str, part: Part) -> None:
        """Write what stands for a part."""
        self._epoch = self._epoch if part.kind == "text" else part.epoch
        start = len(self.text)
        self.text += sql
        self._places.append((start, self._epoch, part))

    def _at(self, place: int) -> tuple[int, int, Part]:
        return self._places[bisect_right(self._places, place, key=lambda one: one[0]) - 1]

    def place(self, at: int) -> int | None:
        """A place of the text in the template; None inside of a mask."""
        if at >= len(self.text):
            return len(self.source)
        start, _, part = self._at(at)
        return part.start + at - start if part.kind == "text" or at == start else None

    def nearest(self, at: int) -> int:
        """A place of the text in the template; inside of a mask, where the mask begins."""
        place = self.place(at)
        return self._at(at)[2].start if place is None else place

    def epoch_at(self, at: int) -> int:
        """The epoch of the variables at a place."""
        return self._at(at)[1]

    def shows(self, start: int, end: int) -> bool:
        """Whether both ends of a part of the template are in this text."""
        inside = (one[2] for one in self._places if one[2].kind != "text")
        return not any(one.start < at < one.end for one in inside for at in (start, end))

    def restored(self, sql: str) -> str | None:
        """A text of the rewriter with the template's parts; None where it has torn a mask."""
        for mask in self.masks.values():
            sql = sql.replace(mask.sql, mask.text)
        return None if NAME.search(sql) else sql

    def used(self, sql: str) -> list[Mask]:
        """The masks in a text of the rewriter, as often as they stand there."""
        return [self.masks[match[0]] for match in NAME.finditer(sql)]


@dataclass(slots=True)
class _Level:
    """A depth of parentheses: the word before it, and what the text has said inside of it."""

    clause: str = ""
    call: str = ""
    is_call: bool = False
    is_between: bool = False


class _Builder:
    """Writes one variant, and knows in which clause it stands."""

    def __init__(self, source: str, parts: list[Part], declared: Declared) -> None:
        self.made = Masked(source)
        self.source, self.parts, self.declared = source, parts, declared
        self.names: dict[tuple[str, int | None, str], str] = {}
        self.before = ""
        self.levels = [_Level()]
        self.tail = ""
        self.is_apart = False
        self.trims = False
        self.comment = ""

    def build(self) -> Masked:
        """Write all parts."""
        for index, part in enumerate(self.parts):
            text = self.source[part.start : part.end]
            if (NAME if part.kind == "text" else _OURS).search(text):
                raise self._error(part, "has a name of a rewrite")
            sql = text if part.kind == "text" else self._sql(index, part, text)
            is_silent = part.kind != "text" and sql.startswith("/*")
            self._join(part, text, is_silent=is_silent)
            self.made.add(sql, part)
            if not is_silent:
                self._follow(sql)
        return self.made

    def _join(self, part: Part, text: str, *, is_silent: bool) -> None:
        """Refuse a part that rendering joins to the token before it: they are apart in the mask."""
        shown = text.lstrip() if self.trims else text
        self.is_apart |= shown != text
        if _TRIMS_BEFORE.match(self.source, part.end):
            shown = shown.rstrip()
        if is_silent or not shown:
            self.is_apart = True
        else:
            # any value may begin and end as a word does
            first, last = (shown[0], shown[-1]) if part.kind == "text" else "xx"
            is_word = _WORDS.match(first) and _WORDS.match(self.tail)
            if self.is_apart and (is_word or (first in _OPERATORS and self.tail in _OPERATORS)):
                raise self._error(part, "is joined to what stands before it when it is rendered")
            self.tail = last
            self.is_apart = not text.endswith(shown)
        self.trims = bool(_TRIMS_AFTER.search(text))

    def _follow(self, sql: str) -> None:
        """Note the last token, and the clause of each depth of parentheses."""
        for match in _TOKEN.finditer(self.comment + sql):  # a part may stand inside of a comment
            token, level = match[0].upper(), self.levels[-1]
            if token.startswith(("--", "/*")):
                self.comment = token[:2] if match.lastindex else ""  # where it is not closed
                continue
            if token == "(":
                is_call = self.before not in _BEFORE_VALUE
                self.levels.append(_Level(level.clause, self.before, is_call))
            elif token == ")" and len(self.levels) > 1:
                self.levels.pop()
            elif token in ("FROM", "ON") and (level.is_call or self.before == "DISTINCT"):
                pass  # of EXTRACT(), IS DISTINCT FROM, DISTINCT ON
            elif token in _CLAUSES:
                level.clause, level.is_call = token, False
            elif token == "," and level.clause == "ON":
                level.clause = "FROM"
            if token == "BETWEEN" or (token == "AND" and level.is_between):
                level.is_between = token == "BETWEEN"
                token = "BETWEEN"
            self.before = token

    def _after(self, index: int) -> str:
        """The next token behind a part, as far as the template shows it."""
        for part in self.parts[index + 1 :]:
            if part.kind == "silent":
                continue
            for match in _TOKEN.finditer(self.source[part.start : part.end]):
                if not match[0].startswith(("--", "/*")):
                    return match[0].upper()
        return ""

    def _mask(self, part: Part, form: str, *, constant: bool = False, of_run: bool = False) -> str:
        """The mask of a part: one for all parts of the same text that read the same variables.

        ``form`` has @ where its name stands.
        """
        text = self.source[part.start : part.end]
        epoch = None if of_run else part.epoch
        key = (text, epoch, form)
        name = self.names.setdefault(key, f"tzt_{len(self.names) + 1}_")
        sql = form.replace("@", name)
        self.made.masks[name] = Mask(sql, text, constant, epoch)
        return sql

    def _error(self, part: Part, reason: str) -> ParseError:
        shown = " ".join(self.source[part.start : part.end].split())[:40]
        place = line_and_column(self.source, part.start)
        return ParseError(f"{shown} {reason}", *place)

    def _sql(self, index: int, part: Part, text: str) -> str:
        if part.kind == "silent":
            return self._mask(part, "/*@*/")
        if part.kind in ("string", "name"):
            inner = [placeholders.inner(one) for one in inner_values(text)]
            constant = all(map(placeholders.is_variable, inner)) and "{%" not in text
            of_run = all(map(placeholders.OF_RUN.match, inner))
            form = "$@" if constant and self._is_named(index) else "'@'"
            form = '"@"' if part.kind == "name" else form
            return self._mask(part, form, constant=constant, of_run=of_run)
        if part.kind == "loop":
            return self._loop(part, text)
        if part.kind == "closing":
            return self._mask(part, ")/*@*/")
        if part.kind == "opening":
            if self.before not in _BEFORE_CONDITION:
                raise self._error(part, "stands where tzconv does not know what it means")
            return self._mask(part, "@() OR @(")
        if placeholders.is_text(text, self.source) and self._is_named(index):
            return self._mask(part, "$@", constant=True)
        return self._value(index, part, text, placeholders.inner(text))

    def _is_named(self, index: int) -> bool:
        """Whether a zone or a unit stands here: the part names one, whatever it becomes."""
        around = (self.levels[-1].call, self.before, self._after(index))
        return self.before in ("ZONE", "TIMEZONE") or around in _ARGUMENTS

    def _value(self, index: int, part: Part, text: str, inner: str) -> str:
        behind = self.source[part.end : part.end + 1]
        touches = re.search(r"\w", self.made.text[-1:] + behind) is not None
        model = placeholders.model_of(inner, self.declared)
        if model is not None and not touches and self.before != "AS":
            return self._relation(part, model)
        if placeholders.SILENT.match(inner):
            return self._mask(part, "/*@*/")
        if grouped := placeholders.GROUP_BY.fullmatch(inner):
            numbers = ", ".join(str(number + 1) for number in range(int(grouped[1])))
            return self._mask(part, f"GROUP BY /*@*/ {numbers}")
        if touches or behind in (".", "(") or inner == "this" or self.before in _BEFORE_NAME:
            return self._mask(part, "@")
        if macro := placeholders.GRAFANA.match(text):
            is_shown = macro[1] in placeholders.NAMED_TIME and self.levels[-1].clause == "SELECT"
            named = ' AS "time"' if is_shown else ""
            return self._mask(part, f"@(){named}")
        level = self.levels[-1]
        if level.clause in ("FROM", "JOIN") and not level.is_call and self.before in _RELATIONS:
            self.made.unknown.append(text)
            return self._mask(part, "@")
        return self._expression(index, part, text, inner)

    def _expression(self, index: int, part: Part, text: str, inner: str) -> str:
        """What stands for a value, a condition, or columns."""
        before, after = self.before, self._after(index)
        known = placeholders.is_harmless(inner, self.declared)
        argument = "" if known else ARGUMENT
        if before not in _BEFORE_VALUE or after not in _AFTER_VALUE:
            raise self._error(part, "stands where tzconv does not know what it means")
        is_shown = self.levels[-1].clause == "SELECT" and not self.levels[-1].is_call
        is_alone = is_shown and before in _BARE and after in ("FROM", ",", ")", "")
        if is_alone and not placeholders.SCALARS.match(inner):
            if not placeholders.STAR.match(inner):
                self.made.unknown.append(text)
            return self._mask(part, "@.*")
        is_variable = placeholders.is_variable(inner)
        if not known and not is_variable and self.levels[-1].clause in _LIST:
            self.made.unknown.append(text)
        is_condition = before in _BEFORE_CONDITION and after in _AFTER_CONDITION
        if is_condition and (before, after) != ("(", ")"):
            return self._mask(part, f"@({argument}) OR @({argument})")
        if before in ("=", "<", ">", "<=", ">=", "<>", "!=", "BETWEEN", "IN", "LIMIT", "OFFSET"):
            argument = "" if is_variable else argument
        return self._mask(part, f"@({argument})")

    def _relation(self, part: Part, model: Model) -> str:
        is_plain = re.fullmatch(r"[a-z_][a-z0-9_]*", model.name) is not None
        shown = model.name if is_plain else identifier(model.name)

        sql = self._mask(part, f"@.{shown}", constant=True, of_run=True)
        if model.columns:
            self.made.types[f"{sql.partition('.')[0]}.{model.name}"] = model.columns
        return sql

    def _loop(self, part: Part, text: str) -> str:
        sql = _TAG.sub(" ", _SEPARATOR.sub(" ", text)).strip()
        if not sql:
            return self._mask(part, "/*@*/")
        if placeholders.is_dangerous(sql):
            self.made.unknown.append(_TAG.findall(text)[0])
        if self.levels[-1].clause == "SELECT" and not self.levels[-1].is_call:
            first, last = ("," if sql.startswith(",") else ""), ("," if sql.endswith(",") else "")
            return self._mask(part, f"{first}@.*{last}")
        word = sql.split()[0].upper()
        if word in ("AND", "OR"):
            return self._mask(part, f"{word} @({ARGUMENT}) OR @({ARGUMENT})")
        raise self._error(part, "is a loop that tzconv cannot read as columns or conditions")


def ways(source: str, declared: Declared) -> Iterator[Masked]:
    """Each way to render a template, as SQL; ParseError where a part cannot be SQL."""
    for parts in variants(source):
        yield _Builder(source, parts, declared).build()
