"""A CASE mixes DECIMAL and FLOAT branches, so that exact numbers become inexact ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from sqlglot import exp

from tzconv.lint.statement import Hit, Select, Statement
from tzconv.rewriter.parse import Node

CODE = "TZ007"
TITLE = "DECIMAL and FLOAT branches in one CASE"
FIXABLE = False

_Number: TypeAlias = Literal["decimal", "float"]
_DECIMAL = {exp.DType.DECIMAL}
_FLOAT = {exp.DType.FLOAT, exp.DType.DOUBLE}
_SAME_AS_ARGUMENT = (exp.Max, exp.Min, exp.Sum, exp.Abs, exp.Round, exp.Neg, exp.Paren, exp.Nullif)


def check(statement: Statement) -> Iterator[Hit]:
    """CASE and IF with an exact branch and an inexact one."""
    for select in statement.selects:
        for node in select.nodes:
            branches = _branches(node)
            found = {_number(branch, select, statement) for branch in branches}
            if {"decimal", "float"} <= found:
                yield Hit(
                    node,
                    "one branch is DECIMAL and another FLOAT: all of them become FLOAT, row by "
                    "row; cast the branches to one type",
                )


def _branches(node: Node) -> list[Node]:
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        return [*(part.args["true"] for part in node.args["ifs"]), *([default] if default else [])]
    if isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        default = node.args.get("false")
        return [node.args["true"], *([default] if default else [])]
    return []


def _number(node: Node, select: Select, statement: Statement) -> _Number | None:
    """Whether a value is exact or inexact; None for integers and where it cannot be told."""
    if isinstance(node, exp.Literal):
        # digits with a point are DECIMAL to these engines; with an exponent they are FLOAT
        is_exact = not node.is_string and "." in node.name and "e" not in node.name.casefold()
        return "decimal" if is_exact else None
    if isinstance(node, exp.Cast):
        return _of_type(node.to)
    if isinstance(node, exp.Column):
        declared = select.declared_type(node, statement.types)
        return _of_text(declared, statement.dialect) if declared else None
    if isinstance(node, _SAME_AS_ARGUMENT):
        return _number(node.this, select, statement)
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
        sides = {_number(side, select, statement) for side in (node.this, node.expression)}
        if "float" in sides:
            return "float"
        return "decimal" if sides == {"decimal"} else None
    if isinstance(node, (exp.Case, exp.If)):
        kinds = {_number(branch, select, statement) for branch in _branches(node)}
        return kinds.pop() if len(kinds) == 1 else None
    return None


def _of_type(type: exp.DataType) -> _Number | None:
    if type.this in _FLOAT:
        return "float"
    return "decimal" if type.this in _DECIMAL else None


def _of_text(declared: str, dialect: str) -> _Number | None:
    try:
        return _of_type(exp.DataType.build(declared, dialect=dialect))
    except Exception:
        return None
