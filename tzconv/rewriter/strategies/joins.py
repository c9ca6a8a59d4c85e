"""Plain joins of the kept tables: the row of a zone, found by its name, and what depends on it.

The joined rows are found by a key, so each row of the query matches at most one. The relations of
the query stay what they are, and the engine's planner decides when to join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from sqlglot import exp

from tzconv.engines.write import Engine
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.local import Interval
from tzconv.rewriter.sites import Bound
from tzconv.rewriter.spelling import Key
from tzconv.rewriter.strategies.short import ShortWindow, starts_of
from tzconv.rewriter.strategies.zones import without_fixed
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Kind
from tzconv.tables import ARRAYS, ZONE, Table

_EDGES = ("starts_at_utc", "ends_before_utc", "starts_at_time_zone", "ends_before_time_zone")
_INSTANT, _LATER = "_instant", "_later"
Clock: TypeAlias = Literal["utc", "local"]


class Value(NamedTuple):
    """The text of a value on the UTC or the local clock, its kind, and the times it may have."""

    text: str
    kind: Kind
    clock: Clock
    window: Interval
    column: exp.Column | None = None

    @property
    def starts(self) -> str:
        """The starts of spans that it is compared with."""
        return starts_of(self.kind, to_utc=self.clock == "local")


@dataclass(slots=True)
class Joins:
    """The joins that a SELECT gains, by the place in its text."""

    block: QueryBlock
    spec: JoinSpec
    clashes: bool
    aliases: dict[tuple[object, ...], str] = field(default_factory=dict)
    texts: dict[int, list[str]] = field(default_factory=dict)
    commas: set[int] = field(default_factory=set)
    opens: dict[int, int] = field(default_factory=dict)
    short: ShortWindow | None = None
    keys: dict[str, Key] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)
    """The texts of zones that are one for all rows."""
    known: set[str] = field(default_factory=set)
    """Of these the names that are in the text."""
    zones: str = ""
    """What is joined in place of the zone table, if the text may lose rows without it."""

    def spelt(self, text: str, node: Node) -> str:
        """The text of a node, which asks for the same joins as other spellings of it."""
        self.keys[text] = self.block.spelling.key(node)
        return text

    def add(
        self,
        at: int,
        table: Table,
        key: Iterable[str],
        on: Callable[[str], list[str]],
        *,
        rows: str = "",
        how: str = "LEFT JOIN",
    ) -> str:
        """The alias of ``table``, joined at ``at`` once for each ``key`` however it is spelt.

        ``on`` are its conditions, given the alias; ``rows`` is a subquery in place of the table.
        """
        known = (table.name, at, *(self.keys.get(part, part) for part in key))
        alias = self.aliases.get(known)
        if alias is None:
            alias = self.aliases[known] = self.block.alias()
            name, small = rows or self.block.table(table.name), table.name
            if self.short is not None and table is ZONE:
                name, small = self.short.relation(self.block), "zones"
                name += f" AS {small}" if self.block.engine.small_table else ""
            condition, renamed = "\n    AND ".join(on(alias)), ""
            if self.clashes:  # the query uses a name of theirs without its table
                names = names_of(self.block, table)
                renamed = f" ({', '.join(f'tzconv_{one}' for one in names)})"
            if hint := self.block.engine.small_table.format(table=small):
                more = "".join(
                    f", {computed} AS {edge}"
                    for edge, computed in _computed(self.block.engine).items()
                    if f".{edge}" in condition
                )
                name = f"(SELECT {hint}*{more} FROM {name})"  # noqa: S608 # our names
            self.texts.setdefault(at, []).append(
                f"{how} {name} AS {alias}{renamed}\n  ON {condition}"
            )
        return alias

    def zone(self, at: int, zone: str) -> str:
        """The alias of the zone table, joined for the zone of that text."""

        def on(alias: str) -> list[str]:
            # names of fixed offsets have no arrays, and are not among the zones of a window
            if self.short is not None or self.block.engine.has_array_lookup:
                name = self.column(alias, "time_zone_name")
                return [self.block.engine.is_zone(name, zone)]
            return self.of_zone(alias, zone)

        return self.add(at, ZONE, [zone], on, rows=self.zones)

    def of_zone(self, alias: str, zone: str) -> list[str]:
        """The conditions for the rows of a zone."""
        return self.named(self.column(alias, "time_zone_name"), zone)

    def named(self, column: str, zone: str) -> list[str]:
        """The conditions that a column has the name of a zone, and that the engine means that."""
        engine = self.block.engine
        is_known = zone in self.known  # among the zones that the engine has
        return [engine.is_zone(column, zone), *([] if is_known else without_fixed(engine, column))]

    def column(self, alias: str, name: str) -> str:
        """A column of a joined table as the query calls it."""
        return f"{alias}.{'tzconv_' if self.clashes else ''}{name}"


class Found(NamedTuple):
    """The offset that a join has found, NULL where it has none, and the alias of the table."""

    offset: str
    alias: str


@dataclass(frozen=True, slots=True)
class JoinSpec:
    """How a strategy finds an offset.

    ``join`` adds what it needs at a place, for a value and a zone. ``needs`` is what an engine
    must have for it, ``lacks`` what is said of one without it. With ``of_value`` its joins
    depend on the value, not on the zone alone; without ``local`` they know no local times. With
    ``is_equality`` they compare it for equality with a column.
    ``around`` is an expression around a conversion, such as a date of it, that the table holds, and
    how it is written with the names of ``Found``; with ``only`` nothing else is settled.
    ``constant`` is the offset at a value in a constant zone where that needs no join, and ``short``
    what is joined for a short window; with ``fits``, the reason against a site, for nothing else.
    ``zones`` is what is joined in place of the zone table, if times are open or not.
    """

    name: str
    tables: tuple[Table, ...]
    join: Callable[[Joins, int, Value, str], Found]
    needs: Callable[[Engine], object] = lambda _: True
    lacks: str = ""
    of_value: bool = True
    local: bool = True
    is_equality: bool = False
    around: Callable[[Conversion], tuple[Node, str] | None] = lambda _: None
    only: bool = False
    constant: Callable[[QueryBlock, Value, str], str] | None = None
    short: Callable[[QueryBlock, list[Conversion | Bound]], ShortWindow | None] | None = None
    fits: Callable[[QueryBlock, Conversion | Bound], Reason | None] | None = None
    zones: Callable[..., str] | None = None


def span_conditions(joins: Joins, alias: str, value: Value, edges: tuple[str, str]) -> list[str]:
    """Conditions for the span that holds a value, and for those that its window can ask for."""
    engine = joins.block.engine
    is_kept = engine.small_table and not joins.clashes
    is_instant = is_kept and value.kind == "timestamptz"
    starts, ends = (_inside(engine, edge, joins.column(alias, edge)) for edge in edges)
    if is_kept:  # the small table is computed, not the rows of the query
        starts, ends = (
            f"{alias}.{edge}{_LATER}" if _inside(engine, edge) != edge else f"{alias}.{edge}"
            for edge in edges
        )
    if is_instant:
        conditions = [
            f"{value.text} >= {alias}.{edges[0]}{_INSTANT}",
            f"{value.text} < {alias}.{edges[1]}{_INSTANT}",
        ]
    else:
        time = engine.utc_timestamp(value.text, value.kind)
        conditions = [f"{time} >= {starts}", f"{time} < {ends}"]
    if value.window.start is not None:
        conditions.append(f"{ends} > {engine.constant(value.window.start, 'timestamp')}")
    if value.window.end is not None:
        conditions.append(f"{starts} < {engine.constant(value.window.end, 'timestamp')}")
    return conditions


def _inside(engine: Engine, edge: str, column: str = "") -> str:
    """An edge of a span, or the column that has it, moved past local times read in another way.

    No fold and no gap is longer than a day. A fold that is read as the earlier of its times belongs
    to the span before; the function answers there, and for a day after any other change.
    """
    if edge == "starts_at_time_zone" and (engine.fold_is_earlier or not engine.gaps_are_known):
        return f"{column or edge} + INTERVAL '1 day'"
    if edge == "ends_before_time_zone" and not engine.gaps_are_known:
        return f"{column or edge} - INTERVAL '1 day'"
    return column or edge


def _computed(engine: Engine) -> dict[str, str]:
    """More columns of the offset spans, computed once a span: the edges as instants, or moved."""
    instants = {
        f"{edge}{_INSTANT}": engine.column_as(_inside(engine, edge), "timestamptz")
        for edge in _EDGES
    }
    return instants | {f"{edge}{_LATER}": _inside(engine, edge) for edge in _EDGES}


def names_of(block: QueryBlock, table: Table) -> list[str]:
    """The columns of a kept table in their order."""
    arrays = ARRAYS if table is ZONE and block.engine.has_array_lookup else ()
    *columns, last = (column.name for column in table.columns)
    return [*columns, *arrays, last]


def clashes(block: QueryBlock, names: set[str]) -> bool:
    """Whether the query uses one of these names without a table, where it sees the joined ones."""

    def is_apart(node: Node) -> bool:
        """What sees no joined table; a joined subquery of DuckDB sees the relations before it."""
        return isinstance(node, (exp.From, exp.With)) and node.parent is block.select

    used = {
        node.parts[0].name.casefold()  # a field of a struct reads like a column of a table
        for node in block.select.walk(prune=is_apart)
        if isinstance(node, exp.Column)
    }
    for join in block.select.args.get("joins") or []:
        used |= {name.name.casefold() for name in join.args.get("using") or []}
    return not used.isdisjoint(names)
