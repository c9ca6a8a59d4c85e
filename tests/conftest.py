"""Fixtures that several test modules share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import postgres
from tests import vertica as vertica_server


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL of this session's own."""
    with postgres.running() as running:
        yield running


@pytest.fixture
def vertica(server: postgres.Server) -> Iterator[vertica_server.Server]:
    """A server that speaks Vertica's protocol, with an empty database."""
    with vertica_server.running(server) as running:
        yield running
