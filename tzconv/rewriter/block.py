"""One SELECT on its way through the strategies: what was found, what was decided."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from tzconv.errors import CheckError
from tzconv.rewriter.edits import Edit, apply
from tzconv.rewriter.engines import Engine, quoted
from tzconv.rewriter.layout import next_line
from tzconv.rewriter.local import Interval, utc_times
from tzconv.rewriter.names import Names, Owner
from tzconv.rewriter.parse import Node, Range, Source
from tzconv.rewriter.sites import LocalPredicate, Site, Sites
from tzconv.rewriter.windows import widened, window
from tzconv.zones import Rules


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller says beside the text: see :func:`tzconv.rewrite`."""

    engine: Engine
    rules: Rules
    strategies: tuple[str, ...]
    session_time_zone: str
    table_schema: str | None


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition to be added to a WHERE clause, and what the report says of it.

    It is added only where all of ``owners`` have been replaced by relations with their zones.
    """

    text: str
    rule: str
    strategy: str
    reason: str
    owners: tuple[Owner, ...] = ()


@dataclass(slots=True)
class Block:
    """One SELECT; strategies take sites off ``open`` and add edits, or say why they cannot."""

    source: Source
    names: Names
    sites: Sites
    options: Options
    open: list[Site]
    edits: list[Edit] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    replaced: list[Owner] = field(default_factory=list)
    _windows: dict[tuple[str, str], Interval] = field(default_factory=dict)

    @property
    def engine(self) -> Engine:
        """The engine whose SQL this is."""
        return self.options.engine

    @property
    def select(self) -> exp.Select:
        """The SELECT itself."""
        expression = self.names.scope.expression
        if not isinstance(expression, exp.Select):
            raise TypeError(f"a block is one SELECT, not {type(expression).__name__}")
        return expression

    def tries(self, strategy: str) -> bool:
        """Whether another strategy will be tried on this SELECT too."""
        return strategy in self.options.strategies

    @property
    def is_forced(self) -> bool:
        """Whether the caller asked for one strategy, whatever measurement says of it."""
        return len(self.options.strategies) == 1

    def table(self, name: str) -> str:
        """A conversion table as this query must name it."""
        schema = self.options.table_schema
        return name if schema is None else f"{quoted(schema, self.engine.quote)}.{name}"

    def window(self, column: exp.Column) -> Interval:
        """The UTC times of ``column`` that rows of the result may have."""
        owner = self.names.owner(column)
        key = (owner.alias if owner else "", column.name.casefold())
        if key not in self._windows:
            widest = self.engine.widest_offset
            self._windows[key] = window(column, self.names, self.sites, self._utc, widest)
        return self._windows[key]

    def iana_name(self, zone: Node) -> str | None:
        """The IANA name that a constant zone means to the engine; None for all other zones."""
        if not isinstance(zone, exp.Literal):
            return None
        return self.engine.zone_name(zone.name, self.options.rules)

    def why_no_zone(self, constant: str) -> str:
        """The reason for leaving a constant zone that has no IANA name."""
        if constant.upper() in self.engine.fixed_names:
            return (
                f"{self.engine.name} reads {constant!r} as an abbreviation of a fixed offset, not "
                "as the zone of that name"
            )
        return f"{constant!r} is no time zone of the tz release"

    def why_no_rules(self, asked: Interval) -> str | None:
        """The reason why the engine's rules may differ in that time; None where they do not."""
        first, last = self.engine.rules_hold
        for edge in asked:
            if edge is None:
                continue
            if (first is not None and edge < first) or (last is not None and edge > last):
                return f"{self.engine.name} has no summer time in those years: its rules end before"
        return None

    def _utc(self, predicate: LocalPredicate) -> Interval:
        """From first to last: what ``range`` writes down, so that a second pass sees it too."""
        name = self.iana_name(predicate.conversion.zone)
        pieces = utc_times(self.options.rules.zone(name), predicate.interval) if name else []
        if not pieces:
            return widened(predicate, self.engine.widest_offset)
        return Interval(pieces[0].start, pieces[-1].end)

    def text(self, node: Node) -> str:
        """The text of a node whose place is known, as that of every part of a site is."""
        return self.source.text[slice(*self.place(node))]

    def place(self, node: Node) -> Range:
        """The characters of a node; CheckError where they are not known for certain."""
        found = self.source.range(node)
        if found is None:
            raise CheckError(
                "The place of an expression in the text cannot be told for certain. "
                "The statement was not rewritten; please report this query."
            )
        return found

    def rewritten(self, node: Node) -> str:
        """The text of a node with the edits that were made inside of it."""
        start, end = self.place(node)
        inner = [
            replace(edit, start=edit.start - start, end=edit.end - start)
            for edit in self.edits
            if start <= edit.start and edit.end <= end
        ]
        return apply(self.source.text[start:end], inner)

    def replace(self, node: Node, after: str, rule: str, strategy: str, reason: str) -> Edit:
        """An edit that puts ``after`` in the place of a node, and of the edits inside of it."""
        start, end = self.place(node)
        self.edits[:] = [
            edit for edit in self.edits if not (start <= edit.start and edit.end <= end)
        ]
        return Edit(*self.place(node), after, rule, strategy, reason, "expression")

    def done(self, site: Site, *edits: Edit) -> None:
        """Take a site off the list with the edits that settle it."""
        self.open.remove(site)
        self.edits += edits

    def add_condition(self, condition: Condition) -> None:
        """Add a condition to the WHERE clause, which there must be."""
        self.conditions.append(condition)

    def all_edits(self) -> list[Edit]:
        """All edits of this SELECT, those for the added conditions too."""
        conditions = [
            condition
            for condition in self.conditions
            if all(any(owner is one for one in self.replaced) for owner in condition.owners)
        ]
        if not conditions:
            return self.edits
        where = self.select.args["where"].this
        start, end = self.place(where)
        edits, first = list(self.edits), conditions[0]
        said = (first.rule, first.strategy, first.reason)
        closing = ""
        if isinstance(where, exp.Connector) and not isinstance(where, exp.And):
            # AND binds tighter than OR: the conditions must hold for the whole of it
            edits.append(Edit(start, start, "(", *said, "bracket"))
            closing = ")"
        line = next_line(self.source.text, start, 2)
        for condition in conditions:
            after = f"{closing}{line}AND {condition.text}"
            said = (condition.rule, condition.strategy, condition.reason)
            edits.append(Edit(end, end, after, *said, "conditions"))
            closing = ""
        return edits

    def leave(self, site: Site, reason: str) -> None:
        """Note why a strategy left a site; the last strategy's word is the one reported."""
        self.reasons[id(site)] = reason

    def after_where(self, node: Node) -> bool:
        """Whether a node is evaluated only for rows that the WHERE clause has let through."""
        clause = node.find_ancestor(exp.Where, exp.Join, exp.Query)
        return not isinstance(clause, (exp.Where, exp.Join))
