"""Artifacts in the form that dbt writes them, for tests without dbt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

Columns: TypeAlias = Mapping[str, Mapping[str, str]]
"""Types of columns by table and column."""


def project(folder: Path, columns: Columns, *models: dict[str, Any]) -> None:
    """Write the compiled project ``shop`` with its catalog."""
    write(folder, manifest(columns, *models))
    (folder / "shop/dbt_project.yml").write_text("name: shop\n")
    catalog = {
        "nodes": {},
        "sources": {
            f"source.shop.raw.{name}": {
                "metadata": {"database": "shop", "schema": "main", "name": name},
                "columns": {column: {"name": column, "type": kind} for column, kind in one.items()},
            }
            for name, one in columns.items()
        },
    }
    (folder / "shop/target/catalog.json").write_text(json.dumps(catalog))


def write(folder: Path, document: object) -> None:
    """Write the manifest of the project ``shop``."""
    target = folder / "shop/target"
    target.mkdir(parents=True, exist_ok=True)
    (target / "manifest.json").write_text(json.dumps(document))


def model(name: str, text: str | None, **more: Any) -> dict[str, Any]:
    """A model that dbt has compiled to a text, or has not compiled."""
    return {
        "resource_type": "model",
        "package_name": "shop",
        "name": name,
        "language": "sql",
        "database": "shop",
        "schema": "main",
        "relation_name": f'"shop"."main"."{name}"',
        "original_file_path": f"models/{name}.sql",
        "compiled_path": f"target/compiled/shop/models/{name}.sql",
        "compiled_code": text,
        **more,
    }


def source(name: str, database: str = "shop") -> dict[str, Any]:
    """A table that the models read."""
    return {
        "resource_type": "source",
        "database": database,
        "schema": "main",
        "name": name,
        "relation_name": f'"{database}"."main"."{name}"',
    }


def manifest(
    columns: Columns, *models: dict[str, Any], adapter: str = "duckdb", version: int = 12
) -> dict[str, Any]:
    """A manifest of these models, with the tables of ``columns`` as sources."""
    return {
        "metadata": {
            "dbt_schema_version": f"https://schemas.getdbt.com/dbt/manifest/v{version}.json",
            "adapter_type": adapter,
            "project_name": "shop",
        },
        "nodes": {f"model.shop.{one['name']}": one for one in models},
        "sources": {f"source.shop.raw.{name}": source(name) for name in columns},
    }
