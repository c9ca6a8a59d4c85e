"""The statements that the server understands, by their first words; anything else is an error.

What is set with ALTER SESSION is a parameter of the configuration; that LockTimeout is one which a
session may set is an assumption. Locks are PostgreSQL's of the table: X is EXCLUSIVE, I is ROW
EXCLUSIVE, S is SHARE, IV is SHARE UPDATE EXCLUSIVE, O is ACCESS EXCLUSIVE, with the same conflicts
among each other except that O also keeps readers out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tests.vertica_server import copy, ddl, queries
from tests.vertica_server.errors import VerticaError, syntax, unsupported
from tests.vertica_server.lexer import Reader, Statement, folded

Kind = Literal[
    "query", "change", "ddl", "copy", "begin", "commit", "rollback", "savepoint", "set", "lock"
]

X, I_VALIDATE = "EXCLUSIVE", "SHARE UPDATE EXCLUSIVE"

_LOCKS = {
    ("SHARE", "INSERT"): "SHARE ROW EXCLUSIVE",
    ("INSERT", "VALIDATE"): I_VALIDATE,
    ("SHARE",): "SHARE",
    ("INSERT",): "ROW EXCLUSIVE",
    ("EXCLUSIVE",): X,
    ("USAGE",): "ACCESS SHARE",
    ("OWNER",): "ACCESS EXCLUSIVE",
}


@dataclass(frozen=True)
class Plan:
    """What a statement does and how PostgreSQL is told."""

    kind: Kind
    tag: str
    sql: str = ""
    lock: str = ""
    """The mode in which ``table`` is locked before anything else."""
    table: str = ""
    ddl: ddl.Ddl | None = None
    copy: copy.Copy | None = None
    name: str = ""
    """Of a savepoint; it is to be released or rolled back to by ``sql``."""
    settings: dict[str, str] = field(default_factory=dict)


def plan(statement: Statement) -> Plan:
    """Understand a statement, or raise Vertica's refusal."""
    first = statement.tokens[0]
    words = tuple(token.word for token in statement.tokens[:2])
    if words == ("ALTER", "SESSION"):
        return _alter_session(Reader(statement))
    if first.word not in _PLANS:
        raise syntax(first.text, first.start + 1)
    return _PLANS[first.word](statement)


def _query(statement: Statement) -> Plan:
    return Plan("query", "SELECT", queries.check_query(statement))


def _explain(statement: Statement) -> Plan:
    return Plan("query", "EXPLAIN", f"EXPLAIN {queries.check_query(statement, 1)}")


def _insert(statement: Statement) -> Plan:
    table, sql = queries.insert(statement)
    return Plan("change", "INSERT", sql, table=table)


def _locking(tag: str, read: Callable[[Statement], tuple[str, str]]) -> Callable[[Statement], Plan]:
    def make(statement: Statement) -> Plan:
        table, sql = read(statement)
        return Plan("change", tag, sql, lock=X, table=table)

    return make


def _ddl(read: Callable[[Reader], ddl.Ddl]) -> Callable[[Statement], Plan]:
    def make(statement: Statement) -> Plan:
        understood = read(Reader(statement))
        return Plan("ddl", understood.tag, ddl=understood)

    return make


def _copy(statement: Statement) -> Plan:
    return Plan("copy", "COPY", copy=copy.read(Reader(statement)))


def _begin(statement: Statement) -> Plan:
    reader = Reader(statement)
    if reader.accept("START"):
        reader.expect("TRANSACTION")
    else:
        reader.expect("BEGIN")
        _ = reader.accept("WORK") or reader.accept("TRANSACTION")
    if reader.accept("ISOLATION"):
        reader.expect("LEVEL", "READ", "COMMITTED")
    reader.end()
    return Plan("begin", "BEGIN")


def _commit(statement: Statement) -> Plan:
    reader = Reader(statement)
    reader.choose("COMMIT", "END")
    _ = reader.accept("WORK") or reader.accept("TRANSACTION")
    reader.end()
    return Plan("commit", "COMMIT")


def _rollback(statement: Statement) -> Plan:
    reader = Reader(statement)
    if reader.accept("ROLLBACK", "TO"):
        _ = reader.accept("SAVEPOINT")
        name = reader.name()
        reader.end()
        return Plan("savepoint", "ROLLBACK", f"ROLLBACK TO SAVEPOINT {name}", name=folded(name))
    reader.choose("ROLLBACK", "ABORT")
    _ = reader.accept("WORK") or reader.accept("TRANSACTION")
    reader.end()
    return Plan("rollback", "ROLLBACK")


def _savepoint(statement: Statement) -> Plan:
    reader = Reader(statement)
    reader.expect("SAVEPOINT")
    name = reader.name()
    reader.end()
    return Plan("savepoint", "SAVEPOINT", f"SAVEPOINT {name}", name=folded(name))


