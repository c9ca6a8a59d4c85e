"""The check that every rewrite passes before it is returned.

Outside the edits it has the tokens of the original. Each edit puts in what its place takes, or the
whole result is read again.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter.edits import Edit, in_order
from tzconv.rewriter.purity import positional
from tzconv.sql.parse import Node, Range, Source, parse, tokenize

_MARK = re.compile(r"\?|%(?! [0-9])")
"""What may be a positional parameter; ``% 512`` is a remainder."""
_NOWHERE: Range = (sys.maxsize, sys.maxsize)


def check(source: Source, edits: list[Edit], result: str, dialect: str) -> None:
    """CheckError unless ``result`` parses and has the tokens of the source outside the edits.

    If every edit replaces an expression or adds a clause, only the insertions are parsed again;
    otherwise all of it.
    """
    try:
        if not is_unchanged(source, in_order(edits), result):
            raise CheckError(f"The rewrite would change more than its edits say. {_REPORT}")
        after = None if _is_proved(source, edits) else parse(result, dialect)
    except ParseError as error:
        raise CheckError(f"The rewritten statement does not parse ({error}). {_REPORT}") from error
    if after is not None:
        _compare(source, after, edits)


def _is_proved(source: Source, edits: list[Edit]) -> bool:
    """Whether each edit alone is what its place takes, however it goes on around it."""
    texts = [text for one in edits for text in (source.text[one.start : one.end], one.after)]
    if any(map(_MARK.search, texts)):
        return False  # perhaps a parameter: they are counted in the whole
    brackets = sum(edit.kind == "bracket" for edit in edits)
    closed = sum(edit.after.startswith(")") for edit in edits)
    return brackets == closed and all(_fits(source, edit) for edit in edits)


def _fits(source: Source, edit: Edit) -> bool:  # noqa: PLR0911 # one for each kind
    after = edit.after
    if edit.kind == "bracket":
        return after == "("
    if edit.kind == "expression":
        read = source.reading(f"SELECT {after}")
        if read is None or len(read.expressions) != 1:
            return False
        put_in = read.expressions[0]
        if edit.rule == "local_predicate" and isinstance(put_in, (exp.And, exp.GTE, exp.LT)):
            return True  # in brackets unless the predicate was one of those that AND joins
        return isinstance(put_in, _ATOMS) and not isinstance(put_in, exp.Binary)
    if edit.kind == "alias":
        read = source.reading(f"SELECT x{after}")
        return read is not None and isinstance(read.expressions[0], exp.Alias)
    if edit.kind == "comma":
        return after.strip() == "CROSS JOIN" and source.text[edit.start : edit.end] == ","
    if edit.kind == "stars":
        return bool(_stars(source, edit))
    if edit.kind == "joins":
        read = source.reading(f"SELECT 1 FROM x{after}", "from_", "joins")  # noqa: S608 # parsed, never run
        return read is not None and bool(read.args.get("joins"))
    if edit.kind == "before":
        read = source.reading(f"SELECT 1 WHERE {after}x", "where")
        return read is not None and after.endswith(" AND ")
    read = source.reading(f"SELECT 1 WHERE x{after.removeprefix(')')}", "where")
    return edit.kind == "conditions" and read is not None


_ATOMS = (exp.Func, exp.Paren, exp.Subquery, exp.Column)
"""What may stand wherever an expression may; some operators are functions to sqlglot."""


def _stars(source: Source, edit: Edit) -> list[str]:
    """The names of what an edit writes for ``*``; none unless it is ``a.*, b.*``."""
    read = source.reading(f"SELECT {edit.after}")
    shown = [] if read is None else read.expressions
    return _names(shown, {}) if all(part.is_star for part in shown) else []


def _compare(source: Source, after: Source, edits: list[Edit]) -> None:
    stars = {edit.start: _stars(source, edit) for edit in edits if edit.kind == "stars"}
    shapes = [
        [_shape(tree, expanded) for tree in one.statements]
        for one, expanded in ((source, stars), (after, {}))
    ]
    if not all(stars.values()):
        raise CheckError(f"The rewrite would change the output columns. {_REPORT}")
    if len(shapes[0]) != len(shapes[1]):
        raise CheckError(f"The rewrite would change the number of statements. {_REPORT}")
    counts = [sum(map(positional, one.statements)) for one in (source, after)]
    if counts[0] != counts[1]:
        raise CheckError(f"The rewrite would change the number of parameters. {_REPORT}")
    for (kind, names), (new_kind, new_names) in zip(*shapes, strict=True):
        # a column without a name may get an alias: the name the engine would have given it
        kept = [new if old else old for old, new in zip(names, new_names, strict=False)]
        if kind is not new_kind or len(names) != len(new_names) or names != kept:
            raise CheckError(f"The rewrite would change the output columns. {_REPORT}")


_REPORT = "The statement was not rewritten; please report this query."


def _shape(tree: Node, stars: dict[int, list[str]]) -> tuple[type[Node], list[str]]:
    query = tree if isinstance(tree, exp.Query) else tree.args.get("expression")
    return type(tree), _names(query.selects if isinstance(query, exp.Query) else [], stars)


def _names(projections: list[Node], stars: dict[int, list[str]]) -> list[str]:
    """The names of projections, with those in ``stars`` for each star that begins there."""
    names = []
    for part in projections:
        if part.meta.get("start") in stars:
            names += stars[part.meta["start"]]
        else:  # other expressions are named by the engine, and sqlglot's idea of the name differs
            names.append(part.output_name if isinstance(part, (exp.Alias, exp.Column)) else "")
    return names


def is_unchanged(source: Source, edits: Sequence[Edit], result: str) -> bool:
    """Whether the tokens outside the edits, which are in order, are those of the source.

    ParseError where a quoted text or a comment of the result is not closed.
    """
    before = _outside(source.text, source.tokens, [(edit.start, edit.end) for edit in edits])
    return before == _outside(result, tokenize(result, source.dialect), list(_placed(edits)))


def _outside(text: str, tokens: list[Token], edited: list[Range]) -> list[tuple[object, str]]:
    """The tokens that lie in none of the edited ranges, which are in order."""
    outside: list[tuple[object, str]] = []
    waiting = iter(edited)
    start, end = next(waiting, _NOWHERE)
    for token in tokens:
        while end <= token.start:
            start, end = next(waiting, _NOWHERE)
        if not (start <= token.start and token.end < end):
            outside.append((token.token_type, text[token.start : token.end + 1]))
    return outside


def _placed(edits: Sequence[Edit]) -> Iterator[Range]:
    lengths = (len(edit.after) - (edit.end - edit.start) for edit in edits)
    for edit, shift in zip(edits, itertools.accumulate(lengths, initial=0), strict=False):
        start = edit.start + shift
        yield start, start + len(edit.after)
