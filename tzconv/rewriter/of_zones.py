"""Times that are no row's, shown on the clock of a row's zone: ``now() AT TIME ZONE u.time_zone``.

They vary with the zone alone, so an engine may compute them for each row of the relation that owns
the zone, before it joins others, and may join on the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tzconv.rewriter.conversions import Conversion, is_condition, is_our_join, is_ours
from tzconv.sql.expressions import upwards
from tzconv.sql.names import Names
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason
from tzconv.sql.visible import Owner

_JOINED = Reason(
    "joined-on-zone",
    "it is compared for equality with a column of another relation: the engine may join on it",
)
_WHOLE = (exp.Predicate, exp.Connector, exp.Query, exp.Where, exp.Join)
"""What is a condition, or stands around one."""


def why_not_of_zone(site: Conversion, names: Names) -> Reason | None:
    """The reason to leave such a conversion in a condition.

    The engine fails on an unknown zone name, and its plan decides which names it looks up: after a
    rewrite, that may be a name that the original query never reached.
    """
    if not is_condition(site.node):
        return None
    joins = names.scope.expression.args.get("joins") or []
    if any(join.side for join in joins):
        return Reason("outer-join", "an outer join: for which rows it is computed must not change")
    child, parent = site.node, site.node.parent
    while parent is not None and not isinstance(parent, (exp.Query, exp.Where, exp.Join)):
        if isinstance(parent, (exp.EQ, exp.NullSafeEQ, exp.In)):
            others = [one for one in parent.iter_expressions() if one is not child]
            if any(one.find(exp.Query) for one in others):
                return _JOINED
            own, other = _relations([child], names), _relations(others, names)
            if other and (None in other or own.isdisjoint(other)):
                return _JOINED
        child, parent = parent, parent.parent
    return None


def is_computed_before_joins(site: Conversion, names: Names, *, sides: bool) -> bool:
    """Whether it is computed for the rows of one relation, before that is joined to others.

    With ``sides`` the engine also computes each side of a comparison of two relations so.
    """
    if not is_condition(site.node):
        return _is_alone(names)
    child, parent = site.node, site.node.parent
    while parent is not None and not isinstance(parent, _WHOLE):
        child, parent = parent, parent.parent
    whole = parent if isinstance(parent, exp.Predicate) else child
    parts = whole.iter_expressions() if sides and whole is parent else [whole]
    return all(len(_relations([part], names)) <= 1 for part in parts)


def is_compared_with_other(site: Conversion, names: Names) -> bool:
    """Whether a condition orders it, by the zone of a row, and another relation's values.

    Where they are equal, the engine joins on them, and the table costs less than the function.
    """
    is_of_row = site.zone.find(exp.Column) is not None
    if not is_of_row or _is_alone(names) or not is_condition(site.node):
        return False
    whole = next((one for one in upwards(site.node.parent) if isinstance(one, _WHOLE)), None)
    if not isinstance(whole, (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)):
        return False
    return len(_relations([whole], names)) > 1


def _is_alone(names: Names) -> bool:
    """Whether a query has one relation, not counting those that a rewrite has joined."""
    joins = names.scope.expression.args.get("joins") or []
    return len(names.scope.selected_sources) - sum(map(is_our_join, joins)) == 1


def _relations(nodes: Sequence[Node], names: Names) -> set[Owner | None]:
    columns = [column for node in nodes for column in node.find_all(exp.Column)]
    return {names.owner(column) for column in columns if not is_ours(column)}
