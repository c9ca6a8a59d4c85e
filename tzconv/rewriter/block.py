"""One SELECT on its way through the strategies: what was found, what was decided."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from tzconv.engines.write import Engine
from tzconv.errors import CheckError
from tzconv.rewriter.comparisons import required
from tzconv.rewriter.conversions import Unclear
from tzconv.rewriter.edits import Edit, apply, next_line, with_known
from tzconv.rewriter.local import Interval, LocalPredicate, utc_times
from tzconv.rewriter.sites import EQUAL, Site, Sites
from tzconv.rewriter.spelling import Key, Spelling
from tzconv.sql.binder import Bind, Plans
from tzconv.sql.built import Built
from tzconv.sql.constants import DAY
from tzconv.sql.names import Names
from tzconv.sql.parse import Node, Range, Source, noted_range
from tzconv.sql.reasons import LeaveError, Reason
from tzconv.sql.schema import Schema
from tzconv.sql.text import identifier
from tzconv.sql.visible import ctes_around
from tzconv.tables import CONVERSIONS, Table
from tzconv.tz import spellings, zones
from tzconv.tz.zones import Rules

_FILLED_IN = re.compile(r"\{[^{}]*\}|%s|%\(\w+\)s")
_TYPES = frozenset(("array", "list", "map", "nullable", "object", "range", "row", "struct"))
"""Names of columns that are read as types before a <."""
JOINING_NOTHING = ("now", "range")
"""The strategies that change conditions alone."""
Ranges: TypeAlias = Mapping[str, tuple[dt.datetime, dt.datetime]]
"""First and last time, by the name or number of the parameter; naive ones are TIMESTAMPs."""
Strategy: TypeAlias = Callable[["QueryBlock"], None]
"""Takes the sites it can settle off ``block.open`` and adds edits, or notes why it cannot."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A statement as it was read, for lint; it begins at ``shift`` in the whole text."""

    source: Source
    tree: Node
    selects: tuple[Names, ...]
    shift: int


@dataclass(frozen=True, slots=True)
class Job:
    """The arguments of :func:`tzconv.rewrite` beside the text and the script before it.

    ``literals_until`` and ``pinned``, the time that replaces NOW(), are in microseconds since 1970.
    A query inside a statement begins at ``shift`` in the whole text.
    """

    engine: Engine
    known: Schema
    rules: Rules
    strategies: Mapping[str, Strategy]
    session_time_zone: str
    table_schema: str | None
    tables: frozenset[str]
    literals_until: int | None = None
    pinned: int | None = None
    ranges: Ranges = field(default_factory=dict)
    rows: Callable[[str], float | None] = lambda _: None
    bind: Bind | None = None
    plans: Plans | None = None
    watch: Callable[[Analysis], None] | None = None
    built: tuple[Built, ...] = ()
    shift: int = 0
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Replacement:
    """Text for an expression or a condition of the WHERE clause, and what the report says of it."""

    text: str
    rule: str
    strategy: str
    reason: str


