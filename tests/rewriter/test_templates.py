"""Templates of dashboards and schedulers: what is rewritten, what is left, and the same rows."""

from __future__ import annotations

import functools
import os
import random
import re
from collections.abc import Iterator

import jinja2
import psycopg
import pytest

from tests import dbt_project, events_postgres, postgres
from tzconv.errors import ParseError
from tzconv.rewriter import Rewrite, rewrite, templated
from tzconv.sql import templates
from tzconv.sql.declarations import Declared, Model

TYPES = {
    "orders": {
        "id": "int",
        "shop_id": "int",
        "placed_at": "timestamptz",
        "shipped_at": "timestamp",
    },
    "shops": {"id": "int", "name": "text", "tz": "text"},
    "events": {"id": "int", "user_id": "int", "kind": "text", "ts": "timestamp"},
}
DECLARED = Declared(TYPES, {("ref", name): Model(name, types) for name, types in TYPES.items()})
LOCAL = "o.placed_at AT TIME ZONE s.tz"
JOINED = "FROM orders o JOIN shops s ON s.id = o.shop_id"


def rewritten(text: str, dialect: str = "postgres", declared: Declared = DECLARED) -> Rewrite:
    one = functools.partial(rewrite, dialect=dialect)
    result = templated.rewrite_each(text, one, declared, dialect)
    parts, position = list[str](), 0
    for change in result.changes:
        assert text[change.start : change.end] == change.before
        parts += [text[position : change.start], change.after]
        position = change.end
    assert result.sql == "".join([*parts, text[position:]]), "bytes outside the edits stay"
    assert "tzt_" not in result.sql
    return result


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[events_postgres.Connection]:
    with events_postgres.connect(server.loaded(dbt_project.load)) as connection:
        connection.execute("SET search_path = raw, public")
        yield connection


GRAFANA = {
    r"\$__timeFilter\((.*?)\)": r"\1 BETWEEN '2025-01-01T00:00:00Z' AND '2026-12-01T00:00:00Z'",
    r"\$__timeGroupAlias\((.*?),.*?\)": "date_trunc('hour', \\1) AS \"time\"",
    r"\$__timeGroup\((.*?),.*?\)": r"date_trunc('hour', \1)",
    r"\$__timeFrom\(\)": "'2025-01-01T00:00:00Z'",
    r"\$__interval": "3600 seconds",
    r"\$\{unit\}": "day",
    r"\$\{shops:csv\}": "1, 2, 3",
    r"\$\{tz:sqlstring\}": "'America/St_Johns'",
    r"(?s)\{#.*?#\}": "",
}
DASHBOARDS = [
    f"SELECT $__timeGroup(o.placed_at, '1h') AS time, count(*), max({LOCAL}) {JOINED} "
    "WHERE $__timeFilter(o.placed_at) GROUP BY 1",
    f"SELECT date_trunc('${{unit}}', {LOCAL}) AS day, count(*) {JOINED} "
    "WHERE $__timeFilter(o.placed_at) AND o.shop_id IN (${shops:csv}) GROUP BY 1",
    f"SELECT $__timeGroupAlias(o.placed_at, $__interval), {LOCAL} AS l {JOINED}",
    f"SELECT {LOCAL} AS l {JOINED} WHERE o.placed_at > $__timeFrom()",
    "SELECT count(*) FROM orders WHERE $__timeFilter(placed_at) "
    "AND (placed_at AT TIME ZONE 'Europe/Berlin')::date = DATE '2026-03-08'",
    "SELECT count(*) FROM events WHERE ts <> now() - INTERVAL '$__interval'",
    "SELECT placed_at AT TIME ZONE ${tz:sqlstring} AS l FROM orders WHERE $__timeFilter(placed_at)",
    f"SELECT concat(s.name, ${{tz:sqlstring}}, '.') AS n, {LOCAL} AS l {JOINED} "
    "WHERE s.tz NOT IN ('Asia/Tokyo', ${tz:sqlstring})",
    f"SELECT {LOCAL} AS l -- of {{# the shop's\n day #}}\n{JOINED} /* {{# all\n */ #}} */",
]


