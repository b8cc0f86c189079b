"""What clients of the real LiteLLM proxy get where our gateway is its guardrail."""

from __future__ import annotations

import time

import pytest

from tests.integration.gateway_cases import (
    AFTER,
    BEFORE,
    CHAT,
    COMPLETIONS,
    FALLBACK,
    KIND,
    MANY,
    RESPONSES,
    SECRET,
    Answered,
    leaks,
)
from tests.litellm.scene import Scene
from tests.servers_openai import Choice, Tool, says, spoken

PATIENCE_SECONDS = 120
REFUSED = "I am not able to answer that request."
MIXED = f"{BEFORE} {SECRET} {AFTER}"
CUT_OFF = SECRET.removesuffix(".")
INSULTING_TOOL = Tool(name="say", arguments=f'{{"text": "{SECRET}"}}')


def text_of(answer: Answered) -> str:
    """What a client takes for the reply."""
    if answer.headers["content-type"].startswith("text/event-stream"):
        return spoken(answer.objects)
    return str(answer.json["choices"][0]["message"]["content"])


def error_of(answer: Answered) -> str:
    """What a client is told instead of a reply, or after a part of it."""
    objects = answer.objects if "event-stream" in answer.headers["content-type"] else [answer.json]
    return str(objects[-1]["error"]["message"])


