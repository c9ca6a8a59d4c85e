"""Frozen facts of other projects' test suites: no code of ours produced them."""

from __future__ import annotations

import csv
import gzip
import zoneinfo
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests import reference
from tests.reference import utc
from tzconv.errors import UnknownZoneError
from tzconv.tz import spans, zones

DATA = Path(__file__).parent / "data"
RULES = zones.installed()
UNTIL = utc("2500-01-01")  # some vectors are centuries away

ABBREVIATIONS = {"MSK", "MSD", "LMT"}
"""Names that Postgres reads and that no tz release has as a zone: not for the tables to know."""


def utc_to_local() -> dict[str, list[tuple[str, str, str]]]:
    vectors = defaultdict(list)
    with gzip.open(DATA / "utc_to_local.tsv.gz", "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            vectors[row["zone"]].append((row["utc"], row["local"], row["agrees_with_2026f"]))
    return vectors


def local_to_utc() -> list[dict[str, str]]:
    with (DATA / "local_to_utc.tsv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


VECTORS = utc_to_local()


def test_all_vectors_are_of_names_we_have() -> None:
    assert sum(map(len, VECTORS.values())) == 25_125
    assert set(VECTORS) <= set(RULES.names)


@pytest.mark.parametrize("initial", sorted({zone[0] for zone in VECTORS}))
def test_utc_to_local(initial: str) -> None:
    newer = []
    for zone in (zone for zone in VECTORS if zone.startswith(initial)):
        table = spans.offset_spans(RULES.zone(zone), UNTIL)
        starts = table["starts_at_utc"].astype(np.int64) // 1_000_000
        for instant, local, agrees in VECTORS[zone]:
            moment = utc(instant)
            at = int(np.searchsorted(starts, moment, "right")) - 1
            found = str(reference.naive(moment + int(table["utc_offset_seconds"][at])))
            if agrees == "y":
                assert found == local, (zone, instant)
            else:
                newer.append((zone, instant, found == local, local))
    # rows of older releases: the rules have changed since, and we must follow the new ones
    for zone, instant, same, local in newer:
        expected = str(reference.local_at(zoneinfo.ZoneInfo(zone), utc(instant)))
        assert (expected == local) == same, (zone, instant)


@pytest.mark.parametrize("rule", ["postgres", "joda"])
def test_local_to_utc(rule: str) -> None:
    """Rows of the databases' rule must agree; those of Joda's only where a time is shown once."""
    tested = 0
    for row in local_to_utc():
        zone = row["zone"]
        if not row["rule_of"].startswith(rule) or zone in ABBREVIATIONS:
            continue
        table = spans.offset_spans(RULES.zone(zone), UNTIL)
        local = utc(row["local"])
        if rule == "joda":
            moments = (
                reference.naive(local).replace(tzinfo=zoneinfo.ZoneInfo(zone), fold=fold)
                for fold in (0, 1)
            )
            if len({moment.utcoffset() for moment in moments}) > 1:
                continue
        firsts = table["starts_at_time_zone"].astype(np.int64) // 1_000_000
        at = int(np.searchsorted(firsts, local, "right")) - 1
        assert local - int(table["utc_offset_seconds"][at]) == utc(row["utc"]), row
        tested += 1
    assert tested > 10


def test_the_names_passed_over_are_no_zones() -> None:
    unknown = {row["zone"] for row in local_to_utc()} - set(RULES.names)
    assert unknown <= ABBREVIATIONS


def test_postgres_reads_msk_as_moscow_but_not_in_a_gap() -> None:
    """Postgres looks the abbreviation up in Moscow's history, by another rule inside a gap.

    MSK is no IANA name, so no table holds it. Its rows are Moscow's all the same, except in the
    gap of 2011-03-27 from 02:00 to 03:00, where Postgres takes the offset after for it.
    """
    with pytest.raises(UnknownZoneError):
        RULES.zone("MSK")
    table = spans.offset_spans(RULES.zone("Europe/Moscow"), UNTIL)
    firsts = table["starts_at_time_zone"].astype(np.int64) // 1_000_000
    same: set[str] = set()
    other: set[str] = set()
    for row in local_to_utc():
        if row["zone"] == "MSK":
            local = utc(row["local"])
            at = int(np.searchsorted(firsts, local, "right")) - 1
            agrees = local - int(table["utc_offset_seconds"][at]) == utc(row["utc"])
            (same if agrees else other).add(row["local"])
    assert other == {f"2011-03-27 {clock}" for clock in ("02:00:00", "02:00:01", "02:59:59")}
    assert len(same) == 11


def test_joda_differs_in_folds_only() -> None:
    """Joda takes the earlier offset in a fold, the tables the later one: here, by an hour."""
    differing = {}
    for row in local_to_utc():
        if row["rule_of"].startswith("joda"):
            table = spans.offset_spans(RULES.zone(row["zone"]), UNTIL)
            firsts = table["starts_at_time_zone"].astype(np.int64) // 1_000_000
            local = utc(row["local"])
            at = int(np.searchsorted(firsts, local, "right")) - 1
            later = local - int(table["utc_offset_seconds"][at]) - utc(row["utc"])
            if later:
                differing[row["zone"], row["local"]] = later
    assert differing == {
        ("America/New_York", "2007-11-04 01:00:00"): 3600,
        ("America/New_York", "2007-11-04 01:30:00"): 3600,
        ("Europe/Moscow", "2007-10-28 02:00:00"): 3600,
        ("Europe/Moscow", "2007-10-28 02:30:00"): 3600,
    }


def test_rows_of_older_releases_differ() -> None:
    """The thirty rows whose rules have changed since must show the newer answer, every one."""
    older = 0
    for zone, rows in VECTORS.items():
        table = spans.offset_spans(RULES.zone(zone), UNTIL)
        starts = table["starts_at_utc"].astype(np.int64) // 1_000_000
        for instant, local, agrees in rows:
            if agrees == "n":
                moment = utc(instant)
                at = int(np.searchsorted(starts, moment, "right")) - 1
                found = reference.naive(moment + int(table["utc_offset_seconds"][at]))
                assert found == reference.local_at(zoneinfo.ZoneInfo(zone), moment)
                assert str(found) != local, (zone, instant)
                older += 1
    assert older == 30
