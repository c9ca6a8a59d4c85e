"""The value of a conversion with an offset added or taken away, as the kind that it gives."""

from __future__ import annotations

from tzconv.engines.write import Engine
from tzconv.rewriter.conversions import Conversion


def shifted(engine: Engine, site: Conversion, value: str, offset: str) -> str:
    """What a clock with that offset shows."""
    return engine.shifted(value, site.value_kind, offset, site.gives)


def back(engine: Engine, site: Conversion, value: str, offset: str) -> str:
    """The UTC time at which a clock with that offset shows the value."""
    if site.gives is None:
        return engine.to_utc(value, offset, site.utc_kind)
    return engine.shifted(value, site.value_kind, f"-({offset})", site.gives)
