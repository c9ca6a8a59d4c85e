"""Flame graphs of the server by Linux ``perf``: original and rewrite of a query in one SVG."""

from __future__ import annotations

import contextlib
import datetime as dt
import html
import itertools
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tzconv.bench.measure import variants
from tzconv.bench.results import LIMIT, Say
from tzconv.engines.scratch import scratch
from tzconv.errors import OutputError

if TYPE_CHECKING:
    from tzconv.bench import BenchOptions
    from tzconv.engines.backend import Backend
_SECONDS = 5.0
_WIDTH, _HEIGHT, _LEAST = 1200, 17, 0.002


def write(file: Path, options: BenchOptions, say: Say) -> str | None:
    """Profile the first query of ``options``; the reason if perf cannot, else None.

    OutputError where the file cannot be written.
    """
    from tzconv.bench import choose, prepare

    if shutil.which("perf") is None:
        return "No flame graph was made: perf is not installed (Debian: linux-perf)."
    today = dt.datetime.now(dt.UTC).date()
    query = choose(options, today)[0]
    stacks: dict[str, Counter[tuple[str, ...]]] = {}
    with scratch(options.url, options.one_thread) as place, place.open() as backend:
        prepare(place, backend, options, [query], (), today, say)
        process = place.process(backend)
        if process is None:
            return "No flame graph was made: the server is on another machine."
        made = variants(query, backend, place.types(backend), ())[0]
        texts = {name: one.sql for one in made for name in one.names if name != LIMIT}
        for name, sql in texts.items():
            say(f"Profiling {query.name}, {name}.")
            found = _profile(backend, process, sql)
            if isinstance(found, str):
                return f"No flame graph was made: perf says {found}"
            stacks[name] = found
    try:
        file.write_text(svg(query.name, stacks), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{file}: cannot be written ({error.strerror}).") from error
    return None


def _profile(backend: Backend, process: int, sql: str) -> Counter[tuple[str, ...]] | str:
    """Stacks and how often each was sampled; perf's own message if it has no samples."""
    with tempfile.TemporaryDirectory(prefix="tzconv-bench-") as folder:
        file = str(Path(folder) / "perf.data")
        record = ["perf", "record", "-q", "-F", "199", "-g", "-e", "cpu-clock", "-o", file]
        recorder = subprocess.Popen(
            [*record, "-p", str(process)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            until = time.monotonic() + _SECONDS
            while time.monotonic() < until and recorder.poll() is None:
                backend.query(sql)
        finally:
            with contextlib.suppress(ProcessLookupError):
                recorder.terminate()
            _, message = recorder.communicate()
        script = subprocess.run(
            ["perf", "script", "-i", file, "-F", "comm,ip,sym"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    found = folded(script.stdout.splitlines())
    return found or next(iter(f"{message}\n{script.stderr}".strip().splitlines()), "nothing")


def folded(lines: Iterable[str]) -> Counter[tuple[str, ...]]:
    """Stacks from the outermost function in, from what ``perf script`` prints."""
    stacks = Counter(
        tuple(line.split(None, 1)[-1].strip() for line in reversed([*group]) if line[:1].isspace())
        for is_stack, group in itertools.groupby(lines, lambda line: bool(line.strip()))
        if is_stack
    )
    del stacks[()]
    return stacks


def svg(title: str, stacks: dict[str, Counter[tuple[str, ...]]]) -> str:
    """One flame graph above the other; a function is as wide as its share of the samples."""
    parts: list[str] = []
    top = 10
    for name, counted in stacks.items():
        boxes: list[str] = []
        depth = _boxes(counted, 0, 0.0, sum(counted.values()), boxes)
        parts.append(
            f'<text x="4" y="{top + 14}" class="t">{html.escape(f"{title}, {name}")}</text>'
            f'<g transform="translate(0 {top + 22})">{"".join(boxes)}</g>'
        )
        top += (depth + 1) * _HEIGHT + 40
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{top}" '
        f'viewBox="0 0 {_WIDTH} {top}"><style>text{{font:11px sans-serif;pointer-events:none}}'
        ".t{font-size:14px}rect{stroke:#fff;stroke-width:.5}</style>"
        f'<rect width="{_WIDTH}" height="{top}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _boxes(
    stacks: Counter[tuple[str, ...]], depth: int, start: float, total: int, boxes: list[str]
) -> int:
    """Draw the functions at ``depth`` and all that they call; the greatest depth."""
    inside: dict[str, Counter[tuple[str, ...]]] = {}
    for stack, count in stacks.items():
        if len(stack) > depth:
            inside.setdefault(stack[depth], Counter())[stack] += count
    deepest = depth
    for name, counted in sorted(inside.items()):
        share = sum(counted.values()) / total
        if share >= _LEAST:
            x, y, width = start * _WIDTH, depth * _HEIGHT, share * _WIDTH
            room = int(width / 6.2)
            cut = f"{name[: room - 1]}…" if room > 3 else ""
            boxes.append(
                f"<g><title>{html.escape(f'{name}: {share:.1%}')}</title>"
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_HEIGHT}" '
                f'fill="hsl({10 + sum(map(ord, name)) % 45} 85% 65%)"/>'
                f'<text x="{x + 3:.1f}" y="{y + 12}">'
                f"{html.escape(name if len(name) <= room else cut)}</text></g>"
            )
            deepest = max(deepest, _boxes(counted, depth + 1, start, total, boxes))
        start += share
    return deepest
