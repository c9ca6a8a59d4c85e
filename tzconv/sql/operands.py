"""Conversions of time zones by the words of a text, for statements that are not parsed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from tzconv.sql.expressions import UTC_NAMES
from tzconv.sql.lexer import Word

_NOW = {"NOW", "CURRENT_TIMESTAMP", "TRANSACTION_TIMESTAMP", "STATEMENT_TIMESTAMP"}
_CONSTANTS = {
    *(*_NOW, "CURRENT_DATE", "LOCALTIMESTAMP", "LOCALTIME", "GETDATE", "GETUTCDATE", "SYSDATE"),
    *("CAST", "PG_CATALOG"),
}
_TYPES = {
    *("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATE", "TIME", "INTERVAL"),
    *("TEXT", "VARCHAR"),
}
_UNITS = {
    *("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "DAYOFYEAR", "WEEK"),
    *("MONTH", "QUARTER", "YEAR"),
}
_NO_ZONES = {*_TYPES, *_CONSTANTS, "TO_TIMESTAMP", "MAKE_INTERVAL"} - {"TEXT", "VARCHAR", "CAST"}
_BEFORE_LISTS = {")", "AS", "INTO", "TABLE", "EXISTS", "REFERENCES", "VIEW", "WITH", "RECURSIVE"}
"""What stands before a name that a list of columns follows."""
_OPERATORS = {"<", ">", "=", "!", "BETWEEN", "AND", "IN", "IS", "NOT", "DISTINCT"}
_BESIDE = {*_OPERATORS, "(", "FROM", "SYMMETRIC", "PG_CATALOG", "."}
"""What may stand between the two sides of a comparison, beside an operator."""
_MADE = ("make_timestamp", "make_timestamp_ltz", "make_timestamptz", "try_make_timestamp")
STEPPED = ("time_bucket", "date_add", "date_subtract", "generate_series", *_MADE)
"""Functions that compute on the clock of a zone, if they are given one."""
_ZONED_CALLS = {
    **dict.fromkeys(("DATE", "DATETIME"), 1),
    **dict.fromkeys(("DATE_TRUNC", "TIMESTAMP_TRUNC", "TIME_BUCKET"), 2),
    **dict.fromkeys(("DATE_ADD", "DATE_SUBTRACT"), 2),
    **{"GENERATE_SERIES": 3, **dict.fromkeys(map(str.upper, _MADE), 6)},
}
"""Functions that convert only with a zone: the number of commas before it."""
_WITH_ZONE = ("date_trunc", *STEPPED)
"""Of these, the ones of supported engines."""


class Converted(NamedTuple):
    """``text[start:end]`` converts a time zone, by the function ``name`` or by AT TIME ZONE.

    The function or the AT stands at ``anchor``. ``is_method``: a dot stands before the function.
    """

    anchor: int
    start: int
    end: int
    name: str
    is_constant: bool
    is_utc: bool
    is_method: bool


def converted(
    text: str, found: list[Word], functions: Collection[str], *, has_methods: bool
) -> Iterator[Converted]:
    """The conversions of a text, by AT TIME ZONE and by ``functions``, in lower case.

    ``has_methods``: the value of timezone() or its zone may stand before it, with a dot.
    """
    for at, word in enumerate(found):
        if word.upper == "AT" and (zone := _zone_after(found, at)) is not None:
            first, last = _first(found, at - 1), _last(found, zone)
            yield _made(text, found, first, at, last, "")
        elif _is_call(text, found, at, functions, has_methods=has_methods):
            last = _partner(found, at + 1)
            is_qualified = [one.upper for one in found[:at][-1:]] == ["."]
            first = _first(found, at - 2) if is_qualified else at
            yield _made(text, found, first, at, last, word.name(text).casefold())


def comparisons(text: str, found: list[Word], times: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where a column of ``times``, in lower case, is compared with NOW()."""
    for at, word in enumerate(found):
        if word.upper not in _NOW:
            continue
        last = _last(found, at)
        if [one.upper for one in found[last + 1 : last + 2]] == [":"]:
            continue  # a cast: to DATE, most often
        before = at - 1
        while before > 0 and found[before].upper in _BESIDE:
            before -= 1
        others = (
            place for place in range(last + 1, len(found)) if found[place].upper not in _OPERATORS
        )
        after = next(others, None)
        is_compared = any(one.upper in _OPERATORS for one in found[before + 1 : at])
        if is_compared and found[before].name(text).casefold() in times:
            yield found[before].start, found[last].end
        elif after is not None and after > last + 1:
            end = _last(found, after)
            if found[end].name(text).casefold() in times:
                yield word.start, found[end].end


