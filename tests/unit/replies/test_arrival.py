"""What the usual loop prints is judged as it is printed, over all channels of a reply."""

from __future__ import annotations

from typing import Any

import pytest

from guard.records import Span
from guard.replies.assemble import Assembly
from guard.replies.edit import replace_texts
from guard.replies.fields import Extraction, ReadOptions, extract
from guard.replies.gemini import CandidateFormat
from guard.replies.layout import APART
from guard.replies.responses import ResponseFormat

STREAMED = ReadOptions(streamed=True)
WHOLE = ReadOptions()
BAD = "You are a nasty thing."
LONG = "This is a sentence of its own that goes on for a while"


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat(text: str, index: int = 0) -> Any:
    return {"choices": [{"index": index, "delta": {"content": text}}]}


def block(text: str, index: int = 0) -> Any:
    delta = {"type": "text_delta", "text": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def judged(values: list[Any], read: Any = lambda value: extract(value, STREAMED)) -> str:
    assembly: Assembly[Any] = Assembly(replace_texts)
    return "".join(assembly.add(one, read(one)) for one in values) + assembly.finish()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("choices", [2, 99])
def test_pieces_over_several_choices_are_read_as_they_come(size: int, choices: int) -> None:
    dealt = [chat(piece, at % choices) for at, piece in enumerate(pieces(BAD, size))]
    assert BAD in judged(dealt)


def test_a_change_of_the_channel_within_a_sentence_joins_what_stands_on_both_sides() -> None:
    values = [chat("All is well here, is it not? You are a na"), chat("sty thing.", 1)]
    assert judged(values).split(APART)[-1] == "".join(
        one["choices"][0]["delta"]["content"] for one in values
    )


@pytest.mark.parametrize("end", [".", "!\n", '."'])
def test_what_ends_as_a_sentence_does_stays_by_itself(end: str) -> None:
    texts = [f"{LONG}{end}" for _ in range(4)]
    values = [chat(text, at % 2) for at, text in enumerate(texts)]
    assert judged(values).count(LONG) == len(texts)


def test_a_reply_of_one_channel_is_judged_once() -> None:
    assert judged([chat(one) for one in pieces(f"{LONG}. {BAD}", 3)]) == f"{LONG}. {BAD}"


def test_the_order_of_arrival_ends_where_one_channel_goes_on_alone() -> None:
    values = [chat("Well", 0), chat("come, all of you, to this place.", 1), chat(f" {LONG}.", 1)]
    assert judged(values).count(LONG) == 1


def test_who_takes_the_first_choice_of_each_event_reads_no_other() -> None:
    dealt = []
    for at, piece in enumerate(pieces(BAD, 2)):
        first, second = at % 2, 1 - at % 2
        said = [*chat(piece, first)["choices"], *chat("um ", second)["choices"]]
        dealt.append({"choices": said})
    assert BAD in judged(dealt)


def test_nothing_leaves_before_it_was_judged_in_the_order_of_arrival() -> None:
    values = [chat(piece, at % 2) for at, piece in enumerate(pieces(BAD, 2))]
    assembly: Assembly[Any] = Assembly(replace_texts)
    text = "".join(assembly.add(one, extract(one, STREAMED)) for one in values)
    text += assembly.finish()
    assert assembly.release(text.index(BAD)) == []
    assert assembly.release(len(text)) == values
    assert assembly.cuts_words


def test_what_is_redacted_in_one_order_is_redacted_in_the_reply() -> None:
    values = [chat("All is well here, is it not? You are a na"), chat("sty thing.", 1)]
    assembly: Assembly[Any] = Assembly(replace_texts)
    text = "".join(assembly.add(one, extract(one, STREAMED)) for one in values)
    text += assembly.finish()
    start = text.index("nasty")
    assembly.redact([Span(start=start, end=start + 5)], "[x]")
    assert assembly.release(len(text)) == [
        chat("All is well here, is it not? You are a [x]"),
        chat(" thing.", 1),
    ]


def test_a_long_stream_is_not_cut_where_it_waits() -> None:
    words = " ".join(f"word{number}" for number in range(900))
    dealt = [chat(piece, at % 3) for at, piece in enumerate(pieces(words, 3))]
    said = judged(dealt)
    assert all(f"word{number} word{number + 1}" in said for number in range(899))


EVENT = {"type": "response.output_text.delta", "item_id": "i", "output_index": 0}


@pytest.mark.parametrize("key", ["item_id", "output_index", "content_index"])
def test_events_for_several_places_are_read_as_they_come(key: str) -> None:
    names = [f"i{at}" if key == "item_id" else at for at in range(99)]
    dealt = [{**EVENT, key: names[at], "delta": one} for at, one in enumerate(pieces(BAD, 3))]
    assert BAD in judged(dealt, ResponseFormat(STREAMED, None).read)


def test_arguments_for_several_places_are_decoded_as_they_come() -> None:
    kind = {"type": "response.function_call_arguments.delta"}
    source = pieces('{"a": "You are \\u006easty."}', 3)
    dealt = [{**kind, "output_index": at % 2, "delta": one} for at, one in enumerate(source)]
    assert '"You are nasty."' in judged(dealt, ResponseFormat(STREAMED, None).read)


def item(text: str) -> Any:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "role": "assistant", "content": [part]}


@pytest.mark.parametrize("size", [1, 4])
def test_the_items_of_a_response_are_one_text(size: int) -> None:
    between = [{"type": "reasoning", "summary": []}, {"type": "function_call", "arguments": "{}"}]
    output = [one for piece in pieces(BAD, size) for one in (item(piece), *between)]
    assert BAD in judged([{"output": output}], ResponseFormat(WHOLE, None).read)


def test_items_that_stand_for_themselves_are_judged_once() -> None:
    read = ResponseFormat(WHOLE, None).read
    assert judged([{"output": [item(f"{LONG}.") for _ in range(2)]}], read) == f"{LONG}."
    other = f"{LONG}, too."
    said = judged([{"output": [item(f"{LONG}."), item(other)]}], read)
    assert said == f"{LONG}.{APART}{other}"


@pytest.mark.parametrize("options", [STREAMED, WHOLE])
def test_thoughts_do_not_stand_between_the_parts_of_a_text(options: ReadOptions) -> None:
    parts = [one for piece in pieces(BAD, 4) for one in ({"text": piece}, thought("hm"))]
    value = {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]}
    assert BAD in judged([value], CandidateFormat(options).read)


def thought(text: str) -> Any:
    return {"text": text, "thought": True}


@pytest.mark.parametrize(
    "make",
    [
        lambda text, _: {"content": text},
        lambda text, _: {"text": text},
        lambda text, _: {"choices": [{"index": 0, "message": {"content": text}}]},
        lambda text, at: block(text) if at % 2 else chat(text),
        lambda text, at: block(text, at % 2),
        lambda text, at: block(text, at),
    ],
)
@pytest.mark.parametrize("size", [1, 3])
def test_pieces_that_no_api_joins_are_read_as_they_come(make: Any, size: int) -> None:
    assert BAD in judged([make(piece, at) for at, piece in enumerate(pieces(BAD, size))])


def test_choices_of_a_whole_answer_are_not_joined() -> None:
    choices = [{"index": at, "message": {"content": text}} for at, text in enumerate(("As", "se"))]
    assert judged([{"choices": choices}], read_whole) == f"As{APART}se"


def read_whole(value: Any) -> Extraction:
    return extract(value, WHOLE)
