"""Queries inside statements that are no queries themselves: EXPLAIN, COPY, functions and the like.

Only the place of each query is found here; it is then rewritten as a statement of its own. Where
that place, or what the query means there, is not certain, ``why_not`` says so.

In the bodies of functions, procedures and DO, of SQL or PL/pgSQL, a query is found only where a
statement of the body can begin. In PL/pgSQL a name may mean a variable; the engine refuses
one that could also mean a column, unless a setting decides. So a query with a name that is both
stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from tzconv.sql.lexer import Word, closing, words
from tzconv.sql.variables import separated, types_of

_QUERY = {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}
_EXPLAINED = {
    *("EXPLAIN", "PROFILE", "ANALYZE", "ANALYSE", "VERBOSE", "EXTENDED", "CODEGEN", "COST"),
    *("FORMATTED", "LOCAL", "LOGICAL"),
}
_HEAD_OPTIONS = {
    *("OR", "REPLACE", "GLOBAL", "LOCAL", "TEMP", "TEMPORARY", "UNLOGGED", "UNIQUE", "RECURSIVE"),
    *("IF", "NOT", "EXISTS", "CONCURRENTLY"),
}
_TWO_WORDS = {"ALTER", "CREATE", "DROP", "REFRESH", "COMMENT"}
_STATEMENTS = {"SELECT", "WITH", "INSERT", "UPDATE", "DELETE"}
_BOUNDARIES = {";", "THEN", "ELSE", "LOOP", "BEGIN"}
"""What a statement of PL/pgSQL may stand after, beside a label."""
_CHANGING = {"CREATE", "DROP", "ALTER", "SET", "RESET", "EXECUTE", "CALL", "DISCARD", "TRUNCATE"}
"""What may change the tables or the session for the other statements of a body."""
_GIVEN = {"NEW", "OLD", "FOUND", "SQLSTATE", "SQLERRM", "TG_NAME", "TG_OP", "TG_ARGV", "TG_WHEN"}
"""Variables that nobody declares."""
_WHOLE = {*_STATEMENTS, "MERGE", "PERFORM", "OPEN"}
"""What begins a statement that ends at its semicolon, whatever words are in it."""
_LIMITS = {"LIMIT", "FETCH", "FOR"}
"""With the first two the order of rows matters anyway; FOR UPDATE allows no join."""
_Names: TypeAlias = Collection[str]


@dataclass(frozen=True, slots=True)
class InnerQuery:
    """``text[start:end]`` is a query; without ``hidden``, the target of its INTO.

    With ``in_order`` the order of its rows matters, as if it had a LIMIT. ``why_not`` is why it is
    left as it is. ``variables`` are the types of variables that it may name, None in other bodies.
    """

    start: int
    end: int
    hidden: tuple[int, int] | None = None
    in_order: bool = False
    why_not: str | None = None
    variables: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Container:
    """A statement that holds queries, or may; ``why_not`` is why those in it are left."""

    queries: tuple[InnerQuery, ...] = ()
    why_not: str | None = None
    before: tuple[str, ...] = ()


_CURSOR = Container(why_not="a cursor may be read backwards, or rows be updated through it")
_OURS_TOO = Container(why_not="a variable may have a name that a rewrite uses")
_UNKNOWN = Container(why_not="its body is not SQL or PL/pgSQL between dollar signs")


def container_of(text: str, first: str, columns: _Names, ours: _Names) -> Container | None:
    """The queries that a single statement holds; None for one that holds none in a known form.

    ``first`` is its first word. ``columns`` are all known columns, ``ours`` those of the conversion
    tables, in lower case.
    """
    if first not in (*_FORMS, "CREATE", "DO"):
        return None
    found = words(text)
    while found[-1].upper == ";":
        found.pop()
    if first in _FORMS:
        return _FORMS[first](found)
    kind = head(found).removeprefix("CREATE ")
    if kind in ("DO", "FUNCTION", "PROCEDURE"):
        return _routine(text, found, columns, ours)
    return _view(found) if kind == "MATERIALIZED VIEW" else None


def head(found: list[Word]) -> str:
    """How a statement begins, as people call it: CREATE INDEX, MERGE."""
    named = [word.upper for word in found if word.upper not in _HEAD_OPTIONS][:3]
    size = 3 if named[1:2] == ["MATERIALIZED"] else 2
    return " ".join(named[: size if _TWO_WORDS.intersection(named[:1]) else 1])


def _explain(found: list[Word]) -> Container | None:
    rest = list(itertools.dropwhile(lambda word: word.upper in _EXPLAINED, found))
    signs = [word.upper for word in rest[:2]]
    are_options = signs[:1] == ["("] and signs[-1] not in _QUERY
    return _rest(rest, closing(rest, 0) + 1 if are_options else 0)


def _merge(found: list[Word]) -> Container | None:
    """The rows of ``USING (SELECT ...)``, which are read as those of INSERT ... SELECT."""
    at = _next(found, {"USING"}) + 1
    own = found[at + 1 : closing(found, at)]  # nothing, if there is no parenthesis
    if not own or own[0].upper not in _STATEMENTS:
        return None
    is_numbered = any(word.upper == "NEXTVAL" for word in found)
    return Container((InnerQuery(own[0].start, own[-1].end, in_order=is_numbered),))


def _view(found: list[Word]) -> Container | None:
    """Of a materialized view; its options stand before AS, WITH [NO] DATA after the query."""
    at = _next(found, {"AS"})
    if any(word.upper == "TIMESCALEDB" for word in found[:at]):
        return Container(why_not="a continuous aggregate takes no other joins and no subqueries")
    tail = [word.upper for word in found[-3:]]
    of_tail = 3 if tail == ["WITH", "NO", "DATA"] else 2 if tail[1:] == ["WITH", "DATA"] else 0
    return _rest(found[: len(found) - of_tail], at + 1)


def _rest(found: list[Word], at: int) -> Container | None:
    return Container((InnerQuery(found[at].start, found[-1].end),)) if at < len(found) else None


_FORMS: dict[str, Callable[[list[Word]], Container | None]] = {
    "COPY": lambda found: _rest(found[: closing(found, 1)], 2),
    "DECLARE": lambda _: _CURSOR,
    "EXPLAIN": _explain,
    "MERGE": _merge,
    "PREPARE": lambda found: _rest(found, _next(found, {"AS"}) + 1),
    "PROFILE": _explain,
}


def _routine(text: str, found: list[Word], columns: _Names, ours: _Names) -> Container:
    """The queries of a function, a procedure or DO, and statements that may change what they mean.

    The reason instead, where its body is not understood. ``columns`` are all known columns,
    ``ours`` those of the conversion tables, in lower case.
    """
    signs = [(word.upper, following.upper) for word, following in itertools.pairwise(found)]
    quoted = [at for at, word in enumerate(found) if word.is_text and text[word.start] == "$"]
    is_block = found[0].upper == "DO"
    if ("BEGIN", "ATOMIC") in signs:
        at, language = signs.index(("BEGIN", "ATOMIC")), "SQL"
        header, inside = found[:at], found[at + 2 : -1]
    elif len(quoted) == 1 and (is_block or found[quoted[0] - 1].upper == "AS"):
        [at] = quoted
        header = [*found[:at], *found[at + 1 :]]
        language = _language(text, header) or ("PLPGSQL" if is_block else "")
        start, end = body_of(text, found[at])
        inside = words(text[:end], start)
    else:
        return _UNKNOWN
    if language not in _READERS:
        return _UNKNOWN
    if any(word.upper == "SET" for word in header):
        return Container(why_not="its SET clause changes the session in which its queries run")
    return _READERS[language](text, header, inside, columns, ours)


def body_of(text: str, word: Word) -> tuple[int, int]:
    """Where the text between dollar signs, or between quotes, begins and ends."""
    length = text.index("$", word.start + 1) + 1 - word.start if text[word.start] == "$" else 1
    return word.start + length, word.end - length


def _language(text: str, header: list[Word]) -> str | None:
    for word, following in itertools.pairwise(header):
        if word.upper == "LANGUAGE":
            return following.upper or text[following.start + 1 : following.end - 1].upper()
    return None


def _of_sql(
    text: str, header: list[Word], inside: list[Word], columns: _Names, ours: _Names
) -> Container:
    """The queries of an SQL body; what returns no set takes only the first row of the last.

    An argument is a variable where it is nothing but a zone: elsewhere it may be a column, or the
    name that the query gives to one, and that is meant then.
    """
    types = types_of(text, header, [])
    if not types.keys().isdisjoint(ours):
        return _OURS_TOO
    pairs = itertools.pairwise(inside)
    zone = ("TIME", "ZONE")
    others = {word.name(text).casefold() for before, word in pairs if before.upper not in zone}
    types = {name: types[name] for name in types.keys() - others - {*columns}}
    said = {word.upper for word in header}
    takes_first = bool(said & {"RETURNS", "OUT", "INOUT"}) and not said & {"SETOF", "TABLE", "VOID"}
    statements = list(separated(inside, ";"))
    held = (
        replace(_held(one, in_order=takes_first and one is statements[-1]), variables=types)
        for one in statements
        if one[0].upper in _STATEMENTS
    )
    before = (text[one[0].start : one[-1].end] for one in statements)
    return Container(tuple(held), before=tuple(before))


def _of_plpgsql(
    text: str, header: list[Word], inside: list[Word], columns: _Names, ours: _Names
) -> Container:
    said = {word.upper for word in inside}
    if "VARIABLE_CONFLICT" in said:
        return Container(why_not="#variable_conflict decides what its names mean")
    if "SET_CONFIG" in said:
        return Container(why_not="its body calls set_config()")
    names = _declared(text, header, inside)
    if any(one in ours or one.startswith("tzconv_") for one in names):
        return _OURS_TOO
    types = types_of(text, header, inside)
    function = header[_next(header, {"("}) - 1].name(text).casefold()
    types |= {f"{function}.{name}": kind for name, kind in types.items()}
    held: list[InnerQuery] = []
    before: list[str] = []
    at = 0
    while at < len(inside):
        word, end = inside[at].upper, _next(inside, {";"}, at)
        own, is_loop = inside[at:end], word == "FOR"
        if word == "<":  # a label
            end = _next(inside, {">"}, at) + 1
        elif is_loop:
            end = _next(inside, {"LOOP"}, at)
            own = inside[_next(inside, {"IN"}, at) + 1 : end]
        elif word == "RETURN" and own[1:2] and own[1].upper == "QUERY":
            own = own[2:]
        elif word in _CHANGING:
            before.append(text[own[0].start : own[-1].end])
        elif word not in _WHOLE:
            end = _next(inside, _BOUNDARIES, at)
        if own and own[0].upper in _STATEMENTS:
            query = _variables(text, _held(own, in_order=is_loop), names, columns)
            held.append(replace(query, variables=types))
        at = end + 1
    return Container(tuple(held), before=tuple(before))


_READERS = {"SQL": _of_sql, "PLPGSQL": _of_plpgsql}
"""How the bodies of the languages that are known are read."""


def _next(inside: list[Word], wanted: _Names, at: int = 0) -> int:
    """The place of the next of some words outside of parentheses, or after the last word."""
    depth = 0
    for place in range(at, len(inside)):
        word = inside[place].upper
        if not depth and word in wanted:
            return place
        depth += (word == "(") - (word == ")")
    return len(inside)


def _held(own: list[Word], *, in_order: bool = False) -> InnerQuery:
    """A query of a body, without the variables that it selects INTO."""
    depth, hidden, is_limited = 0, None, False
    whole = InnerQuery(own[0].start, own[-1].end)
    is_query = own[0].upper in ("SELECT", "WITH")
    for at, word in enumerate(own):
        depth += (word.upper == "(") - (word.upper == ")")
        is_limited = is_limited or (not depth and word.upper in _LIMITS)
        if depth or word.upper != "INTO" or own[at - 1].upper in ("INSERT", "MERGE"):
            continue
        if hidden is not None:
            return replace(whole, why_not="it has two INTO")
        last = _targets(own, at)
        if last is None:
            return replace(whole, why_not="the target of its INTO is no name")
        hidden, in_order = (word.start, own[last].end), in_order or is_query
    return replace(whole, hidden=hidden, in_order=in_order and not is_limited)


def _targets(own: list[Word], at: int) -> int | None:
    """The last word of ``INTO [STRICT] a, b.c``; None where those are no plain names."""
    signs = [*(word.upper for word in own), "", ""]
    at += 2 if signs[at + 1] == "STRICT" else 1
    while at < len(own) and (own[at].is_text or own[at].is_name):
        if signs[at + 1] not in (",", "."):
            return None if signs[at + 1] == "[" else at
        at += 2
    return None


def _declared(text: str, header: list[Word], inside: list[Word]) -> set[str]:
    """All words that may be variable names, in lower case; a superset of the real ones."""
    found = {*_GIVEN, *(word.name(text) for word in header)}
    in_section = False
    signs = ["", "", *(word.upper for word in inside)]
    for at, word in enumerate(inside):
        if word.upper in ("DECLARE", "BEGIN"):
            in_section = word.upper == "DECLARE"
        before = signs[at + 1]
        if in_section and before in ("DECLARE", ";"):
            found |= {one.name(text) for one in _declaration(inside, at)}
        elif signs[at] == before == "<":
            found.add(word.name(text))
        elif word.upper in ("FOR", "FOREACH") and before in (*_BOUNDARIES, ">"):
            found |= {one.name(text) for one in inside[at : _next(inside, {"IN"}, at)][:9]}
    return {name.casefold() for name in found}


def _declaration(inside: list[Word], at: int) -> list[Word]:
    """The name that a declaration begins with, and the arguments of a cursor."""
    own = inside[at : _next(inside, {";", "FOR", "IS"}, at)]
    is_cursor = any(word.upper == "CURSOR" for word in own[:4])
    return own if is_cursor else own[:1]


def _variables(text: str, held: InnerQuery, names: _Names, columns: _Names) -> InnerQuery:
    """The query, left where one of its names may be a variable as well as a column."""
    own = words(text[: held.end], held.start)
    after = [*(word.upper for word in own[1:]), ""]
    # what stands before a dot is a variable unless a relation may have that name
    alone = {
        word.name(text).casefold() for word, sign in zip(own, after, strict=True) if sign != "."
    }
    for at, word in enumerate(own):
        name, is_qualified = word.name(text).casefold(), at and own[at - 1].upper == "."
        if name not in names or is_qualified or after[at] == "(":
            continue
        if held.hidden and held.hidden[0] <= word.start < held.hidden[1]:
            continue
        if name in (alone if after[at] == "." else columns):
            why = f"{name} may be a variable of the function or a column"
            return InnerQuery(held.start, held.end, why_not=why)
    return held