def _made(text: str, found: list[Word], first: int, at: int, last: int, name: str) -> Converted:
    places = range(first, last + 1)
    operators = {
        place
        for start in places
        if found[start].upper == "AT"
        for place in range(start, _zone_after(found, start) or start)
    }
    is_constant = all(
        place in operators or place == at or _is_constant(text, found, place) for place in places
    )
    start, end = found[first].start, found[last].end
    zone = text[found[last].start : end].casefold()
    is_utc = zone[0] == "'" and zone.strip("'") in UTC_NAMES
    is_method = _is_dotted(text, found, at)
    return Converted(found[at].start, start, end, name, is_constant, is_utc, is_method)


def _is_constant(text: str, found: list[Word], at: int) -> bool:
    """Whether a word may be part of a constant, and is no name of a column."""
    word = found[at]
    if word.is_text:
        return text[word.start] not in '"`'
    if not word.is_name or word.upper in (*_CONSTANTS, "AS"):
        return True
    before = " ".join(["", *(one.upper for one in found[max(at - 2, 0) : at])])
    is_typed = any(one.is_text for one in found[at + 1 : at + 2]) or before.endswith((":", " AS"))
    is_parameter = before.endswith(_MARKS) and not before.endswith(": :")
    return is_parameter or (is_typed and word.upper in _TYPES)


def _zone_after(found: list[Word], at: int) -> int | None:
    """The place of the first word of the zone in AT TIME ZONE zone."""
    following = [word.upper for word in found[at + 1 : at + 3]]
    if following[:1] == ["TIMEZONE"]:
        zone = at + 2
    elif following == ["TIME", "ZONE"]:
        zone = at + 3
    elif following[:1] == ["LOCAL"]:
        zone = at + 1
    else:
        return None
    return zone if zone < len(found) else None


def _is_dotted(text: str, found: list[Word], at: int) -> bool:
    """Whether a value or another schema than the system's stands before a function."""
    before = " ".join(one.name(text).casefold() for one in found[max(at - 2, 0) : at])
    return before.endswith(" .") and before != "pg_catalog ."


def _is_call(
    text: str, found: list[Word], at: int, functions: Collection[str], *, has_methods: bool
) -> bool:
    word = found[at]
    name = word.name(text).casefold()
    is_called = at + 1 < len(found) and found[at + 1].upper == "("
    if not is_called or name not in (*functions, *_WITH_ZONE):
        return False
    is_method = _is_dotted(text, found, at)
    if is_method and not (has_methods and name in ("timezone", "time_bucket")):
        return False
    if at and found[at - 1].upper in _BEFORE_LISTS and not _is_body(found[:at]):
        return False
    commas = _ZONED_CALLS.get(name.upper())
    if commas is None:
        return True
    end, depth, places = _partner(found, at + 1), 0, [at + 1]
    for place, one in enumerate(found[at + 1 : end], at + 1):
        depth += (one.upper == "(") - (one.upper == ")")
        if depth == 1 and one.upper == ",":
            places.append(place)
    before = len(places) - 1 + is_method
    if name == "time_bucket":
        return before >= commas and _may_be_zone(text, found[places[-1] + 1 : end])
    if before != commas:
        return False
    if name in ("date_add", "date_subtract"):  # of three: to other engines the first is a unit
        first = found[places[0] + 1 : places[1]]
        return len(first) != 1 or (text[first[0].start] != "'" and first[0].upper not in _UNITS)
    zone = found[end - 1]
    is_zone = zone.is_text and "/" in text[zone.start : zone.end]
    return is_zone or name in _WITH_ZONE


