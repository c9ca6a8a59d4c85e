"""Templates as the SQL that they become, beside what Jinja renders."""

from __future__ import annotations

import itertools
import re

import jinja2
import pytest
import sqlglot

from tzconv.errors import ParseError
from tzconv.sql.declarations import Declared, Model
from tzconv.sql.masks import Masked, ways
from tzconv.sql.templates import variants

TYPES = {"id": "int"}
DECLARED = Declared(
    {"raw.My Orders": TYPES},
    {("ref", "orders"): Model("orders", TYPES), ("ref", "old", "zones"): Model("zones", {})},
    {"plain": "{{ x }} + 1", "ranked": "rank() OVER (ORDER BY {{ x }})"},
)

JINJA = [
    ("x {% if a %}1{% endif %} y", 2),
    ("{% if a %}1{% else %}2{% endif %}{% if a %}3{% endif %}", 2),
    ("{% if a %}1{% elif b %}2{% endif %}3", 3),
    ("{% if a %}1{% elif b %}2{% else %}3{% endif %}", 3),
    ("{% if a %}1{% else %}{% if b %}2{% endif %}{% endif %}{% if b %}3{% else %}4{% endif %}", 4),
    ("{% if a %}1{% endif %}{% if b %}2{% endif %}{% if c %}3{% endif %}", 8),
    ("{%- if a -%} 1 {%- else -%} {{- x -}} {%- endif -%} {# {% if b %} #} 3", 2),
    ("{% if a or '%}' == x %}1{% endif %}2{{ '}}' }} {{ \"}}\" }}", 2),
    (
        "-- {% if a %}it's{% else %}a\n'\n'{% endif %}\n'1' /* ' {# ' #} {% if b %}*/ 2{% endif %}",
        4,
    ),
    ("'{% if a %}x{% endif %}' \"a{% if a %}b{% endif %}\" {% if b %}'c'{% endif %}", 2),
    ("'{1}' {% if a %}$f$ ' {{ x }} $f$ $$ \" $$ $1{% endif %} 'it''s' \"a\"\"b\"", 2),
    ("{% for i in (1, 2) %}{{ i }}{% if a %}x{% endif %}{% endfor %}{% if b %}y{% endif %}", 2),
    ("{% if a %}{% set y = 1 %}{% endif %}{% if a %}{{ x }}{% endif %}", 4),
    (
        "1{% set y %}{% if a %}2{% endif %}{% endset %}{% set z=x %}{% macro f() %}{% endmacro %}",
        1,
    ),
    ("{% with y = 1 %}{% if a %}1{% endif %}{% endwith %}{% block c %}{{ b }}{% endblock %}", 2),
]
ERB = {
    r"\{%(-?) (if|for|else)": r"<%\1 \2",
    r"\{%(-?) elif": r"<%\1 elsif",
    r"\{%(-?) end(?:for|if)": r"<%\1 end",
    r"for i in \(1, 2\) (?=%)": "@all.each do |i| ",
    r"(?<=[- ])%\}": "%>",
    r"\{\{-?(.*?)-?\}\}": r"<%=\1%>",
    r"\{#(.*?)#\}": r"<%#\1%>",
}


@pytest.mark.parametrize(("text", "number"), JINJA)
def test_what_is_rendered_is_a_variant(text: str, number: int) -> None:
    """Without what is silent, every rendering is one of the variants."""
    chances = [
        {"a": a, "b": b, "c": c, "x": "X"} for a, b, c in itertools.product((0, 1), repeat=3)
    ]
    rendered = {_words(text, chance) for chance in chances}
    found = list(variants(text))
    assert len(found) == number
    for parts in found:
        assert [one.start for one in parts] == [0, *(one.end for one in parts[:-1])]
        assert parts[-1].end == len(text)
    shown = ["".join(text[p.start : p.end] for p in way if p.kind != "silent") for way in found]
    assert rendered <= {_words(one, chance) for one in shown for chance in chances}
    assert all(_words(one, chance) in rendered for one in shown for chance in chances)


