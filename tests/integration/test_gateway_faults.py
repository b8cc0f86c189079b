"""An upstream that fails before its answer has begun, or gives none that can be read."""

from __future__ import annotations

import json
from dataclasses import replace

import openai
import pytest

from tests.integration.gateway_cases import (
    CHAT,
    KIND,
    OPERATIONS,
    Pair,
    asking,
    post,
    same,
)
from tests.integration.gateway_ways import MODEL, chat, chat_stream, langchain, official, turns
from tests.servers_openai import (
    Asked,
    Behaviour,
    Ending,
    breaks_off,
    canned,
    closes,
    hangs,
    huge,
    says,
    status,
)

PATIENCE_SECONDS = 20.0
BOTH = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
EACH = pytest.mark.parametrize("operation", OPERATIONS)


# ---- errors of the upstream pass

PAGE = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
ERRORS: dict[str, tuple[Behaviour, type[openai.APIStatusError]]] = {
    "400": (status(400), openai.BadRequestError),
    "401": (status(401), openai.AuthenticationError),
    "403": (status(403), openai.PermissionDeniedError),
    "404": (status(404), openai.NotFoundError),
    "409": (status(409), openai.ConflictError),
    "422": (status(422), openai.UnprocessableEntityError),
    "429": (status(429, retry_after="7"), openai.RateLimitError),
    "500": (status(500), openai.InternalServerError),
    "503": (status(503, retry_after="9"), openai.InternalServerError),
    "a page": (canned(502, PAGE, content_type="text/html"), openai.InternalServerError),
    "nothing": (canned(500, b""), openai.InternalServerError),
}


@BOTH
@EACH
@pytest.mark.parametrize("behaviour", [one for one, _ in ERRORS.values()], ids=ERRORS)
def test_errors_pass_with_status_and_body(
    pair: Pair, behaviour: Behaviour, operation: str, streamed: bool
) -> None:
    prompt = pair.upstream.plan(behaviour)
    body = asking(operation, prompt, stream=streamed)
    direct = post(pair.upstream.base_url + operation, body)
    through = post(pair.gateway.base_url("chat") + operation, body)
    assert (through.status, through.body) == (direct.status, direct.body)
    for name in ("content-type", "retry-after", "x-request-id"):
        assert through.headers.get(name) == direct.headers.get(name)
    assert "set-cookie" not in through.headers


@pytest.mark.parametrize("use_case", ["chat", "unread"])
@pytest.mark.parametrize(("behaviour", "error"), ERRORS.values(), ids=ERRORS)
def test_errors_are_of_the_right_class(
    pair: Pair, behaviour: Behaviour, error: type[openai.APIStatusError], use_case: str
) -> None:
    prompt = pair.upstream.plan(behaviour)
    with pytest.raises(error):
        chat(pair.gateway.base_url(use_case), prompt)
    with pytest.raises(error):
        chat_stream(pair.gateway.base_url(use_case), prompt)
    at = pair.gateway.base_url(use_case)
    with langchain(at, responses=False) as model, pytest.raises(error):
        model.invoke(prompt)


@pytest.mark.parametrize("code", [429, 500, 503])
def test_the_client_asks_again_and_the_gateway_does_not(pair: Pair, code: int) -> None:
    prompt = pair.upstream.plan(status(code, retry_after="0.01"), says(KIND))
    base_url = pair.gateway.base_url("chat")
    with openai.OpenAI(base_url=base_url, api_key="k", max_retries=2) as client:
        found = client.chat.completions.create(**MODEL, messages=turns(prompt))
    assert found.choices[0].message.content == KIND
    assert len(pair.upstream.asked(prompt)) == 2
    prompt = pair.upstream.plan(status(code, retry_after="0.01"))
    with pytest.raises(openai.APIStatusError):
        chat(base_url, prompt)
    assert len(pair.upstream.asked(prompt)) == 1


# ---- no answer at all


def half_a_head(_: object) -> list[bytes | Ending]:
    return [b"HTTP/1.1 200 OK\r\ncontent-ty", Ending.CLOSE]


def no_http(_: object) -> list[bytes | Ending]:
    return [b"220 mail.example ESMTP\r\n", Ending.CLOSE]


def half_a_body(_: object) -> list[bytes | Ending]:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"
    return [head + b'{"choices": [', Ending.CLOSE]


def half_a_body_then_silence(_: object) -> list[bytes | Ending]:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"
    return [head + b'{"choices": [', Ending.HANG]


def answer_with_status(line: str) -> Behaviour:
    """An answer whose status is outside those of RFC 9110."""
    head = f"HTTP/1.1 {line}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n"
    return lambda _: [head.encode() + b"{}", Ending.CLOSE]


