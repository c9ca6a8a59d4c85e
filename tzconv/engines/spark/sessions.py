"""Starts and stops Spark for the backend, and turns its errors into one sentence."""

from __future__ import annotations

import contextlib
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pyspark  # the driver: without it this module cannot be imported
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from tzconv.errors import DatabaseError

_NO_JAVA = re.compile(r"JAVA_HOME is not set|java: (command )?not found|bin/java: No such file")
_OLD_JAVA = re.compile(r"UnsupportedClassVersionError|class file version|Unrecognized (VM )?option")
_CAUSE = re.compile(r"(?:: )?(?:Exception in thread \S+ )?(?:[\w.$]*(?:Exception|Error): )+")


@contextlib.contextmanager
def opened(master: str | None) -> Iterator[Any]:
    """The session of this process, or a new one that ends with the body; DatabaseError."""
    if pyspark.SparkContext._active_spark_context is not None:
        yield pyspark.sql.SparkSession.builder.getOrCreate()
        return
    session = _started(master)
    folder = Path("spark-warehouse")  # Spark makes it when it plans a query, even without any table
    try:
        yield session
    finally:
        with contextlib.suppress(PySparkException, Py4JError, OSError):
            session.stop()
        with contextlib.suppress(OSError):  # it does not exist, or is not empty
            folder.rmdir()


def _started(master: str | None) -> Any:
    """Start Spark, with the master of its own settings if None; DatabaseError.

    Its messages do not go to standard error, which has tzconv's.
    """
    conf = pyspark.SparkConf().setAppName("tzconv")
    conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    if master is not None:
        conf.setMaster(master)
    # pyspark warns of the version of pandas, which tzconv does not use with it
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    with tempfile.TemporaryFile() as messages:
        try:
            # the process of Java keeps the file as its standard error
            gateway = pyspark.java_gateway.launch_gateway(conf, {"stderr": messages})
            context = pyspark.SparkContext(conf=conf, gateway=gateway)
            return pyspark.sql.SparkSession(context)
        except Exception as error:  # of Java, of its launcher, of the cluster
            raise DatabaseError(_why(error, messages)) from error


@contextlib.contextmanager
def as_error(kind: type[DatabaseError]) -> Iterator[None]:
    """Raise ``kind`` with the first line of an error of Spark, Java, or the connection to it."""
    try:
        yield
    except PySparkException as error:
        raise kind(f"Spark error: {_first_line(error)}") from error
    except (Py4JError, ConnectionError, EOFError) as error:
        raise kind(f"Spark does not answer: {_first_line(error)}") from error


def java_zones(session: Any) -> set[str]:
    """The time zone names that the Java of this session knows."""
    with as_error(DatabaseError):
        return {str(name) for name in session._jvm.java.time.ZoneId.getAvailableZoneIds()}


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _why(error: BaseException, messages: IO[bytes]) -> str:
    messages.seek(0)
    text = messages.read().decode(errors="replace")
    if _NO_JAVA.search(text):
        return (
            "Spark does not start, because Java is not found: install Java 17 or later, or set "
            "JAVA_HOME to its folder."
        )
    if _OLD_JAVA.search(text):
        return "Spark does not start, because this Java is too old for it: it needs 17 or later."
    if "All masters are unresponsive" in text:
        return "Spark does not start, because its master does not answer: check that it runs."
    lines = [line.strip() for line in f"{error}\n{text}".splitlines()]
    causes = [line for line in lines if _CAUSE.match(line)] or [_first_line(error)]
    cause = _CAUSE.sub("", causes[0]).strip().rstrip(".")
    return f"Spark does not start ({cause}): check its master and its settings."
