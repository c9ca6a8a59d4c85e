"""Output columns keep their names: an engine names a column without alias after its expression."""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import Scope
from sqlglot.tokenizer_core import TokenType

from tzconv.engines.write import Engine, UnknownNameError
from tzconv.errors import CheckError, ParseError
from tzconv.rewriter.edits import Edit, apply
from tzconv.sql.expressions import outside
from tzconv.sql.parse import Range, Source, range_of
from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import LeaveError
from tzconv.sql.selects import written_by
from tzconv.sql.text import identifier

_REASON = "adds an alias, so the output column keeps its name"


def keep_names(
    source: Source, scopes: list[Scope], edits: list[Edit], engine: Engine
) -> Iterator[Edit]:
    """An alias for each output column without one whose expression was edited.

    LeaveError if the engine's name for such a column is unknown.
    """
    for scope in scopes:
        # no column names are seen of IN (SELECT …), EXISTS or a scalar subquery, unlike LATERAL
        is_unseen = scope.is_subquery and not isinstance(outside(scope.expression), exp.Lateral)
        if is_unseen or written_by(scope.expression):
            continue
        for projection in scope.expression.expressions:
            if isinstance(projection, (exp.Alias, exp.Column, exp.Star)):
                continue
            at = range_of(projection)
            if at is None:
                continue
            edited = [edit for edit in edits if edit.is_inside(*at)]
            if not edited:
                continue
            if source.range(projection) is None:
                raise CheckError(
                    "The name of an output column cannot be kept, because its place in the text "
                    "is not certain. Give that column an alias."
                )
            name = _name(source, at, engine)
            after = apply(source.text[slice(*at)], [edit.relative_to(at[0]) for edit in edited])
            with contextlib.suppress(ValueError):  # then the name of what it becomes is not known
                if engine.output_name(after) == name:
                    continue
            alias, first = f" AS {identifier(name, engine.quote)}", edited[0]
            yield Edit(at[1], at[1], alias, first.rule, first.strategy, _REASON, "alias")


def _name(source: Source, at: Range, engine: Engine) -> str:
    # the parser is more lenient than the engine in both of these
    line, column = line_and_column(source.text, at[0])
    place = bisect_left(source.tokens, at[1], key=lambda token: token.start)
    if [one.token_type for one in source.tokens[place : place + 1]] == [TokenType.ALIAS]:
        raise ParseError("no alias follows the AS of this column", line, column)
    try:
        return engine.output_name(source.text[slice(*at)])
    except UnknownNameError as error:
        text = f"an output column has no alias: {error}; give the one in line {line} an alias"
        raise LeaveError("unnamed-column", text) from error
    except ValueError as error:
        raise ParseError(f"{engine.name} does not read this: {error}", line, column) from error