def _release(statement: Statement) -> Plan:
    reader = Reader(statement)
    reader.expect("RELEASE")
    _ = reader.accept("SAVEPOINT")
    name = reader.name()
    reader.end()
    return Plan("savepoint", "RELEASE", f"RELEASE SAVEPOINT {name}", name=folded(name))


def _set(statement: Statement) -> Plan:
    reader = Reader(statement)
    reader.expect("SET")
    settings: dict[str, str] = {}
    if reader.accept("SESSION"):
        if reader.accept("AUTOCOMMIT"):
            reader.expect("TO")
            settings["autocommit"] = reader.choose("ON", "OFF").lower()
        else:
            reader.expect("CHARACTERISTICS", "AS", "TRANSACTION", "ISOLATION", "LEVEL")
            if reader.accept("SERIALIZABLE"):
                raise unsupported("The isolation level SERIALIZABLE")
            reader.expect("READ", "COMMITTED")
    elif reader.accept("TIME", "ZONE") or reader.accept("TIMEZONE"):
        _ = reader.accept("TO")
        if reader.accept("LOCAL") or reader.accept("DEFAULT"):
            settings["TimeZone"] = "UTC"
        else:
            settings["TimeZone"] = reader.string()
    else:
        reader.expect("SEARCH_PATH")
        reader.choose("TO", "=")
        names = [reader.name()]
        while reader.accept(","):
            names.append(reader.name())
        settings["search_path"] = ", ".join([*names, "v_catalog", "v_monitor", "v_internal"])
    reader.end()
    return Plan("set", "SET", settings=settings)


def _alter_session(reader: Reader) -> Plan:
    reader.expect("ALTER", "SESSION")
    if reader.accept("CLEAR"):
        _ = reader.accept("PARAMETER")
        parameter, value = reader.name(), "default"
    else:
        reader.expect("SET")
        _ = reader.accept("PARAMETER")
        parameter = reader.name()
        reader.expect("=")
        value = str(reader.number())
    reader.end()
    if folded(parameter).lower() != "locktimeout":
        raise VerticaError("42704", 4324, f'Configuration parameter "{parameter}" is unknown')
    return Plan("set", "ALTER SESSION", settings={"lock_timeout": value})


_SHOWN = {
    "TIMEZONE": "TimeZone",
    "SEARCH_PATH": "search_path",
    "TRANSACTION_ISOLATION": "transaction_isolation",
}


def _show(statement: Statement) -> Plan:
    reader = Reader(statement)
    reader.expect("SHOW")
    name = reader.choose(*_SHOWN)
    reader.end()
    sql = f"SELECT '{name.lower()}' AS name, current_setting('{_SHOWN[name]}') AS setting"
    return Plan("query", "SHOW", sql)


def _lock(statement: Statement) -> Plan:
    reader = Reader(statement)
    reader.expect("LOCK")
    _ = reader.accept("TABLE")
    tables = [reader.table()]
    while reader.accept(","):
        tables.append(reader.table())
    reader.expect("IN")
    mode = next((mode for words, mode in _LOCKS.items() if reader.accept(*words)), None)
    if mode is None:
        if reader.accept("NOT", "DELETE"):
            raise unsupported("The lock NOT DELETE")
        raise reader.error()
    reader.expect("MODE")
    nowait = " NOWAIT" if reader.accept("NOWAIT") else ""
    reader.end()
    return Plan("lock", "LOCK TABLE", f"LOCK TABLE {', '.join(tables)} IN {mode} MODE{nowait}")


_PLANS: dict[str, Callable[[Statement], Plan]] = {
    "SELECT": _query,
    "WITH": _query,
    "(": _query,
    "EXPLAIN": _explain,
    "INSERT": _insert,
    "DELETE": _locking("DELETE", queries.delete),
    "UPDATE": _locking("UPDATE", queries.update),
    "MERGE": _locking("MERGE", queries.merge),
    "COPY": _copy,
    "CREATE": _ddl(ddl.create),
    "DROP": _ddl(ddl.drop),
    "ALTER": _ddl(ddl.alter),
    "GRANT": _ddl(ddl.grant),
    "REVOKE": _ddl(ddl.grant),
    "COMMENT": _ddl(ddl.comment),
    "TRUNCATE": _ddl(ddl.truncate),
    "BEGIN": _begin,
    "START": _begin,
    "COMMIT": _commit,
    "END": _commit,
    "ROLLBACK": _rollback,
    "ABORT": _rollback,
    "SAVEPOINT": _savepoint,
    "RELEASE": _release,
    "SET": _set,
    "SHOW": _show,
    "LOCK": _lock,
}