NO_ANSWER: dict[str, tuple[Behaviour, int]] = {
    "closed": (closes, 502),
    "reset": (lambda _: [Ending.RESET], 502),
    "half a head": (half_a_head, 502),
    "no HTTP": (no_http, 502),
    "silence": (hangs, 504),
    "status 000": (answer_with_status("000 None"), 502),
    "status 101": (answer_with_status("101 Switching Protocols"), 502),
    "status 600": (answer_with_status("600 More"), 502),
    "status 999": (answer_with_status("999 Denied"), 502),
}


@BOTH
@EACH
@pytest.mark.parametrize(("behaviour", "code"), NO_ANSWER.values(), ids=NO_ANSWER)
def test_no_answer(
    pair: Pair, behaviour: Behaviour, code: int, operation: str, streamed: bool
) -> None:
    found = pair.ask(operation, behaviour, at="quick", stream=streamed)
    assert found.status == code
    error = found.json["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert "main" in error["message"] or "quick" in error["message"]
    assert "127.0.0.1" not in error["message"]


WHOLE: dict[str, tuple[Behaviour, int]] = {
    "half a body": (half_a_body, 502),
    "half a body, then silence": (half_a_body_then_silence, 504),
    "too large": (huge(2), 502),
    "no JSON": (canned(200, b'{"choices": ['), 502),
    "a page": (canned(200, PAGE, content_type="text/html"), 502),
    "not UTF-8": (canned(200, b'{"choices": "\xff\xfe"}'), 502),
    "nothing": (canned(200, b""), 502),
    "a list": (canned(200, b"[1, 2]"), 502),
}


@EACH
@pytest.mark.parametrize("name", ["half a body", "half a body, then silence", "too large"])
def test_no_whole_answer(pair: Pair, name: str, operation: str) -> None:
    behaviour, code = WHOLE[name]
    at = "chat" if name == "too large" else "quick"
    assert pair.ask(operation, behaviour, at=at).status == code


@EACH
@pytest.mark.parametrize("name", ["no JSON", "a page", "not UTF-8", "nothing", "a list"])
def test_an_answer_that_cannot_be_read(pair: Pair, name: str, operation: str) -> None:
    """By policy it is released unscored, as it came, or withheld."""
    behaviour, _ = WHOLE[name]
    prompt = pair.upstream.plan(behaviour)
    body = asking(operation, prompt)
    direct = post(pair.upstream.base_url + operation, body)
    through = post(pair.gateway.base_url("chat") + operation, body)
    if through.status == 200:
        assert through.body == direct.body
        assert through.headers["x-guard-verdict"] == "unscored"
    else:
        assert through.status == 502
    assert post(pair.gateway.base_url("strict") + operation, body).body != direct.body or (
        not direct.body
    )


def test_nobody_listens(pair: Pair) -> None:
    found = pair.ask(CHAT, says(KIND), at="gone")
    assert found.status == 502
    assert found.json["error"]["code"] == "upstream_unreachable"
    with pytest.raises(openai.InternalServerError):
        chat(pair.gateway.base_url("gone"), "hello")


def test_classes_of_what_the_gateway_says_itself(pair: Pair) -> None:
    with pytest.raises(openai.InternalServerError, match="did not answer in time"):
        chat(pair.gateway.base_url("quick"), pair.upstream.plan(hangs))
    with pytest.raises(openai.InternalServerError, match="broke off"):
        chat(pair.gateway.base_url("quick"), pair.upstream.plan(closes))


def test_a_stream_that_was_not_given_as_one(pair: Pair) -> None:
    """Where replies are judged nobody takes a guess at what that is."""
    prompt = pair.upstream.plan(lambda asked: says(KIND)(whole_of(asked)))
    body = asking(CHAT, prompt, stream=True)
    direct = post(pair.upstream.base_url + CHAT, body)
    same(direct, post(pair.gateway.base_url("unread") + CHAT, body))
    assert post(pair.gateway.base_url("chat") + CHAT, body).status == 502


def whole_of(asked: Asked) -> Asked:
    """The same request, as if it had not asked for a stream."""
    return replace(asked, raw=json.dumps({**asked.body, "stream": False}).encode())


def test_a_break_after_the_first_bytes_is_no_second_request(pair: Pair) -> None:
    """What may have reached the model is not sent again by the gateway."""
    prompt = pair.upstream.plan(breaks_off("Thank", Ending.CLOSE, said=KIND))
    post(pair.gateway.base_url("full") + CHAT, asking(CHAT, prompt, stream=True))
    prompt_of_whole = pair.upstream.plan(half_a_body)
    post(pair.gateway.base_url("chat") + CHAT, asking(CHAT, prompt_of_whole))
    assert len(pair.upstream.asked(prompt)) == 1
    assert len(pair.upstream.asked(prompt_of_whole)) == 1


def test_closed_connections_of_the_pool_are_not_in_the_way(pair: Pair) -> None:
    """An upstream may close what it kept; the next request goes out all the same."""
    for _ in range(3):
        with official(pair.gateway.base_url("chat")) as client:
            prompt = pair.upstream.plan(says(KIND))
            client.chat.completions.create(**MODEL, messages=turns(prompt))
        pair.upstream.drop_idle()
