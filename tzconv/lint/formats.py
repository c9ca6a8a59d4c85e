"""Findings as other programs read them: SARIF 2.1.0, and the annotations of GitHub's workflows."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from tzconv._version import __version__
from tzconv.lint import RULES, Finding, Fix
from tzconv.sql.places import line_and_column

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(found: Mapping[str, Sequence[Finding]], texts: Mapping[str, str]) -> dict[str, Any]:
    """A SARIF log of the findings of each file; ``texts`` are what the files say."""
    codes = list(RULES)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tzconv",
                        "version": __version__,
                        "rules": [
                            {
                                "id": rule.code,
                                "shortDescription": {"text": rule.title},
                                "defaultConfiguration": {"level": "warning"},
                            }
                            for rule in RULES.values()
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(file, finding, codes.index(finding.code), texts[file])
                    for file, findings in found.items()
                    for finding in findings
                ],
            }
        ],
    }


def github(found: Mapping[str, Iterable[Finding]]) -> list[str]:
    """A workflow command for each finding, which GitHub shows beside the line."""
    return [
        f"::warning file={_property(file)},line={finding.line},endLine={finding.end_line},"
        f"col={finding.column},title={finding.code}::{_data(finding.message)}"
        for file, findings in found.items()
        for finding in findings
    ]


def _result(file: str, finding: Finding, index: int, text: str) -> dict[str, Any]:
    place = {"uri": _uri(file)}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": "warning",
        "message": {"text": finding.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": place,
                    "region": _region(text, finding),
                }
            }
        ],
    }
    if finding.fixes:
        result["fixes"] = [
            {
                "description": {"text": "as tzconv rewrites the statement"},
                "artifactChanges": [
                    {
                        "artifactLocation": place,
                        "replacements": [
                            {
                                "deletedRegion": _region(text, fix),
                                "insertedContent": {"text": fix.after},
                            }
                            for fix in finding.fixes
                        ],
                    }
                ],
            }
        ]
    return result


def _region(text: str, place: Finding | Fix) -> dict[str, int]:
    line, column = line_and_column(text, place.start)
    end_line, end_column = line_and_column(text, place.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _uri(file: str) -> str:
    return "stdin" if file == "-" else urllib.parse.quote(PurePath(file).as_posix())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
