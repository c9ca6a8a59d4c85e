"""The check that every rewrite passes before it is returned."""

from __future__ import annotations

from sqlglot import exp

from tzconv.errors import CheckError, ParseError
from tzconv.rewriter.edits import Edit, in_order
from tzconv.rewriter.parse import Node, Source, parse
from tzconv.rewriter.purity import positional
from tzconv.rewriter.unchanged import is_unchanged


def check(source: Source, edits: list[Edit], result: str, dialect: str) -> None:
    """CheckError unless ``result`` parses, and says the same as before outside the edits.

    A statement that parses still does where an expression in it becomes a call, a relation another
    one, or where clauses follow: then only what was put in is read again, and else all of it.
    """
    try:
        unchanged = is_unchanged(source, in_order(edits), result)
    except ParseError as error:
        raise CheckError(f"The rewritten statement does not parse ({error}). {_REPORT}") from error
    if not unchanged:
        raise CheckError(f"The rewrite would change more than its edits say. {_REPORT}")
    if not _is_proved(source, edits):
        _read_again(source, result, dialect)


def _is_proved(source: Source, edits: list[Edit]) -> bool:
    """Whether each edit alone is what its place takes, however it goes on around it."""
    texts = [(edit, source.text[edit.start : edit.end], edit.after) for edit in edits]
    if any(mark in before + after for _, before, after in texts for mark in "?%"):
        return False  # perhaps a parameter: they are counted in the whole
    brackets = sum(edit.form == "bracket" for edit in edits)
    closed = sum(edit.form == "conditions" and edit.after.startswith(")") for edit in edits)
    return brackets == closed and all(_fits(source, edit) for edit in edits)


def _fits(source: Source, edit: Edit) -> bool:
    after = edit.after
    if edit.form == "bracket":
        return after == "("
    if edit.form == "expression":
        read = source.reading(f"SELECT {after}")
        if read is None or len(read.expressions) != 1:
            return False
        put_in = read.expressions[0]
        if edit.rule == "local_predicate" and isinstance(put_in, (exp.And, exp.GTE, exp.LT)):
            return True  # in brackets unless the predicate was one of those that AND joins
        return isinstance(put_in, _ATOMS) and not isinstance(put_in, exp.Binary)
    if edit.form == "alias":
        read = source.reading(f"SELECT x{after}")
        return read is not None and isinstance(read.expressions[0], exp.Alias)
    if edit.form == "relation":
        read = source.reading(_FROM + after, "from_")
        return read is not None and isinstance(read.args["from_"].this, exp.Subquery)
    if edit.form == "joins":
        read = source.reading(f"{_FROM}x{after}", "from_", "joins")
        return read is not None and bool(read.args.get("joins"))
    read = source.reading(f"SELECT 1 WHERE x{after.removeprefix(')')}", "where")
    return edit.form == "conditions" and read is not None


_FROM = "SELECT 1 FROM "
_ATOMS = (exp.Func, exp.Paren, exp.Subquery, exp.Column)
"""What may stand wherever an expression may; some operators are functions to sqlglot."""


def _read_again(source: Source, result: str, dialect: str) -> None:
    try:
        after = parse(result, dialect, with_places=False)
    except ParseError as error:
        raise CheckError(f"The rewritten statement does not parse ({error}). {_REPORT}") from error
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


_REPORT = "The statement was not rewritten; please report this query."


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
