"""Facts of an engine that need none of its code: names, driver, functions, and measured strategies.

Every engine has a ``FACTS``; the registry, the rewriter's choice of strategies, the linter and the
benchmark read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


def names(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class ConversionSpelling:
    """How people write conversions for an engine, as texts with a ``{value}`` and a ``{zone}``.

    ``instant_to_zone`` converts a TIMESTAMPTZ; ``timestamp`` is the type without time zone.
    """

    to_zone: str = "{value} AT TIME ZONE 'UTC' AT TIME ZONE {zone}"
    to_utc: str = "{value} AT TIME ZONE {zone} AT TIME ZONE 'UTC'"
    instant_to_zone: str = "{value} AT TIME ZONE {zone}"
    timestamp: str = "TIMESTAMP"


@dataclass(frozen=True, slots=True)
class Facts:
    """One engine.

    ``title`` is its official name, ``scheme`` that of its URLs and SQLAlchemy's name of its
    dialect. ``driver`` is the module that connects, which the extra with the name of the dialect
    installs. Without a driver only its SQL is read and written. ``aliases`` are other names of its
    dialect and of the scheme of its URLs.

    ``verdicts`` are the strategies that make queries of this engine faster, in the order they are
    tried, each with its measurement: CPU time over that of the native query, in the committed runs
    of the benchmark. With ``has_all_strategies`` the other strategies have a form for this engine,
    too.

    ``zone_functions`` are the functions that convert time zones, in lower case. The others are
    functions that sqlglot has no node for, in this dialect or at all: ``fixed_functions`` return
    one value in a statement for equal arguments; the result of ``ordered_aggregates`` depends on
    the order of their rows, that of ``unordered_aggregates`` does not; ``numbering_functions``
    number rows as they come. ``hidden_columns`` are those that tables have and derived tables not.
    ``fixed_abbreviations``, in upper case, are those that it reads as fixed offsets although their
    zones have summer time; None if it reads all so. ``has_ddl`` and ``has_alchemy`` say whether its
    folder has those modules. Without ``has_full_bench`` the benchmark skips first loads, reports
    and single-threaded runs.
    """

    title: str
    scheme: str
    verdicts: Mapping[str, str]
    measured: tuple[str, ...] = ()
    driver: str = ""
    aliases: tuple[str, ...] = ()
    zone_functions: frozenset[str] = frozenset({"timezone"})
    fixed_functions: frozenset[str] = frozenset()
    numbering_functions: frozenset[str] = frozenset()
    hidden_columns: frozenset[str] = frozenset()
    unordered_aggregates: frozenset[str] = frozenset()
    ordered_aggregates: frozenset[str] = frozenset()
    has_all_strategies: bool = True
    fixed_abbreviations: frozenset[str] | None = None
    has_ddl: bool = True
    has_alchemy: bool = True
    has_full_bench: bool = True
    spelling: ConversionSpelling = ConversionSpelling()

    def not_measured(self, product: str) -> str | None:
        """What to say of a ``product`` such as "DuckDB 2.0.0" that was not measured, else None."""
        version = product.removeprefix(f"{self.title} ")
        if any(f"{version}.".startswith(f"{one}.") for one in self.measured):
            return None
        on = f"were measured on {self.title} {', '.join(self.measured)}, not on this version"
        return (
            f"{product}: the strategies {on if self.measured else 'were not measured'}: check a "
            "query with tzconv compare, or measure them all with tzconv bench --url."
        )
