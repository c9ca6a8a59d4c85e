"""What dbt has compiled: the models of a project, from ``manifest.json`` in its target folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tzconv import engines, files
from tzconv.errors import OutputError, RewriteError, nearest_names

_VERSION = re.compile(r"/manifest/v(\d+)\.json$")
_OLDEST = 7
"""The first version that calls the compiled text of a model ``compiled_code``: dbt 1.3."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model or snapshot of the project.

    ``path`` is its compiled file, and ``source`` the file that a person writes, both relative to
    the folder of the project; of a snapshot dbt keeps no compiled file, and ``path`` says so.
    ``text`` is None if dbt has not compiled it, or if it is not SQL.
    """

    name: str
    path: str
    source: str
    text: str | None
    is_sql: bool = True


@dataclass(frozen=True, slots=True)
class Project:
    """A project: the dialect of its adapter, its models, and the file that declares its columns."""

    dialect: str
    models: tuple[Model, ...]
    columns: str

    def selected(self, names: tuple[str, ...]) -> tuple[Model, ...]:
        """The models of these names, or all without a name; RewriteError for an unknown one."""
        known = {one.name for one in self.models}
        for name in names:
            if name not in known:
                near = nearest_names(name, sorted(known))
                hint = f"did you mean {near[0]}?" if near else "dbt ls lists the models."
                raise RewriteError(f"The project has no model {name!r}: {hint}")
        return tuple(one for one in self.models if not names or one.name in names)


def read(folder: str, target: str = "target", dialect: str | None = None) -> Project:
    """The project in a folder, as dbt has last compiled it; ``dialect``: not that of its adapter.

    OutputError if there is no project, or none that dbt has compiled; RewriteError if its adapter
    is for a database that tzconv does not know.
    """
    root = Path(folder)
    path = root / target / "manifest.json"
    if not (root / "dbt_project.yml").is_file():
        raise OutputError(f"{folder}: has no dbt_project.yml: name the folder of a dbt project.")
    if not path.is_file():
        raise OutputError(
            f"{path}: does not exist: run dbt compile in {folder} first, or name the folder of "
            "dbt's artifacts with --target-path."
        )
    document = _document(path)
    metadata = document["metadata"]
    catalog = path.with_name("catalog.json")
    return Project(
        dialect or _dialect(str(metadata.get("adapter_type")), path),
        tuple(_models(document, metadata.get("project_name"), root)),
        str(catalog if catalog.is_file() else path),
    )


def _document(path: Path) -> dict[str, Any]:
    """A manifest whose parts have the types that are read here."""
    try:
        document: dict[str, Any] = json.loads(files.read_bytes(str(path)))
        found = _VERSION.search(document["metadata"]["dbt_schema_version"])
        nodes = document["nodes"].values()
        texts = [one[key] for one in nodes for key in ("name", "original_file_path")]
    except (ValueError, KeyError, TypeError, AttributeError):
        found = None
    if found is None or not all(isinstance(text, str) for text in texts):
        raise OutputError(f"{path}: is not a manifest that dbt has written: run dbt compile again.")
    if int(found[1]) < _OLDEST:
        raise OutputError(
            f"{path}: is a manifest of version {found[1]}, and tzconv reads those from version "
            f"{_OLDEST} on: compile the project with dbt 1.3 or later."
        )
    return document


def _dialect(adapter: str, path: Path) -> str:
    try:
        return engines.named(adapter)
    except RewriteError as error:
        raise RewriteError(
            f"{path}: the adapter of the project is {adapter!r}, and tzconv rewrites SQL for "
            f"{', '.join(engines.DIALECTS)}: if it is one of these, name it with --dialect."
        ) from error


def _models(document: dict[str, Any], project: object, root: Path) -> Iterator[Model]:
    """Those of the project itself: a package's models are not its own to change."""
    nodes = document["nodes"].values()
    for node in sorted(nodes, key=lambda one: str(one["original_file_path"])):
        if node.get("resource_type") not in ("model", "snapshot"):
            continue
        if project is not None and node.get("package_name") != project:
            continue
        source = node["original_file_path"]
        is_sql = node.get("language", "sql") == "sql"
        text = node.get("compiled_code")
        shown = source if text is None else f"{source} (as compiled)"
        yield Model(
            node["name"],
            str(root / (node.get("compiled_path") or shown)),
            str(root / source),
            text if is_sql and isinstance(text, str) else None,
            is_sql,
        )