def _words(text: str, values: dict[str, object]) -> str:
    return "".join(jinja2.Template(text).render(values).split())


@pytest.mark.parametrize(
    "text", [one for one, _ in JINJA if not re.search(r"{% (with|set)|%}'|macro|\$f|{# {", one)]
)
def test_tags_of_ruby_are_read_alike(text: str) -> None:
    erb = text
    for pattern, tag in ERB.items():
        erb = re.sub(pattern, tag, erb)
    assert "{" not in erb.replace("{1}", "")
    expected = [_kinds(text), _kinds(text.replace("{% if ", "{% if not "))]
    assert [_kinds(erb), _kinds(erb.replace("<% if ", "<% unless "))] == expected


def _kinds(text: str) -> list[list[tuple[str, str]]]:
    return [
        [(one.kind, text[one.start : one.end] * (one.kind == "text")) for one in way]
        for way in variants(text)
    ]


LEFT = ("e", "<", "'x'", "x AS\n ", "")
RIGHT = ("b", " b", "=", "'y'", "\n =", "")
TAGS = (
    *("{{ v }}", "{{- v }}", "{{ v -}}", "{{- v -}}", "{# c #}", "{#- c -#}", "{%- set y = 1 %}"),
    *("{{- v }}{# c #}", "{# c -#} {#- c #}", "{{ v -}} {#- c #}", "{# c #}{{ v }}"),
    *("{% if v -%} {% endif %}", "{% set y = 1 -%} {# c #}", "{# c #} {{- v -}} {# c #}"),
)


@pytest.mark.parametrize("tag", TAGS)
def test_what_rendering_joins_is_refused(tag: str) -> None:
    """Where the tokens are others without the whitespace that is trimmed and what is silent."""
    for left, right in itertools.product(LEFT, RIGHT):
        text = f"SELECT f({left}{tag}{right}"
        apart = re.sub(r"\{[#%].*?[#%]\}", " ", re.sub(r"(?<=\{[{#%])-|-(?=[}#%]\})", "", text))
        is_joined = _tokens(text) != _tokens(apart)
        reason = ""
        try:
            list(ways(text, DECLARED))
        except ParseError as error:
            reason = error.reason
        # a quote beside a word is taken for its prefix, as that of E''
        assert reason if is_joined else ("'" in text or "is joined" not in reason), text


def _tokens(text: str) -> list[tuple[object, str]]:
    sql = jinja2.Template(text).render(v="w")
    return [(one.token_type, one.text) for one in sqlglot.tokenize(sql, read="postgres")]


