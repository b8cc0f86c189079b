"""What values say, in the formats that hold them, and nothing of what prose quotes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from guard.text.values import innermost, outermost, said_values

SAID = "You are so kind"

HELD = [
    '{"a": "SAID"}',
    '{"a": {"b": [[{"c": "SAID"}]]}, "n": 5}',
    "{'it\\'s': 'SAID'}",
    '[null, 1.5, "SAID"]',
    ' "lang": "en",\n  "body": "SAID",\n  "cc": "none"\n}',
    'so it is.\n "lang": "en",\n  "body": "SAID',
    '{"a": "SAID" /* so */}',
    '{"a": [{"b": "SAID',
    "insert into t values\n  (1, 'a'),\n  (2, 'SAID');",
    '<user comment="SAID"/>',
    "<img alt='SAID' src=\"x\">",
    "<![CDATA[SAID]]>",
    'remark = "SAID"',
    'REMARK="SAID"',
    "[main]\nname=Bob\nremark=SAID\n",
    'level=info msg="SAID" n=1',
    "2026-11-27 INFO Service - msg=SAID\r\n",
    'name: Bob\nremark: "SAID"\n',
    'name: Bob\r\nremark: "SAID"\r\n',
    'remark: "SAID"',
    'p::before { content: "SAID"; }',
    "<style>p::after {\n  content: 'SAID'\n}</style>",
    'msgid "greeting"\nmsgstr "SAID"',
    'id,text\n1,"SAID"\n',
    'id,text\r\n1,"SAID"\r\n',
    '"SAID",1',
    "send_mail\n\nbody\n\nSAID",
    "send_mail\n\nto\n\nann@example.com\n\nbody\n\nSAID",
]


@pytest.mark.parametrize("text", HELD)
def test_what_a_value_says_is_found(text: str) -> None:
    source = text.replace("SAID", SAID)
    assert [source[start:end] for start, end in said_values(source)] == [SAID]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_cells_of_a_table_are_values(end: str) -> None:
    source = end.join(["| Name | What was said |", "|---|---|", "| Bob | You are so kind. |", ""])
    cells = [source[start:end].strip() for start, end in said_values(source)]
    assert cells == ["What was said", "You are so kind."]


WITHIN = [
    '<![CDATA[{"a": "SAID", "b": "c"}]]>',
    """POST payload={"a": "SAID", "b": "c"}""",
    """curl --data='{"a": "SAID", "b": "c"}'""",
    '| 7 | {"a": "SAID", "b": "c"} |',
    """{"q": "a='", "remark": "SAID", "z": "'"}""",
]


@pytest.mark.parametrize("text", WITHIN)
def test_values_within_others_are_read_as_they_and_as_those(text: str) -> None:
    source = text.replace("SAID", SAID)
    places = said_values(source)
    inner = [source[start:end] for start, end in innermost(places)]
    outer = [source[start:end] for start, end in outermost(places)]
    assert SAID in inner
    assert all(any(one in other for other in outer) for one in inner)
    assert len(outer) == 1


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
        '"You are so kind", he said.',
        '"You are so kind"',
        'He looked at them and\nsaid "You are so kind"\nThey laughed.',
        'something like\nthis: "You are so kind."\nSuch words help.',
        '- first: "You are so kind."\n- second: "You are so nice."',
        'It was of those values ("You are so kind") he spoke.',
        'It was (late), ("You are so kind") he said.',
        '"Du bist so nett" = "You are so kind"',
        'print("You are so kind")',
    ],
)
def test_what_prose_quotes_and_keys_are_none(text: str) -> None:
    assert said_values(text) == []


UNITS = [
    '{"a": "b c", ',
    '"a":',
    '"a": "b\n',
    '["d e',
    "[a/*",
    '="a b" ',
    "a= '",
    "| a b ",
    "|\n",
    "<![CDATA[",
    '"a b",',
]


@pytest.mark.parametrize(
    "unit", [*UNITS, ',"a', "insert into VALUES (", "), (", "a=b c\n", 'a: "b c\n']
)
def test_places_lie_apart_and_in_order_however_much_there_is(unit: str) -> None:
    text = unit * 10_000
    places = said_values(text)
    assert all(0 <= start < end <= len(text) for start, end in places)
    for chosen in (outermost(places), innermost(places)):
        assert all(end <= start for (_, end), (start, _) in pairwise(chosen))


@pytest.mark.parametrize("before", ["", "| a | b |\n|---|---|\n"])
def test_a_row_that_has_not_ended_has_cells(before: str) -> None:
    source = f"{before}| `1` | You are so kind."
    assert [source[start:end] for start, end in said_values(source)] == [" You are so kind."]
    assert said_values("| one two | three four\nYou are so kind.") == []
