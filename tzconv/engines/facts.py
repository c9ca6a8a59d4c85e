"""What is said of an engine before anything of it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """How people write conversions for an engine, as texts to fill in.

    ``shown`` is a TIMESTAMPTZ in the zone of its row, ``timestamp`` the type without time zone.
    """

    to_zone: str = "{value} AT TIME ZONE 'UTC' AT TIME ZONE {zone}"
    to_utc: str = "{value} AT TIME ZONE {zone} AT TIME ZONE 'UTC'"
    shown: str = "{value} AT TIME ZONE {zone}"
    timestamp: str = "TIMESTAMP"


@dataclass(frozen=True, slots=True)
class Facts:
    """One engine.

    ``title`` is its name as its makers write it, ``scheme`` the one of its URLs and SQLAlchemy's
    name of its dialect. ``driver`` is the module that connects, ``distribution`` the package that
    holds it, and ``extra`` the one of tzconv's that installs it, empty where it comes with tzconv.

    ``verdicts`` are the strategies that a query of this engine gains by, in the order they are
    tried, each with what was measured: CPU time over that of the native query, in the runs of the
    benchmark in ``tests/data/bench``. With ``has_all_strategies`` the others have a form for this
    engine, too.

    ``fixed_abbreviations``, in upper case, are read as fixed offsets where others read a zone with
    summer time; None where every abbreviation is. ``has_ddl`` and ``has_alchemy`` say whether its
    folder has those modules. Without ``has_full_bench`` first loads, reports and one thread alone
    are not measured.
    """

    title: str
    scheme: str
    driver: str
    distribution: str
    extra: str
    verdicts: Mapping[str, str]
    has_all_strategies: bool = True
    fixed_abbreviations: frozenset[str] | None = None
    has_ddl: bool = True
    has_alchemy: bool = True
    has_full_bench: bool = True
    spelling: Spelling = Spelling()
