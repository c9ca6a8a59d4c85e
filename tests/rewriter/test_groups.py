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
