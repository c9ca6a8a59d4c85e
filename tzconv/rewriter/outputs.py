"""Output columns keep their names: an engine names a column without alias after its expression."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.errors import CheckError
from tzconv.rewriter.edits import Edit
from tzconv.rewriter.engines import Engine, quoted
from tzconv.rewriter.parse import Source, range_of

_REASON = "the name that the column had before"


def keep_names(
    source: Source, scopes: list[Scope], edits: list[Edit], engine: Engine
) -> Iterator[Edit]:
    """An alias for each output column without one whose expression was edited."""
    for scope in scopes:
        if scope.is_subquery or not isinstance(scope.expression, exp.Select):
            continue  # nobody sees the column names of IN (SELECT …), EXISTS or a scalar subquery
        for projection in scope.expression.expressions:
            if isinstance(projection, (exp.Alias, exp.Column, exp.Star)):
                continue
            at = range_of(projection)
            if at is None:
                continue
            edited = [edit for edit in edits if at[0] <= edit.start and edit.end <= at[1]]
            if edited and source.range(projection) is None:
                raise CheckError(
                    "The name of an output column cannot be kept, because its place in the text "
                    "cannot be told for certain. Give that column an alias."
                )
            if edited:
                name = engine.output_name(source.text[at[0] : at[1]])
                yield Edit(
                    at[1],
                    at[1],
                    f" AS {quoted(name)}",
                    edited[0].rule,
                    edited[0].strategy,
                    _REASON,
                )
