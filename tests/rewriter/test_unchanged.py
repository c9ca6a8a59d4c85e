"""The check passes no text that is another one outside its edits."""

from __future__ import annotations

import contextlib
import itertools
import re

import pytest

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter import check as module
from tzconv.rewriter.check import check, is_unchanged
from tzconv.rewriter.edits import Edit, EditKind, apply
from tzconv.sql.parse import Source, parse


def edited(
    marked: str, *afters: str, kinds: tuple[EditKind | None, ...] = (None,), rule: str = ""
) -> tuple[Source, list[Edit]]:
    """A source and edits of the places that are marked by « and », with as many ends as afters."""
    pieces = re.split("[«»]", marked)
    places = list(itertools.accumulate(map(len, pieces), initial=0))
    edits = [
        Edit(places[at], places[at + 1], after, rule, "strategy", "reason", kind)
        for at, after, kind in zip(range(1, 99, 2), afters, kinds * len(afters), strict=False)
    ]
    return parse("".join(pieces), "duckdb"), edits


@pytest.mark.parametrize("after", ["-- ", "/* */ -- ", "'", "/*", '"', "1, --"])
def test_swallowed_tokens_are_missed_where_those_after_them_are_alike(after: str) -> None:
    source = parse("SELECT a, 1, 1, 1, 1 FROM t ORDER BY\n1, 1, 1, 1", "duckdb")
    place = source.text.index("1, 1, 1")
    edit = Edit(place, place, after, "rule", "strategy", "reason")
    result = apply(source.text, [edit])
    with contextlib.suppress(ParseError):  # a quote or a comment that is not closed
        assert not is_unchanged(source, [edit], result)


@pytest.mark.parametrize(
    "after", ["t.*, u.*", "t.*", "t.*, u.a", "t.*, 1 AS a", "t.a", "", "*, a", "t.*, ("]
)
@pytest.mark.parametrize("value", ["b + 1", "b + ?", "b % c", "b % 512"])
def test_only_the_stars_of_relations_are_put_for_a_star(value: str, after: str) -> None:
    text = f"SELECT *, {value} AS c FROM t JOIN u ON TRUE"
    source, end = parse(text, "duckdb"), text.index(" AS c")
    edits = [
        Edit(7, 8, after, "rule", "strategy", "reason", "stars"),
        Edit(end - len(value), end, f"({value})", "rule", "strategy", "reason", "expression"),
    ]
    is_so = after in ("t.*, u.*", "t.*")
    with contextlib.nullcontext() if is_so else pytest.raises(CheckError):
        check(source, edits, apply(text, edits), "duckdb")


