"""All names of the tz release against zoneinfo, and awkward zones minute by minute."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterator

import duckdb
import numpy as np
import numpy.typing as npt
import pytest

from tests import reference
from tests.reference import DAY, HOUR, MINUTE
from tzconv.tables import generate
from tzconv.tz import spans, zones

Int64 = npt.NDArray[np.int64]

RULES = zones.installed()
DISTINCT = sorted({reference.first_name(name) for name in reference.NAMES})
BEGIN, END = reference.utc("1970-01-01"), reference.utc("2038-01-01")
SHARES = 16
"""All zones in as many tests, so that several processes can share the work."""

AWKWARD = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "Africa/Juba",
    "America/Asuncion",
    "America/Caracas",
    "America/Coyhaique",
    "America/Goose_Bay",
    "America/Havana",
    "America/Mexico_City",
    "America/Miquelon",
    "America/New_York",
    "America/Nuuk",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "America/Vancouver",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Antarctica/Vostok",
    "Asia/Amman",
    "Asia/Beirut",
    "Asia/Colombo",
    "Asia/Damascus",
    "Asia/Gaza",
    "Asia/Hebron",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Asia/Yangon",
    "Atlantic/Azores",
    "Australia/Adelaide",
    "Australia/Broken_Hill",
    "Australia/Eucla",
    "Australia/Lord_Howe",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/London",
    "Europe/Volgograd",
    "Pacific/Apia",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Easter",
    "Pacific/Fakaofo",
    "Pacific/Kiritimati",
    "Pacific/Marquesas",
    "Pacific/Norfolk",
    "US/Central",
    "US/Samoa",
]


def seconds(values: npt.NDArray[np.datetime64]) -> Int64:
    assert not np.any(values.astype(np.int64) % 1_000_000), "all times are whole seconds"
    return values.astype("M8[s]").astype(np.int64)


def test_names_are_those_of_the_package() -> None:
    assert set(RULES.names) == set(reference.NAMES) - {"localtime", "posixrules"}
    assert len(RULES.names) == 598


def test_equal_files_have_equal_spans() -> None:
    """So that the other tests may look at one name of each file."""
    for name in RULES.names:
        one, first = (
            spans.offset_spans(RULES.zone(n), END) for n in (name, reference.first_name(name))
        )
        for column in one:
            assert np.array_equal(one[column], first[column]), (name, column)


@pytest.mark.parametrize("name", reference.NAMES[::13])
def test_before_1970(name: str) -> None:
    """Offsets have seconds then: at random instants since 1800 and at each transition."""
    zone = zoneinfo.ZoneInfo(name)
    table = spans.offset_spans(RULES.zone(name), END)
    starts = seconds(table["starts_at_utc"])
    chosen = np.random.default_rng(1800).integers(reference.utc("1800-01-01"), BEGIN, 200)
    edges = starts[(starts > reference.utc("1800-01-01")) & (starts < BEGIN)]
    instants = np.concatenate([chosen, edges, edges - 1])
    at = np.searchsorted(starts, instants, "right") - 1
    expected = [reference.offset_at(zone, int(instant)) for instant in instants]
    assert table["utc_offset_seconds"][at].tolist() == expected


def minutes(name: str) -> Iterator[tuple[Int64, Int64]]:
    """Every minute of 2008 to 2037 with its offset, in pieces of five years, by zoneinfo."""
    zone = zoneinfo.ZoneInfo(name)
    begin, end = reference.utc("2007-12-01"), reference.utc("2038-02-01")
    changes = reference.changes(zone, begin, end, 6 * HOUR)
    starts = np.array([instant for instant, _ in changes])
    offsets = np.array([state.offset for _, state in changes])
    assert not np.any(starts % MINUTE), "a transition off the minute would be missed"
    for year in range(2008, 2038, 5):
        minute = np.arange(
            reference.utc(f"{year}-01-01") - 2 * DAY,
            reference.utc(f"{year + 5}-01-01") + 2 * DAY,
            MINUTE,
        )
        yield minute, offsets[np.searchsorted(starts, minute, "right") - 1]


@pytest.mark.parametrize("name", AWKWARD)
def test_every_hour_and_day_of_awkward_zones(name: str) -> None:
    zone = RULES.zone(name)
    for minute, offset in minutes(name):
        start, end = int(minute[0]) + 2 * DAY, int(minute[-1]) + MINUTE - 2 * DAY
        local = minute + offset
        inside = (minute >= start) & (minute < end)
        check_hours(zone, start, end, minute[inside], local[inside], offset[inside])
        check_days(zone, start, end, minute, local // DAY)


def check_hours(
    zone: zones.Zone, start: int, end: int, minute: Int64, local: Int64, offset: Int64
) -> None:
    """A row begins where the UTC hour, the local hour or the offset changes, and nowhere else."""
    batches = list(spans.hourly_spans(zone, start, end))
    found = {key: np.concatenate([batch[key] for batch in batches]) for key in batches[0]}
    begins = np.ones(len(minute), bool)
    begins[1:] = (
        (np.diff(minute // HOUR) != 0) | (np.diff(local // HOUR) != 0) | (np.diff(offset) != 0)
    )
    first = minute[begins]
    assert np.array_equal(seconds(found["starts_at_utc"]), first)
    assert np.array_equal(seconds(found["ends_before_utc"]), np.append(first[1:], end))
    assert np.array_equal(seconds(found["hour_at_utc"]), first // HOUR * HOUR)
    assert np.array_equal(seconds(found["hour_at_time_zone"]), local[begins] // HOUR * HOUR)
    assert np.array_equal(found["day"].astype(np.int64), local[begins] // DAY)
    assert np.array_equal(found["utc_offset_seconds"], offset[begins])


def check_days(zone: zones.Zone, start: int, end: int, minute: Int64, day: Int64) -> None:
    """A row begins where the local day changes; the days at both ends come whole."""
    found = spans.daily_spans(zone, start, end)
    change = minute[1:][np.diff(day) != 0]
    first, after = change[:-1], change[1:]
    wanted = (after > start) & (first < end)
    assert np.array_equal(seconds(found["day_starts_at_utc"]), first[wanted])
    assert np.array_equal(seconds(found["day_ends_before_utc"]), after[wanted])
    assert np.array_equal(seconds(found["day_ends_at_utc"]), after[wanted] - 1)
    days = day[np.searchsorted(minute, first[wanted])]
    assert np.array_equal(found["day"].astype(np.int64), days)


def test_local_partition_is_the_rule_of_duckdb() -> None:
    """Gap to the span before, fold to the span after: every transition of every zone since 1990.

    Each span is asked at both ends of its share of the local line, a microsecond inside, and where
    its clock would have gone on: which is in the gap or in the fold behind it, if there is one.
    """
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("stream", generate.offset(None))
        database.execute("CREATE TABLE spans AS FROM stream")
        asked, wrong = database.execute(
            """
            WITH asked AS (
                SELECT time_zone_name, utc_offset_seconds * INTERVAL 1 SECOND AS shift,
                       starts_at_time_zone AS first, ends_before_time_zone AS last,
                       unnest([
                           starts_at_time_zone,
                           starts_at_time_zone + INTERVAL 1 MICROSECOND,
                           ends_before_time_zone - INTERVAL 1 MICROSECOND,
                           ends_before_utc + shift,
                           ends_before_utc + shift - INTERVAL 1 MICROSECOND,
                           ends_before_utc + shift + INTERVAL 10 MINUTE
                       ]) AS local
                FROM spans
                WHERE ends_before_utc > TIMESTAMP '1990-01-01' AND starts_at_utc > '1900-01-01'
            )
            SELECT count(*), count(*) FILTER (
                WHERE local AT TIME ZONE time_zone_name AT TIME ZONE 'UTC' <> local - shift
            )
            FROM asked WHERE local >= first AND local < last
            """
        ).fetchall()[0]
    assert wrong == 0
    assert asked > 100_000


def test_local_partition_is_the_rule_of_the_reference() -> None:
    """The same against zoneinfo, whose default would be the other reading of a fold."""
    for name in ("America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia"):
        zone = zoneinfo.ZoneInfo(name)
        table = spans.offset_spans(RULES.zone(name), END)
        local_starts = seconds(table["starts_at_time_zone"])
        for index in np.flatnonzero(local_starts > reference.utc("1990-01-01")):
            for moved in (-5400, -1800, -1, 0, 1, 1800, 5400):
                local = int(local_starts[index]) + moved
                at = int(np.searchsorted(local_starts, local, "right")) - 1
                assert table["utc_offset_seconds"][at] == reference.local_offset(zone, local)


@pytest.mark.by_turns(16)
@pytest.mark.parametrize("share", range(SHARES))
def test_every_change_that_zoneinfo_shows_is_in_the_table(share: int) -> None:
    """Each change, found by zoneinfo alone: it is asked four times a day, then bisected."""
    for name in DISTINCT[share::SHARES]:
        table = spans.offset_spans(RULES.zone(name), END)
        starts = seconds(table["starts_at_utc"])
        since = int(np.searchsorted(starts, BEGIN, "right")) - 1
        found = [
            (int(start), reference.State(int(offset), abbreviation, bool(is_dst)))
            for start, offset, abbreviation, is_dst in zip(
                np.maximum(starts[since:], BEGIN),
                table["utc_offset_seconds"][since:],
                table["abbreviation"][since:],
                table["is_dst"][since:],
                strict=True,
            )
        ]
        # neither at midnight nor at noon, so that a pair around those would be seen
        before, *later = reference.changes(zoneinfo.ZoneInfo(name), BEGIN + 3 * HOUR, END, 6 * HOUR)
        assert found == [(BEGIN, before[1]), *later], name


@pytest.mark.by_turns(16)
@pytest.mark.parametrize("share", range(SHARES))
def test_random_instants_and_a_microsecond_before_each_change(share: int) -> None:
    """All names, all history: the last microsecond is the span's own, the next its neighbour's.

    Before the first change that is local mean time, whose offsets have seconds.
    """
    random = np.random.default_rng(1970 + share)
    microsecond = np.timedelta64(1, "us")
    for name in reference.NAMES[share::SHARES]:
        zone = zoneinfo.ZoneInfo(name)
        table = spans.offset_spans(RULES.zone(name), END)
        starts, ends = table["starts_at_utc"], table["ends_before_utc"]
        recent = random.integers(BEGIN * 10**6, END * 10**6, 60).astype("M8[us]")
        older = random.integers(reference.utc("1800-01-01") * 10**6, 0, 20).astype("M8[us]")
        instants = np.concatenate([recent, older, starts[1:], starts[1:] - microsecond])
        rows = np.searchsorted(starts, instants, "right") - 1
        assert np.all((starts[rows] <= instants) & (instants < ends[rows])), name
        expected = [
            instant.replace(tzinfo=dt.UTC).astimezone(zone).replace(tzinfo=None, fold=0)
            for instant in instants.tolist()
        ]
        offsets = table["utc_offset_seconds"][rows].astype("m8[s]")
        assert (instants + offsets).tolist() == expected, name


@pytest.mark.by_turns(16)
@pytest.mark.parametrize("share", range(SHARES))
def test_every_share_of_the_local_line(share: int) -> None:
    """Local to UTC by the table is the reference's rule around every change since 1850."""
    moves = (-7201, -3600, -1800, -1, 0, 1, 1799, 1800, 3599, 3600, 7200)
    for name in DISTINCT[share::SHARES]:
        zone = zoneinfo.ZoneInfo(name)
        table = spans.offset_spans(RULES.zone(name), END)
        firsts = seconds(table["starts_at_time_zone"])
        lasts = seconds(table["ends_before_time_zone"])
        assert np.array_equal(firsts[1:], lasts[:-1]), name
        assert np.all(firsts < lasts), name
        edges = np.unique(
            np.concatenate([firsts[1:], seconds(table["ends_before_utc"])[:-1]])
        )  # both edges of each gap and fold, or near them
        local = np.unique(np.concatenate([edges + move for move in moves]))
        local = local[(local > reference.utc("1850-01-01")) & (local < lasts[-1])]
        rows = np.searchsorted(firsts, local, "right") - 1
        expected = [reference.local_offset(zone, int(moment)) for moment in local]
        assert table["utc_offset_seconds"][rows].tolist() == expected, name


