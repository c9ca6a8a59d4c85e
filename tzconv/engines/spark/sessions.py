"""A Spark session of tzconv's own: started quietly, and in one sentence where it does not start."""

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


def running() -> Any | None:
    """The session of a program that has one; None where Spark does not run in this process."""
    if pyspark.SparkContext._active_spark_context is None:
        return None
    return pyspark.sql.SparkSession.builder.getOrCreate()


def start(master: str | None) -> Any:
    """Start Spark; without a master on the one of its own settings.

    What Spark says while it works is kept from standard error, which is for tzconv's own words.
    """
    conf = pyspark.SparkConf().setAppName("tzconv")
    conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    if master is not None:
        conf.setMaster(master)
    # pyspark looks at pandas, which tzconv does not use with it, and warns of it
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    with tempfile.TemporaryFile() as said:
        try:
            # the process of Java keeps the file as its standard error
            gateway = pyspark.java_gateway.launch_gateway(conf, {"stderr": said})
            context = pyspark.SparkContext(conf=conf, gateway=gateway)
            return pyspark.sql.SparkSession(context)
        except Exception as error:  # of Java, of its launcher, of the cluster
            raise DatabaseError(_why(error, said)) from error


def stop(session: Any) -> None:
    """End a session of our own, and remove the empty folder that Spark leaves where it ran."""
    # made when a query is planned, even if no table ever is
    folder = Path("spark-warehouse")
    with contextlib.suppress(PySparkException, Py4JError, OSError):
        session.stop()
    with contextlib.suppress(OSError):  # it was not made, or has something in it
        folder.rmdir()


@contextlib.contextmanager
def as_error(kind: type[DatabaseError]) -> Iterator[None]:
    """What Spark, Java or the way to it refuses, as an error of ours with the first line of it."""
    try:
        yield
    except PySparkException as error:
        raise kind(f"Spark refused it: {_first_line(error)}") from error
    except (Py4JError, ConnectionError, EOFError) as error:
        raise kind(f"Spark has ended or does not answer: {_first_line(error)}") from error


def java_zones(session: Any) -> set[str]:
    """The names that the Java of this session knows."""
    with as_error(DatabaseError):
        return {str(name) for name in session._jvm.java.time.ZoneId.getAvailableZoneIds()}


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _why(error: BaseException, said: IO[bytes]) -> str:
    said.seek(0)
    text = said.read().decode(errors="replace")
    if _NO_JAVA.search(text):
        return (
            "Spark does not start, because Java is not found: install Java 17 or later, or set "
            "JAVA_HOME to where it is."
        )
    if _OLD_JAVA.search(text):
        return "Spark does not start, because this Java is too old for it: it needs 17 or later."
    if "All masters are unresponsive" in text:
        return "Spark does not start, because its master does not answer: see whether it runs."
    lines = [line.strip() for line in f"{error}\n{text}".splitlines()]
    causes = [line for line in lines if _CAUSE.match(line)] or [_first_line(error)]
    cause = _CAUSE.sub("", causes[0]).strip().rstrip(".")
    return f"Spark does not start ({cause}): see its master and its settings."
