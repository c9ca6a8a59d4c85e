"""The value of a conversion with an offset added or taken away, as the kind that it gives."""

from __future__ import annotations

from tzconv.engines.write import Engine
from tzconv.rewriter.conversions import Conversion


def shifted(engine: Engine, site: Conversion, value: str, offset: str, *, to_utc: bool) -> str:
    """What a clock with that offset shows or, with ``to_utc``, when it shows the value."""
    if not to_utc:
        return engine.shifted(value, site.value_kind, offset, site.gives)
    if site.gives is None:
        return engine.to_utc(value, offset, site.utc_kind)
    return engine.shifted(value, site.value_kind, f"-({offset})", site.gives)
