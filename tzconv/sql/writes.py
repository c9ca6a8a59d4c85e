"""UPDATE and DELETE as the SELECT of the rows that they change, so that its names can be resolved.

The tree is made of the nodes of the statement, which keep their places in the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.sql.parse import Node

_WRITES = "tzconv_writes"


def select_of(write: exp.Update | exp.Delete) -> exp.Select:
    """The SELECT of the rows that an UPDATE or DELETE changes; an UPDATE shows what it sets."""
    others = [*_relations(write.args.get("from_")), *(write.args.get("using") or [])]
    values = [one.expression for one in write.expressions if isinstance(one, exp.EQ)]
    select = exp.Select(
        expressions=values,
        from_=exp.From(this=write.this),
        joins=[joined for other in others for joined in _joined(other)] or None,
        where=write.args.get("where"),
        with_=write.args.get("with_"),
    )
    select.meta[_WRITES] = type(write).__name__.upper()
    return select


def written_by(select: Node) -> str | None:
    """UPDATE or DELETE if :func:`select_of` made this SELECT; else None."""
    name: str | None = select.meta.get(_WRITES)
    return name


def _relations(clause: Node | None) -> list[Node]:
    return [] if clause is None else [clause.this]


def _joined(relation: Node) -> Iterator[exp.Join]:
    """Joins for a relation after a comma and the relations joined to it."""
    joins = relation.args.get("joins") or []
    # the statement keeps its joins: what is left in it is searched for later
    alone = type(relation)(**{**relation.args, "joins": None})
    alone.meta.update(relation.meta)
    yield exp.Join(this=alone)
    yield from joins