@pytest.mark.parametrize("text", DASHBOARDS)
def test_grafana(text: str, database: events_postgres.Connection) -> None:
    result = rewritten(text)
    assert result.changes, result.left
    before, after = (
        functools.reduce(lambda sql, one: re.sub(one[0], one[1], sql), GRAFANA.items(), one)
        for one in (text, result.sql)
    )
    rows = events_postgres.rows_of(database, before)
    assert events_postgres.rows_of(database, after) == rows
    assert rows[1].total()


METABASE = [
    f"SELECT {LOCAL} AS l {JOINED} WHERE o.id > {{{{ id }}}} [[AND s.name = {{{{ name }}}}]]",
    f"SELECT {LOCAL} AS l {JOINED} [[WHERE s.name = {{{{ name }}}}]]",
    f"SELECT {LOCAL} AS l {JOINED} WHERE {{{{ created_at }}}} AND o.id IN ({{{{ id }}}}, 2, 3)",
    f"SELECT {LOCAL} AS l {JOINED} WHERE {LOCAL} > now()::timestamp - INTERVAL '9 years' "
    "AND ({{ created_at }} OR o.id = 4)",
    "SELECT placed_at AT TIME ZONE {{tz}} AS l FROM orders WHERE id > {{id}} [[AND id < {{id}}]]",
]


@pytest.mark.parametrize("text", METABASE)
def test_metabase(text: str, database: events_postgres.Connection) -> None:
    result = rewritten(text)
    assert result.changes, result.left
    seen = 0
    for optional in (r"\1", ""):
        before, after = (_of_metabase(one, optional) for one in (text, result.sql))
        rows = events_postgres.rows_of(database, before)
        assert events_postgres.rows_of(database, after) == rows
        seen += rows[1].total()
    assert seen


def _of_metabase(text: str, optional: str) -> str:
    values = {
        "id": "7",
        "tz": "'Asia/Tokyo'",
        "name": "'shop 1'",
        "created_at": "o.id < 9 OR o.placed_at IS NULL",
    }
    sql = re.sub(r"\[\[(.*?)\]\]", optional, text)
    return re.sub(r"\{\{ ?(\w+) ?\}\}", lambda match: values[match[1]], sql)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"SELECT {{{{ columns }}}}, {LOCAL} AS l {JOINED}", "template"),
        (f"SELECT {{{{ ranked() }}}} AS rank, {LOCAL} AS l {JOINED}", "template"),
        (f"SELECT {LOCAL} AS l {JOINED}, {{{{ more }}}}", "template"),
        (
            f"SELECT {{% if a %}}{LOCAL}{{% else %}}o.placed_at{{% endif %}} AS l {JOINED}",
            "template",
        ),
        (f"SELECT {{% for z in zones %}}{LOCAL} AS l,{{% endfor %}} 1 {JOINED}", "template"),
        (f"SELECT {LOCAL} {{{{ alias }}}} {JOINED}", "template"),
        (f"SELECT a{{# c #}}b, {LOCAL} AS l {JOINED}", "template"),
        (f"SELECT a {{%- if x -%}} b {{%- endif %}}, {LOCAL} AS l {JOINED}", "template"),
        (f"SELECT {LOCAL} AS l {JOINED} {{% if dev %}}LIMIT 3{{% endif %}}", "row-order"),
        (f"SELECT {LOCAL} AS l {JOINED} {{% unknown %}}", "template"),
        (f"SELECT {LOCAL} AS l {JOINED} {{% if a %}}", "template"),
        (
            f"SELECT {{% for c in a %}}1, {{% else %}}2, {{% endfor %}}{LOCAL} AS l {JOINED}",
            "template",
        ),
        (f"SELECT {LOCAL} AS l {JOINED} WHERE {{{{ a", "template"),
        ("{% set q = \"SELECT ts AT TIME ZONE 'Asia/Tokyo'\" %}{% unknown %}", "template"),
        ("SELECT {{ to_local(\"ts AT TIME ZONE 'UTC'\") }} FROM events", "template"),
        ("SELECT {{ col }} AT TIME ZONE 'Asia/Tokyo' AS l FROM events", "template"),
        ("SELECT e.ts AT TIME ZONE 'Asia/Tokyo' AS l FROM {{ schema }}.events e", "unknown-type"),
        ("SELECT ts AT TIME ZONE {{ zone }} AS l FROM events", None),
    ],
)
def test_left_with_a_reason(text: str, code: str | None) -> None:
    result = rewritten(text)
    assert result.sql == text
    assert result.left
    assert {one.code for one in result.left} == {code} if code else True
    for one in result.left:
        assert "tzt_" not in one.reason
        assert "tzt_" not in one.text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT {{ x }} FROM {% for a in b %} t {% endfor %} {% unknown %}",
        "{% macro a(b) %} {{ b }} {% endmacro %}",
        "SELEC {{ 1",
        "SELEC {{ 1 -- AT TIME ZONE",
        "{# only a comment #}",
    ],
)
def test_nothing_to_do(text: str) -> None:
    assert rewritten(text) == Rewrite(text, (), ())