MASKS = r"""
SELECT a FROM {{ t }}
    SELECT a FROM m1
    {{ t }}
SELECT a FROM b JOIN {{ t }} ON c, {{ u }}
    SELECT a FROM b JOIN m1 ON c, m2
    {{ t }} {{ u }}
SELECT a FROM (b JOIN {{ t }} ON c)
    SELECT a FROM (b JOIN m1 ON c)
    {{ t }}
SELECT a FROM {{ ref('orders') }} o, {{ ref('old', 'zones') }}
    SELECT a FROM m1.orders o, m2.zones
SELECT {{ source('raw', 'My Orders') }}.a
    SELECT m1."My Orders".a
SELECT a AS {{ ref('orders') }}
    SELECT a AS m1
SELECT a FROM {{ ref('old', 'zones') }}_x
    SELECT a FROM m1_x
SELECT a FROM {{ s }}.t, x_{{ e }}.t, {{ e }}9, s.{{ t }}
    SELECT a FROM m1.t, x_m2.t, m29, s.m3
CREATE TABLE {{ this }} AS SELECT {{ f }}(a)
    CREATE TABLE m1 AS SELECT m2(a)
SELECT a FROM f({{ x }}, {{ y }})
    SELECT a FROM f(m1(?), m2(?))
SELECT {{ c }}
    SELECT m1.*
    {{ c }}
SELECT DISTINCT {{ c }}, {{ d }} FROM t
    SELECT DISTINCT m1.*, m2.* FROM t
    {{ c }} {{ d }}
SELECT {{ dbt_utils.star(x) }} FROM t
    SELECT m1.* FROM t
SELECT {{ dbt.hash('a') }}, {{ plain('a') }} AS p
    SELECT m1(), m2() AS p
SELECT (SELECT {{ c }}), a FROM t
    SELECT (SELECT m1.*), a FROM t
    {{ c }}
SELECT DISTINCT ON (a) b, {{ f() }} + 1
    SELECT DISTINCT ON (a) b, m1(?) + 1
    {{ f() }}
SELECT a IS DISTINCT FROM {{ x }}, g({{ f() }})
    SELECT a IS DISTINCT FROM m1(?), g(m2(?))
    {{ f() }}
SELECT extract(day FROM {{ x }}), {{ f() }} + 1
    SELECT extract(day FROM m1(?)), m2(?) + 1
    {{ f() }}
SELECT -{{ dbt.hash('a') }}, -{{ plain('a') }}, -{{ x }}
    SELECT -m1(), -m2(), -m3(?)
SELECT -{{ ranked('a') }}, f(a, {{ x }})
    SELECT -m1(?), f(a, m2(?))
    {{ ranked('a') }}
SELECT a FROM t GROUP BY {{ f() }}
    SELECT a FROM t GROUP BY m1(?)
    {{ f() }}
SELECT a FROM t {{ dbt_utils.group_by(n=3) }}
    SELECT a FROM t GROUP BY  1, 2, 3
SELECT a {{ config(b=1) }} FROM t
    SELECT a  FROM t
SELECT 1 WHERE {{ c }}
    SELECT 1 WHERE m1(?) OR m1(?)
SELECT 1 WHERE a AND {{ c }} OR b
    SELECT 1 WHERE a AND m1(?) OR m1(?) OR b
SELECT 1 WHERE ({{ c }} AND b) OR ({{ c }})
    SELECT 1 WHERE (m1(?) OR m1(?) AND b) OR (m2(?))
SELECT 1 WHERE NOT {{ c }} > a
    SELECT 1 WHERE NOT m1(?) > a
SELECT 1 FROM t HAVING {{ f() }}
    SELECT 1 FROM t HAVING m1(?) OR m1(?)
    {{ f() }}
SELECT 1 FROM t HAVING a {% for c in d %}AND {{ c }} {% endfor %}
    SELECT 1 FROM t HAVING a AND m1(?) OR m1(?)
SELECT 1 WHERE a BETWEEN {{ x }} AND {{ y }} AND {{ c }}
    SELECT 1 WHERE a BETWEEN m1() AND m2() AND m3(?) OR m3(?)
SELECT 1 WHERE a BETWEEN (SELECT 1 WHERE b AND {{ c }}) AND {{ y }}
    SELECT 1 WHERE a BETWEEN (SELECT 1 WHERE b AND m1(?) OR m1(?)) AND m2()
SELECT 1 WHERE a = {{ x }} AND b > {{ f() }} LIMIT {{ n }}
    SELECT 1 WHERE a = m1() AND b > m2(?) LIMIT m3()
SELECT 1 WHERE a IN ({{ x }}, 2)
    SELECT 1 WHERE a IN (m1(?), 2)
WHERE {% condition d %} a {% endcondition %} AND {{ c }}
    WHERE m1() OR m1( a ) AND m2(?) OR m2(?)
WHERE a > {% date_start d %} {% if x %}AND b{% endif %}
    WHERE a > m1(?) AND b
SELECT timezone('{{ z }}', a), '{{ z }}' AS {{ n }}
    SELECT timezone($m1, a), 'm2' AS m3
SELECT date_trunc('{{ u }}', a), f('{{ u }}', a)
    SELECT date_trunc($m1, a), f('m2', a)
SELECT a AT TIME ZONE 'a{{ f() }}', b AT TIME ZONE '{# c #}{{ z }}'
    SELECT a AT TIME ZONE 'm1', b AT TIME ZONE $m2
SELECT a AT TIME ZONE '{% if b %}{{ z }}{% endif %}' AS "{{ n }}"
    SELECT a AT TIME ZONE 'm1' AS "m2"
SELECT {{ x }} + 1 AS {{ x }}, a FROM t WHERE {{ x }} = '{{ x }}'
    SELECT m1(?) + 1 AS m2, a FROM t WHERE m1(?) = 'm3'
-- {{ x }}\nSELECT 1
    -- {{ x }}\nSELECT 1
a = {{ x }} AND b = {{ x }} {% set x = 1 %} AND c = {{ x }}
    a = m1() AND b = m1()  AND c = m2()
a = '{{ var('x') }}' {% set x = 1 %} AND c = '{{ var('x') }}'
    a = 'm1'  AND c = 'm1'
SELECT $__timeGroupAlias(a, f(')')), $__interval
    SELECT m1() AS "time", m2()
SELECT b FROM t WHERE $__timeFilter(a) GROUP BY $__time(a)
    SELECT b FROM t WHERE m1() GROUP BY m2()
SELECT a AT TIME ZONE ${z:sqlstring}, ${z:sqlstring} || b
    SELECT a AT TIME ZONE $m1, m2(?) || b
SELECT {% for c in d %}{{ c }}, {% endfor %}b FROM t
    SELECT m1.*,b FROM t
SELECT b{% for c in d %}, {{ c }}{% endfor %} FROM t
    SELECT b,m1.* FROM t
SELECT <% @d.each do |c| %><%= c %>, <% end %>b FROM t
    SELECT m1.*,b FROM t
SELECT {% for c in d %}{{ c }}{% if not loop.last %}, {% endif %}{% endfor %} FROM t
    SELECT m1.* FROM t
SELECT {% for c in d %}lag({{ c }}),{% endfor %} 1
    SELECT m1.*, 1
    {% for c in d %}
WHERE a {% for c in d %}or {{ c }} {% endfor %}
    WHERE a OR m1(?) OR m1(?)
{% for c in d %}{% do e(c) %}{% endfor %}SELECT 1
    SELECT 1
SELECT a -- {# x #} FROM b, (\n, {{ c }} FROM t
    SELECT a --  FROM b, (\n, m1.* FROM t
    {{ c }}
SELECT a /* -- {# x #} FROM */, {{ c }} FROM t
    SELECT a /* --  FROM */, m1.* FROM t
    {{ c }}
SELECT a -- */{# x #} FROM\n, {{ c }} -- b\n FROM t
    SELECT a -- */ FROM\n, m1.* -- b\n FROM t
    {{ c }}
SELECT f(a)), {{ c }} FROM t; WHERE {{ f() }}
    SELECT f(a)), m1.* FROM t; WHERE m2(?) OR m2(?)
    {{ c }}
SELECT 'FROM' "FROM", {{ c }} FROM t UNION SELECT 1, {{ c }}
    SELECT 'FROM' "FROM", m1.* FROM t UNION SELECT 1, m1.*
    {{ c }} {{ c }}
DELETE FROM {{ t }} WHERE {{ c }}
    DELETE FROM m1 WHERE m2(?) OR m2(?)
    {{ t }}
{# a #}/* b */ SELECT tzconv_1.a, {{ c }} FROM t
    /* b */ SELECT tzconv_1.a, m1.* FROM t
    {{ c }}
SELECT /* a */ {{ c }} FROM t WHERE a = -- b\n{{ x }}
    SELECT /* a */ m1.* FROM t WHERE a = -- b\nm2()
    {{ c }}
SELECT (a, {{ c }}) FROM t WHERE EXISTS (SELECT 1 FROM {{ t }})
    SELECT (a, m1.*) FROM t WHERE EXISTS (SELECT 1 FROM m2)
    {{ c }} {{ t }}
SELECT 1 FROM a JOIN b ON f(c, {{ x }}) {% for c in d %}AND {{ c }} {% endfor %}
    SELECT 1 FROM a JOIN b ON f(c, m1(?)) AND m2(?) OR m2(?)
SELECT $__interval + f(a), '$__from $b', $__timeTo(), {{ c }} FROM t WHERE a AT TIME ZONE '$z'
    SELECT m1() + f(a), 'm2', m3(), m4.* FROM t WHERE a AT TIME ZONE $m5
    {{ c }}
SELECT '{% if a %}b{% endif %}', '$a b' {% set y %}, b{% endset %} WHERE $__timeFilter(a
    SELECT 'm1', '$a b'  WHERE m2(a
SELECT a FROM x_{{ a }}{{ b }}.t
    SELECT a FROM x_m1m2.t
SELECT a FROM {{ this }} WHERE a IN (1, {{ x }}) GROUP BY b, {{ f() }}
    SELECT a FROM m1 WHERE a IN (1, m2(?)) GROUP BY b, m3(?)
    {{ f() }}
"""
"""The text; its masks; those beside which no table may be joined."""


