"""What is left because GROUP BY, DISTINCT or ORDER BY compares it; see test_soundness for rows."""

from __future__ import annotations

import pytest

from tests.rewriter.moments import TYPES
from tzconv.rewriter import rewrite

ZONE, IN_DOLLARS = "AT TIME ZONE 'America/New_York'", "AT TIME ZONE $$America/New_York$$"
T = f"tz {ZONE}"
ROWS, GROUPS, REWRITTEN = "few-rows", "grouping", True
COUNTED = f"SELECT {T} AS t, count(*) FROM e"
CASES = {
    f"SELECT {T} AS t, count(*) FROM e GROUP BY 1": ([], REWRITTEN),
    f"SELECT {T} AS t, count(*) FROM e GROUP BY tz": ([ROWS], False),
    f"SELECT max(tz) {ZONE} AS t FROM e": ([ROWS], False),
    f"SELECT date({T}) AS t, count(*) FROM e GROUP BY ({T})::date": ([ROWS, GROUPS], False),
    f"SELECT date({T}) AS t, count(*), min(ts) FROM e GROUP BY 1 HAVING date({T}) > 'today'": (
        [],
        REWRITTEN,
    ),
    # a name is that of a column before it is an output column, and the other way in ORDER BY
    f"SELECT {T} AS tz, count(*) FROM e GROUP BY tz": ([ROWS], False),
    f"SELECT {T} AS tz, count(*) FROM e GROUP BY 1 ORDER BY tz": ([], REWRITTEN),
    f"SELECT {T} AS tz, count(*) FROM e GROUP BY 1, shop ORDER BY e.tz": ([GROUPS], False),
    f"{COUNTED} GROUP BY 1, shop ORDER BY tz": ([GROUPS], False),
    f"SELECT {T} AS tz, tz AS t FROM e GROUP BY 1, shop": ([GROUPS], False),
    f"SELECT {T} AS t, ts FROM e GROUP BY 1, shop": ([], REWRITTEN),
    f"{COUNTED} GROUP BY ALL": ([], REWRITTEN),
    f"{COUNTED} GROUP BY GROUPING SETS ((t), ())": ([], REWRITTEN),
    f"SELECT DISTINCT {T} AS t, -1 AS n FROM e ORDER BY 1, -1": ([], REWRITTEN),
    # what other clauses compare
    f"SELECT {T} AS t FROM e GROUP BY tz {IN_DOLLARS}": ([GROUPS] * 2, False),
    f"{COUNTED} WHERE ({T})::date = '2026-01-02' GROUP BY tz {IN_DOLLARS}": (
        [GROUPS] * 2,
        REWRITTEN,
    ),
    f"SELECT {T} > '2026-01-02' AS t FROM e GROUP BY tz {IN_DOLLARS} > '2026-01-02'": (
        [GROUPS] * 2,
        False,
    ),
    f"SELECT count(*) FROM e GROUP BY {T} HAVING tz {IN_DOLLARS} > 'today'": (
        [GROUPS] * 2,
        False,
    ),
    f"SELECT rank() OVER w FROM e GROUP BY {T} WINDOW w AS (PARTITION BY tz {IN_DOLLARS})": (
        [GROUPS] * 2,
        False,
    ),
    f"SELECT rank() OVER w FROM e GROUP BY {T} WINDOW w AS (ORDER BY tz {IN_DOLLARS})": (
        [GROUPS] * 2,
        False,
    ),
    f"SELECT DISTINCT ON ({T}) shop FROM e ORDER BY {T}, ts": ([], REWRITTEN),
    f"SELECT shop FROM e ORDER BY {T}": ([], REWRITTEN),
    f"SELECT array_agg(shop ORDER BY {T}) AS t FROM e": ([], REWRITTEN),
    # a key that is spelled in another way takes no other key with it
    f"SELECT {T} AS t, ts {ZONE} AS u, count(*) FROM e GROUP BY tz {IN_DOLLARS}, 2": (
        [GROUPS] * 2,
        REWRITTEN,
    ),
    f"SELECT {T} AS t, ts {ZONE} AS u, count(*) FROM e GROUP BY tz {IN_DOLLARS}, u": (
        [GROUPS] * 2,
        REWRITTEN,
    ),
    f"SELECT DISTINCT {T} AS t, ts {ZONE} AS u FROM e ORDER BY tz {IN_DOLLARS}, u": (
        [GROUPS] * 2,
        REWRITTEN,
    ),
    f"SELECT DISTINCT {T} AS t, ts::date AS d FROM e ORDER BY date(ts), 1": ([], REWRITTEN),
    f"SELECT DISTINCT ON (t, shop) shop, {T} AS t FROM e ORDER BY {T}, shop, ts": ([], REWRITTEN),
    f"SELECT DISTINCT ON ({T}) shop FROM e ORDER BY tz {IN_DOLLARS}, ts": ([GROUPS] * 2, False),
    f"SELECT array_agg(DISTINCT {T} ORDER BY {T}) AS t FROM e": ([], REWRITTEN),
    f"SELECT array_agg(DISTINCT {T} ORDER BY tz {IN_DOLLARS}) AS t FROM e": ([GROUPS] * 2, False),
    f"SELECT shop, count(*) FROM e GROUP BY ROLLUP (shop, ({T})::date)": ([], REWRITTEN),
    f"SELECT ({T})::date AS t, count(*) FROM e GROUP BY GROUPING SETS ((({T})::date), ())": (
        [],
        REWRITTEN,
    ),
    f"SELECT rank() OVER w AS r FROM e GROUP BY {T} WINDOW w AS (PARTITION BY {T} ORDER BY {T})": (
        [],
        REWRITTEN,
    ),
}


