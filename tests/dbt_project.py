"""The dbt project of tests/dbt: its data, how its models are rendered, and dbt's artifacts of it.

The models are rendered with Jinja, as dbt does it, but for what dbt asks a database.
"""

from __future__ import annotations

import datetime as dt
import functools
import random
import re
import zoneinfo
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jinja2
import jinja2.ext

from tests import ROOT, events_postgres

PROJECT = ROOT / "tests" / "dbt"
MODELS = {path.stem: path for path in sorted((PROJECT / "models").rglob("*.sql"))}
_MACROS = "".join(path.read_text() for path in sorted((PROJECT / "macros").glob("*.sql")))
_SOURCES = {
    "shops": "id int, name text, tz text",
    "users": "id int, shop_id int, email text, tz text, signed_up_at timestamptz, "
    "deleted_at timestamptz",
    "orders": "id int, user_id int, shop_id int, placed_at timestamptz, shipped_at timestamp, "
    "amount_cents int, status text",
    "events": "id int, user_id int, kind text, ts timestamp",
    "payments": "id int, order_id int, method text, paid_at timestamptz, amount_cents int",
    "tickets": "id int, user_id int, opened_at timestamp, closed_at timestamp, "
    "local_deadline timestamp",
    "shifts": "id int, shop_id int, starts_local timestamp, ends_local timestamp",
}
_ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC", None]
_VARS = {"report_date": "2026-06-01", "first_day": "2025-01-01", "time_zone": "Europe/Berlin"}


def statements() -> Iterator[str]:
    """What makes the schemas ``raw`` and ``dbt``: the rows of the one, the models of the other."""
    yield "CREATE SCHEMA raw"
    yield "CREATE SCHEMA dbt"
    for table, columns in _SOURCES.items():
        yield f"CREATE TABLE raw.{table} ({columns})"
        rows = ", ".join(f"({', '.join(map(_literal, row))})" for row in _rows(table))
        yield f"INSERT INTO raw.{table} VALUES {rows}"
    for name in in_order():
        yield f"CREATE TABLE dbt.{relation(name)} AS {render(MODELS[name].read_text(), name)}"


def load(url: str) -> None:
    """Fill an empty PostgreSQL database with the conversion tables and the project."""
    with events_postgres.connect(url) as connection:
        events_postgres.conversion_tables(connection)
        for statement in statements():
            connection.execute(statement)


def _literal(value: object) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def _rows(table: str) -> Iterator[tuple[object, ...]]:
    chance = random.Random(table)
    moments = list(_moments(chance))

    def moment() -> str | None:
        return None if chance.random() < 0.03 else str(chance.choice(moments))

    def aware() -> str | None:
        found = moment()
        return found and f"{found}+00"

    for number in range(6 if table == "shops" else 30 if table == "users" else 250):
        shop, user, cents = chance.randrange(6), chance.randrange(30), chance.randrange(9_999)
        zone = _ZONES[number % len(_ZONES)] if table == "shops" else chance.choice(_ZONES)
        yield {
            "shops": (number, f"shop {number}", zone),
            "users": (number, shop, f"u{number}@example.org", zone, aware(), None),
            "orders": (
                number,
                user,
                shop,
                aware(),
                moment(),
                cents,
                chance.choice(["paid", "open"]),
            ),
            "events": (number, user, chance.choice(["login", "view", "other"]), moment()),
            "payments": (number, chance.randrange(250), "card", aware(), cents),
            "tickets": (number, user, moment(), moment(), moment()),
            "shifts": (number, shop, moment(), moment()),
        }[table]


def _moments(chance: random.Random) -> Iterator[dt.datetime]:
    """Times near changes of the clocks, and some others."""
    for name in filter(None, _ZONES):
        zone = zoneinfo.ZoneInfo(name)
        day = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
        while day.year < 2027:
            after = day + dt.timedelta(hours=6)
            if day.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
                for minutes in range(0, 361, 30):
                    yield (day + dt.timedelta(minutes=minutes)).replace(tzinfo=None)
            day = after
    for _ in range(200):
        yield dt.datetime(2026, 1, 1) + dt.timedelta(seconds=chance.randrange(15_000_000))
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None, microsecond=0)
    for number in range(80):  # so that "today" and "the last 30 days" have rows
        yield now - dt.timedelta(seconds=chance.randrange(3_000_000 if number % 2 else 40_000))


