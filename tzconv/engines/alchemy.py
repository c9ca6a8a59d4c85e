"""Questions to an open session, asked by a backend or by the hook of SQLAlchemy.

Every engine has a class in its ``alchemy`` module; ``sqlalchemy.catalog`` and ``backend`` use it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tzconv import tables
from tzconv.errors import DatabaseError
from tzconv.sql.binder import Bind
from tzconv.sql.reasons import Reason

if TYPE_CHECKING:
    from tzconv.sql.built import Built

Ask: TypeAlias = Callable[..., list[Any]]
"""Runs a query, with the parameters of the driver if there are any; gives its rows."""
Types: TypeAlias = dict[str, dict[str, str]]
"""Types as SQL text, by ``table`` or ``schema.table`` and by column."""

Path: TypeAlias = tuple[str, ...]


class Relation(NamedTuple):
    """A table in ``sql[start:end]`` of a rewritten text, and the kinds of its columns in it.

    A path is a column, the fields in it, and :data:`tzconv.sql.reading.ITEM` for the values of a
    list. ``is_shown``: it stands in an output column, whose name may show its text.
    """

    name: str
    start: int
    end: int
    has_alias: bool
    kinds: Mapping[Path, str]
    is_shown: bool


class Alchemy:
    """``driver`` is the driver's own connection, ``ask`` runs a query on it.

    Static methods need no question.
    """

    database = ""
    """Shows the name of the session's database, the only one that a statement can name."""
    session_zone = "SHOW TimeZone"
    """Shows the time zone of the session in the last column."""
    reports_zone = False
    """Whether the server reports each change of it, so that it costs nothing to know."""
    has_savepoints = False
    """Whether an error would end the caller's transaction, and a savepoint keeps it apart."""
    has_one_cursor = False
    """Whether a connection has one cursor, which its caller is about to use."""
    percent_drivers: tuple[str, ...] = ()
    """Drivers that read percent signs as parameters even in a query without parameters."""
    has_shadow = True
    """Whether shadow mode runs on this engine."""

    keeps_settings = False
    """Whether a rollback leaves the settings that its transaction has made."""
    follows_views = False
    """Whether a view has other columns after a change of its tables."""

    def __init__(self, driver: Any, ask: Ask) -> None:
        self.driver, self.ask = driver, ask

    def column_types(
        self, names: Collection[str] | None = None, *, is_changing: bool = False
    ) -> Types:
        """Types of the columns that the connection may read, by ``table`` and ``schema.table``.

        Only of tables with one of the ``names``, if given, and of those outside of the search path
        only in a schema with one. ``is_changing`` says that an open transaction has changed tables.
        """
        raise NotImplementedError

    def homes(self, names: Collection[str]) -> list[tuple[str, str | None]]:
        """Schemas of the search path that have a table of those names; [] leaves names as they are.

        Each with the owner of such a table if that is a role which nothing vouches for.
        """
        return []

    def session_time_zone(self) -> str:
        """The current time zone of the session."""
        return self.reported_zone(self.driver) or str(self.ask(self.session_zone)[0][-1])

    def explain(self, statement: str, parameters: Any = None, *, is_generic: bool = False) -> Any:
        """The plan of a query with those parameters of the driver; it is not run.

        ``is_generic`` is for any values of ``$1``. None if the database shows no plan.
        """

    def expected_rows(self, explained: Any) -> float | None:
        """The rows that a query with such a plan is expected to convert; None if not known."""

    def loss(self, before: Any, after: Any, known: Any = None) -> Reason | None:
        """What the second plan loses; ``known`` is that with known bounds. None without plans."""

    def indexes(self, explained: Any) -> frozenset[str] | None:
        """The indexes that a plan uses; None if the engine decides when it runs."""

    def built(self) -> tuple[Built, ...]:
        """The indexes and the like of expressions that convert zones."""
        return ()

    def bind(self) -> Bind | None:
        """Asks for the columns of a statement; None if the driver has no such call."""

    @staticmethod
    def reported_zone(driver: Any) -> str | None:
        """The current time zone of the session, if the driver knows it without asking."""

    @staticmethod
    def search_path(driver: Any) -> str | None:
        """The search path, if the server reports each change of it."""

    @staticmethod
    def is_idle(driver: Any) -> bool:
        """Whether the next statement is the first of its transaction, so that it may be undone."""
        return False

    @staticmethod
    def private(driver: Any) -> Any:
        """A second session of an embedded database; None if a URL opens one."""

    @staticmethod
    def is_stale(error: BaseException) -> bool:
        """Whether an error says that a text does not bind: that tables, types or rights changed."""
        return False

    @staticmethod
    def typed(sql: str, start: int, relations: Sequence[Relation], zone: str | None) -> str:
        """The text that the database refuses where a column has got another kind.

        ``start`` is where its first word begins; with ``zone`` it also refuses a session of another
        time zone, unless it reports that. The check is planned away.
        """
        return sql

    @staticmethod
    def protected(sql: str, original: str, types: Collection[str]) -> str:
        """The rewritten text, in which no function or table that somebody makes later is meant.

        ``types`` has the names of the tables that the session can read.
        """
        return sql

    @staticmethod
    def between_zones(column: str, from_zone: str, to_zone: str) -> str:
        """The SQL that turns a TIMESTAMP of one zone into a TIMESTAMP of another."""
        return f"({column} AT TIME ZONE {from_zone} AT TIME ZONE {to_zone})"


def with_database(types: Types, database: str) -> Types:
    """The types by ``database.schema.table`` too."""
    own = [one for one in types if one.count(".") == 1 and not one.startswith("temp.")]
    return types | {f"{database}.{name}": types[name] for name in own}


OURS = frozenset([*(one.name for one in tables.CONVERSIONS.values()), tables.RELEASE.name])


def home(found: Sequence[tuple[str, str | None]], option: str) -> str | None:
    """The schema of the conversion tables among their :meth:`Alchemy.homes`; None without any.

    DatabaseError if it is uncertain which tables a refresh has made; ``option`` names their schema.
    """
    if len(found) > 1:
        listed = ", ".join(sorted(schema for schema, _ in found))
        raise DatabaseError(
            f"The schemas {listed} of the search path all have tables with the names of conversion "
            f"tables: name the schema of the refreshed ones with {option}."
        )
    for schema, owner in found:
        if owner is not None:
            raise DatabaseError(
                f"The conversion tables in the schema {schema} belong to {owner}, who owns neither "
                f"the schema nor the database: if {owner} runs the refresh, say so with "
                f"{option} {schema}."
            )
    return found[0][0] if found else None


def types_by_name(columns: Iterable[Sequence[Any]], path: Sequence[str] = ()) -> Types:
    """Types by ``schema.table``, and by ``table`` if that finds the same table.

    Rows have schema, table, column and type, and whether the table is found without its schema;
    without that last value, ``path`` has the schemas of the search path.
    """
    types: Types = {}
    for schema, table, column, text, *found in columns:
        types.setdefault(f"{schema}.{table}", {})[column] = text
        if any(found):
            types.setdefault(table, {})[column] = text
    for schema in path:
        for name, columns_of_table in list(types.items()):
            if name.startswith(f"{schema}."):
                types.setdefault(name.removeprefix(f"{schema}."), columns_of_table)
    return types
