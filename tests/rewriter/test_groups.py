"""What is left because GROUP BY, DISTINCT or ORDER BY compares it; test_soundness runs such ones."""

from __future__ import annotations

import pytest

from tests.rewriter.moments import TYPES
from tzconv.rewriter import rewrite

ZONE, IN_DOLLARS = "AT TIME ZONE 'America/New_York'", "AT TIME ZONE $$America/New_York$$"
T = f"tz {ZONE}"
ROWS, GROUPS, REWRITTEN = "few-rows", "grouping", True
CASES = {
    f"SELECT {T} AS t, count(*) FROM e GROUP BY 1": ([], REWRITTEN),
    f"SELECT {T} AS t, count(*) FROM e GROUP BY tz": ([ROWS], False),
    f"SELECT max(tz) {ZONE} AS t FROM e": ([ROWS], False),
    f"SELECT date({T}) AS t, count(*) FROM e GROUP BY ({T})::date": ([ROWS, GROUPS], False),
    f"SELECT date({T}) AS t, count(*), min(ts) FROM e GROUP BY 1 HAVING date({T}) > 'today'": (
        [],
        REWRITTEN,
    ),
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