@pytest.mark.parametrize("text", ["a {% endif %} b", "{% if x %}a{% endif %}\n{% endfor %}"])
def test_a_tag_that_closes_no_block(text: str) -> None:
    with pytest.raises(ParseError, match="it closes no block"):
        templates.read(text)


@pytest.mark.parametrize(
    ("other", "is_bounded"),
    [
        ("SELECT * FROM shops", True),
        ("{{ deduplicate(relation='days', by='id') }}", False),
        ("{{ deduplicate(relation=ref('shops'), by='id') }}", True),
        ("SELECT * FROM {{ ref('other') }}", True),
        ("SELECT * FROM {{ earlier }}", False),
        ("SELECT id, {{ share }} FROM shops", False),
    ],
)
def test_a_macro_may_read_a_cte(other: str, is_bounded: bool) -> None:
    text = (
        f"WITH days AS (SELECT o.id, {LOCAL} AS day {JOINED}), other AS ({other}) "
        "SELECT id FROM days WHERE day::date = '2026-03-01'"
    )
    assert ("WHERE o.placed_at >= " in rewritten(text).sql) == is_bounded


def test_places_are_those_of_the_template() -> None:
    text = f"{{{{ config(\n  a=1) }}}}\nSELECT {{{{ f('x') }}}} AS f,\n  {LOCAL} AS l {JOINED}"
    [left] = rewritten(text).left
    assert (left.line, left.column, left.text) == (4, 3, LOCAL)
    [change, *_] = rewritten(text.replace("f('x')", "dbt.concat(['x'])")).changes
    assert (change.line, change.column) == (4, 3)


def test_a_column_that_is_named_after_what_is_rendered() -> None:
    day = "(ts AT TIME ZONE 'UTC' AT TIME ZONE '{{ tz }}')::date"
    text = f"SELECT {day} FROM events"
    result = rewritten(text, "duckdb")
    assert result.sql == text
    assert [one.reason.endswith("give it an alias") for one in result.left] == [True]
    assert rewritten(f"SELECT {day} AS day FROM events", "duckdb").changes


@pytest.mark.parametrize(
    ("tables", "is_known"),
    [
        ({"raw.events": "timestamp", "old.events": "timestamptz"}, True),
        ({"new.events": "timestamp", "old.events": "timestamptz"}, False),
        ({"raw.Events": "timestamptz", "raw.events": "timestamp"}, False),
        ({"Raw.events": "timestamp", "old.events": "timestamptz"}, True),
    ],
)
def test_the_declared_table_of_a_source(tables: dict[str, str], *, is_known: bool) -> None:
    declared = Declared({name: {"ts": kind} for name, kind in tables.items()})
    text = "SELECT count(*) FROM {{ source('raw', 'events') }} WHERE ts <> now() - INTERVAL '1 day'"
    assert bool(rewritten(text, declared=declared).changes) == is_known


