"""The HTML report of ``tzconv bench --report``: one file, charts first, tables below."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from tzconv.bench import results
from tzconv.bench.results import CHOSEN, LIMIT, ORIGINAL, Measured, Run, Variant, verdict

_WIDTH, _LABEL, _ROW = 900, 250, 26
_COLOURS = ("var(--native)", "var(--dim)", "var(--chosen)", "var(--limit)")


class _Bar(NamedTuple):
    """``limit`` is the ratio of the query without conversions; ``note`` says why there is none."""

    label: str
    ratio: float | None
    colour: str
    limit: float | None
    note: str | None


def page(run: Run) -> str:
    """The whole document."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>tzconv bench: {escape(run.product)}</title><style>\n{style}</style></head><body>",
        f"<h1>Time zone conversion on {escape(run.product)}</h1>",
        f"<p>{run.rows:,} events a table, {run.zones} zones of tz release "
        f"{escape(run.tz_release)}, {run.cpus} CPUs, {run.rounds} rounds, "
        f"{escape(run.measured_on)}, tzconv {escape(run.tzconv)}. Ratios are medians of the ratios "
        "of each round, CPU time where it can be seen. Every rewrite that has figures was compared "
        "with the original row by row, each time it ran.</p>",
        f"<p>{escape(verdict(run))}</p>",
        "<h2>The rewriter's choice over the original</h2>",
        _bars(_choices(run.queries)),
    ]
    if run.concurrency:
        parts += ["<h2>Clients at once</h2>", *_clients(run)]
    parts += [_query(query) for query in run.queries]
    if run.scaling:
        parts += ["<h2>More rows, zones and years</h2>", _table(results.size_table(run))]
    if run.first_load is not None:
        parts.append(f"<h2>First load</h2><p>{results.first_load_text(run.first_load)}</p>")
    return "\n".join([*parts, "</body></html>\n"])


def _choices(queries: Iterable[Measured]) -> Iterable[_Bar]:
    for query in queries:
        chosen, limit = query.variant(CHOSEN), query.variant(LIMIT)
        tick = None if limit is None else limit.of_native
        if chosen is None:
            yield _Bar(query.name, 1.0, "chosen", tick, "unchanged")
        else:
            yield _Bar(query.name, chosen.of_native, "chosen", tick, chosen.problem)


def _clients(run: Run) -> Iterable[str]:
    for query in dict.fromkeys(load.query for load in run.concurrency):
        loads = [load for load in run.concurrency if load.query == query]
        yield f"<p>{escape(query)}: latency against clients; p50 and p95.</p>"
        yield _lines(
            [
                (f"{variant} {name}", [(one.clients, getattr(one, name)) for one in chosen])
                for variant in (ORIGINAL, CHOSEN)
                for name in ("p50", "p95")
                if (chosen := [one for one in loads if one.variant == variant])
            ]
        )
    yield _table(results.client_table(run))


def _query(query: Measured) -> str:
    return "\n".join(
        [
            f"<h2>{escape(query.name)}</h2><p>{escape(query.title)}</p>",
            _bars(
                _Bar(", ".join(one.names), one.of_native, _colour(one), None, one.problem)
                for one in query.variants
            ),
            _table(results.query_table(query)),
            *(
                f"<details><summary>{escape(', '.join(one.names))}</summary>"
                f"<pre>{escape(one.sql)}</pre></details>"
                for one in query.variants
            ),
        ]
    )


def _colour(variant: Variant) -> str:
    named = {ORIGINAL: "native", LIMIT: "limit", CHOSEN: "chosen"}
    return next((named[name] for name in variant.names if name in named), "other")


def _table(table: results.Table) -> str:
    titles, rows = table
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _bars(made: Iterable[_Bar]) -> str:
    """Horizontal bars of ratios, cut at three times the original."""
    bars = list(made)
    longest = min(3.0, max([1.0, *(bar.ratio for bar in bars if bar.ratio is not None)]))
    height = len(bars) * _ROW
    parts = []

    def across(ratio: float) -> float:
        return _LABEL + min(ratio, longest) / longest * (_WIDTH - _LABEL - 80)

    for y, bar in zip(range(0, height, _ROW), bars, strict=True):
        parts.append(_text(bar.label, 0, y + 17))
        if bar.ratio is None:
            parts.append(_text(bar.note or "not measured", _LABEL, y + 17, "d"))
            continue
        width = max(1.0, across(bar.ratio) - _LABEL)
        parts.append(_rect(_LABEL, y + 4, width, _ROW - 8, f"var(--{bar.colour})"))
        if bar.limit is not None:
            parts.append(_rect(across(bar.limit), y + 1, 2.5, _ROW - 2, "var(--limit)"))
        x = max(_LABEL + width, across(bar.limit or 0)) + 6
        parts.append(_text(f"{results.ratio(bar.ratio)}  {bar.note or ''}", x, y + 17, "d"))
    native = across(1.0)
    parts.append(
        f'<line x1="{native:.1f}" y1="0" x2="{native:.1f}" y2="{height}" stroke="var(--dim)" '
        'stroke-dasharray="3 3"/>'
    )
    parts.append(_text("the original", native - 30, height + 14, "d"))
    if any(bar.limit is not None for bar in bars):
        parts.append(_text("green: without any conversion", 0, height + 14, "d"))
    return _svg(height + 20, parts)


def _lines(series: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> str:
    """Seconds against numbers of clients, both axes logarithmic."""
    points = [point for _, line in series for point in line]
    if not points:
        return ""
    xs, ys = (sorted(set(values)) for values in zip(*points, strict=True))
    height, left, right = 260, 70, 200

    def across(x: float) -> float:
        return left + _share(x, xs) * (_WIDTH - left - right)

    def down(y: float) -> float:
        return height - 30 - _share(y, ys) * (height - 50)

    marks = sorted({ys[0], math.sqrt(ys[0] * ys[-1]), ys[-1]})
    parts = [_text(f"{y * 1000:.0f} ms", 0, down(y) + 4, "d") for y in marks]
    parts += [_text(f"{x:g} clients", across(x) - 20, height - 6, "d") for x in xs]
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


def _share(value: float, values: Sequence[float]) -> float:
    """Where a value lies between the first and the last one, 0 to 1, by logarithms."""
    if values[-1] <= values[0]:
        return 0.5
    return math.log(value / values[0]) / math.log(values[-1] / values[0])


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
