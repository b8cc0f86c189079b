"""Arguments of tools, as those read them who parse them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.utils.json import parse_partial_json

from guard.replies.json_text import EscapeDecoder, argument_texts, decode_source
from guard.text.disguise import undisguise

WORDS = st.text() | st.text(alphabet='\\\\u0061dD8c\\n"\U0001f600')


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in texts_in(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts_in(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"a": ["b", {"c": 1}]}, ["a", "b", "c"]),
        ('{"a": "b", "a": "c"}', ["a", "b", "a", "c"]),
        ('{"a": "\\u0067rumblefish"}', ["a", "grumblefish"]),
        ('{"a": "\\u0067rumble', ['{"a": "\\u0067rumble\n\n{"a": "grumble']),
        ('{"a": "plain', ['{"a": "plain']),
        ("just words", ["just words"]),
        (None, []),
    ],
)
def test_what_is_read_of_arguments(source: object, expected: list[str]) -> None:
    assert argument_texts(source) == expected


@pytest.mark.parametrize("escape", ["\\x73", "\\163", "\\u{73}"])
def test_escapes_of_json5_remain_for_who_reads_the_text(escape: str) -> None:
    parts = list(f'{{"t": "{escape}tupid"}}')
    assert "".join(map(EscapeDecoder().read, parts)) == "".join(parts)
    assert undisguise(f"{escape}tupid").replace("\u200b", "") == "stupid"


@given(st.dictionaries(WORDS, WORDS | st.lists(WORDS)), st.booleans(), st.integers(0, 200))
def test_nothing_that_a_lenient_parser_reads_is_missed(
    value: dict[str, Any], plain: bool, end: int
) -> None:
    source = json.dumps(value, ensure_ascii=plain)[:end]
    said = "\n".join(argument_texts(source))
    grown = "".join(map(EscapeDecoder().read, source))
    try:
        found = parse_partial_json(source)
    except ValueError:
        found = None
    for text in texts_in(found):
        assert text in said
        assert text in joined(grown)


def joined(text: str) -> str:
    """With one character for each pair of surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@given(st.dictionaries(WORDS, WORDS), st.lists(st.integers(0, 60)))
def test_however_it_is_cut_it_says_the_same(value: dict[str, str], cuts: list[int]) -> None:
    source = json.dumps(value, ensure_ascii=bool(len(cuts) % 2))
    places = sorted({0, len(source), *(at for at in cuts if at < len(source))})
    decoder = EscapeDecoder()
    parts = [decoder.read(source[a:b]) for a, b in pairwise(places)]
    together = joined("".join(parts))
    assert together == decode_source(source)
    assert all(text in together for pair in value.items() for text in pair)


@given(st.text(alphabet='\\\\u00a"dD8n'))
def test_what_is_no_json_is_judged_both_ways(source: str) -> None:
    assert source in decode_source(source) or json.loads(source) is not None
