"""What LiteLLM's proxy asks, and how it is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.gateway.errors import RefusedRequest
from guard.gateway.litellm.messages import (
    WITHHELD,
    GuardrailAction,
    GuardrailAnswer,
    GuardrailFormat,
    GuardrailRequest,
    InputType,
    all_complete,
    answer_with,
    answer_without_ends,
    completion_of,
    held_of_each,
    read_request,
)
from guard.holdback import LONGEST_HELD_CHARACTERS
from guard.policy import Hold, Policy, Rule
from guard.records import Action, Unread
from guard.replies.fields import ReadOptions

BLOCKS = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),), enforce=True)
WATCHES = Policy(rules=BLOCKS.rules, enforce=False)
SENTENCE = "Good morning. The desk opens at"
TEXTS = st.text(alphabet="ab .!?\n", max_size=60)


def held(hold: Hold) -> Policy:
    return Policy(rules=BLOCKS.rules, enforce=True, hold=hold)


def asked(*texts: str, **more: Any) -> GuardrailRequest:
    return GuardrailRequest(input_type=InputType.RESPONSE, texts=texts, **more)


def refusal(body: dict[str, Any]) -> RefusedRequest:
    with pytest.raises(RefusedRequest) as raised:
        read_request(body)
    return raised.value


def test_what_is_needed_is_read_and_the_rest_ignored() -> None:
    body = {
        "input_type": "response",
        "texts": ["Hello."],
        "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
        "images": ["https://example.com/a.png"],
        "litellm_call_id": "call",
        "litellm_trace_id": "trace",
        "model": "gpt",
        "additional_provider_specific_params": {
            "use_case": "chat",
            "streaming_transform_mode": "incremental_diff",
        },
        "request_data": {"user_api_key_user_id": "somebody"},
        "request_headers": {"authorization": "[present]"},
        "of a later version": 1,
    }
    found = read_request(body)
    assert (found.input_type, found.texts) == (InputType.RESPONSE, ("Hello.",))
    assert [one["id"] for one in found.tool_calls] == ["1"]
    assert found.images == ("https://example.com/a.png",)
    assert (found.litellm_call_id, found.trace_id, found.model) == ("call", "trace", "gpt")
    assert (found.use_case, found.applies_texts) == ("chat", True)


@pytest.mark.parametrize("nothing", [{}, dict.fromkeys(["texts", "images", "tool_calls", "model"])])
def test_what_is_missing_or_null_is_empty(nothing: dict[str, Any]) -> None:
    found = read_request({"input_type": "request", **nothing})
    assert found == GuardrailRequest(input_type=InputType.REQUEST)


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "input_type"),
        ({"input_type": "both"}, "input_type"),
        ({"input_type": ["response"]}, "input_type"),
        ({"input_type": "response", "texts": "Hello."}, "texts"),
        ({"input_type": "response", "texts": ["Hello.", None]}, "texts"),
        ({"input_type": "response", "images": [{}]}, "images"),
        ({"input_type": "response", "tool_calls": {}}, "tool_calls"),
        (
            {"input_type": "request", "additional_provider_specific_params": {"use_case": 1}},
            "additional_provider_specific_params.use_case",
        ),
    ],
)
def test_a_wrong_type_is_an_error_that_names_its_key(body: dict[str, Any], param: str) -> None:
    found = refusal(body)
    assert (found.status, found.code, found.param) == (400, "bad_value", param)
    assert param in str(found)


def test_everything_in_a_request_is_read_as_a_reply() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": "who"}'}}
    request = asked("One.", "", "Two.", tool_calls=(call,), images=("https://x.example/a.png",))
    read = GuardrailFormat(ReadOptions(), replaceable=3).read(completion_of(request))
    judged = {field.text for field in read.fields}
    assert judged >= {"One.", "Two.", "f", '{"a": "who"}', *request.images}
    assert (read.unread, read.is_structured) == ({Unread.IMAGE}, True)


def test_where_the_proxy_drops_our_texts_no_other_text_can_stand_for_one() -> None:
    completion = completion_of(asked("One."))
    for replaceable in (1, 0):
        read = GuardrailFormat(ReadOptions(), replaceable=replaceable).read(completion)
        assert read.is_structured is not bool(replaceable)


def test_no_other_text_can_stand_for_the_address_of_an_image() -> None:
    """LiteLLM writes texts back into a reply, and nothing else."""
    completion = completion_of(asked("One.", images=("https://x.example/a.png",)))
    read = GuardrailFormat(ReadOptions(), replaceable=1).read(completion)
    assert [field.fixed for field in read.fields] == [False, True]


def test_the_answer_says_what_became_of_the_completion() -> None:
    request = asked("One.", "Two.", images=("https://x.example/a.png",))
    completion = completion_of(request)
    assert answer_with(request, completion, completion) == GuardrailAnswer()
    edited = completion_of(asked("One.", "[removed]", images=request.images))
    assert answer_with(request, completion, edited) == GuardrailAnswer(
        action=GuardrailAction.INTERVENED, texts=("One.", "[removed]")
    )
    message = {"role": "assistant", "content": "No."}
    filtered = {"choices": [{"message": message, "finish_reason": "content_filter"}]}
    blocked = GuardrailAnswer(action=GuardrailAction.BLOCKED, reason="No.")
    assert answer_with(request, completion, filtered) == blocked
    assert answer_with(request, completion, None).reason == WITHHELD


def test_answers_in_json() -> None:
    assert json.loads(GuardrailAnswer().encode()) == {"action": "NONE"}
    blocked = GuardrailAnswer(action=GuardrailAction.BLOCKED, reason="Nö.")
    assert json.loads(blocked.encode()) == {"action": "BLOCKED", "blocked_reason": "Nö."}
    changed = GuardrailAnswer(action=GuardrailAction.INTERVENED, texts=("\ud800", "b"), held=(0, 1))
    assert json.loads(changed.encode()) == {
        "action": "GUARDRAIL_INTERVENED",
        "texts": ["\ud800", "b"],
        "stream_holdback_chars": [0, 1],
    }


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        (held(Hold.SENTENCE), len(" The desk opens at")),
        (held(Hold.FULL), len(SENTENCE)),
        (held(Hold.NONE), 0),
        (WATCHES, 0),
    ],
)
def test_as_much_is_held_as_policy_holds_of_any_stream(policy: Policy, count: int) -> None:
    assert held_of_each([SENTENCE], policy)[0] in {count, count - 1}


def test_a_sentence_without_end_is_held_in_pieces() -> None:
    assert held_of_each(["word " * 900], held(Hold.SENTENCE))[0] <= LONGEST_HELD_CHARACTERS


@given(TEXTS, TEXTS)
def test_what_was_released_once_is_released_for_good(text: str, more: str) -> None:
    policy = held(Hold.SENTENCE)
    released = len(text) - held_of_each([text], policy)[0]
    assert released <= len(text + more) - held_of_each([text + more], policy)[0]


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("Good morning. The desk", "Good morning."),
        ("Good morning.", "Good morning."),
        ('He said "Hello." ', 'He said "Hello." '),
        ("Good morn", ""),
        ("", ""),
    ],
)
def test_a_sentence_without_its_end_is_cut_off(text: str, complete: str) -> None:
    assert all_complete([text]) == (complete,)


@given(st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(Hold))
def test_only_ends_that_are_cut_off_are_replaced_and_held(texts: list[str], hold: Hold) -> None:
    answer = answer_without_ends(asked(*texts), held(hold), "No.")
    assert answer.texts is not None
    for text, said, count in zip(texts, answer.texts, answer.held, strict=True):
        (start,) = all_complete([text])
        if start == text:
            assert (said, count) == (text, held_of_each([text], held(hold))[0])
        else:
            assert said[len(said) - count :].strip() == "No."
            assert said[: len(said) - count] == ("" if hold is Hold.FULL else start)


def test_messages_that_say_nobody_said_them_are_not_asked() -> None:
    unreadable = [5, None, {"role": 5, "content": {}}]
    body = {"input_type": "request", "texts": ["One.", "Two."], "structured_messages": unreadable}
    assert read_request(body).said() == "One.\nTwo."
