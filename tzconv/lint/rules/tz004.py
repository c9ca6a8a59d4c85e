"""A zone is named by an abbreviation, which is one fixed offset all year."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv.lint.conversions import conversions, has_now
from tzconv.lint.statement import Hit, Statement

CODE = "TZ004"
TITLE = "fixed-offset abbreviation as a zone"
FIXABLE = False

_MEANT = {
    "EST": "America/New_York",
    "EDT": "America/New_York",
    "CST": "America/Chicago",
    "CDT": "America/Chicago",
    "MST": "America/Denver",
    "MDT": "America/Denver",
    "PST": "America/Los_Angeles",
    "PDT": "America/Los_Angeles",
    "CET": "Europe/Berlin",
    "CEST": "Europe/Berlin",
    "EET": "Europe/Helsinki",
    "EEST": "Europe/Helsinki",
    "MET": "Europe/Berlin",
    "WET": "Europe/Lisbon",
    "BST": "Europe/London",
    "AEST": "Australia/Sydney",
    "AEDT": "Australia/Sydney",
    "NZST": "Pacific/Auckland",
    "NZDT": "Pacific/Auckland",
}
"""Places with summer time that people mean by these; HST, JST or IST have none to lose."""

_FIXED_IN_DUCKDB = {"EST", "MST"}
"""DuckDB reads CET or PST as zones with summer time, and refuses CEST or PDT."""


def check(statement: Statement) -> Iterator[Hit]:
    """Abbreviations in conversions of rows and of NOW()."""
    for select in statement.selects:
        for found in conversions(select):
            if not (found.value.find(exp.Column) or has_now(found.value)):
                continue  # a constant is converted as its writer saw it
            for zone in found.zones:
                name = zone.name.upper() if isinstance(zone, exp.Literal) else ""
                if name in _MEANT and _is_fixed(name, statement.dialect):
                    yield Hit(
                        zone,
                        f"{name} is a fixed offset, without summer time: {_MEANT[name]} is what "
                        "is usually meant",
                    )


def _is_fixed(name: str, dialect: str) -> bool:
    return name in _FIXED_IN_DUCKDB if dialect == "duckdb" else True