def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are read as a whole from now on."""
    read: list[str] = []

    def noting(text: str, dialect: str) -> Source:
        read.append(text)
        return parse(text, dialect)

    monkeypatch.setattr(module, "parse", noting)
    return read


FITS: list[tuple[EditKind, str, list[str], list[str]]] = [
    (
        "expression",
        "SELECT «a» FROM t",
        [
            "f(a)",
            "(a + b)",
            "(a % 512)",
            "t.a",
            "COALESCE(a, b)",
            "(SELECT 1)",
            "CASE WHEN a THEN 1 END",
        ],
        [
            "a + b",
            "a || b",
            "a b",
            "a AS a",
            "f(a) OVER ()",
            "(a % b)",
            "f(a), a",
            "f(a) FROM t --\n",
        ],
    ),
    ("alias", "SELECT f(a)«» FROM t", [" AS f", " f"], [" + 1", "", " AS f FROM t JOIN t AS u"]),
    ("comma", "SELECT a FROM t«,»u", [" CROSS JOIN "], [" JOIN ", ","]),
    (
        "joins",
        "SELECT a FROM t«» WHERE a",
        [" LEFT JOIN u ON b", " JOIN u USING (a) JOIN w ON b"],
        ["", " AS x", " JOIN u ON b WHERE b AND c --\n"],
    ),
    (
        "before",
        "SELECT a FROM t WHERE «»a",
        ["a < 1 AND ", "(a OR b) AND "],
        ["a OR ", "", "NOT ", "b) AND "],
    ),
    ("conditions", "SELECT a FROM t WHERE a«»", [" AND a < 1", ""], [" GROUP BY a", " LIMIT 1"]),
    ("comma", "SELECT a FROM t«» u", [], [" CROSS JOIN "]),
    ("stars", "SELECT «*» FROM t, u", ["t.*, u.*"], ["t.*, u.a", "*, a", ""]),
]
"""What is put in a place and is known to fit, and what only the whole shows to."""


@pytest.mark.parametrize(("kind", "marked", "fitting", "others"), FITS)
def test_only_what_fits_its_place_is_not_read_again(
    kind: EditKind,
    marked: str,
    fitting: list[str],
    others: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = noted(monkeypatch)
    for after in (*fitting, *others):
        for given, fits in ((kind, after in fitting), (None, False)):
            source, edits = edited(marked, after, kinds=(given,))
            read.clear()
            with contextlib.suppress(CheckError):
                check(source, edits, apply(source.text, edits), "duckdb")
            assert bool(read) != fits, (after, given)


@pytest.mark.parametrize(
    ("after", "rule", "fits"),
    [
        ("a >= 1 AND a < 2", "local_predicate", True),
        ("a >= 1", "local_predicate", True),
        ("a < 2", "local_predicate", True),
        ("a >= 1", "bounds", False),
        ("a < 2 OR a >= 3", "local_predicate", False),
    ],
)
def test_bounds_need_no_brackets(
    after: str, rule: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, edits = edited("SELECT a FROM t WHERE «f(a)»", after, kinds=("expression",), rule=rule)
    read = noted(monkeypatch)
    check(source, edits, apply(source.text, edits), "duckdb")
    assert bool(read) != fits


def test_a_bracket_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    read = noted(monkeypatch)
    for opens, closes in (("(", ") AND c"), ("(", " AND c"), ("((", ")) AND c"), ("", ") AND c")):
        kinds: tuple[EditKind, EditKind] = ("bracket", "conditions")
        source, edits = edited("SELECT a FROM t WHERE «»a OR b«»", opens, closes, kinds=kinds)
        read.clear()
        is_so = opens.count("(") == closes.count(")")
        with contextlib.nullcontext() if is_so else pytest.raises(CheckError, match="not parse"):
            check(source, edits, apply(source.text, edits), "duckdb")
        assert bool(read) == (opens != "(" or not is_so)


@pytest.mark.parametrize(
    ("marked", "after", "why"),
    [
        ("SELECT «a» FROM t", "a, b", "output columns"),
        ("SELECT a AS «b» FROM t", "c", "output columns"),
        ("SELECT «a» FROM t", "b", "output columns"),
        ("«INSERT INTO u» SELECT a FROM t", "", "output columns"),
        ("INSERT INTO u SELECT «a» FROM t", "b", "output columns"),
        ("SELECT a FROM t«»", "; SELECT a FROM t", "number of statements"),
        ("SELECT f(«a») FROM t", "?", "number of parameters"),
        ("SELECT f(«?») FROM t", "a", "number of parameters"),
        ("SELECT a«» FROM t", " (", "does not parse"),
        ("SELECT f(«a») FROM t", "b", ""),
        ("SELECT «a::date» FROM t", "f(a)", ""),
        ("SELECT f(a)«» FROM t; SELECT b", " AS f", ""),
        ("SELECT f(«?») FROM t", "g(?)", ""),
        ("UPDATE t SET a = «b»", "c", ""),
    ],
)
def test_what_the_whole_must_keep(marked: str, after: str, why: str) -> None:
    source, edits = edited(marked, after)
    with pytest.raises(CheckError, match=why) if why else contextlib.nullcontext():
        check(source, edits, apply(source.text, edits), "duckdb")


def test_each_token_outside_the_edits_is_compared() -> None:
    marked = "SELECT «a», b, «c »«+ 1», d«» FROM t"
    afters = ["f(a, a, a)", "c ", "* 2 + 1", " AS e"]
    source, edits = edited(marked, *afters)
    result = apply(source.text, edits)
    assert is_unchanged(source, edits, result)
    outside = re.split("«.*?»", marked)
    for at, piece in enumerate(outside):
        for word in re.findall(r"\w+|,", piece):
            for new in ("zz", ""):
                changed = [*outside[:at], piece.replace(word, new, 1), *outside[at + 1 :]]
                pairs = itertools.zip_longest(changed, afters, fillvalue="")
                assert not is_unchanged(source, edits, "".join(map("".join, pairs))), word
    with pytest.raises(CheckError, match="more than its edits say"):
        check(source, edits, f"{result} LIMIT 1", "duckdb")
    # a text that begins in an edit takes a token, and lets one out of a comment
    source, edits = edited("SELECT «»x -- 'x\nFROM t", "'")
    assert not is_unchanged(source, edits, apply(source.text, edits))
