"""Fixtures that several test modules share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL of this session's own."""
    with postgres.running() as running:
        yield running