def counted(scene: Scene, *, more_than: float = 0, **series: str) -> float:
    """The value of a series once it is larger than that, or patience is at its end."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while (found := scene.counted(**series)) <= more_than and time.monotonic() < give_up:
        time.sleep(0.5)
    return found


@pytest.mark.parametrize("mode", ["sampled", "end", "held"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("said", [KIND, MANY], ids=["short", "long"])
def test_a_kind_reply_arrives(scene: Scene, mode: str, said: str, *, streamed: bool) -> None:
    answer, exchanges = scene.ask(f"chat-{mode}", says(said), stream=streamed)
    assert (answer.status, text_of(answer)) == (200, said)
    assert {one.status for one in exchanges} == {200}
    assert exchanges[-1].asked["texts"] == [said]


@pytest.mark.parametrize("mode", ["sampled", "end", "held"])
def test_a_blocked_reply_is_an_error_with_the_fallback(scene: Scene, mode: str) -> None:
    answer, (exchange,) = scene.ask(f"chat-{mode}", says(MIXED))
    assert exchange.answer == {"action": "BLOCKED", "blocked_reason": FALLBACK}
    assert (answer.status, error_of(answer)) == (400, FALLBACK)
    assert not leaks(answer)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_where_our_texts_are_applied_the_fallback_stands_for_an_end_that_is_cut_off(
    scene: Scene, *, streamed: bool
) -> None:
    said = f"{BEFORE} {CUT_OFF}"
    answer, _ = scene.ask("chat-held", says(said), stream=streamed)
    assert (answer.status, text_of(answer)) == (200, f"{BEFORE} {FALLBACK}")
    assert not leaks(answer)


def test_a_use_case_that_raises_never_gets_the_fallback(scene: Scene) -> None:
    for mode in ("sampled", "held"):
        answer, _ = scene.ask(f"raise-{mode}", says(SECRET))
        assert (answer.status, error_of(answer)) == (400, "the reply was withheld")


@pytest.mark.parametrize("said", [SECRET, MIXED, f"{BEFORE} {SECRET}"], ids=["all", "mid", "end"])
@pytest.mark.parametrize("use_case", ["chat", "full"])
def test_of_a_held_stream_no_byte_of_a_blocked_sentence_leaves(
    scene: Scene, use_case: str, said: str
) -> None:
    answer, _ = scene.ask(f"{use_case}-held", says(said), stream=True)
    assert not leaks(answer)
    assert error_of(answer) == FALLBACK


@pytest.mark.parametrize("mode", ["sampled", "end"])
def test_a_stream_that_is_not_held_ends_with_an_error(scene: Scene, mode: str) -> None:
    """What the client has by then is what LiteLLM had let pass before it asked."""
    answer, _ = scene.ask(f"chat-{mode}", says(MIXED), stream=True)
    assert error_of(answer) == FALLBACK
    assert b"[DONE]" not in answer.body or answer.body.index(b"error") < answer.body.index(
        b"[DONE]"
    )
    assert (AFTER in text_of(answer)) is (mode == "end")


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_a_redacted_sentence_is_replaced(scene: Scene, *, streamed: bool) -> None:
    answer, exchanges = scene.ask("redact-held", says(MIXED), stream=streamed)
    assert text_of(answer) == f"{BEFORE} [removed] {AFTER}"
    assert exchanges[-1].answer["action"] == "GUARDRAIL_INTERVENED"
    assert not leaks(answer)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_where_our_texts_would_be_dropped_nothing_is_redacted_but_blocked(
    scene: Scene, *, streamed: bool
) -> None:
    answer, _ = scene.ask("redact-sampled", says(MIXED), stream=streamed)
    assert error_of(answer) == FALLBACK


@pytest.mark.parametrize("use_case", ["watch", "unread"])
@pytest.mark.parametrize("mode", ["sampled", "end", "held"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_what_nobody_enforces_arrives(
    scene: Scene, use_case: str, mode: str, *, streamed: bool
) -> None:
    answer, _ = scene.ask(f"{use_case}-{mode}", says(MIXED), stream=streamed)
    assert text_of(answer) == MIXED


@pytest.mark.parametrize("guardrail", ["before", "during", "both"])
def test_prompts_pass_unjudged_and_counted(scene: Scene, guardrail: str) -> None:
    series = {"series": "guard_litellm_answers_total", "action": "not_judged"}
    before = scene.counted(**series)
    answer, exchanges = scene.ask(guardrail, says(KIND))
    assert text_of(answer) == KIND
    assert exchanges[0].asked["input_type"] == "request"
    assert exchanges[0].answer == {"action": "NONE"}
    assert scene.counted(**series) == before + 1


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_a_blocked_prompt_is_an_error_and_the_model_is_not_asked(
    scene: Scene, *, streamed: bool
) -> None:
    labels = {"kind": "prompt", "use_case": "prompts"}
    before = scene.counted("guard_inputs_total", **labels, verdict="blocked")
    body = {"model": "scripted", "guardrails": ["blocking"], "stream": streamed}
    asked = len(scene.upstream.requests)
    answer = scene.send(CHAT, {**body, "messages": [{"role": "user", "content": SECRET}]})
    assert (answer.status, answer.json["error"]["message"]) == (400, REFUSED)
    assert len(scene.upstream.requests) == asked
    assert scene.counted("guard_inputs_total", **labels, verdict="blocked") == before + 1


def test_a_kind_prompt_reaches_the_model(scene: Scene) -> None:
    answer, (exchange,) = scene.ask("blocking", says(KIND))
    assert (answer.status, text_of(answer)) == (200, KIND)
    assert exchange.answer == {"action": "NONE"}


def test_arguments_of_a_tool_are_judged(scene: Scene) -> None:
    answer, (exchange,) = scene.ask("chat-sampled", says(Choice(tools=(INSULTING_TOOL,))))
    assert exchange.asked["tool_calls"]
    assert (answer.status, error_of(answer)) == (400, FALLBACK)


def test_every_choice_is_judged(scene: Scene) -> None:
    answer, (exchange,) = scene.ask("chat-sampled", says(KIND, SECRET), n=2)
    assert exchange.asked["texts"] == [KIND, SECRET]
    assert (answer.status, error_of(answer)) == (400, FALLBACK)


@pytest.mark.parametrize("operation", [COMPLETIONS, RESPONSES])
def test_the_other_interfaces_are_judged_too(scene: Scene, operation: str) -> None:
    answer, _ = scene.ask("chat-sampled", says(KIND), operation=operation)
    assert answer.status == 200
    answer, _ = scene.ask("chat-sampled", says(SECRET), operation=operation)
    assert (answer.status, error_of(answer)) == (400, FALLBACK)
    assert not leaks(answer)


@pytest.mark.parametrize("mode", ["sampled", "end"])
def test_a_stream_of_the_responses_api_ends_with_an_error(scene: Scene, mode: str) -> None:
    answer, _ = scene.ask(f"chat-{mode}", says(KIND), operation=RESPONSES, stream=True)
    assert spoken(answer.objects) == KIND
    answer, _ = scene.ask(f"chat-{mode}", says(MIXED), operation=RESPONSES, stream=True)
    assert FALLBACK in answer.body.decode()


def test_the_proxy_does_not_ask_about_streams_of_completions(scene: Scene) -> None:
    """A gap of LiteLLM 1.106, which docs/litellm.md names; the page is to change with it."""
    _, exchanges = scene.ask("chat-sampled", says(MIXED), operation=COMPLETIONS, stream=True)
    assert exchanges == []


def test_the_interface_of_anthropic_is_judged_too(scene: Scene) -> None:
    for said, status in ((KIND, 200), (SECRET, 400)):
        prompt = scene.upstream.plan(says(said))
        body = {
            "model": "scripted",
            "max_tokens": 100,
            "messages": [{"role": "user", "content": prompt}],
            "guardrails": ["chat-sampled"],
        }
        answer = scene.send("/messages", body)
        assert answer.status == status, answer.body


def test_what_a_tool_brings_in_is_judged(scene: Scene) -> None:
    answer, exchanges = scene.call_tool(KIND)
    assert (answer.status, KIND in answer.body.decode()) == (200, True), answer.body
    assert [one.asked["input_type"] for one in exchanges] == ["request", "response"]
    answer, exchanges = scene.call_tool(MIXED)
    assert exchanges[-1].answer["action"] == "GUARDRAIL_INTERVENED"
    assert (answer.status, f"{BEFORE} [removed] {AFTER}" in answer.body.decode()) == (200, True)
    assert not leaks(answer)


def test_a_gateway_that_is_away_fails_as_the_proxy_is_told(scene: Scene) -> None:
    answer, _ = scene.ask("away", says(KIND))
    assert answer.status == 500
    answer, _ = scene.ask("away-open", says(KIND))
    assert text_of(answer) == KIND


def test_the_proxy_may_let_every_reply_pass_that_could_not_be_judged(scene: Scene) -> None:
    answer, (exchange,) = scene.ask("nowhere-open", says(KIND))
    assert (exchange.status, text_of(answer)) == (404, KIND)


@pytest.mark.parametrize(("guardrail", "status"), [("no-key", 401), ("nowhere", 404)])
def test_a_wrong_setting_of_the_proxy_fails_closed(
    scene: Scene, guardrail: str, status: int
) -> None:
    answer, (exchange,) = scene.ask(guardrail, says(KIND))
    assert (answer.status, exchange.status) == (500, status)
    assert KIND not in answer.body.decode()


def test_a_stream_is_one_record(scene: Scene) -> None:
    """In a use case that no other test has."""
    series = {"series": "guard_calls_total", "use_case": "passing"}
    _, exchanges = scene.ask("passing-held", says(MANY), stream=True)
    assert len(exchanges) > 50
    assert counted(scene, **series) == 1


@pytest.mark.parametrize("mode", ["sampled", "end", "held"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_a_client_that_chooses_the_id_of_its_calls_loses_no_record(
    scene: Scene, mode: str, *, streamed: bool
) -> None:
    series = {"series": "guard_calls_total", "use_case": "passing", "verdict": "blocked"}
    before = scene.counted(**series)
    for _ in range(3):
        scene.ask(f"passing-{mode}", says(MIXED), call_id=f"one {mode} {streamed}", stream=streamed)
    assert counted(scene, more_than=before + 2, **series) == before + 3


def test_every_request_of_the_proxy_was_understood(scene: Scene) -> None:
    statuses = {one.status for one in scene.recorder.exchanges if one.headers.get("x-api-key")}
    assert statuses <= {200, 404}
    assert {one.path.rpartition("/")[2] for one in scene.recorder.exchanges} == {
        "litellm_basic_guardrail_api"
    }