def in_order() -> list[str]:
    """The models, each after those that it refers to."""
    known: list[str] = []
    waiting = {name: _refers(path.read_text()) for name, path in MODELS.items()}
    while waiting:
        ready = [name for name, refers in waiting.items() if refers <= set(known)]
        assert ready, waiting
        known += ready
        waiting = {name: refers for name, refers in waiting.items() if name not in ready}
    return known


def _refers(text: str) -> set[str]:
    return set(re.findall(r"ref\('(\w+)'\)", text))


@functools.cache
def relation(name: str) -> str:
    """The name of the table that a model makes."""
    alias = re.search(r"alias\s*=\s*'(\w+)'", MODELS[name].read_text().partition("}}")[0])
    is_config = alias is not None and "config(" in MODELS[name].read_text().partition("}}")[0]
    return alias[1] if alias and is_config else name


def render(text: str, name: str, *, incremental: bool = False, **given: Any) -> str:
    """A model as SQL."""
    variables = _VARS | given
    template = _environment().from_string(_MACROS + text)
    return template.render(
        config=lambda **_: "",
        ref=lambda model: f"dbt.{relation(model)}",
        source=lambda schema, table: f"{schema}.{table}",
        var=lambda key, default=None: variables.get(key, default),
        is_incremental=lambda: incremental,
        this=f"dbt.{relation(name)}",
        target=SimpleNamespace(name=given.get("target", "prod")),
        dbt_utils=SimpleNamespace(star=_star, generate_surrogate_key=_key, group_by=_group_by),
    )


def _star(**given: Any) -> str:
    shown = _STAGED[given["from"].removeprefix("dbt.")].split()
    prefix = f"{given['relation_alias']}." if "relation_alias" in given else ""
    return ", ".join(f'{prefix}"{one}"' for one in shown if one not in given.get("except", []))


def _key(parts: list[str]) -> str:
    texts = (f"coalesce(cast({one} as text), '_null_')" for one in parts)
    joined = " || '-' || ".join(texts)
    return f"md5({joined})"


def _group_by(n: int) -> str:
    return f"group by {', '.join(str(number + 1) for number in range(n))}"


class _Snapshot(jinja2.ext.Extension):
    """The block of a snapshot is its query."""

    tags = {"snapshot"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Any) -> Any:
        next(parser.stream)
        parser.parse_expression()
        return parser.parse_statements(("name:endsnapshot",), drop_needle=True)


@functools.cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(extensions=[_Snapshot], undefined=jinja2.StrictUndefined)


def artifacts(connection: events_postgres.Connection) -> dict[str, dict[str, Any]]:
    """dbt's catalog.json and manifest.json, as far as tzconv reads them."""
    columns: dict[tuple[str, str], dict[str, str]] = {}
    for schema, table, column, kind in connection.execute(
        "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_schema IN ('raw', 'dbt') ORDER BY table_schema, table_name, ordinal_position"
    ).fetchall():
        columns.setdefault((str(schema), str(table)), {})[str(column)] = str(kind)
    models = {relation(name): name for name in MODELS}
    catalog: dict[str, Any] = {"nodes": {}, "sources": {}}
    manifest: dict[str, Any] = {"nodes": {}, "sources": {}, "macros": {}}
    for (schema, table), types in columns.items():
        is_source = schema == "raw"
        key = f"source.shop.raw.{table}" if is_source else f"model.shop.{models[table]}"
        section = "sources" if is_source else "nodes"
        catalog[section][key] = {
            "metadata": {"schema": schema, "name": table},
            "columns": {name: {"type": kind, "name": name} for name, kind in types.items()},
        }
    for name in (one for one in models.values() if one.startswith("stg_")):
        described = columns["dbt", name]
        manifest["nodes"][f"model.shop.{name}"] = {
            "resource_type": "model",
            "schema": "dbt",
            "name": name,
            "columns": {
                column: {"name": column, "data_type": kind}
                for column, kind in described.items()
                if column.endswith(("_at", "_zone"))
            },
        }
    for macro in re.finditer(r"{% macro (\w+)\(.*?endmacro %}", _MACROS, re.DOTALL):
        manifest["macros"][f"macro.shop.{macro[1]}"] = {
            "name": macro[1],
            "package_name": "shop",
            "macro_sql": macro[0],
        }
    return {"catalog": catalog, "manifest": manifest}


_STAGED = {
    "stg_orders": "order_id user_id shop_id placed_at shipped_at amount status",
    "stg_users": "user_id shop_id email time_zone signed_up_at deleted_at",
    "stg_events": "event_id user_id kind occurred_at",
    "stg_tickets": "ticket_id user_id opened_at closed_at local_deadline",
}
"""The columns that stars show."""
