"""What LiteLLM's proxy asks is answered, by the real classifier behind the real gateway.

The requests are those that the real proxy made (`python -m tests.litellm.record`); what its clients
get of the answers is tested by `make test-litellm`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.gateway_cases import (
    AFTER,
    BEFORE,
    FALLBACK,
    KIND,
    SECRET,
    Answered,
    leaks,
    post,
)
from tests.servers_gateway import Gateway

RECORDED: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "litellm" / "requests.json").read_text("utf-8")
)
PATH = "/beta/litellm_basic_guardrail_api"
MIXED = f"{BEFORE} {SECRET} {AFTER}"
HELD = {"additional_provider_specific_params": {"streaming_transform_mode": "incremental_diff"}}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "say", "arguments": json.dumps({"text": SECRET})},
}
REPLIES = [name for name, asked in RECORDED.items() if asked[-1]["input_type"] == "response"]
PROMPTS = sorted(set(RECORDED) - set(REPLIES))


def ask(gateway: Gateway, use_case: str, body: dict[str, Any]) -> Answered:
    return post(f"{gateway.origin}/{use_case}{PATH}", body)


def answer_to(gateway: Gateway, use_case: str, *texts: str, **more: Any) -> dict[str, Any]:
    """The answer about a recorded reply with other texts in it."""
    (recorded,) = RECORDED["a reply"]
    body = {**recorded, "litellm_call_id": None, "texts": list(texts), **more}
    found = ask(gateway, use_case, body)
    assert found.status == 200, found.body
    answer = found.json
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize("name", RECORDED)
def test_every_request_of_the_proxy_is_understood(gateway: Gateway, name: str) -> None:
    for asked in RECORDED[name]:
        found = ask(gateway, "chat", asked)
        assert (found.status, found.json["action"]) == (200, "NONE")


@pytest.mark.parametrize("name", REPLIES)
def test_an_insult_in_any_of_them_is_blocked(gateway: Gateway, name: str) -> None:
    asked = RECORDED[name][-1]
    calls = asked["tool_calls"] and [CALL]
    body = {**asked, "texts": [*(asked["texts"] or ())[:-1], SECRET], "tool_calls": calls}
    found = ask(gateway, "chat", {**body, "additional_provider_specific_params": {}})
    assert found.json == {"action": "BLOCKED", "blocked_reason": FALLBACK}
    assert found.headers["x-guard-verdict"] == "blocked"
    assert found.headers["x-guard-call-id"]
    assert not leaks(found)


def test_litellm_does_not_say_which_texts_are_choices() -> None:
    """So that all choices of `n` are one call (docs/litellm.md); the page is to change with it."""
    (one,), (two,) = RECORDED["a reply"], RECORDED["two choices"]
    differs = {key for key in two if two[key] != one[key]} - {"request_headers"}  # their length
    assert differs == {"texts"}
    assert all(isinstance(text, str) for text in two["texts"])


@pytest.mark.parametrize("name", PROMPTS)
def test_prompts_are_not_judged(gateway: Gateway, name: str) -> None:
    found = ask(gateway, "chat", {**RECORDED[name][0], "texts": [SECRET]})
    assert found.json == {"action": "NONE"}
    assert found.headers["x-guard-verdict"] == "unscored"


def test_prompts_are_judged_where_the_use_case_wants_it(gateway: Gateway) -> None:
    asked = {**RECORDED[PROMPTS[0]][0], "structured_messages": None, "texts": [SECRET]}
    found = ask(gateway, "prompts", asked)
    assert found.json["action"] == "BLOCKED"
    assert found.json["blocked_reason"] == "I am not able to answer that request."
    assert found.headers["x-guard-verdict"] == "blocked"
    said = [{"role": "user", "content": SECRET}, {"role": "assistant", "content": KIND}]
    later = {**asked, "structured_messages": [*said, {"role": "user", "content": KIND}]}
    assert ask(gateway, "prompts", later).json == {"action": "NONE"}


def test_what_is_redacted_comes_back_where_the_proxy_applies_it(gateway: Gateway) -> None:
    answer = answer_to(gateway, "redact", BEFORE, MIXED, SECRET, **HELD)
    assert answer["action"] == "GUARDRAIL_INTERVENED"
    assert answer["texts"] == [BEFORE, f"{BEFORE} [removed] {AFTER}", "[removed]"]
    assert answer_to(gateway, "redact", MIXED) == {
        "action": "BLOCKED",
        "blocked_reason": FALLBACK,
    }


def test_abuse_in_the_address_of_an_image_is_blocked_since_it_cannot_be_replaced(
    gateway: Gateway,
) -> None:
    image = f"https://images.example/a.png?title={SECRET}"
    for use_case, text in (("redact", BEFORE), ("chat", "Good")):
        answer = answer_to(gateway, use_case, text, images=[image], **HELD)
        assert answer == {"action": "BLOCKED", "blocked_reason": FALLBACK}


def test_a_use_case_holds_back_as_of_any_stream(gateway: Gateway) -> None:
    text = f"{BEFORE} {BEFORE} And"
    assert answer_to(gateway, "chat", text)["stream_holdback_chars"] == [len(" And")]
    assert answer_to(gateway, "full", text)["stream_holdback_chars"] == [len(text)]
    assert answer_to(gateway, "none", text) == {"action": "NONE"}
    assert answer_to(gateway, "watch", text) == {"action": "NONE"}


def test_a_sentence_that_is_cut_off_waits_for_more(gateway: Gateway) -> None:
    cut_off = f"{BEFORE} {SECRET}".removesuffix(".")
    answer = answer_to(gateway, "chat", cut_off, **HELD)
    assert answer["action"] == "GUARDRAIL_INTERVENED"
    (text,), (held,) = answer["texts"], answer["stream_holdback_chars"]
    assert (text, text[-held:]) == (f"{BEFORE} {FALLBACK}", f" {FALLBACK}")
    assert answer_to(gateway, "full", cut_off, **HELD)["texts"] == [FALLBACK]


def test_nothing_waits_that_more_words_cannot_clear(gateway: Gateway) -> None:
    cut_off = SECRET.removesuffix(".")
    for text in (SECRET, MIXED, f"{BEFORE} {SECRET}", f"{SECRET} And"):
        assert answer_to(gateway, "chat", text, **HELD)["action"] == "BLOCKED"
    assert answer_to(gateway, "chat", cut_off)["action"] == "BLOCKED"
    assert answer_to(gateway, "raise", cut_off, **HELD) == {
        "action": "BLOCKED",
        "blocked_reason": "the reply was withheld",
    }
    assert answer_to(gateway, "chat", "Good", tool_calls=[CALL], **HELD)["action"] == "BLOCKED"


@pytest.mark.parametrize("use_case", ["watch", "unread"])
def test_without_enforcement_nothing_is_changed(gateway: Gateway, use_case: str) -> None:
    assert answer_to(gateway, use_case, SECRET) == {"action": "NONE"}


def test_what_has_no_score_is_treated_by_the_policy(gateway: Gateway) -> None:
    french = "Le train pour Lyon part demain matin à huit heures, depuis la gare de l'Est. " * 3
    assert answer_to(gateway, "strict", french)["action"] == "BLOCKED"
    assert answer_to(gateway, "chat", french)["action"] == "NONE"


def test_tool_calls_may_pass_by_the_policy(gateway: Gateway) -> None:
    assert answer_to(gateway, "passing", tool_calls=[CALL]) == {"action": "NONE"}
    assert answer_to(gateway, "chat", tool_calls=[CALL])["action"] == "BLOCKED"


def test_a_reply_of_nothing_passes(gateway: Gateway) -> None:
    assert answer_to(gateway, "chat") == {"action": "NONE"}
    assert answer_to(gateway, "chat", "") == {"action": "NONE"}


def test_strange_texts_are_answered(gateway: Gateway) -> None:
    for text in ("\ud83d", "\x00", "a" * 20_000, "[removed]", "\u202e", "🙂" * 500):
        assert answer_to(gateway, "chat", text)["action"] == "NONE"
