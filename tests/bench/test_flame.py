"""Flame graphs: reading what perf prints, drawing it, and saying so where perf cannot look."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from tzconv import bench
from tzconv.bench import flame

PRINTED = """\
postgres
\t    7f1 date_trunc
\t    7f2 ExecAgg
\t    7f3 main

postgres
\t    7f9 localtime <x>
\t    7f2 ExecAgg
\t    7f3 main

postgres
\t    7f1 date_trunc
\t    7f2 ExecAgg
\t    7f3 main
"""


def test_stacks_are_counted_from_the_outside_in() -> None:
    assert flame.folded(PRINTED.splitlines()) == Counter(
        {("main", "ExecAgg", "date_trunc"): 2, ("main", "ExecAgg", "localtime <x>"): 1}
    )
    assert flame.folded([]) == Counter()


def test_a_function_is_as_wide_as_its_share() -> None:
    drawn = flame.svg("hourly & more", {"original": flame.folded(PRINTED.splitlines())})
    root = ET.fromstring(drawn)
    boxes = {}
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        title = group.find("{http://www.w3.org/2000/svg}title")
        rect = group.find("{http://www.w3.org/2000/svg}rect")
        if title is not None and rect is not None:
            [(name, share)] = re.findall(r"^(.*): ([\d.]+)%$", str(title.text))
            boxes[name] = (float(share), float(rect.attrib["width"]), float(rect.attrib["x"]))
    assert {name: share for name, (share, _, _) in boxes.items()} == {
        "main": 100.0,
        "ExecAgg": 100.0,
        "date_trunc": 66.7,
        "localtime <x>": 33.3,
    }
    assert boxes["date_trunc"][1] == pytest.approx(2 * boxes["localtime <x>"][1], rel=1e-3)
    assert boxes["localtime <x>"][2] == pytest.approx(boxes["date_trunc"][1], rel=1e-3)


def test_without_perf_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said: list[str] = []
    file = tmp_path / "f.svg"
    refused = flame.write(file, bench.BenchOptions(rows=10, zones=1), said.append)
    assert refused == "No flame graph was made: perf is not installed (Debian: linux-perf)."
    assert not file.exists()
    assert said == []


def test_where_perf_may_not_look(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    perf = tmp_path / "perf"
    perf.write_text(
        "#!/bin/sh\necho 'Access to performance monitoring is limited.' >&2\nexit 255\n"
    )
    perf.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(flame, "_SECONDS", 0.1)
    options = bench.BenchOptions(rows=100, zones=3, queries=("now",))
    refused = flame.write(tmp_path / "f.svg", options, lambda _: None)
    assert refused == (
        "No flame graph was made: perf says Access to performance monitoring is limited."
    )
    assert not (tmp_path / "f.svg").exists()
