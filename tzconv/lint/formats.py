"""Findings for other programs: SARIF 2.1.0, and annotations of GitHub workflows."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from tzconv._version import __version__
from tzconv.lint import RULES, Finding, Fix
from tzconv.sql.places import line_and_column


def sarif(found: Mapping[str, Sequence[Finding]], texts: Mapping[str, str]) -> dict[str, Any]:
    """A SARIF log of the findings of each file; ``texts`` are the contents of the files."""
    rules = [
        {
            "id": rule.code,
            "shortDescription": {"text": rule.title},
            "defaultConfiguration": {"level": "warning"},
        }
        for rule in RULES.values()
    ]
    results = [
        _result(file, finding, texts[file])
        for file, findings in found.items()
        for finding in findings
    ]
    run = {
        "tool": {"driver": {"name": "tzconv", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def github(found: Mapping[str, Iterable[Finding]]) -> list[str]:
    """A workflow command for each finding, which GitHub shows beside the line."""
    names = {file: _data(file).replace(":", "%3A").replace(",", "%2C") for file in found}
    return [
        f"::warning file={names[file]},line={finding.line},endLine={finding.end_line},"
        f"col={finding.column},title={finding.code}::{_data(finding.message)}"
        for file, findings in found.items()
        for finding in findings
    ]


def _result(file: str, finding: Finding, text: str) -> dict[str, Any]:
    uri = "stdin" if file == "-" else urllib.parse.quote(PurePath(file).as_posix())
    place = {"uri": uri}
    region = {"artifactLocation": place, "region": _region(text, finding)}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": list(RULES).index(finding.code),
        "level": "warning",
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": region}],
    }
    if finding.fixes:
        replacements = [
            {"deletedRegion": _region(text, fix), "insertedContent": {"text": fix.after}}
            for fix in finding.fixes
        ]
        change = {"artifactLocation": place, "replacements": replacements}
        description = {"text": "as tzconv rewrites the statement"}
        result["fixes"] = [{"description": description, "artifactChanges": [change]}]
    return result


def _region(text: str, place: Finding | Fix) -> dict[str, int]:
    line, column = line_and_column(text, place.start)
    end_line, end_column = line_and_column(text, place.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
