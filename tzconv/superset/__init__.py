"""``SQL_QUERY_MUTATOR`` for Apache Superset: its queries are rewritten before they run.

::

    from tzconv.superset import SQL_QUERY_MUTATOR           # in superset_config.py

Superset needs older versions of SQLAlchemy and sqlglot than tzconv. So this package imports the
standard library only, and asks a process of its own: :mod:`tzconv.superset.worker`, in the Python
of ``TZCONV_PYTHON``, in which tzconv is installed with its dependencies.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import re
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from tzconv.errors import without_secrets
from tzconv.superset.process import Process

__all__ = ["SQL_QUERY_MUTATOR", "mutator"]

_MAY_MATTER = re.compile(r"time|now|trunc|today|current|date", re.IGNORECASE)
"""Every conversion and every form of NOW() has one of these in its spelling."""
_CHANGES = re.compile(
    r"\b(?:alter|attach|call|create|detach|discard|do|drop|execute|into|pragma|reset|set|set_config"
    r"|use)\b",
    re.IGNORECASE,
)
"""A statement with one of these may change what later ones of the same session mean."""
_ROW = ("id", "sqlalchemy_uri", "password", "extra", "encrypted_extra")
_MOST_TEXT = 100_000
"""Characters; longer queries run as they are."""
_log = logging.getLogger("tzconv.superset")


@dataclass(frozen=True)
class _Hashed:
    """A database of Superset as the key of a cache: by its row, without what it computes."""

    row: tuple[str, ...]
    one: Any = field(compare=False)


@dataclass(kw_only=True, eq=False)
class Mutator:
    """Called by Superset with each text before it runs. Thread-safe.

    ``python`` is the Python that has tzconv with its dependencies (``TZCONV_PYTHON``, else
    Superset's own), ``schema`` that of the conversion tables. A query waits at most ``seconds`` for
    its rewrite; after a failure, none is rewritten for a minute. Column types and rewrites are
    remembered for ``max_age`` seconds, at most ``cache_size`` rewrites.

    It never raises: a failure is logged once, by the logger ``tzconv.superset``, and the query runs
    as it is. Decisions are logged there at INFO.
    """

    python: str | None = None
    schema: str | None = None
    seconds: float = 10
    max_age: float = 300
    cache_size: int = 1000

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._rests_until = -1.0
        self._has_warned = False
        self._session = functools.lru_cache(100)(self._read_session)
        self._rewrite = functools.lru_cache(self.cache_size)(self._ask_rewrite)

    def __call__(self, sql: str, *args: Any, **kwargs: Any) -> str:
        """The text to run: rewritten, or the same one for any reason not to."""
        try:
            return self._run(sql, args, kwargs)
        except Exception as error:  # a chart must never fail because of the rewriting
            self._warn(without_secrets(f"{type(error).__name__}: {error}"))
            return sql

    def _run(self, sql: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        given = [kwargs.get("database"), *args]
        database = next((one for one in given if hasattr(one, "get_sqla_engine")), None)
        if database is None:
            return sql
        before = _earlier(database, sql)
        if len(sql) > _MOST_TEXT or not _MAY_MATTER.search(sql):
            return sql
        if time.monotonic() < self._rests_until:
            return sql
        age = int(time.monotonic() // self.max_age)
        row = tuple(str(getattr(database, name, None)) for name in _ROW)
        found = self._session(_Hashed(row, database), age)
        return sql if found is None else self._rewrite(*found, sql, before, age)

    def _read_session(self, database: _Hashed, age: int) -> tuple[str, str] | None:
        """URL and time zone of the sessions in which Superset runs queries of a database.

        None if its queries are left: other users or catalogs may see other tables.
        """
        del age
        if database.one.impersonate_user or database.one.allow_multi_catalog:
            self._warn("the database has impersonation or several catalogs")
            return None
        with database.one.get_sqla_engine() as engine:
            url: str = engine.url.render_as_string(hide_password=False)
            answer = self._ask({"url": url, "question": True})
            if "ask" not in answer:
                self._warn(answer["error"])
                return None
            with contextlib.closing(engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute(answer["ask"])
                return url, str(cursor.fetchall()[0][-1])

    def _ask_rewrite(self, url: str, zone: str, sql: str, before: tuple[str, ...], age: int) -> str:
        del age
        request = {"url": url, "zone": zone, "sql": sql, "before": before, "schema": self.schema}
        answer = self._ask(request)
        if answer.get("error"):
            self._warn(answer["error"])
        text: str = answer.get("sql", sql)
        if answer.get("why"):
            form = "as it was written" if text == sql else "rewritten"
            _log.info("runs %s (%s): %s", form, "; ".join(answer["why"]), sql)
        return text

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            if self._process is not None and not self._process.is_ours:
                self._process.kill()
                self._process = None
            if self._process is None:
                python = self.python or os.environ.get("TZCONV_PYTHON") or sys.executable
                self._process = Process(python)
            process = self._process
        try:
            return process.ask({**request, "max_age": self.max_age}, self.seconds)
        except OSError:  # TimeoutError is one
            with self._lock:
                self._rests_until = time.monotonic() + 60
                process.kill()
            raise

    def close(self) -> None:
        """End the process; the next query starts another one."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process = None

    def _warn(self, text: str) -> None:
        _log.log(
            logging.DEBUG if self._has_warned else logging.WARNING,
            "tzconv: query not rewritten: %s",
            text,
        )
        self._has_warned = True


def _earlier(database: Any, sql: str) -> tuple[str, ...]:
    """What ran before in the same request and may change the session; notes ``sql`` for the next.

    SQL Lab runs the statements of a text one by one in one session.
    """
    flask: Any = sys.modules.get("flask")
    if flask is None or not flask.has_app_context():
        return ()
    ran: dict[Any, tuple[str, ...]] = flask.g.setdefault("tzconv_ran", {})
    before = ran.get(id(database), ())
    if _CHANGES.search(sql):
        ran[id(database)] = (*before, sql)
    return before


mutator = Mutator
"""A ``SQL_QUERY_MUTATOR`` with other settings than the ready one."""

SQL_QUERY_MUTATOR = mutator()
"""The mutator with all defaults, for ``superset_config.py``."""
