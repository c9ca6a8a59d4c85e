"""The report: one HTML file that needs nothing else, charts first, the figures below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tzconv.bench.charts import Bar, bars, lines, stacked
from tzconv.bench.results import CHOSEN, LIMIT, ORIGINAL, Measured, Run, Variant

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --dim: #5c6b7a; --line: #d8dee5; --back: #fff;
  --native: #9aa7b4; --limit: #57a773; --chosen: #2f6fde; --other: #b9cdf5; --bad: #d64545; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --dim: #9aa7b4; --line: #38424d;
  --back: #171c22; --native: #6d7a87; --other: #35558f; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back);
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } p { color: var(--dim); }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: .6rem 0; }
th, td { padding: .2rem .5rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, td.l { text-align: left; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .d { fill: var(--dim); } .bad { color: var(--bad); }
details pre { overflow-x: auto; border-left: 3px solid var(--line); padding-left: .8rem; }
"""


def page(run: Run) -> str:
    """The whole document."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>tzconv bench: {escape(run.product)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Time zone conversion on {escape(run.product)}</h1>",
        f"<p>{run.rows:,} events a table, {run.zones} zones of tz release "
        f"{escape(run.tz_release)}, {run.cpus} CPUs, {run.rounds} rounds, "
        f"{escape(run.measured_on)}, tzconv {escape(run.tzconv)}. Ratios are medians of the ratios "
        "of each round, CPU time where it can be seen. Every rewrite that has figures was compared "
        "with the original row by row, each time it ran.</p>",
        "<h2>The rewriter's choice over the original</h2>",
        bars(_choices(run.queries)),
        "<h2>User and system CPU time</h2>",
        stacked(_split(run.queries)),
    ]
    if run.concurrency:
        parts += ["<h2>Clients at once</h2>", *_clients(run)]
    parts += [_query(query) for query in run.queries]
    if run.scaling:
        parts += ["<h2>More rows, zones and years</h2>", _scaling(run)]
    if run.first_load is not None:
        load = run.first_load
        parts.append(
            f"<h2>First load</h2><p>{load.rows:,} rows: tzconv refresh {load.refresh:.1f} s, bare "
            f"bulk load {load.raw:.1f} s, ratio {load.ratio:.2f}; at most "
            f"{load.peak_bytes / 1e6:.0f} MB of memory.</p>"
        )
    return "\n".join([*parts, "</body></html>\n"])


def _choices(queries: Iterable[Measured]) -> Iterable[Bar]:
    for query in queries:
        chosen, limit = query.variant(CHOSEN), query.variant(LIMIT)
        ratio = None if chosen is None else chosen.of_native
        mark = None if limit is None else limit.of_native
        left = "left as it is" if chosen is None else chosen.problem
        yield Bar(query.name, 1.0 if chosen is None else ratio, "chosen", mark, left)


def _split(queries: Iterable[Measured]) -> Iterable[tuple[str, float | None, float | None]]:
    for query in queries:
        for name in (ORIGINAL, CHOSEN, LIMIT):
            one = query.variant(name)
            if one is not None and one.wall is not None:
                yield f"{query.name}, {name}", one.user, one.system


def _clients(run: Run) -> Iterable[str]:
    for query in dict.fromkeys(load.query for load in run.concurrency):
        loads = [load for load in run.concurrency if load.query == query]
        yield f"<p>{escape(query)}: latency against clients; p50 and p95.</p>"
        yield lines(
            [
                (f"{variant} {name}", [(one.clients, getattr(one, name)) for one in chosen])
                for variant in (ORIGINAL, CHOSEN)
                for name in ("p50", "p95")
                if (chosen := [one for one in loads if one.variant == variant])
            ]
        )
    yield _table(
        ("", "clients", "per second", "p50", "p95", "p99", "CPUs busy", "waiting for a CPU"),
        (
            (
                f"{one.query}, {one.variant}",
                str(one.clients),
                f"{one.per_second:.2f}",
                *map(_seconds, (one.p50, one.p95, one.p99)),
                _percent(one.utilisation),
                _percent(one.waiting),
            )
            for one in run.concurrency
        ),
    )


def _query(query: Measured) -> str:
    made = [
        f"<h2>{escape(query.name)}</h2><p>{escape(query.title)}</p>",
        bars(
            Bar(", ".join(one.names), one.of_native, _colour(one), None, one.problem)
            for one in query.variants
        ),
        _table(
            ("", "wall", "best", "CPU", "user", "system", "/ native", "/ limit", "rows"),
            (
                (
                    ", ".join(one.names),
                    *map(_seconds, (one.wall, one.wall_best, one.cpu, one.user, one.system)),
                    _ratio(one.of_native),
                    _ratio(one.of_limit),
                    one.problem or {True: "the same", False: "NOT THE SAME", None: ""}[one.same],
                )
                for one in query.variants
            ),
        ),
    ]
    made += [
        f"<details><summary>{escape(', '.join(one.names))}</summary>"
        f"<pre>{escape(one.sql)}</pre></details>"
        for one in query.variants
    ]
    return "\n".join(made)


def _scaling(run: Run) -> str:
    return _table(
        ("", "events", "zones", "years of tables", "original", "rewritten"),
        (
            (
                one.query,
                f"{one.rows:,}",
                str(one.zones),
                str(one.years),
                _seconds(one.original),
                _seconds(one.chosen),
            )
            for one in run.scaling
        ),
    )


def _colour(variant: Variant) -> str:
    named = {ORIGINAL: "native", LIMIT: "limit", CHOSEN: "chosen"}
    return next((named[name] for name in variant.names if name in named), "other")


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}" if value < 0.095 else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"
