"""Templates of dashboards and frameworks: Looker, ERB, Grafana's variables, macros of a project."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from tests.command import run
from tzconv.rewriter import Rewrite, rewrite, templated
from tzconv.sql.declarations import Declared

TYPES = {
    "orders": {"id": "integer", "shop_id": "integer", "created_at": "timestamp", "due": "date"},
    "shops": {"id": "integer", "tz": "text"},
}
DAY = "(o.created_at AT TIME ZONE 'UTC' AT TIME ZONE s.tz)::date"
FROM = "FROM orders o JOIN shops s ON s.id = o.shop_id"


def rewritten(text: str, *macros: tuple[str, str]) -> Rewrite:
    one = functools.partial(rewrite, dialect="postgres")
    names = templated.converting(dict(macros))
    return templated.rewrite_each(text, one, Declared(TYPES, converting=names), "postgres")


@pytest.mark.parametrize(
    "where",
    [
        "WHERE {% condition day %} " + DAY + " {% endcondition %}",
        "WHERE o.id > 1 AND {% incrementcondition %} " + DAY + " {% endincrementcondition %}",
        "WHERE " + DAY + " >= {% date_start day %} AND " + DAY + " < {% date_end day %}",
        "WHERE " + DAY + " = o.due <% if shop %> AND o.shop_id = <%= shop %> <% end %>",
        "WHERE o.id > 1 <% unless a -%> AND o.id > 2 <% else %> AND o.id > 3 <% end -%> ORDER BY 1",
        "<%# all of them %> WHERE " + DAY + " > '2020-01-01'",
    ],
)
def test_what_is_inside_and_beside_is_rewritten(where: str) -> None:
    text = f"SELECT {DAY} AS day {FROM} {where}"
    result = rewritten(text)
    assert result.left == ()
    found = [one.before for one in result.changes if one.before]
    assert len(found) == text.count(DAY)
    assert rewritten(result.sql).sql == result.sql


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT {DAY} AS day {FROM} <% if a %> WHERE o.id = 1",
        f"SELECT {DAY} AS day {FROM} <% end %>",
        f"SELECT {DAY} AS day {FROM} WHERE {{% condition a %}} o.id",
        f"SELECT {{% condition a %}} {DAY} {{% endcondition %}} AS day {FROM}",
        f"SELECT {DAY} AS day {FROM} <% case a %> <% when 1 %> WHERE o.id = 1 <% end %>",
    ],
)
def test_what_is_not_understood_is_left_with_a_reason(text: str) -> None:
    result = rewritten(text)
    assert result.sql == text
    assert {one.code for one in result.left} == {"template"}


def test_a_variable_is_a_zone_only_where_a_zone_stands() -> None:
    text = f"SELECT '$tz' AS name, timezone('$tz', timezone('UTC', o.created_at)) AS t {FROM}"
    result = rewritten(text)
    assert result.sql.startswith("SELECT '$tz' AS name, COALESCE(")
    assert "CAST('$tz' AS text)" in result.sql
    assert rewrite(text, dialect="postgres", schema=TYPES).sql == text  # no zone has that name


MACRO = "{% macro local(c) %}{{ c }} at time zone '{{ var('tz') }}'{% endmacro %}"


def test_calls_of_a_macro_that_converts_are_left() -> None:
    macros = [
        ("local", "{{ c }} at time zone 'Asia/Tokyo'"),
        ("day", "date({{ local(c) }})"),
        ("utc", "now() at time zone 'UTC'"),
    ]
    text = "select {{ day('x') }}, {{ a.local('y') }}, {{ utc() }}, {{ tzconv.local('z') }} from a"
    left = rewritten(text, *macros).left
    assert [one.text for one in left] == ["{{ day('x') }}", "{{ a.local('y') }}"]
    assert all("tzconv.local_time()" in one.reason for one in left)


def test_a_project_that_only_calls_its_macro(tmp_path: Path) -> None:
    for name, text in {
        "dbt_project.yml": "name: shop\n",
        "macros/times.sql": MACRO,
        "models/orders.sql": "select {{ local('created_at') }} as t from {{ ref('raw') }}\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    done = run("rewrite", "models", "--check", "--explain", "--dialect", "postgres", cwd=tmp_path)
    assert "models/orders.sql:1:8: left" in done.stderr
    assert "the macro local converts a time zone" in done.stderr
    done = run("rewrite", "macros", "--check", "--explain", "--dialect", "postgres", cwd=tmp_path)
    assert "it becomes SQL where the macro local is called" in done.stderr
