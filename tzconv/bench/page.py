"""The results of a benchmark as one web page that loads nothing else: ``tzconv bench --html``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from pathlib import Path

from tzconv.bench import figures
from tzconv.bench.results import LIMIT, Measured, Run, headline, verdict
from tzconv.compare import Cost

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tzconv bench: {headline}</title>
<style>
{css}</style>
<h1>{headline}</h1>
<p>{mean}</p>
<p class="quiet">{conditions} Measured on {day} with tzconv {version}.</p>
<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
{rest}
<h2>How it was measured</h2>
<p>Before is the query as it was written, after is what tzconv makes of it. All texts ran in turn,
in one transaction per round, and their rows were compared each time. A query counts as faster or
slower if elapsed or CPU time differs by more than 5 % and more than 0.2 ms. Times are medians, and
ratios are those of the medians.</p>
<p class="quiet">{verdict}.</p>
</html>
"""
_COLUMNS = ("before", "after", "after / before", "CPU ratio", "rows")


def page(run: Run) -> str:
    """The page: a headline, a row for each query in words, its texts to unfold."""
    load = run.first_load
    mean = run.summary.elapsed_geometric_mean
    return _PAGE.format(
        headline=escape(headline(run)),
        css=Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
        mean=""
        if mean is None
        else f"Elapsed time, all queries: {mean:.2f} of what it was (geometric mean).",
        conditions=escape(figures.conditions(run)),
        day=escape(run.measured_on),
        version=escape(run.tzconv),
        heads="".join(f"<th>{name}</th>" for name in ("query", *_COLUMNS)),
        rows="\n".join(map(_row, run.queries)),
        rest="" if load is None else f"<h2>First load</h2>\n<p>{figures.first_load(load)}</p>",
        verdict=escape(verdict(run)),
    )


def _row(query: Measured) -> str:
    before, after = query.variants[0], query.chosen
    cells = [("number", figures.seconds(before.wall))]
    if query.is_rewritten:
        cells += [
            ("number", figures.seconds(after.wall)),
            (f"number {_kind(before.wall, after.wall)}", _ratio(after.elapsed_of_native)),
            (f"number {_kind(before.cpu, after.cpu)}", figures.ratio(after.cpu_of_native)),
            ("slower" if after.problem else "", escape(figures.rows_of(after))),
        ]
    else:
        cells += [("", "")] * 3 + [("", figures.NOT_REWRITTEN)]
    made = "".join(
        f'<td class="{css}" data-name="{name}">{text}</td>'
        for name, (css, text) in zip(_COLUMNS, cells, strict=True)
    )
    used = escape(" + ".join(after.strategies))
    name = f"<code>{escape(query.name)}</code>{f', strategy {used}' if used else ''}"
    texts = f"<details><summary>SQL</summary>{''.join(_details(query))}</details>"
    return f"<tr><td>{escape(query.title)} <small>{name}</small>{texts}</td>{made}</tr>"


def _ratio(value: float | None) -> str:
    """The ratio and a bar; the track is the original."""
    if value is None:
        return ""
    width = min(100.0, 100 * value)
    return f'{figures.ratio(value)}<div class="bar"><i style="width: {width:.1f}%"></i></div>'


def _kind(before: float | None, after: float | None) -> str:
    """Whether one figure, elapsed or CPU seconds, is faster or slower."""
    if before is None or after is None:
        return ""
    old, new = Cost(before, math.nan), Cost(after, math.nan)
    return "slower" if new.loses_to(old) else "faster" if old.loses_to(new) else ""


def _details(query: Measured) -> Iterator[str]:
    original, chosen = query.variants[0], query.chosen
    yield f"<p class=quiet>before</p><pre>{escape(original.sql)}</pre>"
    if chosen is not original:
        yield f"<p class=quiet>after</p><pre>{escape(chosen.sql)}</pre>"
    for reason in query.left:
        yield f"<p class=quiet>left: {escape(reason)}</p>"
    for one in query.variants:
        if one is not original and one is not chosen:
            what = "the query without any conversion" if LIMIT in one.names else "on request: "
            named = "" if LIMIT in one.names else escape(figures.name_of(one))
            shown = one.problem or f"{figures.ratio(one.elapsed_of_native)} of the original"
            yield f"<p class=quiet>{what}{named}: {escape(shown)}</p>"