def _is_body(before: list[Word]) -> bool:
    """Whether an expression follows these words: the body of a macro, or after DISTINCT ON ()."""
    words = [one.upper for one in before]
    opened = _first(before, len(before) - 1)
    if words[-1] == ")" and words[max(opened - 2, 0) : opened + 1][:2] == ["DISTINCT", "ON"]:
        return True
    is_macro = words[:1] == ["CREATE"] and not {"MACRO", "FUNCTION"}.isdisjoint(words[:5])
    return is_macro and words[-1] == "AS" and words.count("(") == words.count(")")


def _may_be_zone(text: str, argument: list[Word]) -> bool:
    """Whether the last argument of time_bucket() may be a zone: others are an origin or an offset.

    A text that begins with a digit or a sign names no zone, nor does a value cast to a time.
    """
    if any(one.upper in _NO_ZONES for one in argument):
        return False
    return all(not one.is_text or text[one.start + 1].isalpha() for one in argument)


def _first(found: list[Word], at: int) -> int:
    """The first word of the operand that ends at ``at``: a name, a call, a text, a cast, a CASE."""
    at = max(at, 0)
    if found[at].upper in (")", "]", "END"):
        at = _partner(found, at, -1)
        around = [one.upper for one in found[max(at - 2, 0) : at]]
        if around[-1:] in (["OVER"], ["FILTER"]) or around == ["WITHIN", "GROUP"]:
            return _first(found, at - (3 if around[-1] == "GROUP" else 2))
        is_call = at and found[at - 1].is_name and found[at - 1].upper not in _KEYWORDS
        at -= is_call and found[at].upper != "CASE"
    elif at and found[at - 1].upper == "OVER":
        return _first(found, at - 2)
    while at > 1 and found[at - 1].upper == ".":
        at -= 2
    if at > 2 and found[at - 1].upper == ":" and found[at - 2].upper == ":":
        return _first(found, at - 3)
    for operator in (["AT", "TIME", "ZONE"], ["AT", "TIMEZONE"]):
        if [one.upper for one in found[at - len(operator) : at]] == operator:
            return _first(found, at - len(operator) - 1)
    is_typed = found[at].is_text and at and found[at - 1].upper in ("TIMESTAMP", "TIMESTAMPTZ")
    return at - 1 if is_typed or (at and found[at - 1].upper in _MARKS) else at


def _last(found: list[Word], at: int) -> int:
    """The last word of the operand that begins at ``at``."""
    at += found[at].upper in (*_MARKS, "INTERVAL")
    while at + 1 < len(found):
        following = found[at + 1].upper
        if found[at].upper in ("(", "CASE"):
            return _partner(found, at)
        if following == "(" and found[at].is_name:
            return _partner(found, at + 1)
        if following != ".":
            return at
        at += 2
    return min(at, len(found) - 1)


_MARKS = ("$", ":", "@")
"""What begins the name or the number of a parameter."""
_KEYWORDS = {
    *("AND", "OR", "NOT", "WHERE", "SELECT", "IN", "ON", "CHECK", "USING", "BY", "AS", "WHEN"),
    *("THEN", "ELSE", "CASE", "BETWEEN", "HAVING", "LIKE", "FROM", "DISTINCT", "RETURNING"),
}


def _partner(found: list[Word], at: int, step: int = 1) -> int:
    """The place of the bracket, or of END or CASE, that belongs to the one at ``at``."""
    is_case, depth, place = found[at].upper in ("CASE", "END"), 0, at
    opens, closes = (("CASE",), ("END",)) if is_case else (("(", "["), (")", "]"))
    for place in range(at, len(found) if step > 0 else -1, step):
        depth += (found[place].upper in opens) - (found[place].upper in closes)
        if not depth:
            break
    return place
