"""The place of each character in a file: what is put there is read again by json or yaml."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from typing import Any

import pytest
import yaml

from tzconv.sql.embedded import pieces

EXACT = [
    '- |\n  one\n\n  two\n    three\n- "1"\n',
    "- |\r\n  one\r\n\r\n  two\r\n- |-\r\n  one\r\n",
    "- # of a list\n  - |+\n   one\n\n  - |-\n    one\n    two",
    '- "one\\t\\"\\x41\\u00e9\\U0001F600 \\\n  \\  two\n  three\n\n  four"\n- "1"\n',
    '- "one \\\n  two\\\n  three\\\n  "\n- "1"\n',
    '- ""\n- |\n  one\n',
    '- |\n  ["one",\n   "t\\"wo"]\n- "[\\"thr\\\\n\\\\\\"ee\\"]"\n',  # JSON in YAML
]
FOLDED = [
    "a: >\n  one\n  two\n\n  three\n\n\n  four\nb: 1\n",
    "a: 'one''s\n  two\n\n  three'\nb: 1\n",
    "a: one''s \\n\n  two\n\n\n  three\nb: 1\n",
    "- one's\n- 'two'\n- 't''h''ree'\n- ''\n",
    "? 'a\"b'\n: {c: one, d: 'two'}\n",
    '- "one \\\r\n  two\r\n  three"\r\n- four\r\n\r\n  five\r\n- >\r\n  six\r\n  seven\r\n',
    'a: \'["o\'\'ne",\n  "two \\\\ \\""]\'\nb: 1\n',
]
JSON = [
    '{"a": "one\\n\\"\\u00e9 \\ud83d\\ude00 \\/ two", "b" : ["three", ""]}',
    json.dumps({"a": json.dumps([{"b": 'one "two" \\ three', "c": "{one"}]), "b": " [two"}),
    json.dumps({"a": json.dumps({"b": json.dumps(['one "two" \\'])})}),
    '{"\\"a\\\\": "one", "b":"two"}',
]


def scalars(document: Any, *, keys: bool = True) -> list[str]:
    """All keys and values of a document, and of those in its strings."""
    if isinstance(document, dict):
        document = [one for key, value in document.items() for one in (key, value)[not keys :]]
    if isinstance(document, list):
        return [text for one in document for text in scalars(one, keys=keys)]
    if isinstance(document, str) and document[:1] in ("{", "["):
        try:
            return scalars(json.loads(document), keys=keys)
        except ValueError:
            pass
    return [str(document)]


@pytest.mark.parametrize("text", [*EXACT, *FOLDED, *JSON])
def test_what_is_put_between_two_characters(text: str) -> None:
    """Beside a space, a folded line may begin or end."""
    name, load = ("x.json", json.loads) if text in JSON else ("x.yml", yaml.safe_load)
    put = "x'\"\\é" if text in FOLDED else "x\n y'\"\\\té"
    before, found = Counter(scalars(load(text))), pieces(name, text) or ()
    own = scalars(load(text), keys=text not in JSON)
    assert Counter(one.text for one in found) == Counter(own)
    for piece in found:
        value, last = piece.text, len(piece.text.rstrip())
        places = [
            place
            for place in range(last + 1)
            if text in JSON
            or place in (0, last)
            or not re.search(r"\s", value[place - 1 : place + 1])
        ]
        assert len(piece.starts) == len(value) + 1
        for start, end in itertools.combinations_with_replacement(places, 2):
            new = piece.encode(put) if piece.encode else None
            assert new is not None
            edited = text[: piece.starts[start]] + new + text[piece.starts[end] :]
            after = before - Counter([value]) + Counter([value[:start] + put + value[end:]])
            assert Counter(scalars(load(edited))) == after, (edited, start, end)
