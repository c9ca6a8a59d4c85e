"""What ``rewrite`` and ``dbt`` share: their options as a rewriter, and its result for one text."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tzconv.cli import arguments, column_types
from tzconv.errors import at

if TYPE_CHECKING:
    from tzconv.cli.column_types import ColumnTypes
    from tzconv.files import SqlFile
    from tzconv.rewriter import Rewrite
    from tzconv.rewriter.kept import Held

Rewrites: TypeAlias = "Callable[..., Rewrite]"
"""Rewrites one statement; takes ``strategy`` and ``script``."""


@dataclass(frozen=True)
class Rewritten:
    """One file and its new text.

    ``alternatives`` are the other strategies for each change, with ``--explain`` only. ``outdated``
    are comments about literals of another tz release than ``release``.
    """

    file: SqlFile
    result: Rewrite
    alternatives: tuple[tuple[str, ...], ...] | None
    outdated: list[Held]
    release: str

    @property
    def is_changed(self) -> bool:
        """Whether the new text differs from that of the file."""
        return self.result.sql != self.file.text

    def warnings(self) -> Iterator[str]:
        """A sentence for each outdated literal."""
        for one in self.outdated:
            yield (
                f"{at(self.file.name, one.line, one.column)}: has literals of {one.release} for "
                f"{', '.join(one.zones)}, but the rules are those of {self.release}: rewrite it "
                "again from its original"
            )

    def as_dict(self) -> dict[str, Any]:
        """The form that ``--json`` prints."""
        document = self.result.as_dict()
        document["outdated"] = [dataclasses.asdict(one) for one in self.outdated]
        if self.alternatives is not None:
            for change, names in zip(document["changes"], self.alternatives, strict=True):
                change["alternatives"] = names
        return document


@dataclass(frozen=True)
class Rewriter:
    """Rewrites files by the options of a run; ``names`` are the files that it was asked for."""

    names: list[str]
    dialect: str
    types: ColumnTypes
    release: str
    rewrite: Rewrites

    def rewritten(self, file: SqlFile, *, explain: bool = False) -> Rewritten:
        """Rewrite a file; ParseError, CheckError or OutputError where that is impossible."""
        from tzconv.rewriter import kept, statements, templated
        from tzconv.rewriter.strategies import STRATEGIES

        each = functools.partial(
            templated.rewrite_each,
            tables=self.types.tables(file.name),
            declared=self.types.declared_for(file.name),
            each=functools.partial(statements.rewrite_each, dialect=self.dialect),
        )
        result = each(file.text, self.rewrite)
        others = None
        if explain:
            others = statements.alternatives(file.text, result, STRATEGIES, self.rewrite, each)
        outdated = kept.outdated(file.text, self.release)
        return Rewritten(file, result, others, outdated, self.release)


@contextlib.contextmanager
def opened(
    where: tuple[str | None, str | None, str | None],
    declared: tuple[str | None, tuple[str, ...]],
    find: Callable[[], list[str]],
    *,
    strategy: str | None = None,
    session_time_zone: str | None = None,
    now: str | None = None,
    future_literals: bool = False,
) -> Iterator[Rewriter]:
    """The rewriter of the options of a command: ``where`` the database is, and ``declared`` types.

    ``find`` finds the files whose CREATE TABLE statements count, too. The database stays open
    meanwhile.
    """
    from tzconv import rewriter, target
    from tzconv.rewriter import kept
    from tzconv.tz import spellings, zones

    dialect, url, db_schema = where
    installed = zones.installed()
    # the session of --url may have a zone outside IANA's; one that is typed here is checked
    session = session_time_zone
    if session is not None and session.lower() not in map(str.lower, installed.names):
        raise spellings.unknown_zone(session, installed.names, installed.links, installed.release)
    with arguments.connected(url, db_schema) as backend:
        dialect = arguments.dialect_of(dialect, backend)
        # a wrong dialect, strategy or time is reported once, before any file is read
        rewriter.rewrite("SELECT 1", dialect=dialect, strategy=strategy, now=now)
        names = find()
        if backend is not None:
            options = target.read(backend, session).options(kept=not future_literals)
        else:
            until = kept.history_until(installed.release)
            options = {
                "dialect": dialect,
                "schema": {},
                "rules": installed,
                "session_time_zone": session or "UTC",
                "table_schema": db_schema,
                "literals_until": None if future_literals else until,
            }
        known = column_types.read(
            *declared, dialect, None if backend is None else options["schema"], names
        )
        built = (*options.get("built", ()), *known.declared.built)
        options |= {"strategy": strategy, "now": now, "built": built}
        rewrite: Rewrites = functools.partial(rewriter.rewrite, **options)
        rules = options["rules"]
        if future_literals:
            options["literals_until"] = kept.history_until(rules.release)
            history = functools.partial(rewriter.rewrite, **options)
            rewrite = kept.with_comment(rewrite, history, rules)
        yield Rewriter(names, dialect, known, rules.release, rewrite)
