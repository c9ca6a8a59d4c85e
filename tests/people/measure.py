"""What the rewriter does with each conversion of tests/people, counted without an engine."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tests.people import Statement, data, statements
from tests.people.sites import Site, sites
from tzconv.errors import TzconvError
from tzconv.rewriter import Left, Rewrite, from_ddl, rewrite, templated
from tzconv.sql.declarations import Declared

DIALECTS = {
    "postgres": "PostgreSQL",
    "redshift": "Redshift",
    "duckdb": "DuckDB",
    "spark": "Spark",
    "vertica": "Vertica",
}
_DATABASES = {"redshift": "shop.public", "duckdb": "memory.main", "spark": "main.sales"}
"""Where tables of other databases can be read too, their own must be declared."""
FASTER = ("few-rows", "no-gain")
"""The codes of conversions for which the function was measured to be faster."""
_TABLE = """\
| engine | statements | conversions | of constants or UTC | rewritten | not faster | left, and why |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Found:
    """A conversion, and ``state``: the code of the reason, ``rewritten`` or ``silent``."""

    statement: Statement
    site: Site
    state: str
    why: str

    def __str__(self) -> str:
        text = self.statement.text[self.site.start : self.site.end]
        return f"{self.statement.name}: {self.state}: {text!r}: {self.why}"


@functools.cache
def schema(dialect: str) -> dict[str, dict[str, str]]:
    """The column types, as ``--schema-file`` reads them, in the database that they are in."""
    types = from_ddl(data.ddl(dialect), dialect)
    database = _DATABASES.get(dialect)
    return types | {f"{database}.{name}": one for name, one in types.items() if database}


@functools.cache
def rewritten(dialect: str) -> dict[str, Rewrite]:
    """Each statement of a dialect as a user's own command would rewrite it, with a schema only."""
    return _rewritten(dialect, {name: each.text for name, each in statements(dialect).items()})


def again(dialect: str, texts: dict[str, str]) -> dict[str, str]:
    """Texts that were rewritten, after a second pass."""
    return {name: result.sql for name, result in _rewritten(dialect, texts).items()}


def _rewritten(dialect: str, texts: dict[str, str]) -> dict[str, Rewrite]:
    one = functools.partial(rewrite, dialect=dialect)
    results = {}
    for name, text in texts.items():
        try:
            results[name] = templated.rewrite_each(text, one, Declared(schema(dialect)), dialect)
        except TzconvError:  # what is refused keeps its conversions, and nothing is said of them
            results[name] = Rewrite(text, (), ())
    return results


@functools.cache
def measured(dialect: str) -> tuple[Found, ...]:
    """Every conversion of the statements of a dialect."""
    return tuple(
        found
        for name, statement in statements(dialect).items()
        for found in _states(statement, rewritten(dialect)[name])
    )


def _states(statement: Statement, result: Rewrite) -> Iterator[Found]:
    for site in sites(statement.text):
        # the shortest place around a conversion is the one that speaks of it
        places = [
            (change.end - change.start, "rewritten", change.reason)
            for change in result.changes
            if change.before and change.start <= site.at < change.end
        ]
        for left in result.left:
            start = _offset(statement.text, left)
            if start <= site.at < start + len(left.text):
                places.append((len(left.text), left.code, left.reason))
        _, state, why = min(places, default=(0, "silent", ""))
        yield Found(statement, site, state, why)


def _offset(text: str, left: Left) -> int:
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: left.line - 1])) + left.column - 1


@dataclass(frozen=True)
class Counts:
    """The conversions of a dialect: ``rows`` by state, and how many look up no rules for a row."""

    statements: int
    rows: Counter[str]
    constants: int

    @property
    def rate(self) -> float:
        """How many are rewritten, without those for which the function is faster."""
        of = self.rows.total() - sum(self.rows[code] for code in FASTER)
        return self.rows["rewritten"] / of


@functools.cache
def counts(dialect: str) -> Counts:
    """The counts of a dialect; what runs once, or looks up no rules, counts as a constant."""
    rows: Counter[str] = Counter()
    once = {name: each.once for name, each in statements(dialect).items()}
    constants = 0
    for found in measured(dialect):
        name = found.statement.name
        if not found.site.of_rows or found.state == "fixed-offset":
            constants += 1
        elif found.state != "rewritten" and once[name]:
            constants += 1
            once[name] -= 1
        else:
            rows[found.state] += 1
    return Counts(len(once), rows, constants)


def table() -> str:
    """The table in docs/rewrite.md."""
    lines = []
    for dialect, name in DIALECTS.items():
        count = counts(dialect)
        rest = count.rows.copy()
        done, faster = rest.pop("rewritten"), sum(rest.pop(code, 0) for code in FASTER)
        left = ", ".join(f"`{code}` {n}" for code, n in sorted(rest.items(), key=_often))
        every = count.rows.total() + count.constants
        lines.append(
            f"| {name} | {count.statements} | {every} | {count.constants} "
            f"| {done} ({count.rate:.0%}) | {faster} | {left} |\n"
        )
    return _TABLE + "".join(lines)


def _often(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
