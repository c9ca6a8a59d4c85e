"""The check that every rewrite passes before it is returned."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from sqlglot import exp

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter.edits import Edit, in_order
from tzconv.rewriter.parse import Node, Range, Source, parse
from tzconv.rewriter.purity import positional


def check(source: Source, edits: list[Edit], result: str, dialect: str) -> None:
    """CheckError unless ``result`` parses, and says the same as before outside the edits."""
    try:
        after = parse(result, dialect, with_places=False)
    except ParseError as error:
        raise CheckError(f"The rewritten statement does not parse ({error}). {_REPORT}") from error
    before_edits = [(edit.start, edit.end) for edit in in_order(edits)]
    if _outside(source, before_edits) != _outside(after, list(_moved(edits))):
        raise CheckError(f"The rewrite would change more than its edits say. {_REPORT}")
    shapes = (
        [_shape(tree) for tree in source.statements],
        [_shape(tree) for tree in after.statements],
    )
    if len(shapes[0]) != len(shapes[1]):
        raise CheckError(f"The rewrite would change the number of statements. {_REPORT}")
    counts = [sum(map(positional, one.statements)) for one in (source, after)]
    if counts[0] != counts[1]:
        raise CheckError(f"The rewrite would change the number of parameters. {_REPORT}")
    for one, other in zip(*shapes, strict=True):
        if not _same_shape(one, other):
            raise CheckError(f"The rewrite would change the output columns. {_REPORT}")


_NOWHERE: Range = (sys.maxsize, sys.maxsize)
_REPORT = "The statement was not rewritten; please report this query."


def _outside(source: Source, edited: list[Range]) -> list[tuple[object, str]]:
    """The tokens that lie in none of the edited ranges, which are in order."""
    outside: list[tuple[object, str]] = []
    waiting = iter(edited)
    start, end = next(waiting, _NOWHERE)
    for token in source.tokens:
        while end <= token.start:
            start, end = next(waiting, _NOWHERE)
        if not (start <= token.start and token.end < end):
            outside.append((token.token_type, source.text[token.start : token.end + 1]))
    return outside


def _moved(edits: list[Edit]) -> Iterator[Range]:
    """Where the edits stand in the rewritten text."""
    shift = 0
    for edit in in_order(edits):
        start = edit.start + shift
        yield start, start + len(edit.after)
        shift += len(edit.after) - (edit.end - edit.start)


def _shape(tree: Node) -> tuple[type[Node], list[str]]:
    query = tree if isinstance(tree, exp.Query) else tree.args.get("expression")
    projections = query.selects if isinstance(query, exp.Query) else []
    return type(tree), [
        # other expressions are named by the engine, and sqlglot's idea of the name differs
        part.output_name if isinstance(part, (exp.Alias, exp.Column)) else ""
        for part in projections
    ]


def _same_shape(before: tuple[type[Node], list[str]], after: tuple[type[Node], list[str]]) -> bool:
    names = zip(before[1], after[1], strict=False)
    return (
        before[0] is after[0]
        and len(before[1]) == len(after[1])
        # a column without a name may get an alias: the name the engine would have given it
        and all(not old or old == new for old, new in names)
    )
