"""Puts faults to the kept answers of rewrite and lint: a second, where pytest takes half a minute.

The process that forks has the libraries and not the package, which each fork imports with its
fault in it. Half of what can be planted into these packages is decided so.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import multiprocessing
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from typing import Any, NamedTuple

import coverage

from tests import ROOT
from tests.faults.plan import Fault

PACKAGES = ("rewriter", "sql", "lint")
TEST = "tests/rewriter/test_answers.py::test_answers[{}]"
MOST_TEXTS = 150
"""So many texts are asked of a fault, those first that reach few lines."""
MOST_SECONDS = 60
_LIBRARIES = ("duckdb", "hypothesis", "numpy", "psycopg", "pyarrow", "pytest", "rich", "sqlglot")
_DIALECTS = ("duckdb", "postgres", "redshift", "spark")


class Text(NamedTuple):
    """A statement of the corpora, and the group that test_answers asks it in."""

    group: str
    name: str
    dialect: str
    sql: str


@dataclass(frozen=True)
class Answers:
    """What each text answers without a fault, and the numbers of the texts that reach each line."""

    texts: list[Text]
    types: dict[str, Any]
    digests: list[str]
    lines: dict[str, dict[int, list[int]]]
    sizes: list[int]

    def reaching(self, fault: Fault) -> list[int]:
        """The texts that reach the lines of a fault; some of all, where only an import does."""
        places = self.lines.get(fault.path, {})
        inside = range(fault.line, fault.last_line + 1)
        found = {number for line in inside for number in places.get(line, ())}
        if not found:
            return list(range(0, len(self.texts), len(self.texts) // MOST_TEXTS + 1))
        return sorted(found, key=self.sizes.__getitem__)[:MOST_TEXTS]


def _forked(work: Callable[[], Any], seconds: float) -> Any:
    """What the work returns in a fork; None if it raises or does not end."""
    forks = multiprocessing.get_context("fork")
    receives, sends = forks.Pipe(duplex=False)

    def run() -> None:
        signal.alarm(int(seconds) + 5)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        sends.send(work())
        os._exit(0)

    process = forks.Process(target=run)
    process.start()
    sends.close()
    try:
        return receives.recv() if receives.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()
        receives.close()


def _digest(text: Text, types: Any) -> str:
    from tests.rewriter import answers  # with the fault in it

    try:
        answer = repr(list(answers.asked(text.name, text.sql, text.dialect, types)))
    except Exception as error:
        answer = repr(error)
    return hashlib.sha256(answer.encode()).hexdigest()[:12]


def _gathered(measured: coverage.Coverage, count: int) -> tuple[dict[str, Any], list[int]]:
    lines: dict[str, dict[int, list[int]]] = defaultdict(dict)
    sizes = [0] * count
    data = measured.get_data()
    for path in data.measured_files():
        short = f"tzconv/{path.rpartition('/tzconv/')[2]}"
        for line, contexts in data.contexts_by_lineno(path).items():
            ends = (context.rpartition("|")[2] for context in contexts)
            lines[short][line] = numbers = sorted({int(end) for end in ends if end.isdigit()})
            for number in numbers:
                sizes[number] += 1
    return dict(lines), sizes


def _answers() -> Answers:
    measured = coverage.Coverage(
        data_file=None, source_pkgs=["tzconv"], config_file=False, context="start"
    )
    measured.start()
    from tests.rewriter import answers as kept

    groups = kept.GROUPS.items()
    texts = [
        Text(group, name, dialect, sql)
        for group, (dialect, named) in groups
        for name, sql in named.items()
    ]
    types = {group: kept.types_of(group) for group, _ in groups}
    digests = []
    for number, text in enumerate(texts):
        measured.switch_context(str(number))
        digests.append(_digest(text, types[text.group]))
    measured.stop()
    return Answers(texts, types, digests, *_gathered(measured, len(texts)))


def answers() -> Answers:
    """Ask every text without a fault: a minute. Must come before anything imports the package."""
    for library in (*_LIBRARIES, *(f"sqlglot.dialects.{one}" for one in _DIALECTS)):
        importlib.import_module(library)
    assert "tzconv" not in sys.modules
    found: Answers = _forked(_answers, 1200)
    return found


def noticed(fault: Fault, known: Answers) -> str | None:
    """The test that sees another answer with the fault in it, if one does."""
    numbers = known.reaching(fault)

    def work() -> str:
        source = fault.planted((ROOT / fault.path).read_bytes())
        planted = compile(source, str(ROOT / fault.path), "exec")
        module = fault.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        original = SourceFileLoader.get_code

        def get_code(self: SourceFileLoader, fullname: str) -> Any:
            return planted if fullname == module else original(self, fullname)

        # a method of the interpreter, which mypy lets nobody replace; only this fork sees it
        SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
        for number in numbers:
            text = known.texts[number]
            if _digest(text, known.types[text.group]) != known.digests[number]:
                return TEST.format(text.group)
        return ""

    found: str | None = _forked(work, MOST_SECONDS)
    return TEST.format("an import, or no end") if found is None else found or None


def each(faults: Iterable[Fault], jobs: int) -> Iterator[tuple[Fault, str]]:
    """The faults that the answers notice, with the test."""
    reached = [fault for fault in faults if fault.package in PACKAGES]
    if reached:
        ask = functools.partial(noticed, known=answers())
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
            for fault, test in zip(reached, pool.map(ask, reached), strict=True):
                if test is not None:
                    yield fault, test