def test_a_variable_that_is_set_again() -> None:
    day = "date_trunc('{{ u }}', ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo') AS l FROM events"
    text = f"{{% set u = 'day' %}}SELECT {day}; {{% set u = 'hour' %}}SELECT {day}"
    result = rewritten(text, "duckdb")
    assert result.sql.count("{{ u }}") == 2
    assert len(result.changes) == 4
    day = "date_trunc('{{ u }}', ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')"
    for between in ("", "{% set u = 'hour' %}"):
        text = f"SELECT {day} AS l, count(*) FROM events {between} GROUP BY {day}"
        result = rewritten(text, "postgres")
        assert (result.sql == text) == bool(between), "another unit is grouped by"


def test_a_statement_that_a_block_tears_leaves_the_others() -> None:
    torn = (
        f"SELECT {LOCAL} AS l {JOINED} {{% if a %}}WHERE o.id = 1{{% else %}}LIMIT 3{{% endif %}}"
    )
    text = f"{torn}; SELECT {LOCAL} AS l {JOINED}"
    result = rewritten(text)
    assert [one.code for one in result.left] == ["row-order"]
    assert result.changes
    assert all(one.start > len(torn) for one in result.changes)


def test_a_semicolon_behind_an_escaped_quote_ends_no_statement() -> None:
    """A statement of which a part may not change is left as a whole."""
    local = "from_utc_timestamp(e.ts, s.tz) AS l, 'a\\'; b\\'' AS x"
    text = f"SELECT {local} FROM events e JOIN shops s ON s.id = e.user_id"
    declared = Declared({**TYPES, "events": {**TYPES["events"], "ts": "timestamp_ntz"}})
    assert len(rewritten(f"{text} WHERE {{{{ a }}}}", "spark", declared).changes) == 2
    text = text.replace("SELECT", "SELECT {{ columns }},")
    assert rewritten(text, "spark", declared).sql == text


def test_with_else_one_branch_is_rendered(database: events_postgres.Connection) -> None:
    text = f"SELECT {LOCAL} AS l {JOINED} WHERE o.id > {{% if a %}}3{{% else %}}5{{% endif %}}"
    result = rewritten(text)
    assert result.changes, result.left
    for a in (True, False):
        before, after = (jinja2.Template(one).render(a=a) for one in (text, result.sql))
        rows = events_postgres.rows_of(database, before)
        assert events_postgres.rows_of(database, after) == rows


LOOPS = [
    f"SELECT {{% for c in both %}}o.{{{{ c }}}}, {{% endfor %}}{LOCAL} AS l {JOINED}",
    f"SELECT {LOCAL} AS l{{% for c in both %}}, o.{{{{ c }}}}{{% endfor %}} {JOINED}",
    "SELECT {% for c in both %}o.{{ c }}{% if not loop.last %}, {% endif %}{% endfor %}, "
    f"{LOCAL} AS l {JOINED}",
    f"SELECT {LOCAL} AS l, "
    "{% for c in both %}{% if not loop.first %}, {% endif %}o.{{ c }}{% endfor %}"
    f" {JOINED}",
    f"SELECT {LOCAL} AS l {JOINED} WHERE o.id > 3 {{% for c in both %}}AND o.{{{{ c }}}} < 50 "
    "{% endfor %}",
    f"SELECT {LOCAL} AS l {JOINED} WHERE (o.id = 3 {{% for c in both %}}OR o.{{{{ c }}}} = 5 "
    "{% endfor %})",
    f"SELECT {{% for c in both %}}sum(o.{{{{ c }}}}) AS {{{{ c }}}}, {{% endfor %}}{LOCAL} AS l "
    f"{JOINED} GROUP BY {LOCAL}",
]


@pytest.mark.parametrize("text", LOOPS)
def test_loops(text: str, database: events_postgres.Connection) -> None:
    result = rewritten(text)
    assert result.changes, result.left
    for both in (["id", "shop_id"], ["id"], [])[: 2 if "loop." in text else 3]:
        before, after = (jinja2.Template(one).render(both=both) for one in (text, result.sql))
        rows = events_postgres.rows_of(database, before)
        assert events_postgres.rows_of(database, after) == rows
    assert rows[1].total()