@pytest.mark.parametrize("case", re.split(r"\n(?!    )", MASKS.strip()))
def test_masks(case: str) -> None:
    text, expected, *unknown = (one.replace(r"\n", "\n") for one in case.split("\n    "))
    made = next(ways(text, DECLARED))
    _places(made)
    sql = re.sub(r"/\*tzt_\d+_\*/", "", made.text).replace("time_zone_name", "?")
    names = list(dict.fromkeys(re.findall(r"tzt_\d+_", sql)))
    assert re.sub(r"tzt_\d+_", lambda one: f"m{names.index(one[0]) + 1}", sql) == expected
    assert " ".join(made.unknown) == "".join(unknown)
    relations = [one for one in made.masks.values() if re.search(r"\._?[o\"]", one.sql)]
    assert made.types == {one.sql.replace('"', ""): TYPES for one in relations}
    assert all(one.is_constant and one.epoch is None for one in relations)
    changing = [one for one in made.masks.values() if one.text in ("{{ f() }}", "{{ c }}")]
    assert not any(one.is_constant for one in changing)


def _places(made: Masked) -> None:
    """Every place of the text is one of the template, and both are restored."""
    for at in range(len(made.text) + 1):
        place = made.place(at)
        nearest = made.nearest(at)
        assert made.shows(nearest, nearest)
        if place is None:
            assert not made.shows(nearest + 1, nearest)
            assert not made.shows(nearest, nearest + 1)
            assert made.source[nearest] in "{<$'\"", "inside of a mask"
        elif made.source[place : place + 1] != made.text[at : at + 1]:
            assert made.source[place] in "{<$'\"", "a mask begins"
        else:  # a text, after so many tags that may set a variable
            tags = re.findall(r"\{% (?:set|do|end(?:for|set))|<% end", made.source[:place])
            assert made.epoch_at(at) == len(tags) or at == len(made.text)
        assert place in (None, nearest)
    assert made.place(0) == 0
    assert made.place(len(made.text)) == len(made.source)
    assert made.restored(made.text) == made.source
    assert [one.sql in made.text for one in made.used(made.text)] == [True] * made.text.count(
        "tzt_"
    )
    for name, mask in made.masks.items():
        assert made.restored(name) == (mask.text if name == mask.sql else None), "it is torn"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT «{{ tzconv_1 }}", "{{ tzconv_1 }} has a name of a rewrite"),
        ("SELECT {{ x }}« AS tzt_1_", "AS tzt_1_ has a name of a rewrite"),
        ("SELECT a «{{ x }} FROM t", "{{ x }} stands where tzconv does not know what it means"),
        ("SELECT «{{ x }} {{ y }} FROM t", "{{ x }} stands where"),
        ("SELECT 1 FROM t «{{ y }} WHERE a", "{{ y }} stands where"),
        ("SELECT «{% condition a %}b{% endcondition %}", "{% condition a %} stands where"),
        ("«{% for a in b %}{{ a }}{% endfor %}", "{% for a in b %}{{ a }}{% endfor %} is a loop"),
        ("WHERE «{% for a in b %} 1 and {% endfor %}", "{% for a in b %} 1 and {% endfor %}"),
        ("SELECT f(«{% for a in b %}1{% endfor %})", "{% for a in b %}1{% endfor %} is a loop"),
        ("SELECT «{{ '" + "x" * 60 + "' }} y", "{{ '" + "x" * 36 + " stands where"),
        ("{% if a %}1{% endif %} «[[ {{ x }} ", "[[: its block is not closed"),
        ("{% for a in b %}1«{% else %}2{% endfor %}", "{% else %}: tzconv does not read else in"),
        ("«{% for a in b %}1{% endif %}", "{% for a in b %}: its block is not closed"),
        ("«{% block b %}{% else %}", "{% block b %}: its block is not closed"),
        ("«{% if b %}]]", "{% if b %}: its block is not closed"),
        ("1«{% endif %}", "{% endif %}: it closes no block"),
        ("«{% include 'a' %}", "{% include 'a' %}: tzconv does not know this tag"),
        ("«{% call f() %}{% endcall %}", "{% call f() %}: tzconv does not know this tag"),
        ("«{% %}", "{% %}: tzconv does not know this tag"),
        ("SELECT «{{ x " + "y" * 30, "{{ x yyyyyyyyyyyyyyy: it is not closed"),
        ("{% if a %}{% endif %}" + "{% if a %}" * 40 + "«{% if a %}", "{% if a %}: its block is"),
        ("{{ x }}«{% if a %}{% elif b %}{% endif %}{% if a %}{% elif c %}{% endif %}", "2 cond"),
        ("1«<% end %>", "<% end %>: it closes no block"),
        ("«{% cache statement %}", "{% cache statement %}: tzconv does not know"),
        ("«{% xx" + "y" * 60 + " %}", "{% xx" + "y" * 35 + ": tzconv does not know"),
    ],
)  # fmt: skip
def test_what_is_not_read(text: str, reason: str) -> None:
    with pytest.raises(ParseError) as refused:
        list(ways(text.replace("«", ""), DECLARED))
    assert refused.value.reason.startswith(reason)
    assert (refused.value.line, refused.value.column) == (1, text.index("«") + 1)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a [[AND {{ x }}]] b [[OR {{ x }}]] c[1]] [[2, 3]]", 2),
        ("a [[AND {{ x }} = {{ y }}]] b [[OR {{ y }} > {{ x }}]]", 2),
        ("{% if a %}1{% endif %}{% if  a %}2{% endif %}" * 21, 2),
        ("{% if a %}{% elif b %}1{% endif %}{% if a %}{% elif b %}2{% else %}{% endif %}", 3),
        ("<% if a %>1<% end %><% unless a %>2<% end %>", 4),
        ("<% b = if a then 1 end %><% if a then 1 end %><% a.each do |b| %><% end %>", 1),
        ("{% import 'a' as b %}{% if '%}1' %}{% endif %}{% if '%}2' %}{% endif %}", 4),
        ("{% call statement() %}[[{{ a }}]]{% endcall %}{% snapshot a %}{% endsnapshot %}", 1),
    ],
)  # fmt: skip
def test_the_number_of_ways(text: str, number: int) -> None:
    assert len(list(variants(text))) == number
