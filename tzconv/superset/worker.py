"""The process behind :mod:`tzconv.superset`: it reads the database and rewrites.

It opens a connection of its own for each question, and closes it, so that it never keeps a file or
a lock from others.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from typing import Any

from sqlalchemy.engine import make_url

from tzconv import engines, rewriter, target
from tzconv.errors import TzconvError, without_secrets
from tzconv.rewriter import Rewrite, statements
from tzconv.rewriter.strategies import STRATEGIES  # noqa: F401 - the first query must not wait
from tzconv.sql.reasons import QUIET
from tzconv.sql.script import Script
from tzconv.target import Target

_NOT_OF_THE_DATABASE = ("access_mode", "config", "read_only")
"""Options of a URL that say how SQLAlchemy opens a file."""
_targets: dict[tuple[Any, ...], tuple[float, Target]] = {}
"""When they were read, and the types and rules of a database; kept for ``max_age``."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request; ``error`` is the reason if it has none."""
    try:
        url = make_url(request["url"]).difference_update_query(_NOT_OF_THE_DATABASE)
        dialect, alchemy = engines.alchemy_of(url.get_backend_name())
        if request.get("question"):
            return {"ask": alchemy.session_zone}
        facts = engines.facts_of(dialect)
        named = url.set(drivername=f"{facts.scheme}+{facts.driver}")
        return _rewritten(named.render_as_string(hide_password=False), request)
    except TzconvError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": without_secrets(f"{type(error).__name__}: {error}")}


def _rewritten(url: str, request: dict[str, Any]) -> dict[str, Any]:
    key = (url, request["schema"], request["zone"])
    with engines.connect(url, read_only=True, schema=request["schema"]) as backend:
        read_at, found = _targets.get(key, (None, None))
        if found is None or time.monotonic() - (read_at or 0) > request["max_age"]:
            found = target.anywhere(target.read(backend, request["zone"]), backend)
            _targets[key] = (time.monotonic(), found)
        # Superset's sessions may have another search path than this one, so names decide
        open_ = replace(found, rows=backend.expected_rows, bind=backend.bind, plans=backend)
        options = open_.options(kept=True)

        def rewrite(sql: str, script: Script | None = None) -> Rewrite:
            if not rewriter.is_one_query(sql, found.dialect):
                return Rewrite(sql, (), ())
            return rewriter.rewrite(sql, script=script, **options)

        script = Script()
        for text in request["before"]:
            for one in statements.split(text):
                script.ran(text[one.start : one.end])
        sql = request["sql"]
        result = statements.rewrite_each(sql, rewrite, dialect=found.dialect, script=script)
    why = [f"{one.strategy}: {one.reason}" for one in result.changes]
    why += [f"left: {one.reason}" for one in result.left if one.code not in QUIET]
    return {"sql": result.sql, "why": why}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
