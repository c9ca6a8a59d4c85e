"""Fixtures that several test modules share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import browser, databases, parts, postgres, vertica_server

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell starts background jobs so, and every program that a test starts would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that ``make test`` and ``make test-all`` use."""
    parser.addoption("--part", choices=("core", "rest"), help="only the core, or only the rest")


def pytest_configure() -> None:
    """Settle what the workers must agree about."""
    parts.pick_turn()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the part that is asked for."""
    parts.deselect(config, items)


@pytest.fixture(scope="session", autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A list of trusted files that is not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL of this session's own."""
    with postgres.running() as running:
        yield running


@pytest.fixture(params=databases.KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[databases.Database]:
    """An empty database of each kind."""
    server = None if request.param == "duckdb" else request.getfixturevalue("server")
    with databases.fresh(request.param, tmp_path, server) as opened:
        yield opened


@pytest.fixture
def vertica(server: postgres.Server) -> Iterator[vertica_server.Server]:
    """A server that speaks Vertica's protocol, with an empty database."""
    with vertica_server.running(server) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[browser.Browser]:
    """A browser, for the tests with the mark ``browser``."""
    with browser.running() as opened:
        yield opened
