"""Statements that define things: each becomes a function that does it on PostgreSQL.

Views are PostgreSQL's: bound to their tables, where Vertica's find them by their names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.vertica_server import design
from tests.vertica_server.engine import Engine
from tests.vertica_server.errors import (
    Notice,
    exists,
    missing_relation,
    missing_schema,
    unsupported,
)
from tests.vertica_server.lexer import Reader, Statement, folded, statements
from tests.vertica_server.queries import check_query

Action = Callable[[Engine], list[Notice]]

_PRIVILEGES = ("SELECT", "INSERT", "UPDATE", "DELETE", "REFERENCES", "TRUNCATE", "USAGE", "CREATE")
_DROPPED = Notice(4185, "Nothing was dropped")


@dataclass(frozen=True)
class Ddl:
    """A statement that defines something."""

    tag: str
    action: Action
    commits: bool = True
    """Whether it commits the current transaction; only local temporary tables do not."""


def _plain(sql: str) -> Action:
    def action(engine: Engine) -> list[Notice]:
        engine.run(sql)
        return []

    return action


def _oid(engine: Engine, name: str) -> str | None:
    """The number of a table or a view, None if nothing has this name."""
    parts = [f'"{folded(part)}"' for part in name.split(".")]
    return engine.run("SELECT to_regclass($1)::oid::text", ".".join(parts))[0][0]


def create(reader: Reader) -> Ddl:
    """CREATE SCHEMA, VIEW and TABLE."""
    reader.expect("CREATE")
    if reader.accept("SCHEMA"):
        quietly = reader.accept("IF", "NOT", "EXISTS")
        name = reader.name()
        if reader.accept("AUTHORIZATION"):
            reader.name()
        reader.end()
        return Ddl("CREATE SCHEMA", _create_schema(name, quietly))
    replace = reader.accept("OR", "REPLACE")
    if replace or reader.peek() == "VIEW":
        reader.expect("VIEW")
        name = reader.table()
        columns = reader.names() if reader.peek() == "(" else []
        reader.expect("AS")
        first, end = reader.at, len(reader.statement.tokens)
        query = check_query(reader.statement, first)
        if first == end:
            raise reader.error()
        head = f"CREATE {'OR REPLACE ' if replace else ''}VIEW {name}"
        names = f" ({', '.join(columns)})" if columns else ""
        return Ddl("CREATE VIEW", _plain(f"{head}{names} AS {query}"))
    local = reader.accept("LOCAL")
    if not local and reader.accept("GLOBAL"):
        raise unsupported("A global temporary table")
    temporary = reader.accept("TEMP") or reader.accept("TEMPORARY")
    if local and not temporary:
        raise reader.error()
    if temporary and not local:
        raise unsupported("A temporary table that is not LOCAL")
    reader.expect("TABLE")
    return _create_table(reader, temporary)


def _create_schema(name: str, quietly: bool) -> Action:
    def action(engine: Engine) -> list[Notice]:
        if quietly and engine.run("SELECT 1 FROM pg_namespace WHERE nspname = $1", folded(name)):
            return [Notice(4214, f'Object "{name}" already exists; nothing was done')]
        engine.run(f"CREATE SCHEMA {name}")
        return []

    return action


def _create_table(reader: Reader, temporary: bool) -> Ddl:
    quietly = reader.accept("IF", "NOT", "EXISTS")
    name = reader.table()
    if temporary and "." in name:
        raise unsupported("A temporary table with a schema")
    if reader.accept("AS"):
        if temporary:
            raise unsupported("A temporary table made of a query")
        query = check_query(reader.statement, reader.at)
        return Ddl("CREATE TABLE", _new(name, quietly, f"CREATE TABLE {name} AS {query}", None))
    table = design.read(reader, name, temporary, quietly)
    kind = "TEMP TABLE" if temporary else "TABLE"
    return Ddl(
        "CREATE TABLE",
        _new(name, quietly, f"CREATE {kind} {name} {table.body}", table.design.dumps(), temporary),
        commits=not temporary,
    )


def _in_current_schema(engine: Engine, name: str) -> str:
    """Where a table of that name would be made; others of the search path do not matter."""
    if "." in name:
        return name
    schema = engine.run("SELECT quote_ident(current_schema())")
    return f"{schema[0][0]}.{name}" if schema[0][0] else name


def _new(
    name: str, quietly: bool, sql: str, declared: str | None, temporary: bool = False
) -> Action:
    def action(engine: Engine) -> list[Notice]:
        if _oid(engine, f"pg_temp.{name}" if temporary else _in_current_schema(engine, name)):
            if quietly:
                return [Notice(4214, f'Object "{name}" already exists; nothing was done')]
            raise exists(name)
        schema = folded(name.split(".", maxsplit=1)[0])
        if "." in name and not _has_schema(engine, schema):
            raise missing_schema(schema)
        engine.run(sql)
        if declared is not None:
            number = _oid(engine, name)
            remember = "INSERT INTO v_internal.design VALUES ($1::oid, $2::jsonb)"
            engine.run("DELETE FROM v_internal.design WHERE relation = $1::oid", number)
            engine.run(remember, number, declared)
        return []

    return action


def _has_schema(engine: Engine, name: str) -> bool:
    return bool(engine.run("SELECT 1 FROM pg_namespace WHERE nspname = $1", name))


def drop(reader: Reader) -> Ddl:
    """DROP TABLE, VIEW and SCHEMA."""
    reader.expect("DROP")
    kind = reader.choose("TABLE", "VIEW", "SCHEMA")
    quietly = reader.accept("IF", "EXISTS")
    names = [reader.table()]
    while reader.accept(","):
        names.append(reader.table())
    cascade = reader.accept("CASCADE")
    if not cascade and kind == "SCHEMA":
        _ = reader.accept("RESTRICT")
    reader.end()

    def action(engine: Engine) -> list[Notice]:
        found, notices = [], []
        for name in names:
            known = _has_schema(engine, folded(name)) if kind == "SCHEMA" else _oid(engine, name)
            if known:
                found.append(name)
            elif quietly:
                notices.append(_DROPPED)
            else:
                raise missing_schema(name) if kind == "SCHEMA" else missing_relation(name)
        if found:
            numbers = [_oid(engine, name) for name in found] if kind == "TABLE" else []
            engine.run(f"DROP {kind} {', '.join(found)}{' CASCADE' if cascade else ''}")
            for number in numbers:
                engine.run("DELETE FROM v_internal.design WHERE relation = $1::oid", number)
        return notices

    return Ddl(f"DROP {kind}", action)


def alter(reader: Reader) -> Ddl:
    """ALTER TABLE of columns."""
    reader.expect("ALTER", "TABLE")
    table = reader.table()
    if reader.accept("RENAME"):
        _ = reader.accept("COLUMN")
        old = reader.name()
        reader.expect("TO")
        change = f"RENAME COLUMN {old} TO {reader.name()}"
    elif reader.accept("ADD", "COLUMN"):
        condition = "IF NOT EXISTS " if reader.accept("IF", "NOT", "EXISTS") else ""
        made = design.read(Reader(_columns_only(reader)), table, False, False)
        if made.design != design.Design():
            raise unsupported("A new column with a key or an encoding")
        change = f"ADD COLUMN {condition}{made.body[1:-1]}"
        reader.at = len(reader.statement.tokens)
    elif reader.accept("DROP"):
        _ = reader.accept("COLUMN")
        condition = "IF EXISTS " if reader.accept("IF", "EXISTS") else ""
        change = f"DROP COLUMN {condition}{reader.name()}"
        if reader.peek() in ("CASCADE", "RESTRICT"):
            change += " " + reader.next().word
    else:
        raise unsupported("This ALTER TABLE")
    reader.end()
    return Ddl("ALTER TABLE", _plain(f"ALTER TABLE {table} {change}"))


def _columns_only(reader: Reader) -> Statement:
    """The rest of the statement as the columns of a CREATE TABLE."""
    rest = reader.between(reader.at, len(reader.statement.tokens))
    return next(statements(f"({rest})"))


def grant(reader: Reader) -> Ddl:
    """GRANT and REVOKE on tables and schemas, which PostgreSQL spells alike."""
    verb = reader.choose("GRANT", "REVOKE")
    if verb == "REVOKE":
        _ = reader.accept("GRANT", "OPTION", "FOR")
    if reader.accept("ALL"):
        _ = reader.accept("PRIVILEGES")
    else:
        reader.choose(*_PRIVILEGES)
        while reader.accept(","):
            reader.choose(*_PRIVILEGES)
    reader.expect("ON")
    if reader.accept("ALL"):
        reader.expect("TABLES", "IN", "SCHEMA")
    elif not reader.accept("SCHEMA"):
        _ = reader.accept("TABLE")
    reader.table()
    while reader.accept(","):
        reader.table()
    reader.expect("TO" if verb == "GRANT" else "FROM")
    reader.name()
    while reader.accept(","):
        reader.name()
    _ = reader.accept("WITH", "GRANT", "OPTION") if verb == "GRANT" else reader.accept("CASCADE")
    reader.end()
    return Ddl(f"{verb} PRIVILEGE", _plain(reader.statement.text))


def comment(reader: Reader) -> Ddl:
    """COMMENT ON TABLE, VIEW and SCHEMA."""
    reader.expect("COMMENT", "ON")
    reader.choose("TABLE", "VIEW", "SCHEMA")
    reader.table()
    reader.expect("IS")
    if not reader.accept("NULL"):
        reader.string()
    reader.end()
    return Ddl("COMMENT", _plain(reader.statement.text))


def truncate(reader: Reader) -> Ddl:
    """TRUNCATE TABLE, which commits like the others."""
    reader.expect("TRUNCATE", "TABLE")
    table = reader.table()
    reader.end()
    return Ddl("TRUNCATE TABLE", _plain(f"TRUNCATE TABLE {table}"))
