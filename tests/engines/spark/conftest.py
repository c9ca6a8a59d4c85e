"""One Spark for all tests of a process, because its start costs as much as forty queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import events_spark


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A Spark with two executors that are processes of their own."""
    session = events_spark.session("local-cluster[2,1,1024]")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def spark(cluster: Any) -> Any:
    """A session of that Spark with its own views and settings."""
    return cluster.newSession()


@pytest.fixture
def backend(spark: Any, tmp_path: Path) -> Iterator[Any]:
    """The folder of tables that this Spark reads, empty."""
    from tzconv.engines.spark.load import Spark

    with Spark(tmp_path / "tz", session=spark) as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def quick_java() -> Iterator[None]:
    """Start Java quickly in the commands and jobs that are processes of their own, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", events_spark.QUICK_JAVA)
        yield
