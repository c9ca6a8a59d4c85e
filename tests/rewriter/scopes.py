"""Queries whose names are hard to follow: relations inside relations, with conversions on top.

The generator knows the kind of each column by how it has built the relation, so that most of its
conversions are of TIMESTAMPs and instants; whether a rewrite is right, the engine says.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

ZONES = [
    "America/New_York",
    "Europe/Paris",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/St_Johns",
    "Pacific/Apia",
    "Africa/Casablanca",
    "UTC",
]
CONSTANTS = ["'America/New_York'", "'Asia/Kolkata'", "'Australia/Lord_Howe'", "'Europe/Paris'"]

EV = {"id": "int", "ts": "timestamp", "seen": "timestamptz", "zone": "text", "n": "int"}
ACC = {"id": "int", "tz": "text", "seen": "timestamp", "created": "timestamptz", "n": "int"}
"""The two tables: ``seen`` is of another kind in each, ``id`` and ``n`` are in both."""


_SWAPPED = "id, seen AS ts, ts AS seen, zone, n"
"""The columns of events with the names of its times exchanged."""


def statements(dialect: str) -> list[str]:
    """The tables and views, with events around the transitions of their zone in 2021."""
    made = [
        f"CREATE TABLE {name} ({', '.join(f'{one} {kind}' for one, kind in columns.items())})"
        for name, columns in (("ev", EV), ("acc", ACC))
    ]
    rows, number = [], 0
    for place, zone in enumerate(ZONES):
        for moment in _around_transitions(zone):
            rows.append(
                f"({number}, '{moment:%Y-%m-%d %H:%M:%S}', '{moment:%Y-%m-%d %H:%M:%S}+00', "
                f"'{zone}', {number % 7})"
            )
            number += 1
        moment = dt.datetime(2021, 10, 31, place, 30)
        made.append(
            f"INSERT INTO acc VALUES ({place}, '{zone}', '{moment}', '{moment}+00', {place % 3})"
        )
    made.append(f"INSERT INTO ev VALUES {', '.join(rows)}, (-1, NULL, NULL, NULL, NULL)")
    made += [
        "CREATE VIEW ev_view AS SELECT seen AS ts, ts AS seen, zone, id, n FROM ev",
        "CREATE SCHEMA other",
        f"CREATE TABLE other.ev AS SELECT {_SWAPPED} FROM ev WHERE n < 4",
        'CREATE TABLE "Odd name" AS SELECT ts AS "the time", zone AS "Zone", n FROM ev',
    ]
    if dialect == "duckdb":
        made.append(f"CREATE MACRO acc(lowest) AS TABLE SELECT {_SWAPPED} FROM ev WHERE n > lowest")
    else:
        made.append(
            "CREATE FUNCTION acc(lowest int) RETURNS TABLE "
            "(id int, ts timestamptz, seen timestamp, zone text, n int) LANGUAGE sql "
            f"AS 'SELECT {_SWAPPED} FROM public.ev WHERE n > lowest'"
        )
    return made


def _around_transitions(zone: str) -> list[dt.datetime]:
    hours = [dt.datetime(2021, 1, 1) + dt.timedelta(hours=hour) for hour in range(365 * 24)]
    offsets = [one.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone)).utcoffset() for one in hours]
    changes = [hours[i] for i in range(1, len(hours)) if offsets[i] != offsets[i - 1]]
    near = [change + dt.timedelta(minutes=30 * step) for change in changes for step in (-1, 1)]
    return [*near, dt.datetime(2021, 5, 5, 22, 59, 59), dt.datetime(2021, 12, 31, 23, 30)]


@dataclass(frozen=True)
class Relation:
    """What stands in FROM, without its alias, and the kinds of its columns by name."""

    text: str
    columns: tuple[tuple[str, str], ...]
    alias: str = ""
    is_base: bool = False
    """Whether the rewriter may not know the order of its columns: a table, or a star."""

    def of(self, *kinds: str) -> list[str]:
        """The columns of these kinds, as they may be written."""
        names = [name for name, _ in self.columns]
        return [
            f"{self.alias}.{_quoted(name)}" if self.alias else _quoted(name)
            for name, kind in self.columns
            if kind in kinds and names.count(name) == 1
        ]


def _quoted(name: str) -> str:
    return name if name.islower() and name.isidentifier() else f'"{name}"'


class Scopes:
    """Makes queries for one dialect from a source of chance."""

    def __init__(self, dialect: str, chance: random.Random) -> None:
        self.dialect, self.chance = dialect, chance
        self.ctes: list[tuple[str, Relation]] = []
        self.made: Relation | None = None
        self.number = 0

    def script(self) -> tuple[list[str], str]:
        """A query, and statements before it of which some change what its names mean."""
        self.made = None
        shape = self.chance.random()
        before = self._before(shape) if shape < 0.2 else []
        return before, self.query()

    def _before(self, shape: float) -> list[str]:
        main = self._main
        if shape < 0.06:
            # the rewriter knows of its columns what the text says
            name, kind = self._new("made"), self.chance.choice(["timestamp", "timestamptz"])
            self.made = Relation(name, (("ts", kind), ("zone", "text"), ("n", "int")))
            return [
                f"CREATE TEMP TABLE {name} (ts {kind}, zone text, n int)",
                f"INSERT INTO {name} SELECT ts, zone, n FROM ev WHERE n < 5",
            ]
        utc = "SET TIME ZONE 'UTC'" if self.dialect == "postgres" else "SET TimeZone = 'UTC'"
        there = "SET search_path = other, public"
        swap = [
            "ALTER TABLE ev RENAME ts TO was",
            "ALTER TABLE ev RENAME seen TO ts",
            "ALTER TABLE ev RENAME was TO seen",
        ]
        return self.chance.choice(
            [
                [utc],
                [utc, "SET TimeZone = 'Asia/Kolkata'"],
                [there if self.dialect == "postgres" else "USE other"],
                [f"CREATE TEMP TABLE ev AS SELECT {_SWAPPED} FROM {main}.ev"],
                [f"CREATE TEMP VIEW ev AS SELECT {_SWAPPED} FROM {main}.ev"],
                ["DROP VIEW ev_view", f"CREATE VIEW ev_view AS SELECT * FROM {main}.ev"],
                swap if self.dialect == "postgres" else ["SET default_order = 'DESC'"],
            ]
        )

    @property
    def _main(self) -> str:
        return "main" if self.dialect == "duckdb" else "public"

    def query(self) -> str:
        """One statement; a few of them the engine refuses."""
        self.ctes, self.number = [], 0
        for _ in range(self.chance.choice([0, 0, 1, 1, 2])):
            self._add_cte()
        select = self._top(self._from(2))
        if self.chance.random() < 0.12:
            name = self._new("w")
            select = f"SELECT * FROM ({select}) {name}"
        elif self.chance.random() < 0.1:
            select = f"({select}) UNION ALL ({select})"
        elif self.chance.random() < 0.1:
            select = f"SELECT ({_one_value(select)}) AS s, id FROM acc WHERE id < 3"
        return self._with() + select

    def _with(self) -> str:
        if not self.ctes:
            return ""
        head = self.chance.choice(["WITH ", "WITH ", "WITH RECURSIVE "])
        return head + ", ".join(text for text, _ in self.ctes) + "\n"

    def _new(self, prefix: str) -> str:
        self.number += 1
        return f"{prefix}{self.number}"

    def _add_cte(self) -> None:
        # a CTE may have the name of a table, which later relations then do not see
        name = self.chance.choice([self._new("c"), self._new("c"), "ev", "acc", "z"])
        written = name.upper() if self.chance.random() < 0.2 else name
        if any(relation.text == name for _, relation in self.ctes):
            return
        text, columns = self._derived(1)
        listed = ""
        # of a star the rewriter does not know the order of the columns
        if "*" not in text.partition("FROM")[0] and self.chance.random() < 0.4:
            columns = tuple((f"k{place}", kind) for place, (_, kind) in enumerate(columns))
            listed = f"({', '.join(one for one, _ in columns)})"
        kept = self.chance.choice(["AS", "AS", "AS MATERIALIZED"])
        self.ctes.append((f"{written}{listed} {kept} ({text})", Relation(name, columns)))

    def _base(self) -> Relation:
        found = [relation for _, relation in self.ctes]
        hidden = {relation.text for relation in found}
        main = self._main
        ev, acc = tuple(EV.items()), tuple(ACC.items())
        swapped = {"ts": "timestamptz", "seen": "timestamp"}
        view = tuple((one, (EV | swapped)[one]) for one in ("ts", "seen", "zone", "id", "n"))
        tables = [
            *(Relation("ev", ev) for _ in range(3) if "ev" not in hidden),
            *(Relation("acc", acc) for _ in range(2) if "acc" not in hidden),
            Relation(f"{main}.ev", ev),
            Relation("ev_view", view),
            Relation("other.ev", tuple((one, (EV | swapped)[one]) for one in EV)),
            Relation('"Odd name"', (("the time", "timestamp"), ("Zone", "text"), ("n", "int"))),
            *([self.made] * 4 if self.made else []),
        ]
        if self.chance.random() < 0.008:
            return Relation("acc(2)", tuple((one, (EV | swapped)[one]) for one in EV))
        return self.chance.choice(tables + found * 2)

    def _relation(self, depth: int) -> Relation:
        """One relation with an alias of its own."""
        shape = self.chance.random()
        if depth > 0 and shape < 0.4:
            text, columns = self._derived(depth - 1)
            is_star = "*" in text.partition("FROM")[0]
            made = Relation(f"({text})", columns, is_base=is_star)
        elif shape < 0.44:
            made = Relation(
                "(VALUES (TIMESTAMP '2021-03-14 06:59:00', 'America/New_York', 1), "
                "(TIMESTAMP '2021-03-14 07:00:00', 'Asia/Kolkata', 2))",
                (("v1", "timestamp"), ("v2", "text"), ("v3", "int")),
            )
            alias = self._new("v")
            return replace(made, text=f"{made.text} AS {alias}(v1, v2, v3)", alias=alias)
        else:
            made = replace(self._base(), is_base=True)
        alias = self._new("r")
        if self.chance.random() < (0.01 if made.is_base else 0.3):
            columns = tuple(
                (f"{alias}_{place}", kind) for place, (_, kind) in enumerate(made.columns)
            )
            named = f"{made.text} AS {alias}({', '.join(name for name, _ in columns)})"
            return Relation(named, columns, alias)
        return Relation(
            f"{made.text} {self.chance.choice(['', 'AS '])}{alias}", made.columns, alias
        )

    def _from(self, depth: int) -> tuple[str, list[Relation]]:
        """The text of a FROM clause and the relations that are seen in it."""
        first = self._relation(depth)
        text, seen = first.text, [first]
        for _ in range(self.chance.choice([0, 1, 1, 2])):
            other = self._relation(depth - 1)
            on = self._on(seen, other)
            kind = self.chance.choice(["JOIN", "JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"])
            shape = self.chance.random()
            if shape < 0.2 and "ev" in other.text:
                text += f" {kind} {other.text} ON {on}"  # the product of two of them is large
            elif shape < 0.12:
                text += f" CROSS JOIN {other.text}"
            elif shape < 0.2:
                text += f", {other.text}"
            elif shape < 0.3 and self._both(seen, other):
                text += f" {kind} {other.text} USING ({self._both(seen, other)})"
            elif shape < 0.38 and seen[-1].columns:
                lateral = self._lateral(seen)
                text += f" CROSS JOIN LATERAL {lateral.text}"
                other = lateral
            else:
                text += f" {kind} {other.text} ON {on}"
            seen.append(other)
        return text, seen

    def _lateral(self, seen: list[Relation]) -> Relation:
        alias = self._new("l")
        owner = self.chance.choice(seen)
        if self.chance.random() < 0.9:
            return Relation(f"(SELECT {owner.alias}.*) {alias}", owner.columns, alias)
        site = self._site(seen, is_correlated=True)
        if site is None:
            return Relation(f"(SELECT 1 AS one) {alias}", (("one", "int"),), alias)
        return Relation(f"(SELECT {site} AS made) {alias}", (("made", "other"),), alias)

    def _both(self, seen: list[Relation], other: Relation) -> str | None:
        if len(seen) != 1:
            return None
        kinds = dict(seen[0].columns)
        common = [
            name
            for name, kind in other.columns
            if kinds.get(name) == kind and name in ("id", "n", "zone")
        ]
        return self.chance.choice(common) if common else None

    def _on(self, seen: list[Relation], other: Relation) -> str:
        mine = [one for relation in seen for one in relation.of("int")]
        its = other.of("int")
        zones = [one for relation in seen for one in relation.of("text")], other.of("text")
        if zones[0] and zones[1] and self.chance.random() < 0.4:
            return f"{self.chance.choice(zones[0])} = {self.chance.choice(zones[1])}"
        if mine and its:
            return f"{self.chance.choice(mine)} = {self.chance.choice(its)}"
        return "1 = 1"

    def _site(self, seen: list[Relation], *, is_correlated: bool = False) -> str | None:
        """A conversion of a column that the relations have."""
        times = [one for relation in seen for one in relation.of("timestamp")]
        instants = [one for relation in seen for one in relation.of("timestamptz")]
        zones = [one for relation in seen for one in relation.of("text")]
        if not times and not instants:
            return None
        if is_correlated and self.chance.random() < 0.8:
            zones = []  # that of a row outside is left alone
        zone = self.chance.choice(zones + CONSTANTS[:2]) if zones else None
        zone = zone or self.chance.choice(CONSTANTS)
        if times and (not instants or self.chance.random() < 0.6):
            value = self._computed(self.chance.choice(times), "timestamp")
            site = f"{value} AT TIME ZONE 'UTC' AT TIME ZONE {zone}"
        else:
            value = self._computed(self.chance.choice(instants), "timestamptz")
            site = f"{value} AT TIME ZONE {zone}"
        wrap: Callable[[str], str] = self.chance.choice(
            [
                lambda one: one,
                lambda one: f"({one})",
                lambda one: f"({one})::date",
                lambda one: f"date_trunc('hour', {one})",
                lambda one: f"extract(hour FROM {one})",
                lambda one: f"coalesce({one}, TIMESTAMP '2000-01-01')",
            ]
        )
        return wrap(site)

    def _computed(self, one: str, kind: str) -> str:
        """A column, or an expression with one, of the same kind."""
        forms = ["{}"] * 12
        if kind in ("timestamp", "timestamptz"):
            forms += [
                "({} + INTERVAL '90 minutes')",
                "(INTERVAL '3 hours' + {})",
                "greatest({0}, {0} - INTERVAL '1 hour')",
                "CASE WHEN {0} IS NULL THEN NULL ELSE {0} + INTERVAL '1 hour' END",
                "nullif({0}, {0} + ({0} - {0}))",
                f"CAST({{}} AS {kind})",
            ]
        elif kind == "text":
            forms += ["({} || '')", "(SELECT {})"]
        return str(self.chance.choice(forms)).format(one)

    def _derived(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        """A SELECT for a derived table or a CTE, and its columns."""
        if depth > 0:
            text, seen = self._from(depth)
        else:
            one = self._relation(0)
            text, seen = one.text, [one]
        shape = self.chance.random()
        only = seen[0] if len(seen) == 1 else None
        if only and shape < 0.2:
            return f"SELECT * FROM {text}", only.columns
        if only and shape < 0.3 and self.dialect == "duckdb":
            return self._modified_star(text, only)
        if shape < 0.4:
            columns = tuple(one for relation in seen for one in relation.columns)
            if "USING" in text or "LATERAL" in text:
                columns = seen[0].columns
                return f"SELECT {seen[0].alias}.* FROM {text}", columns
            return f"SELECT * FROM {text}", columns
        if only and shape < 0.5:
            extra = self.chance.choice(only.of("timestamptz") + only.of("timestamp") + ["1"])
            kind = (
                "timestamptz"
                if extra in only.of("timestamptz")
                else ("timestamp" if extra in only.of("timestamp") else "int")
            )
            name = self.chance.choice(["ts", "extra", "seen"])
            return f"SELECT *, {extra} AS {name} FROM {text}", (*only.columns, (name, kind))
        parts, columns = self._columns(seen)
        made = f"SELECT {parts} FROM {text}"
        if shape < 0.6:
            made = f"SELECT DISTINCT {parts} FROM {text}"
        elif shape < 0.7:
            made = f"{made} UNION ALL {made}"
        elif shape < 0.78:
            window = f"row_number() OVER (ORDER BY {self._order(parts)})"
            made, columns = f"SELECT {parts}, {window} AS rn FROM {text}", (*columns, ("rn", "int"))
        else:
            made += self._where(seen)
        return made, columns

    def _order(self, parts: str) -> str:
        return ", ".join(part.rpartition(" AS ")[0] for part in parts.split(",\n"))

    def _modified_star(self, text: str, only: Relation) -> tuple[str, tuple[tuple[str, str], ...]]:
        names = [name for name, _ in only.columns]
        plain = [name for name in names if names.count(name) == 1]
        if not plain:
            return f"SELECT * FROM {text}", only.columns
        name = self.chance.choice(plain)
        kinds = dict(only.columns)
        shape = self.chance.random()
        if shape < 0.35:
            times = [one for one in plain if kinds[one] == "timestamp"]
            if times:
                name = self.chance.choice(times)
                made = f"SELECT * REPLACE ({_quoted(name)} AT TIME ZONE 'UTC' AS {_quoted(name)})"
                kept = tuple(
                    (one, "timestamptz" if one == name else kind) for one, kind in only.columns
                )
                return f"{made} FROM {text}", kept
        if shape < 0.7 and len(names) > 2:
            kept = tuple(one for one in only.columns if one[0] != name)
            return f"SELECT * EXCLUDE ({_quoted(name)}) FROM {text}", kept
        new = self._new("n")
        kept = tuple((new if one == name else one, kind) for one, kind in only.columns)
        return f"SELECT * RENAME ({_quoted(name)} AS {new}) FROM {text}", kept

    def _columns(self, seen: Sequence[Relation]) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Some columns, under names that other columns have as well."""
        found: list[tuple[str, str]] = []
        for kind in ("timestamp", "timestamptz", "text", "int"):
            ones = [one for relation in seen for one in relation.of(kind)]
            for one in self.chance.sample(ones, min(len(ones), self.chance.choice([1, 1, 2]))):
                found.append((one, kind))
        found = found or [("1", "int")]
        names = self.chance.sample(
            ["ts", "seen", "zone", "tz", "n", "id", "p", "q", "x", "y"], len(found)
        )
        parts = ",\n".join(
            f"{self._computed(one, kind)} AS {name}"
            for (one, kind), name in zip(found, names, strict=True)
        )
        kinds = tuple((name, kind) for (_, kind), name in zip(found, names, strict=True))
        return parts, kinds

    def _where(self, seen: list[Relation]) -> str:
        conditions = []
        numbers = [one for relation in seen for one in relation.of("int")]
        times = [one for relation in seen for one in relation.of("timestamp")]
        site = self._site(seen)
        shape = self.chance.random()
        if numbers and shape < 0.4:
            conditions.append(f"{self.chance.choice(numbers)} < 5")
        if times and shape > 0.3:
            since = self.chance.choice(["TIMESTAMP '2021-03-01'"] * 4 + ["$1"])
            conditions.append(f"{self.chance.choice(times)} >= {since}")
        if times and shape > 0.5:
            conditions.append(f"{self.chance.choice(times)} < TIMESTAMP '2021-11-15'")
        if site and "extract" not in site and shape > 0.7:
            conditions.append(f"{site} > TIMESTAMP '2021-03-14'")
        if shape > 0.85:
            inner = self._relation(0)
            mine, its = numbers, inner.of("int")
            also = self._site([inner] if self.chance.random() < 0.95 else [inner, *seen])
            if mine and its and also:
                equal = f"{self.chance.choice(its)} = {self.chance.choice(mine)}"
                conditions.append(f"EXISTS (SELECT {also} FROM {inner.text} WHERE {equal})")
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def _top(self, made: tuple[str, list[Relation]]) -> str:
        text, seen = made
        sites = [one for one in (self._site(seen), self._site(seen)) if one]
        if not sites:
            sites = ["1"]
        where = self._where(seen)
        numbers = [one for relation in seen for one in relation.of("int")]
        shape = self.chance.random()
        if shape < 0.3:
            names = self.chance.choice([["AS a", "AS b"], ["", "AS ts"], ["", ""]])
            listed = ", ".join(f"{one} {name}" for one, name in zip(sites, names, strict=False))
            extra = self.chance.choice([*(f", {one}" for one in numbers), "", ", count(*) OVER ()"])
            return f"SELECT {listed}{extra} FROM {text}{where}"
        if shape < 0.4:
            star = self.chance.choice(["*", f"{seen[-1].alias}.*"])
            return f"SELECT {sites[0]} AS t, {star} FROM {text}{where}"
        if shape < 0.65:
            key = self.chance.choice(["1", sites[0]])
            having = self.chance.choice(
                ["", f" HAVING max({sites[0]}) IS NOT NULL", f" HAVING {sites[0]} IS NOT NULL"]
            )
            return (
                f"SELECT {sites[0]} AS d, count(*) AS c FROM {text}{where} GROUP BY {key}{having}"
            )
        if shape < 0.75:
            return f"SELECT DISTINCT {', '.join(sites)} FROM {text}{where}"
        if shape < 0.83:
            return (
                f"SELECT {sites[0]} AS d, count(*) AS c FROM {text}{where} "
                f"GROUP BY ROLLUP ({sites[0]})"
            )
        if shape < 0.92:
            return (
                f"SELECT {sites[0]} AS t, count(*) OVER (PARTITION BY {sites[-1]}) AS c "
                f"FROM {text}{where}"
            )
        if self.dialect == "postgres":
            return f"SELECT DISTINCT ON ({sites[0]}) {sites[0]} AS t FROM {text}{where} ORDER BY 1"
        return (
            f"SELECT {sites[0]} AS t FROM {text}{where} "
            f"QUALIFY count(*) OVER (PARTITION BY {sites[0]}) > 0"
        )


def _one_value(select: str) -> str:
    return f"SELECT count(*) FROM ({select}) one_value"
