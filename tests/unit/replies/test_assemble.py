"""The judged text of a reply, and what of it may leave."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span
from guard.replies.assemble import Assembly
from guard.replies.edit import replace_texts
from guard.replies.fields import ReadOptions, extract
from guard.replies.layout import APART

STREAMED = ReadOptions(streamed=True)
WHOLE = ("choices", 0, "message", "content")


def chunk(field: str, text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {field: text}}]}


def call(part: str) -> dict[str, Any]:
    called = {"index": 0, "function": {"arguments": part}}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [called]}}]}


def grown(assembly: Assembly[Any], *values: Any) -> str:
    return "".join(assembly.add(value, extract(value, STREAMED)) for value in values)


def test_what_a_client_joins_stands_together() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    said = grown(
        assembly,
        chunk("content", "grum"),
        chunk("reasoning", "Hm."),
        chunk("content", "blefish. "),
    )
    assert said + assembly.finish() == f"grumblefish. {APART}Hm."
    assert assembly.release(len("grumblefish. ")) == [chunk("content", "grum")]
    assert len(assembly.release(100)) == 2


def test_arguments_stand_there_as_they_are_parsed() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    assert grown(assembly, call('{"a": "\\u00'), call("67rum")) == '{"a": "grum'
    assert assembly.release(0) == []
    assert assembly.split_next(9) is None


def test_a_text_that_was_said_before_is_not_judged_twice() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    whole = {"choices": [{"index": 0, "message": {"content": "Well said."}}]}
    assert grown(assembly, chunk("content", "Well "), chunk("content", "said."), whole)
    assert assembly.finish() == ""
    assert len(assembly.release(len("Well said."))) == 3


def test_a_long_value_is_split_where_the_end_is() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    text = "All of this is fine and well. And this waits"
    grown(assembly, chunk("content", text))
    assert assembly.next_is_long
    assert assembly.release(30) == []
    split = assembly.split_next(30)
    assert split is not None
    item, first, rest = split
    path = ("choices", 0, "delta", "content")
    assert (first, rest) == ({path: text[:30]}, {path: text[30:]})
    assembly.replace_next(replace_texts(item, rest))
    assert assembly.release(len(text)) == [chunk("content", text[30:])]


def test_a_range_over_several_texts_is_marked_in_the_first() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    grown(assembly, chunk("content", "So na"), chunk("content", "sty. "), chunk("content", "Yes."))
    assembly.redact([Span(start=3, end=8)], "[x]")
    made = assembly.release(100)
    assert made == [chunk("content", one) for one in ("So [x]", ". ", "Yes.")]


def test_a_repetition_of_what_was_redacted_is_redacted_too() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    whole = {"choices": [{"index": 0, "message": {"content": "Fine. So nasty. Yes."}}]}
    grown(assembly, *(chunk("content", one) for one in ("Fine. ", "So na", "sty. ", "Yes.")))
    assert assembly.release(len("Fine.")) == [chunk("content", "Fine. ")]
    assembly.redact([Span(start=9, end=14)], "[x]")
    made = assembly.release(len("Fine. So nasty."))
    assert made == [chunk("content", "So [x]"), chunk("content", ". ")]
    assert grown(assembly, whole) == ""
    told = [chunk("content", "Yes."), replace_texts(whole, {WHOLE: "Fine. So [x]. Yes."})]
    assert assembly.release(100) == told


def test_a_value_that_is_split_is_redacted_on_both_sides() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    text = "It is nasty, and goes on being nasty. And this waits"
    grown(assembly, chunk("content", text))
    assembly.redact([Span(start=6, end=11), Span(start=31, end=36)], "[x]")
    split = assembly.split_next(34)
    assert split is not None
    item, first, rest = split
    assert list(first.values()) == ["It is [x], and goes on being [x]"]
    assembly.replace_next(replace_texts(item, rest))
    assert assembly.release(100) == [chunk("content", ". And this waits")]


def called(source: str, cuts: list[int]) -> str:
    """The judged text of a call whose arguments come in these pieces."""
    assembly: Assembly[Any] = Assembly(replace_texts)
    pieces = [source[a:b] for a, b in pairwise([0, *sorted(cuts), len(source)])]
    return grown(assembly, *map(call, pieces)) + assembly.finish()


@given(st.integers(1, 3), st.lists(st.integers(0, 200)))
def test_arguments_that_are_escaped_again_are_decoded_again(times: int, cuts: list[int]) -> None:
    source = '{"body": "You are\\n\\u006e\\u0061sty."}'
    for _ in range(times):
        source = json.dumps({"inner": source})
    whole = {"choices": [{"message": {"tool_calls": [{"function": {"arguments": source}}]}}]}
    for said in (called(source, [one for one in cuts if one < len(source)]), judged(whole)):
        assert "You are\nnasty." in said


def judged(value: Any) -> str:
    assembly: Assembly[Any] = Assembly(replace_texts)
    return assembly.add(value, extract(value, ReadOptions())) + assembly.finish()


def test_a_value_in_parsed_arguments_is_decoded_too() -> None:
    called_with = {"payload": r'{"text": "\u006easty"}'}
    said = judged({"content": [{"type": "tool_use", "name": "send", "input": called_with}]})
    assert "nasty" in said
    assert called_with["payload"] in said


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields}]}


def test_a_name_that_goes_on_is_a_text() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    assert grown(assembly, delta(role="assistant", code="nas"), delta(role="assistant")) == ""
    assert grown(assembly, delta(code="ty"), delta(code="er")) == "nastyer"
    assert len(assembly.release(0)) == 2
    assert len(assembly.release(7)) == 2


def test_what_nobody_knows_is_joined_in_a_delta() -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    odd = [delta(images=[{"type": "image", "alt": part}]) for part in ("You nas", "ty thing.")]
    assert grown(assembly, *odd) == f"You nas{APART}ty thing.{APART}You nasty thing."


WORDS = st.text(alphabet="ab. !\n", min_size=1, max_size=8)
VALUES = st.one_of(
    st.builds(chunk, st.sampled_from(["content", "reasoning", "refusal", "x"]), WORDS),
    st.builds(call, WORDS),
)


@given(st.lists(VALUES, max_size=12), st.integers(0, 60))
def test_nothing_leaves_that_was_not_judged_before(values: list[Any], end: int) -> None:
    assembly: Assembly[Any] = Assembly(replace_texts)
    judged = grown(assembly, *values) + assembly.finish()
    released = assembly.release(end)
    assert released == values[: len(released)]
    for value in released:
        for field in extract(value, STREAMED).fields:
            assert field.text.strip() in judged[:end]
    assert assembly.release(len(judged)) == values[len(released) :]
