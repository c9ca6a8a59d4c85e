"""Errors as Vertica reports them: severity, SQLSTATE, its own number, a message.

The SQLSTATEs are those that vertica-python makes classes of. Seen in public reports of real servers
are the wording and the numbers for syntax errors, names that are missing, rights, duplicate keys
and values that are too long. All other numbers and wordings, those of locks, TLS, CopyFail, broken
loads and of the notice 4214 among them, are assumptions: no client should look at more than the
SQLSTATE.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from psycopg import pq


@dataclass(frozen=True)
class Notice:
    """What the server says beside the result; drivers turn it into a warning."""

    code: int
    message: str
    sqlstate: str = "00000"

    def fields(self) -> list[tuple[str, str]]:
        """The fields of the message on the wire."""
        return [
            ("S", "NOTICE"),
            ("V", str(self.code)),
            ("C", self.sqlstate),
            ("M", self.message),
        ]


@dataclass(eq=False)  # not frozen: raising an exception writes its traceback into it
class VerticaError(Exception):
    """An error that goes to the client."""

    sqlstate: str
    code: int
    message: str
    severity: str = "ERROR"
    detail: str = ""
    hint: str = ""
    position: int = 0
    where: str = ""

    def __str__(self) -> str:
        return f"{self.severity} {self.code}: {self.message}"

    def fields(self) -> list[tuple[str, str]]:
        """The fields of the message on the wire."""
        found = [
            ("S", self.severity),
            ("C", self.sqlstate),
            ("M", self.message),
            ("D", self.detail),
            ("H", self.hint),
            ("P", str(self.position or "")),
            ("V", str(self.code)),
        ]
        return [(letter, value) for letter, value in found if value]


def syntax(near: str, position: int = 0) -> VerticaError:
    """The statement is none."""
    return VerticaError("42601", 4856, f'Syntax error at or near "{near}"', position=position)


def unsupported(what: str) -> VerticaError:
    """Vertica may know it; this server does not, and says so instead of guessing."""
    return VerticaError("0A000", 2000, f"{what} is not supported by the test server")


def missing_column(name: str, table: str = "") -> VerticaError:
    """A name that no column has."""
    place = f' of relation "{table}"' if table else ""
    return VerticaError("42703", 2624, f'Column "{name}"{place} does not exist')


def missing_relation(name: str) -> VerticaError:
    """A name that no table or view has."""
    return VerticaError("42V01", 4566, f'Relation "{name}" does not exist')


def missing_schema(name: str) -> VerticaError:
    """A name that no schema has."""
    return VerticaError("3F000", 4650, f'Schema "{name}" does not exist')


def exists(name: str) -> VerticaError:
    """A name that is taken; a statement that makes something is rolled back by it."""
    return VerticaError("42710", 4213, f'Object "{name}" already exists', severity="ROLLBACK")


def rejected(record: int, why: str) -> VerticaError:
    """A row that ABORT ON ERROR turned into the end of the load."""
    return VerticaError("22V04", 2035, f"COPY: Input record {record} has been rejected ({why})")


def wrong_password() -> VerticaError:
    """No session for this name and password; it does not say which of them is wrong."""
    return VerticaError("28000", 3781, "Invalid username or password", severity="FATAL")


def tls_required() -> VerticaError:
    """No session without TLS."""
    message = "Authentication failed: the server requires TLS"
    return VerticaError("28000", 2000, message, severity="FATAL")


def aborted() -> VerticaError:
    """Only a ROLLBACK helps."""
    message = "Current transaction is aborted, commands ignored until end of transaction block"
    return VerticaError("25V02", 2005, message)


# PostgreSQL's SQLSTATE to Vertica's and to its number
_STATES = {
    "22003": ("22003", 5408),
    "22001": ("22001", 4800),
    "22007": ("22007", 3679),
    "22008": ("22008", 2992),
    "22012": ("22012", 3117),
    "22P02": ("22V02", 3681),
    "22023": ("22023", 3687),
    "23502": ("22004", 2501),
    "23505": ("23505", 6745),
    "25P02": ("25V02", 2005),
    "2BP01": ("2BV01", 3128),
    "34000": ("34000", 2552),
    "3D000": ("3D000", 2983),
    "3F000": ("3F000", 4650),
    "40P01": ("40V01", 3010),
    "42501": ("42501", 4367),
    "42601": ("42601", 4856),
    "42702": ("42702", 2671),
    "42703": ("42703", 2624),
    "42704": ("42704", 5108),
    "42803": ("42803", 2640),
    "42804": ("42804", 3429),
    "42883": ("42883", 3457),
    "42P01": ("42V01", 4566),
    "42P06": ("42710", 4213),
    "42P07": ("42710", 4213),
    "42701": ("42701", 2659),
    "55P03": ("55V03", 5156),
    "57014": ("57014", 4326),
    "57P01": ("57V01", 4539),
}


def from_postgres(result: pq.abc.PGresult) -> VerticaError:
    """Say in Vertica's terms what PostgreSQL complains about."""

    def field(which: pq.DiagnosticField) -> str:
        return (result.error_field(which) or b"").decode("utf-8", "replace")

    state = field(pq.DiagnosticField.SQLSTATE)
    sqlstate, code = _STATES.get(state, (state or "XX000", 2000))
    text = field(pq.DiagnosticField.MESSAGE_PRIMARY)
    if state == "55P03":
        text = "Unavailable: locks for query - Locking failure: Timed out"
    elif state == "57014" and "canceling statement due to user request" in text:
        text = "Execution canceled by operator"
    elif state in {"42P06", "42P07"}:
        name = re.search('"(.*)"', text)
        return replace(exists(name[1] if name else "?"), detail=text)
    elif state == "23505":
        place = [field(pq.DiagnosticField.SCHEMA_NAME), field(pq.DiagnosticField.TABLE_NAME)]
        constraint = ".".join([*place, field(pq.DiagnosticField.CONSTRAINT_NAME)])
        values = re.search(r"\((.*)\)=\((.*)\)", field(pq.DiagnosticField.MESSAGE_DETAIL))
        shown = f"{values[1]}={values[2]}" if values else ""
        text = f"Duplicate key values: '{shown}' -- violates constraint '{constraint}'"
    elif state == "42501":
        text = text.replace("for table", "for relation")
    elif state == "42703":
        text = re.sub(r'^column (?!")(\S+)', r'column "\1"', text)
    return VerticaError(
        sqlstate,
        code,
        text[:1].upper() + text[1:],
        detail=field(pq.DiagnosticField.MESSAGE_DETAIL),
        hint=field(pq.DiagnosticField.MESSAGE_HINT),
        where=field(pq.DiagnosticField.CONTEXT),
    )
