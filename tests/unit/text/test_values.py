"""What values say, in the formats that hold them, and nothing of what prose quotes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from guard.text.values import said_values

SAID = "You are so kind"

HELD = [
    '{"a": "SAID"}',
    '{"a": {"b": [[{"c": "SAID"}]]}, "n": 5}',
    "{'it\\'s': 'SAID'}",
    '[null, 1.5, "SAID"]',
    '{"a": "SAID" /* so */}',
    '{"a": [{"b": "SAID',
    'print("SAID")',
    'f(a="SAID", b=1)',
    "INSERT INTO t VALUES\n  (1, 'a'),\n  (2, 'SAID');",
    '<user comment="SAID"/>',
    "<img alt='SAID' src=\"x\">",
    "<![CDATA[SAID]]>",
    'remark = "SAID"',
    'REMARK="SAID"',
    "[main]\nname=Bob\nremark=SAID\n",
    'level=info msg="SAID" n=1',
    "2026-11-27 INFO Service - msg=SAID",
    'name: Bob\nremark: "SAID"\n',
    "- text: 'SAID'",
    'msgid "greeting"\nmsgstr "SAID"',
    'echo "SAID"',
    'def f():\n    """SAID"""',
    'id,text\n1,"SAID"\n',
    '"SAID",1',
    "x = `SAID`",
]


@pytest.mark.parametrize("text", HELD)
def test_what_a_value_says_is_found(text: str) -> None:
    source = text.replace("SAID", SAID)
    assert [source[start:end] for start, end in said_values(source)] == [SAID]


def test_the_cells_of_a_table_are_values() -> None:
    source = "| Name | What was said |\n|---|---|\n| Bob | You are so kind. |\n"
    cells = [source[start:end].strip() for start, end in said_values(source)]
    assert cells == ["What was said", "You are so kind."]


@pytest.mark.parametrize(
    "text",
    [
        'He said, "You are so kind", and left.',
        'He said: "You are so kind."',
        'Answer: "You are so kind"',
        '"You are so kind."',
        '- "You are so kind"',
        'She wrote, "You are so kind", to him. Tags: ["a"]',
        'x = ["a", "b"]  # he said "b", "You are so kind", and left',
        '[he said "You are so kind"]',
        'It was (or so it seemed, ("You are so kind"), they said) late.',
        '{"You are so kind": 1}',
        '{"a": "b", "c": "d-e"}',
        "a = b is so.",
        "The word (You are so kind) stands here.",
    ],
)
def test_what_prose_quotes_and_keys_are_none(text: str) -> None:
    assert said_values(text) == []


UNITS = [
    '{"a": "b c", ',
    '["d e',
    "a(",
    'f("x y",',
    '="a b" ',
    "= '",
    '"""',
    "'''",
    "| a b ",
    "|\n",
]


@pytest.mark.parametrize(
    "unit", [*UNITS, "<![CDATA[", '"a b",', ',"a', "VALUES (", "), (", "a=b c\n"]
)
def test_places_lie_apart_and_in_order_however_much_there_is(unit: str) -> None:
    text = unit * 10_000
    places = said_values(text)
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(end < start for (_, end), (start, _) in pairwise(places))