@dataclass(slots=True)
class QueryBlock:
    """One SELECT; strategies take sites off ``open`` and add edits, or say why they cannot.

    ``beside`` are the edits that add conditions; ``ungrouped`` the nodes outside its groups, once a
    strategy has looked for them; ``became`` the texts of replaced nodes, by their ids; ``windows``
    those of its columns; ``conditions`` what WHERE requires, by the names of
    the columns in it.
    """

    source: Source
    names: Names
    sites: Sites
    job: Job
    open: list[Site] = field(init=False)
    edits: list[Edit] = field(default_factory=list)
    beside: list[Edit] = field(default_factory=list)
    reasons: dict[int, Reason] = field(default_factory=dict)
    joined: int = 0
    ungrouped: list[Node] | None = None
    became: dict[int, str] = field(default_factory=dict)
    windows: dict[Key, Interval] = field(default_factory=dict)
    conditions: dict[str, list[Node]] | None = None
    spelling: Spelling = field(init=False)

    def __post_init__(self) -> None:
        """All sites are open."""
        self.open, self.spelling = self.sites.all(), Spelling(self.names)

    @property
    def engine(self) -> Engine:
        """The engine whose SQL this is."""
        return self.job.engine

    @property
    def select(self) -> exp.Select:
        """The SELECT itself."""
        expression = self.names.scope.expression
        if not isinstance(expression, exp.Select):
            raise TypeError(f"a block is one SELECT, not {type(expression).__name__}")
        return expression

    def required(self, column: exp.Column) -> list[Node]:
        """The conditions of all rows of the result that name a column, of whatever relation."""
        if self.conditions is None:
            self.conditions = {}
            for node in required(self.select):
                for name in {one.name.casefold() for one in node.find_all(exp.Column)}:
                    self.conditions.setdefault(name, []).append(node)
        return self.conditions.get(column.name.casefold(), [])

    @property
    def is_forced(self) -> bool:
        """Whether the caller asked for one strategy, whatever measurement says of it."""
        return len(self.job.strategies) == 1

    def why_not_loaded(self, tables: Iterable[Table]) -> Reason | None:
        """The reason for not using tables that the database does not have."""
        ctes = {name.casefold() for name in ctes_around(self.select)}
        for short, table in CONVERSIONS.items():
            if table in tables and table.name in ctes and self.job.table_schema is None:
                text = f"a CTE has the name of the table {table.name}: give it another one"
                return Reason("name-taken", text)
            if table in tables and short not in self.job.tables:
                text = f"the table {table.name} is not loaded: add {short} to refresh --tables"
                return Reason("not-loaded", text)
        return None

    def may_be_literal(self, times: Interval) -> bool:
        """Whether what holds in those UTC times may be written into the text."""
        until = self.job.literals_until
        return until is None or (times.end is not None and times.end <= until)

    def table(self, name: str) -> str:
        """A conversion table as this query must name it."""
        schema = self.job.table_schema
        return name if schema is None else f"{identifier(schema, self.engine.quote)}.{name}"

    def alias(self) -> str:
        """A name for a joined table that nothing in the text has."""
        self.joined += 1
        return f"tzconv_{self.source.last_alias + self.joined}"

    def expected_rows(self) -> float | None:
        """The number of rows that the engine expects the statement to convert, if it is known.

        It is asked about the text with the bounds that are added by now, which leave fewer rows.
        """
        made = with_known((*self.edits, *self.beside))
        bounds = [one for one in made if one.strategy in JOINING_NOTHING]
        return self.job.rows(apply(self.source.text, bounds) if bounds else self.source.text)

    def few_rows(self, *, is_open: bool = False, is_one: bool = False) -> Reason | None:
        """The reason to leave a conversion to the function; None if rows are many or unknown.

        With ``is_open`` no window keeps the engine from reading a whole table of ours; with
        ``is_one`` all rows have one zone.
        """
        rows = None if self.is_forced else self.expected_rows()
        fewest = self.engine.fewest_rows * (self.engine.open_times if is_open else 1)
        if is_one and self.engine.fewest_of_one is not None:
            fewest = self.engine.fewest_of_one
        if rows is None or rows >= fewest:
            return None
        reach = "row reaches" if round(rows) == 1 else "rows reach"
        return Reason("few-rows", f"about {rows:,.0f} {reach} it: the function is faster")

    def iana_name(self, zone: Node) -> str | None:
        """The IANA name that a constant zone means to the engine; None for all other zones."""
        if not isinstance(zone, exp.Literal):
            return None
        return self.engine.zone_name(zone.name, self.job.rules)

    def why_no_zone(self, constant: str) -> Reason:
        """The reason for leaving a constant zone that has no IANA name."""
        if constant.upper() in self.engine.fixed_names:
            text = (
                f"{self.engine.name} reads {constant!r} as an abbreviation of a fixed offset, not "
                "as the zone of that name"
            )
        elif _FILLED_IN.fullmatch(constant):
            text = f"{constant!r} is filled in by the program: pass the zone as a parameter"
            return Reason("template", text)
        elif self.engine.zone_name(constant, zones.installed()) is not None:
            text = f"the conversion tables have no zone {constant!r}: load it with tzconv refresh"
        else:
            rules = self.job.rules
            _, hint = spellings.advice(constant, rules.names, rules.links)
            text = f"{constant!r} is no time zone of the tz release"
            text += f": {hint.rstrip('.')}" if hint else ""
            names = (one for one in rules.names if one.lower() == constant.lower())
            if (name := next(names, None)) is not None:
                text = f"{constant!r} may be no zone to {self.engine.name}: write {name!r}"
        return Reason("unknown-zone", text)

    def why_no_rules(self, times: Interval) -> Reason | None:
        """The reason why the engine's rules may differ in that time; None where they do not."""
        first, last = self.engine.rules_hold
        for edge in times:
            if edge is None:
                continue
            if (first is not None and edge < first) or (last is not None and edge > last):
                text = f"{self.engine.name} may have no summer time in those years"
                return Reason("rules-end", text)
        return None

    def widest_offset(self, zone: Node) -> int:
        """How far a zone may be from UTC, in microseconds: an IANA zone less than a day."""
        return DAY if self.iana_name(zone) is not None else self.engine.widest_offset

    def is_optional(self, zone: Node) -> bool:
        """Whether an outer join may leave a zone NULL, and the function takes time for it."""
        owner = self.names.owner(zone) if isinstance(zone, exp.Column) else None
        joins = self.select.args.get("joins") or []
        return (
            self.engine.looks_at_zones_last
            and owner is not None
            and any(
                one.side in ("RIGHT", "FULL") or (one.side == "LEFT" and one.this is owner.node)
                for one in joins
            )
        )

    def utc_pieces(self, predicate: LocalPredicate) -> list[Interval] | None:
        """The UTC times of a predicate; None where its zone or future laws leave them unknown."""
        name = self.iana_name(predicate.conversion.zone)
        if name is None:
            return None
        pieces = utc_times(self.job.rules.zone(name), predicate.interval)
        edges = [edge for piece in pieces for edge in piece if edge is not None]
        # another law may move the clock by less than two days
        if edges and not self.may_be_literal(Interval(edges[0] - 2 * DAY, edges[-1] + 2 * DAY)):
            return None
        return pieces

    def text(self, node: Node) -> str:
        """The text of a node whose place is known, as that of every part of a site is."""
        return self.source.text[slice(*self.place(node))]

    def place(self, node: Node) -> Range:
        """The characters of a node; CheckError where they are not known for certain."""
        found = self.source.range(node)
        if found is None:
            raise CheckError(
                "The place of an expression in the text is not certain. "
                "The statement was not rewritten; please report this query."
            )
        return found

    def rewritten(self, node: Node, *instead: Edit) -> str:
        """The text of a node with the edits made inside of it, and others ``instead`` of some."""
        start, end = self.place(node)
        made = [
            edit
            for edit in self.edits
            if not any(edit.is_inside(one.start, one.end) for one in instead)
        ]
        inner = [
            edit.relative_to(start) for edit in [*made, *instead] if edit.is_inside(start, end)
        ]
        return apply(self.text(node), inner)

    def operand(self, node: Node) -> str:
        """The text of a node as it is compared."""
        text = self.rewritten(node)
        return f"({text})" if text.casefold() in _TYPES else text

    def settle(self, *sites: Site, node: Node, by: Replacement) -> None:
        """Take sites off the list and replace a node, with the edits inside of it: all or none."""
        start, end = self.place(node)
        edits = [edit for edit in self.edits if not edit.is_inside(start, end)]
        edit = Edit(start, end, by.text, by.rule, by.strategy, by.reason, "expression")
        still_open = [site for site in self.open if site not in sites]
        self.edits, self.open = [*edits, edit], still_open
        self.became[id(node)] = by.text

    def add_condition(self, condition: Replacement, beside: Node | None = None) -> bool:
        """Add a condition to the clause, WHERE or ON, in which another one must hold, or to WHERE.

        A WHERE is added only where the end of FROM is known.
        """
        where = self.select.args.get("where")
        said = (condition.rule, condition.strategy, condition.reason)
        around = where if beside is None else beside.find_ancestor(exp.Where, exp.Join)
        if beside is not None and (around is not where or where is None):
            # behind it the joins begin that others add
            start, _ = self.place(beside)
            self.beside.append(Edit(start, start, f"{condition.text} AND ", *said, "before"))
            return True
        is_more = any(one.kind == "conditions" for one in self.beside)
        if where is None:
            args = self.select.args
            last = (args.get("laterals") or args.get("joins") or [args["from_"]])[-1]
            place = noted_range(last)
            parts = [part for one in self.select.expressions for part in one.walk()]
            if place is None or any(part.meta.get("start", 0) >= place[1] for part in parts):
                return False  # FROM e SELECT ...
            line = next_line(self.source.text, place[1], 2 * is_more)
            after = f"{line}{'AND' if is_more else 'WHERE'} {condition.text}"
            self.beside.append(Edit(place[1], place[1], after, *said, "conditions"))
            return True
        if beside is None and self.source.range(where.this) is None:
            return False
        start, end = self.place(where.this)
        # AND binds tighter than OR: the conditions must hold for the whole of it
        is_open = isinstance(where.this, exp.Connector) and not isinstance(where.this, exp.And)
        opens = is_open and not is_more
        if opens:
            self.beside.append(Edit(start, start, "(", *said, "bracket"))
        after = f"{')' * opens}{next_line(self.source.text, start, 2)}AND {condition.text}"
        self.beside.append(Edit(end, end, after, *said, "conditions"))
        return True

    def leave(self, reason: Reason) -> None:
        """Note why all open sites are left."""
        self.reasons |= {id(site): reason for site in self.open}

    @contextmanager
    def leaving(self, site: Site) -> Iterator[None]:
        """Note the reason of a LeaveError; the last strategy's is the one reported."""
        try:
            yield
        except LeaveError as error:
            self.reasons[id(site)] = error.reason

    def reason(self, site: Site) -> Reason | None:
        """Why a site is left, if anything has said so."""
        if self.sites.may_join_on_zone:
            return EQUAL
        return site.reason if isinstance(site, Unclear) else self.reasons.get(id(site))
