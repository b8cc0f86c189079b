"""Answers that are judged whole: JSON, and texts whose length is known."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from guard.errors import SettingsError
from guard.policy import OnUnscored, Policy, Rule
from guard.records import Action, Unscored, Verdict
from guard.testing import Recorder
from guard.wrap.asgi import GuardASGI, Guarded
from tests.asgi_made import BLOCK, FALLBACK, Answered, App, ask, guard_of, guarded

WITHHOLD = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
RAISE = replace(BLOCK, raises=True)
LENGTH = (b"content-length", b"1000")


def said(document: Any) -> list[bytes]:
    body = json.dumps(document).encode()
    return [body[:7], body[7:]]


@pytest.fixture
def seen() -> Recorder:
    return Recorder()


async def test_a_harmless_answer_passes_byte_for_byte(seen: Recorder) -> None:
    app = App([b'{ "text" : "fine" , "f": 1.10}'], headers=[(b"etag", b"e")])
    answer = await ask(guarded(app, recorder=seen))
    assert answer.body == b'{ "text" : "fine" , "f": 1.10}'
    assert answer.headers == {
        "content-type": "application/json",
        "etag": "e",
        "x-guard-call-id": "call-0",
        "x-guard-verdict": "released",
    }
    assert seen.outcomes[0].call.id == "call-0"
    assert app.finished


async def test_a_blocked_text_is_the_fallback_and_the_rest_stays(seen: Recorder) -> None:
    changed = [(b"ETag", b"e"), (b"Content-MD5", b"m"), (b"Digest", b"d"), (b"X-Own", b"o")]
    dated = [(b"Last-Modified", b"l"), (b"content-length", b"99"), (b"accept-ranges", b"bytes")]
    app = App(said({"text": "you are nasty", "id": [1, None]}), headers=[*changed, *dated])
    answer = await ask(guarded(app, recorder=seen))
    assert answer.status == 200
    assert answer.json == {"text": FALLBACK, "id": [1, None]}
    assert answer.headers == {
        "content-type": "application/json",
        "X-Own": "o",
        "content-length": str(len(answer.body)),
        "x-guard-call-id": "call-0",
        "x-guard-verdict": "blocked",
    }
    assert seen.outcomes[0].reply == "you are nasty"


async def test_an_application_cannot_speak_for_the_guard() -> None:
    headers = [(b"X-Guard-Verdict", b"released"), (b"x-guard-call-id", b"mine")]
    answer = await ask(guarded(App(said({"text": "nasty"}), headers=headers)))
    assert answer.headers["x-guard-verdict"] == "blocked"
    assert answer.headers["x-guard-call-id"] == "call-0"
    assert len(answer.headers) == 4


@pytest.mark.parametrize("action", [Action.BLOCK, Action.REDACT])
async def test_log_probabilities_go_with_a_text_that_is_changed(action: Action) -> None:
    policy = replace(BLOCK, rules=(Rule(score="toxicity", action=action, threshold=0.9),))
    spelt = {"token": "nasty", "bytes": [*b"nasty"], "logprob": -0.1}
    choice = {"message": {"content": "nasty"}, "logprobs": {"content": [spelt]}, "usage": [1, 2]}
    app = App(said({"choices": [choice]}))
    answer = await ask(guarded(app, "choices.*.message.content", policy=policy))
    assert b"nasty" not in answer.body
    assert answer.json["choices"][0]["logprobs"] is None
    assert answer.json["choices"][0]["usage"] == [1, 2]


async def test_what_repeats_a_withheld_text_is_blanked() -> None:
    document = {"text": "nasty", "html": "<p>nasty</p>", "parts": [{"raw": "nasty"}, {"raw": "x"}]}
    given = Guarded(field="text", blank=("html", "parts.*.raw", "not.there"))
    answer = await ask(guarded(App(said(document)), given))
    assert answer.json == {"text": FALLBACK, "html": None, "parts": [{"raw": None}, {"raw": None}]}
    kind = {**document, "text": "fine"}
    assert (await ask(guarded(App(said(kind)), given))).json == kind


async def test_every_text_of_a_list_is_judged_on_its_own(seen: Recorder) -> None:
    document = {"all": [{"t": "one"}, {"t": "nasty two"}, {"t": None}, {"t": "é\ud800"}]}
    answer = await ask(guarded(App(said(document)), "all.*.t", recorder=seen))
    assert [one["t"] for one in answer.json["all"]] == ["one", FALLBACK, None, "é\ud800"]
    assert answer.headers["x-guard-verdict"] == "blocked"
    assert answer.headers["x-guard-call-id"] == ", ".join(one.call.id for one in seen.outcomes)
    assert {one.call.never_shadowed for one in seen.outcomes} == {"several_texts"}


@pytest.mark.parametrize(
    ("field", "document", "text"),
    [
        ("", "nasty", FALLBACK),
        ("*", ["nasty"], [FALLBACK]),
        ("a.b.1", {"a": {"b": ["x", "nasty"]}}, {"a": {"b": ["x", FALLBACK]}}),
    ],
)
async def test_where_a_text_can_stand(field: str, document: Any, text: Any) -> None:
    assert (await ask(guarded(App(said(document)), field))).json == text


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32-be"])
async def test_json_keeps_its_encoding(codec: str) -> None:
    body = json.dumps({"text": "nasty", "other": "é"}, ensure_ascii=False).encode(codec)
    answer = await ask(guarded(App([body], media=f"application/json; charset={codec}")))
    assert json.loads(answer.body.decode(codec)) == {"text": FALLBACK, "other": "é"}


async def test_redaction_keeps_the_rest(seen: Recorder) -> None:
    rule = Rule(score="toxicity", action=Action.REDACT, threshold=0.9)
    policy = Policy(rules=(rule,), redaction="[x]")
    app = App(said({"text": "This is fine. nasty"}))
    answer = await ask(guarded(app, policy=policy, recorder=seen))
    assert answer.json == {"text": "This is fine. [x]"}
    assert seen.outcomes[0].action is Action.REDACT


async def test_nobody_can_be_asked_again_so_regenerate_blocks(seen: Recorder) -> None:
    rule = Rule(score="toxicity", action=Action.REGENERATE, threshold=0.9)
    policy = Policy(rules=(rule,), fallback=FALLBACK, regenerations=3)
    answer = await ask(guarded(App(said({"text": "nasty"})), policy=policy, recorder=seen))
    assert answer.json == {"text": FALLBACK}
    assert (seen.outcomes[0].attempts, seen.outcomes[0].action) == (1, Action.BLOCK)


async def test_on_block_raise_is_an_error_of_the_gateway_kind() -> None:
    app = App(said({"text": "nasty", "other": "kept"}), headers=[(b"set-cookie", b"a=b")])
    answer = await ask(guarded(app, policy=RAISE))
    assert answer.status == 502
    assert answer.json["error"]["code"] == "content_filter"
    assert answer.headers == {
        "content-type": "application/json",
        "content-length": str(len(answer.body)),
        "x-guard-call-id": "call-0",
        "x-guard-verdict": "blocked",
    }
    assert answer.ended


UNREADABLE = {
    "not_json": App([b"{nasty"]),
    "no_field": App([b'{"other": "nasty"}']),
    "beyond": App([b'{"text": ["nasty"]}']),
    "not_text": App([b'{"text": 7}']),
    "compressed": App([b'{"text": "nasty"}'], headers=[(b"content-encoding", b"gzip")]),
    "media_type": App([b"<p>nasty</p>"], media="text/html"),
    "charset": App([b"nasty"], media="text/plain; charset=utf-16", headers=[LENGTH]),
    "partial": App([b'{"text": "nasty"}'], status=206),
    "too_large": App([b'{"text":', b'"nasty"', b"}" + b" " * 1000]),
    "too_many_texts": App([b'{"text": ["nasty", "b", "c", "d"]}']),
    "twice": App([b'{"text": "nasty", "text": "fine"}']),
    "deep": App([b"[" * 100_000]),
    "long_number": App([b'{"text": "nasty", "n": ' + b"9" * 500 + b"9" * 4500 + b"}"]),
}


def field_of(name: str) -> str:
    return {"too_many_texts": "text.*", "beyond": "text.1"}.get(name, "text")


def limits_of(name: str) -> dict[str, Any]:
    return {"body_mb": 0.0005} if name == "too_large" else {"most_texts": 3}


@pytest.mark.parametrize("name", UNREADABLE)
async def test_what_nobody_can_read_passes_and_is_recorded(name: str, seen: Recorder) -> None:
    app = replace(UNREADABLE[name])
    answer = await ask(guarded(app, field_of(name), recorder=seen, **limits_of(name)))
    assert answer.body == b"".join(app.chunks)
    assert answer.status == app.status
    assert answer.headers["x-guard-verdict"] == "unscored"
    (outcome,) = seen.outcomes
    assert outcome.unscored is Unscored.NOT_TEXT
    also = {**dict.fromkeys(["twice", "deep", "long_number"], "not_json"), "beyond": "no_field"}
    why = also.get(name, name)
    assert outcome.unread == {why}


@pytest.mark.parametrize("name", UNREADABLE)
async def test_what_nobody_can_read_is_refused_where_policy_withholds(
    name: str, seen: Recorder
) -> None:
    app = replace(UNREADABLE[name], heard=[])
    guard = guarded(app, field_of(name), recorder=seen, policy=WITHHOLD, **limits_of(name))
    answer = await ask(guard)
    assert answer.status == 502
    assert b"nasty" not in answer.body
    assert "it could not be read" in answer.json["error"]["message"]
    assert answer.ended
    assert seen.outcomes[0].verdict is Verdict.BLOCKED


async def test_no_field_is_told_for_json(seen: Recorder) -> None:
    await ask(guarded(App(said({"text": "nasty"})), None, recorder=seen))
    assert seen.outcomes[0].unread == {"no_field"}


async def test_an_answer_without_any_text_is_an_empty_one(seen: Recorder) -> None:
    answer = await ask(guarded(App(said({"all": []})), "all.*.t", policy=WITHHOLD, recorder=seen))
    assert answer.json == {"all": []}
    assert seen.outcomes[0].unscored is Unscored.EMPTY


async def test_an_empty_body_passes() -> None:
    answer = await ask(guarded(App([], headers=[(b"content-length", b"0")]), policy=WITHHOLD))
    assert (answer.status, answer.body, answer.ended) == (200, b"", True)


async def test_a_text_of_known_length_is_judged_whole() -> None:
    app = App([b"Good. So good. ", b"Very nas", b"ty."], media="text/plain", headers=[LENGTH])
    answer = await ask(guarded(app))
    assert answer.body == FALLBACK.encode()
    assert answer.headers["content-length"] == str(len(FALLBACK))
    assert answer.headers["x-guard-verdict"] == "blocked"


async def test_a_fallback_that_the_charset_lacks_is_still_said() -> None:
    policy = replace(BLOCK, fallback="No… é")
    media = "text/plain; charset=iso-8859-1"
    answer = await ask(guarded(App([b"nasty \xe9"], media=media, headers=[LENGTH]), policy=policy))
    assert answer.body == "No? é".encode("latin-1")


@pytest.mark.parametrize("status", [201, 299])
async def test_every_success_is_guarded(status: int) -> None:
    answer = await ask(guarded(App(said({"text": "nasty"}), status=status)))
    assert (answer.status, answer.json) == (status, {"text": FALLBACK})


@pytest.mark.parametrize("status", [204, 205, 301, 304, 404, 500])
async def test_other_answers_are_left_alone(status: int, seen: Recorder) -> None:
    app = App([b'{"text": "nasty"}'], status=status, headers=[(b"etag", b"e")])
    answer = await ask(guarded(app, recorder=seen))
    assert answer.headers == {"content-type": "application/json", "etag": "e"}
    assert answer.body == b'{"text": "nasty"}'
    assert seen.outcomes == []


@pytest.mark.parametrize(
    ("path", "method"), [("/other", "POST"), ("/text/more", "GET"), ("/text", "HEAD")]
)
async def test_other_requests_are_left_alone(path: str, method: str, seen: Recorder) -> None:
    app = App(said({"text": "nasty"}))
    accepts = [(b"accept-encoding", b"gzip")]
    answer = await ask(guarded(app, recorder=seen), path, method=method, headers=accepts)
    assert answer.json == {"text": "nasty"}
    assert app.scope["headers"] == accepts
    assert seen.outcomes == []


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
async def test_other_protocols_are_left_alone(kind: str) -> None:
    heard: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        heard.append((scope["type"], receive, send))

    guard = guarded(app)
    await guard({"type": kind, "path": "/text"}, "receive", "send")
    assert heard == [(kind, "receive", "send")]


async def test_in_observe_mode_everything_passes_and_is_recorded(seen: Recorder) -> None:
    policy = replace(BLOCK, enforce=False)
    answer = await ask(guarded(App(said({"text": "nasty"})), policy=policy, recorder=seen))
    assert answer.json == {"text": "nasty"}
    assert answer.headers["x-guard-verdict"] == "unscored"
    assert seen.outcomes[0].verdict is Verdict.FLAGGED


async def test_a_use_case_that_is_off_is_not_read(seen: Recorder) -> None:
    into = Answered()
    app = App([b"{", b"nasty"])
    await ask(guarded(app, policy=replace(BLOCK, off=True), recorder=seen), into=into)
    assert into.chunks == [b"{", b"nasty", b""]
    assert into.headers["x-guard-verdict"] == "unscored"
    assert seen.outcomes[0].unscored is Unscored.OFF


async def test_what_was_asked_is_recorded(seen: Recorder) -> None:
    given = Guarded(field="text", prompt="input.document")
    body = json.dumps({"input": {"document": "Long text."}}).encode()
    app = guarded(App(said({"text": "fine"})), given, recorder=seen)
    await ask(app, body=[body[:5], body[5:]])
    assert seen.outcomes[0].call.prompt == "Long text."
    assert [turn.role for turn in seen.outcomes[0].call.turns] == ["user"]


async def test_a_conversation_is_recorded_as_one(seen: Recorder) -> None:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    given = Guarded(field="text", prompt="messages")
    app = guarded(App(said({"text": "fine"})), given, recorder=seen)
    await ask(app, body=[json.dumps({"messages": messages}).encode()])
    assert [turn.content for turn in seen.outcomes[0].call.turns] == ["Be kind.", "Hi"]


@pytest.mark.parametrize(
    "body", [b"", b"no json", b'{"messages": 7}', b"[]", b" " * 600 + b'{"messages": "x"}']
)
async def test_a_question_nobody_understands_is_no_obstacle(body: bytes, seen: Recorder) -> None:
    given = Guarded(field="text", prompt="messages")
    app = guarded(App(said({"text": "fine"})), given, recorder=seen, body_mb=0.0005)
    assert (await ask(app, body=[body])).json == {"text": "fine"}
    assert seen.outcomes[0].call.prompt == ""


async def test_a_client_can_opt_out_of_shadowing(seen: Recorder) -> None:
    app = guarded(App(said({"text": "fine"})), recorder=seen)
    await ask(app, headers=[(b"x-guard-shadow", b"Off")])
    assert seen.outcomes[0].call.never_shadowed == "opted_out"


async def test_the_application_is_asked_for_a_body_that_can_be_read() -> None:
    app = App(said({"text": "fine"}))
    headers = [(b"accept-encoding", b"br"), (b"range", b"bytes=1-"), (b"accept", b"*/*")]
    names = ["http.response.pathsend", "http.response.trailers", "http.response.debug"]
    scope = {"headers": headers, "extensions": {name: {} for name in names}}
    await ask(guarded(app), **scope)
    assert app.scope["headers"] == [(b"accept", b"*/*")]
    assert list(app.scope["extensions"]) == ["http.response.debug"]


async def test_headers_may_be_given_once(seen: Recorder) -> None:
    """ASGI says Iterable: what was read once is gone for all who read it later."""
    inner = App(said({"text": "you are nasty"}), headers=[(b"x-own", b"o")])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        async def send_once(message: Any) -> None:
            there = {"headers": iter(message["headers"])} if "headers" in message else {}
            await send({**message, **there})

        await inner({**scope, "headers": [*scope["headers"]]}, receive, send_once)

    asked = [(b"x-guard-shadow", b"off"), (b"accept", b"*/*")]
    answer = await ask(guarded(app, recorder=seen), headers=iter(asked))
    assert answer.json == {"text": FALLBACK}
    assert (answer.headers["content-type"], answer.headers["x-own"]) == ("application/json", "o")
    assert inner.scope["headers"] == asked
    assert seen.outcomes[0].call.never_shadowed == "opted_out"


@pytest.mark.parametrize("headers", [{}, {"headers": None}, {"headers": iter([(b"a", b"b")])}])
async def test_headers_of_an_answer_that_is_not_guarded_pass(headers: Any) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, **headers})
        await send({"type": "http.response.body"})

    answer = await ask(guarded(app))
    assert answer.headers == ({"a": "b"} if headers.get("headers") else {})


async def test_what_the_application_leaves_in_the_scope_stays_there() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        scope["route"] = "found"

    headers = [(b"accept-encoding", b"br")]
    scope = {"type": "http", "path": "/text", "method": "GET", "headers": headers}
    await guarded(app)(scope, None, None)
    assert scope["route"] == "found"
    assert scope["headers"] is headers


async def test_an_application_that_fails_is_counted_and_heard(seen: Recorder) -> None:
    error = ValueError("mine")
    with pytest.raises(ValueError, match="mine") as raised:
        await ask(guarded(App([b'{"te'], error=error), recorder=seen))
    assert raised.value is error
    assert seen.errors == ["test"]
    assert seen.outcomes == []


async def test_an_application_that_fails_before_its_answer_is_counted(seen: Recorder) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        await ask(guarded(app, recorder=seen))
    assert seen.errors == ["test"]


async def test_work_in_the_background_goes_on_and_its_faults_are_its_own(seen: Recorder) -> None:
    done: list[bool] = []
    inner = App(said({"text": "nasty"}))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await inner(scope, receive, send)
        done.append((await asyncio.sleep(0)) is None)
        raise ValueError("background")

    answer = Answered()
    with pytest.raises(ValueError, match="background"):
        await ask(guarded(app, recorder=seen), into=answer)
    assert answer.json == {"text": FALLBACK}
    assert done == [True]
    assert seen.errors == []


async def test_the_rest_of_an_answer_that_was_refused_is_not_wanted() -> None:
    app = App([b"x" * 600, b"y" * 600, b"z"])
    answer = await ask(guarded(app, policy=WITHHOLD, body_mb=0.0005))
    assert answer.status == 502
    assert app.finished
    strict = replace(app, heard=[], sent=0, finished=False)
    answer = await ask(
        guarded(strict, policy=WITHHOLD, body_mb=0.0005), asgi={"spec_version": "2.5"}
    )
    assert answer.ended
    assert (strict.sent, strict.finished) == (1, False)


@pytest.mark.parametrize("status", [200, 404])
async def test_trailers_that_nobody_offered_are_left_out(status: int) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        head = {"headers": [(b"content-type", b"text/plain")], "trailers": True}
        await send({"type": "http.response.start", "status": status, **head})
        await send({"type": "http.response.body", "body": b"Fine."})
        await send({"type": "http.response.trailers", "headers": []})

    answer = await ask(guarded(app))
    assert "trailers" not in answer.messages[0]
    assert (answer.body, answer.ended) == (b"Fine.", True)


async def test_files_that_nobody_offered_to_send_are_an_error() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.pathsend", "path": "/etc/hostname"})

    with pytest.raises(RuntimeError, match="does not support"):
        await ask(guarded(app, policy=replace(BLOCK, enforce=False)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paths": {}}, "at least one path"),
        ({"paths": {"text": "a"}, "use_case": "u"}, "begins with a slash"),
        ({"paths": {"/text": "a"}}, "/text: give `use_case`"),
    ],
)
def test_wrong_settings_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        GuardASGI(App([]), guard=guard_of(), **options)


@pytest.mark.parametrize(
    "app",
    [
        App([b'{"other": "nasty"}']),
        App([b'data: {"other": "nasty"}\n\n'], media="text/event-stream"),
    ],
    ids=["whole", "stream"],
)
async def test_a_warning_says_once_that_the_field_is_not_there(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    asgi = guarded(app, "txet")
    with caplog.at_level(logging.WARNING, logger="guard.wrap"):
        await ask(asgi)
        await ask(asgi)
    (line,) = caplog.messages
    assert "/text" in line
    assert "'txet'" in line
