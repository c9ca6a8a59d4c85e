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
from tzconv import spans, zones

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