@pytest.mark.parametrize("sql", CASES)
def test_what_is_left(sql: str) -> None:
    result = rewrite(sql, dialect="postgres", schema=TYPES)
    assert (sorted(one.code for one in result.left), bool(result.changes)) == CASES[sql]


@pytest.mark.parametrize(
    ("dialect", "alias", "joined", "having", "is_rewritten"),
    [
        # whose column tz is, without a table, is not known: u may have one
        ("postgres", "tz", "u ON id = e.shop", f"tz {IN_DOLLARS} > 'today'", False),
        ("duckdb", "tz", "u ON id = e.shop", "tz > 'today'", True),
        ("duckdb", "t", "u ON id = e.shop", f"tz {IN_DOLLARS} > 'today'", False),
        ("postgres", "t", "u ON id = e.shop", "name > 'today'", True),
        ("postgres", "t", "e AS f ON f.shop = e.shop", "f.tz > 'today'", True),
    ],
)
def test_a_name_in_having(
    dialect: str, alias: str, joined: str, having: str, is_rewritten: bool
) -> None:
    """To DuckDB it is the output column; PostgreSQL groups by what another spelling means."""
    sql = f"SELECT e.{T} AS {alias} FROM e JOIN {joined} GROUP BY e.{T} HAVING {having}"
    assert bool(rewrite(sql, dialect=dialect, schema=TYPES).changes) == is_rewritten


FEW = {
    "SELECT {t} AS t FROM e ORDER BY tz DESC LIMIT 50": True,
    "SELECT {t} AS t FROM e ORDER BY tz DESC LIMIT 51": False,
    "SELECT {t} AS t FROM e ORDER BY tz DESC LIMIT 5 OFFSET 100": True,
    "SELECT {t} AS t FROM e ORDER BY shop, t LIMIT 5": False,
    "SELECT {t} AS t, shop FROM e ORDER BY 2, 1 LIMIT 5": False,
    "SELECT {t} AS t FROM e ORDER BY shop, {t} LIMIT 5": False,
    "SELECT {t} AS t FROM e WHERE ({t})::date <> '2026-01-02' ORDER BY tz LIMIT 5": False,
    "SELECT e.{t} AS t FROM e JOIN e AS f ON f.shop = e.shop ORDER BY f.ts LIMIT 5": False,
    "SELECT DISTINCT {t} AS t, shop FROM e ORDER BY shop LIMIT 5": False,
    "SELECT max({t}) AS t, shop FROM e GROUP BY 2 ORDER BY shop LIMIT 5": False,
    "SELECT t FROM (SELECT {t} AS t, ts FROM e) AS x ORDER BY ts LIMIT 5": True,
    "SELECT t FROM (SELECT {t} AS t, ts FROM e) AS x ORDER BY t LIMIT 5": False,
    "WITH x AS (SELECT *, {t} AS t FROM e) SELECT t FROM x ORDER BY ts LIMIT 5": True,
    "WITH x AS (SELECT *, {t} AS t FROM e) SELECT t FROM x JOIN x AS y USING (t)": False,
    "SELECT {t} AS t, rank() OVER (ORDER BY ts) AS r FROM e": False,
    "SELECT {t} AS t, rank() OVER (ORDER BY ts) AS r FROM e QUALIFY r = 1": True,
    "SELECT {t} AS t, rank() OVER (ORDER BY {t}) AS r FROM e QUALIFY r = 1": False,
    "SELECT {t} AS t FROM e QUALIFY rank() OVER (PARTITION BY t ORDER BY ts) = 1": False,
    "SELECT t FROM (SELECT {t} AS t, rank() OVER (ORDER BY ts) AS r FROM e) AS x WHERE r = 1": True,
    "SELECT t FROM (SELECT {t} AS t, rank() OVER (ORDER BY ts) AS r FROM e) AS x "
    "WHERE r = 1 AND t > '2026-01-02'": True,
}


@pytest.mark.parametrize("sql", FEW)
def test_few_rows_are_left_before_they_are_converted(sql: str) -> None:
    """Only on DuckDB, and only where no plan says more."""
    for dialect in ("duckdb", "postgres"):
        is_few = FEW[sql] and dialect == "duckdb"
        if dialect == "postgres" and "QUALIFY" in sql:
            continue
        found = rewrite(sql.format(t=T), dialect=dialect, schema=TYPES)
        assert ("few-rows" in {one.code for one in found.left}) == is_few
        assert not (is_few and found.changes)
        planned = rewrite(sql.format(t=T), dialect=dialect, schema=TYPES, plans=_Silent())
        assert "few-rows" not in {one.code for one in planned.left}


class _Silent:
    """A planner that sees no loss."""

    def loss(self, *_: str) -> None:
        return None

    def indexes(self, _: str) -> None:
        return None
