"""What the placeholders of templates stand for, by their own text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tzconv.sql.declarations import Declared, Model

_BRACES = re.compile(r"\A(?:\{\{|\$\{|#\{|<%=)[-+]?\s*(.*?)\s*[-+]?(?:\}\}|\}|%>)\Z", re.DOTALL)
_TEXT = r"""(?:'[^'\\]*'|"[^"\\]*")"""
_REF = re.compile(rf"ref\(\s*({_TEXT})\s*(?:,\s*({_TEXT})\s*)?\)")
_SOURCE = re.compile(rf"source\(\s*({_TEXT})\s*,\s*({_TEXT})\s*\)")
SILENT = re.compile(r"(?:config|log|print|doc|exceptions\.\w+|depends_on)\s*\(")
"""What renders to nothing."""
GROUP_BY = re.compile(r"(?:dbt_utils\.)?group_by\(\s*(?:n\s*=\s*)?(\d+)\s*\)")
"""dbt's macro for that clause, with the number of columns."""
STAR = re.compile(r"dbt_utils\.star\(")
"""What lists columns of a relation."""
_ARGUMENTS = rf"\(\s*(?:(?:\w+\s*=\s*)?(?:{_TEXT}|\d+|true|false|none)\s*,?\s*)*\)"
_FILTERS = (
    rf"(?:\s*\|\s*(?:upper|lower|trim|string|int|float|round|abs|default|replace|join|title|length|first"
    rf"|last|list|sort|unique|tojson|safe|as_text|as_bool|as_number|csv|pipe|sqlstring)(?:{_ARGUMENTS})?)*"
)
_VARIABLE = re.compile(
    rf"(?:(?:var|env_var)\s*{_ARGUMENTS}|@?[A-Za-z_]\w*(?:\.\w+|\[\s*(?:{_TEXT}|:\w+|\d+)\s*\])*(?::\w+)?){_FILTERS}"
)
OF_RUN = re.compile(r"(?:var|env_var)\s*\(|(?:target|this)\b")
"""What has one value in a whole run; other variables may be set again in the text."""
SCALARS = re.compile(
    r"(?:dbt_utils\.(?:generate_)?surrogate_key|(?:dbt|dbt_utils)\.(?:safe_divide|date_trunc|dateadd"
    r"|datediff|concat|hash|length|safe_cast|split_part|replace|right|position|safe_add|cast_bool_to_text"
    r"|type_\w+|current_timestamp|escape_single_quotes|string_literal))\s*\("
)
"""Well-known macros for one expression."""
GRAFANA = re.compile(r"\$__((?:time|unixEpoch|interval|from|to|range|rate_interval)\w*)")
"""Grafana's macros: each is one expression or condition."""
NAMED_TIME = ("time", "timeEpoch", "timeGroupAlias", "unixEpochGroupAlias")
"""Grafana's macros that name their column ``time``."""
_QUOTED = re.compile(r"\$\{\w+:(?:sqlstring|singlequote)\}")
_OF_METABASE = re.compile(r"\{\{\w+\}\}")
_NOT_OF_METABASE = re.compile(r"\{%|\{\{(?!(?:\w+|#\d[\w-]*|snippet:[^{}]*)\}\})")
_DANGER = re.compile(
    r"\b(?:over|select|from|limit|distinct|within|row_number|run_query|rowid|ctid|nextval)\b"
    r"|\b(?:first|last|any_value|nth|rand|uuid|gen_|json|list|array|xml|string_|group_concat|mode"
    r"|\w*agg|min_by|max_by|arg_|setval|lag|lead)\w*\s*\("
    r"|\b(?:time_zone_name|zone_id|rules_id|zone_period|canonical_name|starts_at|ends_before"
    r"|utc_offset|changes_at|(?:local_)?microseconds|abbreviation|is_dst)",
    re.IGNORECASE,
)
"""What may depend on the order of rows, or names a column of the conversion tables."""


def inner(text: str) -> str:
    """The text between the braces."""
    match = _BRACES.match(text)
    return match[1] if match else text


def is_variable(inner: str) -> bool:
    """Whether it is a variable, which has one value until it is set again."""
    return _VARIABLE.fullmatch(inner) is not None


def is_text(text: str, template: str) -> bool:
    """Whether it becomes a text with its quotes: one of Grafana, or of a template of Metabase."""
    if _OF_METABASE.fullmatch(text):
        return not _NOT_OF_METABASE.search(template)
    return _QUOTED.fullmatch(text) is not None


def is_dangerous(sql: str) -> bool:
    """Whether SQL may depend on the order of rows, or name columns of the conversion tables."""
    return _DANGER.search(sql) is not None


def is_harmless(inner: str, declared: Declared) -> bool:
    """Whether a macro is an expression of one row, by its name or its own text."""
    if is_dangerous(inner.partition("(")[2]):  # its name may have any words
        return False
    if SCALARS.match(inner):
        return True
    called = re.match(r"([\w.]+)\s*\(", inner)
    macro = declared.macros.get(called[1]) if called else None
    return macro is not None and not is_dangerous(macro)


def model_of(inner: str, declared: Declared) -> Model | None:
    """The relation of ref() or source(), with the columns that are known."""
    for pattern, kind in ((_REF, "ref"), (_SOURCE, "source")):
        match = pattern.fullmatch(inner)
        if match is None:
            continue
        names = tuple(one[1:-1] for one in match.groups() if one)
        qualified = ".".join(names) if kind == "source" else ""
        known = declared.models.get((kind, *names))
        if known is None and _is_of_another(names[-1], declared):
            return Model(names[-1], {})
        return known or Model(names[-1], _declared(qualified, names[-1], declared))
    return None


def _is_of_another(name: str, declared: Declared) -> bool:
    """Whether dbt has a relation of that name for something else: an ephemeral model has none."""
    return any(one.name.casefold() == name.casefold() for one in declared.models.values())


def _declared(qualified: str, name: str, declared: Declared) -> Mapping[str, str]:
    """The columns of a declared table; none where schemas have different tables of the name."""
    tables = [(f".{one}".casefold(), columns) for one, columns in declared.tables.items()]
    whole = [columns for one, columns in tables if one == f".{qualified}".casefold()]
    found = whole or [columns for one, columns in tables if one.endswith(f".{name}".casefold())]
    return found[0] if found and all(one == found[0] for one in found) else {}
