"""Queries put together at random."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.events import FIXED_OFFSETS

FROMS = [
    "actions a JOIN publishers p ON a.action_publisher_id = p.id",
    "publishers p JOIN actions a ON a.action_publisher_id = p.id",
    "actions a, publishers p",
    "actions AS a INNER JOIN publishers AS p ON (p.id = a.action_publisher_id AND p.id > 5)",
    "actions a LEFT JOIN publishers p ON a.action_publisher_id = p.id",
    "publishers p LEFT JOIN actions a ON a.action_publisher_id = p.id",
    "actions a FULL JOIN publishers p ON a.action_publisher_id = p.id",
    "(SELECT * FROM actions WHERE n > 2) a JOIN publishers p ON a.action_publisher_id = p.id",
    "actions a JOIN (SELECT * FROM publishers WHERE id > 100) p ON a.action_publisher_id = p.id",
    "actions a JOIN publishers p ON a.action_publisher_id = p.id JOIN sites s ON s.n = a.n",
    "actions a JOIN publishers p ON a.action_publisher_id = p.id LEFT JOIN sites s ON s.n = p.id",
    "actions a JOIN publishers p ON a.action_publisher_id = p.id JOIN publishers q ON q.id = p.id",
    "publishers q LEFT JOIN publishers p ON q.id = p.id + 1 JOIN actions a "
    "ON a.action_publisher_id = q.id",
    "actions a JOIN publishers p ON a.action_publisher_id = p.id, LATERAL (SELECT a.n + 1 AS m) l",
    "actions a JOIN LATERAL (SELECT * FROM publishers q WHERE q.id = a.action_publisher_id) p "
    "ON true",
    "actions a JOIN owners p ON a.action_publisher_id = p.id",
    "owners p LEFT JOIN (SELECT * FROM actions WHERE n < 8) a ON a.action_publisher_id = p.id",
]
POSTGRES_FROMS = [
    *FROMS,
    "actions a JOIN publishers p ON a.action_publisher_id = p.id CROSS JOIN LATERAL "
    "(SELECT a.n + 1 AS m) l",
    "(WITH w AS (SELECT * FROM actions) SELECT * FROM w) a, publishers AS p",
    "publishers p RIGHT JOIN actions a ON a.action_publisher_id = p.id AND p.id < 300",
    "actions a JOIN publishers p ON a.action_publisher_id = p.id LEFT JOIN publishers q "
    "ON q.id = p.id + 1 AND a.seen AT TIME ZONE q.time_zone_name > '2015-01-01'",
    "sites s LEFT JOIN (actions a JOIN publishers p ON a.action_publisher_id = p.id) ON s.n = a.n",
]
# those whose rules agree with the server's
POSTGRES_ZONES = [
    "p.time_zone_name",
    "p.time_zone_name",
    "coalesce(p.time_zone_name, 'Europe/Paris')",
    'p."billing.zone"',
    "'America/New_York'",
    "'america/st_johns'",
    "'Australia/Lord_Howe'",
    "'Pacific/Apia'",
    "'Asia/Kolkata'::text",
    f"'{FIXED_OFFSETS[0]}'",
    "'CET'",
    "'Europe/Paris'",
]
CTE = "owners AS (SELECT * FROM publishers WHERE id % 2 = 0)"
ZONES = [
    "p.time_zone_name",
    "'America/New_York'",
    "'america/st_johns'",
    "'Australia/Lord_Howe'",
    "'Pacific/Apia'",
    "'Africa/Casablanca'",
    "'Asia/Kolkata'",
    f"'{FIXED_OFFSETS[0]}'",
    'p."billing.zone"',
    "'UTC'",
]
MOMENTS = [
    "2009-11-01 00:00:30",
    "2011-12-30 12:00:00",
    "2016-04-02 15:00:00",
    "2017-03-12 02:30:00",
    "2017-11-05 01:30:00",
    "2020-10-03 16:01:00",
    "2025-01-01 00:00:00",
    "2029-06-15 10:20:30.000001",
]
DAYS = ["2009-11-01", "2011-12-30", "2016-04-03", "2017-03-12", "2017-10-15", "2024-02-29"]
SITES = [
    "a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE {zone}",
    "(a.action_event_time at time zone 'utc') at time zone {zone}",
    "timezone({zone}, timezone('UTC', a.action_event_time))",
    "a.seen AT TIME ZONE {zone}",
    "a.loaded AT TIME ZONE 'UTC' AT TIME ZONE {zone}",
    "a.loaded AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
]
WRAPPERS = [
    "{site}",
    "({site})::date",
    "date_trunc('hour', {site})",
    "date_trunc('month', {site})",
    "extract(dow FROM {site})",
    "coalesce({site}, TIMESTAMP '2000-01-01')",
    "CASE WHEN a.n > 4 THEN {site} END",
    "({site}) + INTERVAL '1 day'",
]
POSTGRES_SITES = [
    *SITES,
    "timezone({zone}, a.seen)",
    "(a.seen + interval '90 minutes') AT TIME ZONE {zone}",
    "a.loaded AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
    "date_trunc('day', a.seen AT TIME ZONE {zone}) AT TIME ZONE {zone} AT TIME ZONE 'UTC'",
    "a.loaded AT TIME ZONE {zone} AT TIME ZONE p.time_zone_name",
    "date_trunc('week', a.seen, {zone}) AT TIME ZONE 'UTC'",
    "a.\"shortenedAt\" AT TIME ZONE 'UTC' AT TIME ZONE {zone}",
]
POSTGRES_WRAPPERS = [
    *WRAPPERS,
    "to_char({site}, 'YYYY-MM-DD HH24:MI:SS.US')",
    "date({site})",
]
OPERATORS = ["=", "<", "<=", ">", ">="]
OUTSIDE = [
    *("x {operator} '{day}'", "'{day}' {operator} x", "x BETWEEN '{day}' AND '2020-01-01'"),
    *("x::date {operator} '{day}'", "date_trunc('month', x) {operator} '{day}'"),
    *(
        "x::date IN ('{day}', '2017-11-05')",
        "extract(year FROM x) = 2017",
        "x >= current_date - 3000",
    ),
    *(
        "x IS NULL OR x {operator} '{day}'",
        "NOT x {operator} '{day}'",
        "x {operator} '{day}' AND n > 2",
    ),
]
"""Conditions of the query around a column x."""
AROUND = [
    "SELECT x, count(*) AS c, max(name) FROM f GROUP BY 1",
    "SELECT x, count(*) AS c, max(name) FROM f WHERE {outside} GROUP BY 1",
    "SELECT y, x, n FROM (SELECT *, x AS y FROM f) g WHERE {outside}",
    "SELECT x, c FROM (SELECT x, n, count(*) AS c FROM f GROUP BY 1, 2) g WHERE {outside}",
    "SELECT x, n FROM (SELECT y AS x, n FROM (SELECT x::date AS y, n FROM f) g) h WHERE {outside}",
    "SELECT x, s.opened FROM sites s LEFT JOIN f USING (n) WHERE {outside}",
    "SELECT x, s.opened FROM f FULL JOIN sites s USING (n) WHERE {outside}",
    "SELECT n, opened FROM sites s WHERE EXISTS (SELECT 1 FROM f WHERE f.n = s.n AND ({outside}))",
    "SELECT x, r FROM (SELECT *, row_number() OVER (ORDER BY x, n, name) AS r FROM f) g "
    "WHERE {outside}",
    "SELECT x, n FROM (SELECT DISTINCT x, n FROM f) g WHERE {outside}",
    *(
        f"SELECT x, y, g.n FROM {relations} y = x WHERE {{outside}}"
        for c in [
            "(SELECT CAST(TIMESTAMP '2009-10-01' + i * INTERVAL '1 day' AS date) AS x "
            "FROM generate_series(0, 4000) v (i)) c"
        ]
        for g in ["(SELECT x::date AS y, n FROM f) g"]
        for relations in (f"{c} LEFT JOIN {g} ON", f"{c} JOIN {g} ON", f"{g} LEFT JOIN {c} ON")
    ),
    "SELECT x, n FROM (SELECT x, n FROM f ORDER BY x, n LIMIT 9) g WHERE {outside}",
    "SELECT x, n FROM (SELECT x, n FROM f UNION ALL SELECT opened, n FROM sites) g WHERE {outside}",
    "SELECT x, n FROM (SELECT opened AS x, n FROM sites UNION SELECT x, n FROM (SELECT x, n FROM f "
    "EXCEPT SELECT opened, n FROM sites) g) h WHERE {outside}",
]


@st.composite
def sites(draw: st.DrawFn, spellings: list[str], zones: list[str]) -> str:
    return draw(st.sampled_from(spellings)).format(zone=draw(st.sampled_from(zones)))


@st.composite
def conditions(draw: st.DrawFn, spellings: list[str], zones: list[str], between: str) -> str:
    operator = draw(st.sampled_from(OPERATORS))
    low, high = sorted(draw(st.lists(st.sampled_from(MOMENTS), min_size=2, max_size=2)))
    day = draw(st.sampled_from(DAYS))
    site = draw(sites(spellings, zones))
    bounds = [
        between.format(f"TIMESTAMP '{moment}' AT TIME ZONE p.time_zone_name")
        for moment in (low, high)
    ]
    condition = draw(
        st.sampled_from(
            [
                f"a.action_event_time BETWEEN TIMESTAMP '{low}' AND TIMESTAMP '{high}'",
                f"a.action_event_time >= '{low}' AND a.action_event_time < '{high}'",
                f"a.seen {operator} TIMESTAMPTZ '{low}+00'",
                f"a.action_event_time {operator} TIMESTAMP '{low}' AT TIME ZONE p.time_zone_name "
                "AT TIME ZONE 'UTC'",
                f"a.seen BETWEEN {bounds[0]} AND {bounds[1]}",
                f"{site} {operator} TIMESTAMP '{low}'",
                f"({site})::date {operator} DATE '{day}'",
                f"({site})::date BETWEEN '{day}' AND '2020-01-01'",
                f"date_trunc('month', {site}) {operator} TIMESTAMP '{day}'",
                f"date_trunc('day', {site}) = TIMESTAMP '{day} 00:00:00'",
                f"a.action_event_time {operator} now() - INTERVAL '3000 days'",
                f"a.n {operator} 5",
                "p.id % 7 = 3",
            ]
        )
    )
    return draw(st.sampled_from(["{}", "{}", "{}", "NOT ({})", "({} OR a.n = 3)"])).format(
        condition
    )


@st.composite
def queries_of(
    draw: st.DrawFn,
    froms: list[str],
    zones: list[str],
    spellings: list[str],
    wrappers: list[str],
    between: str = "{}",
) -> str:
    sql = draw(selects_of(froms, zones, spellings, wrappers, between))
    if "owners" not in sql:
        return sql
    return f"WITH {CTE}, {sql[5:]}" if sql.startswith("WITH ") else f"WITH {CTE}\n{sql}"


@st.composite
def selects_of(
    draw: st.DrawFn,
    froms: list[str],
    zones: list[str],
    spellings: list[str],
    wrappers: list[str],
    between: str,
) -> str:
    relations = draw(st.sampled_from(froms))
    where = draw(st.lists(conditions(spellings, zones, between), min_size=1, max_size=4))
    wrapped = [
        draw(st.sampled_from(wrappers)).format(site=draw(sites(spellings, zones)))
        for _ in range(draw(st.integers(1, 2)))
    ]
    shape = draw(st.sampled_from([0, 1, 2, 2, 3, 4, 5]))
    outside = draw(st.sampled_from(OUTSIDE)).format(
        operator=draw(st.sampled_from(OPERATORS)), day=draw(st.sampled_from(DAYS))
    )
    condition = f"\n  {draw(st.sampled_from(['AND', 'AND', 'AND', 'OR']))} ".join(where)
    if "JOIN" not in relations.replace("CROSS JOIN", ""):
        condition = f"a.action_publisher_id = p.id AND ({condition})"
    if shape == 0:
        return f"SELECT {', '.join(wrapped)}, a.n\nFROM {relations}\nWHERE {condition}"
    if shape == 1:
        keys = ", ".join(wrapped)
        return (
            f"SELECT {keys}, count(*), sum(a.n)\nFROM {relations}\nWHERE {condition}\n"
            f"GROUP BY {keys}"
        )
    if shape == 2:
        around = draw(st.sampled_from(AROUND)).format(outside=outside)
        is_free = "JOIN" in relations and draw(st.booleans())
        clause = "" if is_free else f"\n  WHERE {condition}"
        inner = f"SELECT {wrapped[0]} AS x, a.n, p.name FROM {relations}{clause}"
        return f"WITH f AS (\n  {inner}\n)\n{around}"
    if shape == 5:
        outside = outside.replace("n >", "a.n >")
        return (
            f"SELECT x, count(*) AS c FROM {relations}, LATERAL (SELECT {wrapped[0]} AS x, "
            f"{wrapped[-1]} AS y) v\nWHERE ({condition}) AND ({outside}) GROUP BY 1"
        )
    if shape == 3:
        return (
            f"SELECT a.n, max({wrapped[0]}) AS m FROM {relations} WHERE {condition}\n"
            f"GROUP BY 1 HAVING count({wrapped[-1]}) > 1\nUNION ALL\n"
            f"SELECT 0, max({wrapped[0]}) FROM {relations} WHERE {condition}"
        )
    return (
        f"SELECT id, (SELECT count({wrapped[0]}) FROM {relations} WHERE {condition}) AS c\n"
        "FROM publishers WHERE id < 3"
    )
