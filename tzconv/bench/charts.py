"""Charts as SVG inside a page, in the colours that the page defines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _LABEL, _ROW = 900, 250, 26
_COLOURS = ("var(--native)", "var(--dim)", "var(--chosen)", "var(--limit)")


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a ratio, a colour of the page, a mark where the limit is, and why it is missing."""

    label: str
    value: float | None
    colour: str
    mark: float | None = None
    note: str | None = None


def bars(all_bars: Iterable[Bar]) -> str:
    """Horizontal bars of ratios; what is longer than the original by far is cut, and says so."""
    made = list(all_bars)
    longest = min(3.0, max([1.0, *(bar.value for bar in made if bar.value is not None)]))
    room = _WIDTH - _LABEL - 80
    parts = []
    for place, bar in enumerate(made):
        y = place * _ROW
        parts.append(_text(bar.label, 0, y + 17))
        if bar.value is None:
            parts.append(_text(bar.note or "not measured", _LABEL, y + 17, "d"))
            continue
        width = max(1.0, min(bar.value, longest) / longest * room)
        parts.append(_rect(_LABEL, y + 4, width, _ROW - 8, f"var(--{bar.colour})"))
        if bar.mark is not None:
            x = _LABEL + min(bar.mark, longest) / longest * room
            parts.append(_rect(x, y + 1, 2.5, _ROW - 2, "var(--limit)"))
        shown = f"{bar.value:.3f}" if bar.value < 0.095 else f"{bar.value:.2f}"
        note = f"  {bar.note}" if bar.note else ""
        x = max(width, room * min(bar.mark or 0, longest) / longest)
        parts.append(_text(shown + note, _LABEL + x + 6, y + 17, "d"))
    native = _LABEL + room / longest
    height = len(made) * _ROW
    parts.append(
        f'<line x1="{native:.1f}" y1="0" x2="{native:.1f}" y2="{height}" stroke="var(--dim)" '
        'stroke-dasharray="3 3"/>'
    )
    parts.append(_text("the original", native - 30, height + 14, "d"))
    if any(bar.mark is not None for bar in made):
        parts.append(_text("green: without any conversion", 0, height + 14, "d"))
    return _svg(height + 20, parts)


def stacked(rows: Iterable[tuple[str, float | None, float | None]]) -> str:
    """Bars of two parts, user and system time in seconds."""
    known = [(label, user, system) for label, user, system in rows if None not in (user, system)]
    if not known:
        return "<p>The CPU time of the server cannot be seen from here.</p>"
    longest = max((user or 0) + (system or 0) for _, user, system in known) or 1.0
    room = _WIDTH - _LABEL - 130
    parts = []
    for place, (label, user, system) in enumerate(known):
        y = place * _ROW
        one, two = (user or 0) / longest * room, (system or 0) / longest * room
        parts.append(_text(label, 0, y + 17))
        parts.append(_rect(_LABEL, y + 4, one, _ROW - 8, "var(--chosen)"))
        parts.append(_rect(_LABEL + one, y + 4, two, _ROW - 8, "var(--bad)"))
        shown = f"{(user or 0) * 1000:.0f} + {(system or 0) * 1000:.0f} ms"
        parts.append(_text(shown, _LABEL + one + two + 6, y + 17, "d"))
    height = len(known) * _ROW
    parts.append(_text("blue: user, red: system", 0, height + 14, "d"))
    return _svg(height + 20, parts)


def lines(series: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> str:
    """Seconds against numbers of clients, both axes logarithmic."""
    points = [point for _, line in series for point in line]
    if not points:
        return ""
    low, high = min(y for _, y in points), max(y for _, y in points)
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    height, left, right = 260, 70, 200

    def across(x: float) -> float:
        return left + _share(x, first, last) * (_WIDTH - left - right)

    def down(y: float) -> float:
        return height - 30 - _share(y, low, high) * (height - 50)

    parts = [
        _text(f"{y * 1000:.0f} ms", 0, down(y) + 4, "d")
        for y in sorted({low, math.sqrt(low * high), high})
    ]
    parts += [
        _text(f"{x:g} clients", across(x) - 20, height - 6, "d")
        for x in sorted({x for x, _ in points})
    ]
    for (name, line), colour in zip(series, _COLOURS, strict=False):
        path = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>'
            for x, y in line
        ]
        x, y = line[-1]
        parts.append(_text(name, across(x) + 8, down(y) + 4))
    return _svg(height, parts)


def _share(value: float, low: float, high: float) -> float:
    if high <= low:
        return 0.5
    return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="2" fill="{fill}"/>'
    )


def _text(text: str, x: float, y: float, style: str = "") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{escape(text)}</text>'


def _svg(height: float, parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img">{"".join(parts)}</svg>'
    )