@pytest.mark.by_turns(16)
@pytest.mark.parametrize("share", range(SHARES))
def test_a_year_of_hours_and_days_of_every_zone(share: int) -> None:
    """What the awkward zones show over thirty years, for all zones over the year 2026."""
    start, end = reference.utc("2026-01-01"), reference.utc("2027-01-01")
    minute = np.arange(start - 2 * DAY, end + 2 * DAY, MINUTE)
    inside = (minute >= start) & (minute < end)
    for name in DISTINCT[share::SHARES]:
        offset = np.empty_like(minute)
        zone = zoneinfo.ZoneInfo(name)
        for change, state in reference.changes(zone, int(minute[0]), end + 2 * DAY, 6 * HOUR):
            assert change % MINUTE == 0, "a transition off the minute would be missed"
            offset[minute >= change] = state.offset
        local = minute + offset
        ours = RULES.zone(name)
        check_hours(ours, start, end, minute[inside], local[inside], offset[inside])
        check_days(ours, start, end, minute, local // DAY)


def test_every_gap_and_fold_since_1990_as_duckdb_reads_it() -> None:
    """One span holds each local time, and DuckDB's own function gives the same UTC time.

    Asked at both edges of each gap and fold, in the middle of it, and a microsecond either side;
    the span is looked up by its share of the local line, as a query would.
    """
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("stream", generate.offset(None))
        database.execute("CREATE TABLE spans AS FROM stream")
        counts = database.execute(
            """
            WITH edges AS (
                SELECT time_zone_name,
                       ends_before_utc + utc_offset_seconds * INTERVAL 1 SECOND AS before,
                       ends_before_utc + lead(utc_offset_seconds) OVER (
                           PARTITION BY time_zone_name ORDER BY starts_at_utc
                       ) * INTERVAL 1 SECOND AS after
                FROM spans
            ), asked AS (
                SELECT time_zone_name, before < after AS gap, before > after AS fold, unnest([
                    before - INTERVAL 1 MICROSECOND, before, before + INTERVAL 1 MICROSECOND,
                    before + (after - before) / 2,
                    after - INTERVAL 1 MICROSECOND, after, after + INTERVAL 1 MICROSECOND
                ]) AS local
                FROM edges
                WHERE before > TIMESTAMP '1990-01-02' AND after IS NOT NULL
            ), answered AS (
                SELECT gap, fold, rowid IS NOT NULL AS found,
                       local - utc_offset_seconds * INTERVAL 1 SECOND
                           = local AT TIME ZONE asked.time_zone_name AT TIME ZONE 'UTC' AS same
                FROM asked LEFT JOIN (SELECT *, rowid FROM spans) AS spans
                ON spans.time_zone_name = asked.time_zone_name
                    AND local >= starts_at_time_zone AND local < ends_before_time_zone
            )
            SELECT (SELECT count(*) FROM asked), count(*), count(*) FILTER (found),
                   count(*) FILTER (same), count(*) FILTER (gap) > 50_000,
                   count(*) FILTER (fold) > 50_000
            FROM answered
            """
        ).fetchall()[0]
    asked = counts[0]
    assert counts == (asked, asked, asked, asked, True, True)