DAY = "(o.placed_at AT TIME ZONE 'Europe/Berlin')::date = DATE '2026-03-08'"
SHAPES: list[list[str | tuple[str, str]]] = [
    [
        *("SELECT o.id", (", o.shop_id", ", s.*"), f", {LOCAL} AS l", (", 1 AS one", ", s.name")),
        *(" FROM orders o", (" ", " LEFT"), " JOIN shops s ON s.id = o.shop_id"),
        (" AND s.id > {{ one }}", " OR s.id = 2"),
        *(" WHERE o.id > {{ three }}", (" AND s.name = '{{ shop }}'", " OR o.id = {{ one }}")),
        *((f" AND {DAY}", " AND o.shipped_at > now() - INTERVAL '{{ one }} day'"),),
        (" ORDER BY l", " ORDER BY o.id LIMIT 5"),
    ],
    [
        *("SELECT", (" DISTINCT", ""), f" date_trunc('day', {LOCAL}) AS day, count(*) AS n"),
        (", max(o.id)", ", array_agg(o.id ORDER BY o.id)"),
        *(" FROM orders o, shops s WHERE s.id = o.shop_id", (f" AND NOT ({DAY})", " AND false")),
        *(" GROUP BY 1", (" HAVING count(*) > {{ one }}", ", s.tz")),
    ],
    [
        "WITH e AS (SELECT id, ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' AS l FROM events",
        *(
            (" WHERE kind = '{{ kind }}'", " LIMIT 7"),
            ")",
            (", x AS (SELECT 1)", ", y AS (TABLE e)"),
        ),
        *(" SELECT count(*), max(l) FROM e", (" WHERE id > {{ three }}", " JOIN shops USING (id)")),
        (" UNION ALL SELECT 1, TIMESTAMP '2026-01-01'", " GROUP BY id"),
    ],
]
SEEDS = int(os.environ.get("TZCONV_RANDOM_TEMPLATES", "40"))


def random_template(chance: random.Random) -> str:
    return "".join(
        one if isinstance(one, str) else _optional(chance, *one) for one in chance.choice(SHAPES)
    )


def _optional(chance: random.Random, first: str, second: str) -> str:
    """A part of a query, or nothing, or a block that gives one of them."""
    if chance.random() < 0.5:
        return chance.choice(["", "", first, second])
    name, trim = chance.choice("ab"), chance.choice(["", "", "-"])
    other = chance.choice(["", "", f"{{% else %}}{second}"])
    if chance.random() < 0.2:
        other = f"{{% elif b %}}{second}{other if 'else' in other else ''}"
    return f"{{%{trim} if {name} %}}{chance.choice([first, second])}{other} {{% endif {trim}%}}"


def test_random_templates_are_rewritten() -> None:
    texts = [random_template(random.Random(seed)) for seed in range(40)]
    assert sum(bool(rewritten(text).changes) for text in texts) > 12


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_templates(seed: int, database: events_postgres.Connection) -> None:
    """Rendered in each way, the original and the rewritten text give the same rows."""
    text = random_template(random.Random(seed))
    result = rewritten(text)
    for given in ({"a": x, "b": y} for x in (True, False) for y in (True, False)):
        values = {**given, "shop": "shop 1", "three": 3, "one": "1", "kind": "view"}
        before, after = (jinja2.Template(one).render(values) for one in (text, result.sql))
        if before == after:
            continue
        try:
            rows = events_postgres.rows_of(database, before)
        except psycopg.Error:
            continue
        assert events_postgres.rows_of(database, after) == rows, (before, after)


def test_what_is_advised_is_in_the_text() -> None:
    """A placeholder is no column of a table, whatever it is read as."""
    for value in ("{{ zone }}", "${zone}", "{{ zone_of('o') }}"):
        text = f"SELECT o.placed_at AT TIME ZONE {value} FROM orders o"
        [left] = rewritten(text).left
        assert (left.code, left.reason.startswith(value)) == ("template", True)
