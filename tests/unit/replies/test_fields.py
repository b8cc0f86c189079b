"""Every text of a reply is found, in the formats of all APIs and frameworks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from guard.records import Unread
from guard.replies.edit import blank, drop_copies, replace_texts, take_head
from guard.replies.fields import ReadOptions, UnreadableError, extract, fields_at

ALL = ReadOptions()


def texts(value: Any, options: ReadOptions = ALL) -> list[tuple[str, str]]:
    return [(field.kind.value, field.text) for field in extract(value, options).fields]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}}]},
         [("text", "Hi.")]),
        ({"choices": [{"delta": {"refusal": "No."}}]}, [("text", "No.")]),
        ({"choices": [{"message": {"reasoning_content": "Hm."}}]}, [("reasoning", "Hm.")]),
        ({"output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi."}]}]},
         [("text", "Hi.")]),
        ({"content": [{"type": "text", "text": "Hi.", "index": "lc_txt_0", "id": "m-1"}]},
         [("text", "Hi.")]),
        ({"content": [{"type": "thinking", "thinking": "Hm.", "signature": "AA=="}]},
         [("reasoning", "Hm.")]),
        ({"content": [{"type": "tool_use", "id": "1", "name": "send it", "input": {"a b": "c"}}]},
         [("tool", "send it"), ("tool", "a b"), ("tool", "c")]),
        ({"content": [{"type": "input_json_delta", "partial_json": '{"a', "index": 1}]},
         [("tool", '{"a')]),
        ({"tool_call_chunks": [{"name": None, "args": '{"a', "id": None, "index": 0}]},
         [("tool", '{"a')]),
        ({"content": [{"type": "odd", "note": "a b", "data": "AAAA"}]}, [("text", "a b")]),
        ({"x_unknown": {"model": "told"}}, [("other", "told")]),
        ({"content": [{"text": "Ha. "}, {"text": "Ho."}]}, [("text", "Ha. "), ("text", "Ho.")]),
        ({"content": [{"text": "i"}, {"text": "di"}, "ot"]},
         [("text", "i"), ("text", "di"), ("text", "ot"), ("text", "idiot")]),
        ({"candidates": [{"content": {"parts": [{"text": "idi"}, {"text": "ot"}]}}]},
         [("text", "idi"), ("text", "ot"), ("text", "idiot")]),
        ({"content": "a", "additional_kwargs": {"__ids__": {"call": "id-1"}}}, [("text", "a")]),
        ({"content": [{"type": "image", "base64": "AAAA", "title": "An odd one"}]},
         [("media", "An odd one")]),
    ],
)  # fmt: skip
def test_texts(value: Any, expected: list[tuple[str, str]]) -> None:
    assert texts(value) == expected


@pytest.mark.parametrize(
    ("block", "label"),
    [
        ({"type": "image", "base64": "AAAA"}, Unread.IMAGE),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, Unread.IMAGE),
        ({"type": "audio", "data": "AAAA"}, Unread.AUDIO),
        ({"type": "video", "file_id": "f-1"}, Unread.VIDEO),
        ({"type": "media", "mime_type": "application/pdf", "data": "AAAA"}, Unread.FILE),
    ],
)
def test_media_are_not_read(block: Any, label: Unread) -> None:
    found = extract({"content": [block]}, ALL)
    assert found.unread == {label}
    assert found.fields == ()


@pytest.mark.parametrize(
    "name",
    ["You_are_a_stupid_person", "you-will-regret-this", "ThisIsWhatYouAre", "how/do/you/like/it"],
)
def test_a_name_that_reads_as_prose_is_a_text(name: str) -> None:
    assert texts({"id": name, "choices": [{"finish_reason": name}]}) == [("other", name)] * 2
    assert not texts({"id": "chatcmpl-A1b2C3", "model": "org/all-in-one:7b", "code": "end_of_turn"})


def test_an_address_that_reads_as_prose_is_a_text() -> None:
    def citing(address: str) -> Any:
        cited = [{"type": "url_citation", "url_citation": {"url": address}}]
        return {"choices": [{"message": {"content": "So.", "annotations": cited}}]}

    said = "You-are-a-stupid-person"
    assert texts(citing(said))[1:] == [("other", said)]
    assert texts(citing("aGVsbG8gd29ybGQ="))[1:] == []


def test_keys_that_may_be_a_sentence_are_judged_together() -> None:
    said = {"You": 1, "are": 2, "nobody's": 0, "friend": 4}
    assert ("other", "You are nobody's friend") in texts({"choices": [{"message": {"x": said}}]})


@pytest.mark.parametrize(
    "members",
    [
        {"totalTokens": 1, "prompt_tokens": 2, "n2": 3, "temperature": 4, "image": 5},
        {"hate": 1, "jailbreak": 2, "sexual": 3, "violence": 4},
        {"title": 1, "url": 2, "date": 3, "snippet": 4, "source": 5},
        {"women": 1, "men": 2, "gay": 3, "straight": 4},
        {"you": 1, "are": 2, "friend": 3},
    ],
)
def test_names_of_fields_are_no_text(members: dict[str, int]) -> None:
    assert not texts({"choices": [{"message": {"x": members}}]})


def test_what_passes_by_policy_is_named() -> None:
    message = {
        "content": "Hi.",
        "reasoning": "Hm.",
        "tool_calls": [{"function": {"name": "send", "arguments": "{}"}}],
    }
    found = extract(message, ReadOptions(reads_reasoning=False, reads_tool_calls=False))
    assert [field.text for field in found.fields] == ["Hi."]
    assert found.unread == {Unread.REASONING, Unread.TOOL_CALLS}


def test_data_passes_only_where_that_is_wanted() -> None:
    value = {"x": "A" * 600}
    assert texts(value) == [("other", "A" * 600)]
    assert extract(value, ReadOptions(reads_data=False)).unread == {Unread.DATA}
    assert texts({"x": "A b" * 600}, ReadOptions(reads_data=False))


def test_what_a_client_joins_stands_in_one_channel() -> None:
    streamed = ReadOptions(streamed=True)
    events: list[Any] = [
        {"choices": [{"index": 0, "delta": {"content": part}}]} for part in ("a", "b")
    ]
    (first,), (second,) = (extract(event, streamed).fields for event in events)
    assert first.channel == second.channel
    assert not first.whole


@pytest.mark.parametrize("index", [1, 1.0, "1", True])
def test_one_index_may_be_written_in_several_ways(index: object) -> None:
    call = {"index": index, "function": {"arguments": "a"}}
    event = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    (field,) = extract(event, ReadOptions(streamed=True)).fields
    assert field.channel[-3:] == (1, "function", "arguments")
    odd = {**call, "index": "1.5"}
    event = {"choices": [{"index": 0, "delta": {"tool_calls": [odd]}}]}
    assert extract(event, ReadOptions(streamed=True)).fields[0].channel[-3] == 0


DOCUMENT = {"all": [{"t": "a"}, {"t": None}], "n": 1}


def test_configured_fields_are_found_and_replaced() -> None:
    found = fields_at(DOCUMENT, ("all", "*", "t"))
    assert [(field.path, field.text) for field in found] == [
        (("all", 0, "t"), "a"),
        (("all", 1, "t"), ""),
    ]
    changed = replace_texts(DOCUMENT, {found[0].path: "b"})
    assert changed == {"all": [{"t": "b"}, {"t": None}], "n": 1}
    assert DOCUMENT["all"] == [{"t": "a"}, {"t": None}]
    assert blank(changed, [("all", "*", "t"), ("other",)]) == {
        "all": [{"t": None}, {"t": None}],
        "n": 1,
    }
    assert replace_texts("whole", {(): "new"}) == "new"


@pytest.mark.parametrize(
    ("steps", "why"),
    [(("x",), Unread.NO_FIELD), (("all", "7"), Unread.NO_FIELD), (("n",), Unread.NOT_TEXT)],
)
def test_a_field_that_is_not_there_says_why(steps: tuple[str, ...], why: Unread) -> None:
    with pytest.raises(UnreadableError) as raised:
        fields_at(DOCUMENT, steps)
    assert raised.value.why is why


def test_numbers_beside_a_text_may_be_its_tokens_or_bytes() -> None:
    value = {"output_ids": [[72, 105]], "n": 1, "logprobs": {"tokens": ["a"]}, "of": [{"x": [1]}]}
    assert extract(value, ALL).has_tokens
    assert drop_copies(value) == {"output_ids": [[]], "n": 1, "logprobs": None, "of": [{"x": []}]}
    assert value["output_ids"] == [[72, 105]]


@pytest.mark.parametrize(
    ("tokens", "texts"),
    [
        (["You", " are"], ["You are"]),
        (["You", "are", "so", "nice", "."], ["Youaresonice.", "You are so nice ."]),
        (["You", "\u0120are", "\u0120so", "\u0120nice"], ["You are so nice"] * 2),
        (["No"], ["No"]),
        (["Well", "."], []),
        (["is", "\u0120Well", "."], []),
        (["\u2581is", "\u2581Well", "."], []),
        (["W", "e", "ll", "<|eot_id|>"], []),
        (["<|You|>", "<|are|>"], ["<|You|><|are|>"]),
    ],
)
def test_tokens_that_say_something_else_are_texts(tokens: list[str], texts: list[str]) -> None:
    """With blanks between them as well where none has one: a list of words shows them so."""
    value = {"text": "All is Well.", "logprobs": {"content": [{"token": one} for one in tokens]}}
    found = [one.text.replace("\u0120", " ") for one in extract(value, ALL).fields]
    assert found == ["All is Well.", *texts]


def test_single_tokens_of_a_stream_are_joined_as_they_come() -> None:
    """Whether all of them are words nobody knows yet."""
    value = {"text": "Well.", "logprobs": {"content": [{"token": "You"}]}}
    streamed = replace(ALL, streamed=True)
    assert [one.text for one in extract(value, streamed).fields] == ["Well.", "You"]


def test_letters_that_are_names_of_blanks_elsewhere_are_letters() -> None:
    value = {"text": "\u0120or\u0121 huwa", "logprobs": {"tokens": ["\u0120or\u0121", " huwa"]}}
    assert [one.text for one in extract(value, ALL).fields] == ["\u0120or\u0121 huwa"]


def test_a_head_has_the_names_and_none_of_the_end() -> None:
    event = {
        "id": "c",
        "choices": [{"index": 0, "finish_reason": "stop", "delta": {"content": "ab"}}],
    }
    assert take_head(event, {("choices", 0, "delta", "content"): "a"}) == {
        "id": "c",
        "choices": [{"index": 0, "finish_reason": None, "delta": {"content": "a"}}],
    }
