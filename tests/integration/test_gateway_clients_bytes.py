"""What comes through the gateway and what comes without it, where nothing is flagged: the same."""

from __future__ import annotations

import pytest

from tests.integration.gateway_cases import (
    CHAT,
    COMPLETIONS,
    KIND,
    MANY,
    OPERATIONS,
    RESPONSES,
    SIGNS,
    TIME,
    WEATHER,
    Pair,
    asking,
    post,
    same,
    send,
)
from tests.servers_gateway import Gateway
from tests.servers_openai import (
    Choice,
    Dialect,
    Upstream,
    Wire,
    bytewise,
    drips,
    in_pieces_of,
    says,
)

EVERYWHERE = {
    "a sentence": [Choice(text=KIND)],
    "many sentences": [Choice(text=MANY)],
    "signs": [Choice(text=SIGNS)],
    "nothing": [Choice(text="")],
    "cut": [Choice(text="This has no end", finish="length")],
}
NOT_IN_RESPONSES = {"two choices": [Choice(text=KIND), Choice(text=MANY, finish="length")]}
NOT_IN_COMPLETIONS = {
    "a refusal": [Choice(refusal="I am sorry, I cannot help with that.")],
    "reasoning": [Choice(text=KIND, reasoning="They ask for help. I will give it.")],
    "tools": [Choice(tools=(WEATHER, TIME))],
    "text and tools": [Choice(text="Let me look.", tools=(WEATHER,))],
}
ANSWERS = {
    CHAT: EVERYWHERE | NOT_IN_RESPONSES | NOT_IN_COMPLETIONS,
    COMPLETIONS: EVERYWHERE | NOT_IN_RESPONSES,
    RESPONSES: EVERYWHERE | NOT_IN_COMPLETIONS,
}
MORE = {
    CHAT: {"logprobs": True, "top_logprobs": 2, "stream_options": {"include_usage": True}},
    COMPLETIONS: {"logprobs": 1, "stream_options": {"include_usage": True}},
    RESPONSES: {"include": ["message.output_text.logprobs"], "top_logprobs": 2},
}
WIRES = {
    "plain": Wire(),
    "bytewise": Wire(chop=bytewise),
    "pieces of 7": Wire(chop=in_pieces_of(7), comments=True),
    "CRLF": Wire(newline="\r\n", comments=True),
    "CR": Wire(newline="\r", chop=bytewise),
    "no chunks, no end": Wire(chunked=False, done=False),
    "escaped": Wire(ascii=True),
}
MODES = ("chat", "full", "none", "watch", "unread")


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("use_case", MODES)
@pytest.mark.parametrize(
    ("operation", "answer"),
    [(operation, name) for operation, answers in ANSWERS.items() for name in answers],
)
def test_answers(pair: Pair, operation: str, answer: str, use_case: str, streamed: bool) -> None:
    behaviour = says(*ANSWERS[operation][answer], extra={"unknown": [1, None]})
    pair.compare(operation, behaviour, use_case, stream=streamed, **MORE[operation])


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("use_case", ["chat", "full", "none"])
@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_dialects(
    pair: Pair, operation: str, dialect: Dialect, use_case: str, streamed: bool
) -> None:
    said = Choice(text=KIND, reasoning="" if operation == COMPLETIONS else "They need help. Yes.")
    pair.compare(operation, says(said, dialect=dialect), use_case, stream=streamed)


@pytest.mark.parametrize("use_case", ["chat", "watch"])
@pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_events_however_they_come(pair: Pair, operation: str, wire: Wire, use_case: str) -> None:
    pair.compare(operation, says(SIGNS, wire=wire), use_case, stream=True)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_whole_answer_byte_by_byte(pair: Pair, operation: str) -> None:
    pair.compare(operation, drips(SIGNS), "chat")


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
def test_off_changes_no_byte(pair: Pair, streamed: bool) -> None:
    prompt = pair.upstream.plan(says(SIGNS, wire=Wire(newline="\r\n", comments=True)))
    body = asking(CHAT, prompt, stream=streamed)
    direct = post(pair.upstream.base_url + CHAT, body)
    assert post(pair.gateway.base_url("unread") + CHAT, body).body == direct.body


def test_models_are_read_and_nothing_else(upstream: Upstream, gateway: Gateway) -> None:
    for path in ("/models", "/models/other", "/models/none-such"):
        direct = send("GET", upstream.base_url + path)
        same(direct, send("GET", gateway.base_url("chat") + path))
    before = len(upstream.requests)
    for method, path in (
        ("GET", "/files"),
        ("POST", "/embeddings"),
        ("DELETE", "/models/other"),
        ("POST", "/chat/completions/extra"),
        ("GET", "/models/../files"),
        ("GET", "/models/a%2F..%2F..%2Ffiles"),
        ("POST", "/images/generations"),
        ("GET", "/responses/resp_1"),
    ):
        refused = send(method, gateway.base_url() + path, b"{}" if method == "POST" else b"")
        assert refused.status in {403, 404, 405}, path
        assert refused.json["error"]["message"]
    assert len(upstream.requests) == before
