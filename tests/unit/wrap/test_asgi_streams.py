"""Answers that are judged while they stream."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest

from guard.errors import Blocked
from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action, Assessment, Unscored, Verdict
from guard.testing import HeldScorer, Recorder
from guard.wrap.asgi import Guarded
from tests.asgi_made import BLOCK, FALLBACK, Answered, App, ask, events, guarded, scope_of, streams

WITHHOLD = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
RAISE = replace(BLOCK, raises=True)
EVENTS = "text/event-stream"
PLAIN = "text/plain; charset=utf-8"


@pytest.fixture
def seen() -> Recorder:
    return Recorder()


def of(chunks: list[bytes], media: str = EVENTS, **more: Any) -> App:
    return App(chunks, media=media, **more)


def told(answer: Answered) -> list[Any]:
    """The data of each event, parsed where it is JSON."""
    found = []
    for event in answer.body.decode().replace("\r\n", "\n").split("\n\n"):
        lines = [line[6:] for line in event.split("\n") if line.startswith("data: ")]
        if lines:
            with contextlib.suppress(ValueError):
                lines = [json.loads("\n".join(lines))]
            found.append(lines[0] if len(lines) == 1 else "\n".join(lines))
    return found


def note(answer: Answered) -> Any:
    last = answer.body.decode().split("\n\n")[-2]
    assert last.startswith(": guard ")
    return json.loads(last.removeprefix(": guard "))


async def test_a_text_stream_goes_up_to_the_bad_sentence(seen: Recorder) -> None:
    app = of(streams("All is fi", "ne. You are nas", "ty. Never", " said"), PLAIN)
    answer = await ask(guarded(app, recorder=seen))
    assert answer.body.decode() == f"All is fine. {FALLBACK}"
    assert answer.headers == {"content-type": PLAIN, "x-guard-call-id": "call-0"}
    assert answer.ended
    assert seen.outcomes[0].partial
    assert seen.outcomes[0].text == answer.body.decode()


async def test_a_harmless_text_stream_passes_in_sentences() -> None:
    app = of(streams("One. ", "Two", ". Three", " is the end"), PLAIN, headers=[(b"etag", b"e")])
    answer = await ask(guarded(app))
    shown = [chunk for chunk in answer.chunks if chunk]
    assert b"".join(shown) == b"One. Two. Three is the end"
    assert (shown[0].strip(), shown[-1]) == (b"One.", b" is the end")
    assert "etag" not in answer.headers
    assert app.finished


@pytest.mark.parametrize(
    "text", [b"caf\xc3\xa9. \xff\xfe \xe2\x82", b"\xef\xbb\xbfx", b"", b"\x00"]
)
async def test_bytes_come_out_as_they_went_in(text: bytes) -> None:
    app = of([text[i : i + 1] for i in range(len(text))], PLAIN)
    assert (await ask(guarded(app))).body == text


async def test_the_application_waits_while_its_text_is_judged() -> None:
    scorer, into = HeldScorer(), Answered()
    app = of(streams("One. Two. ", "Three. ", "Four. ", "Five."), PLAIN)
    task = asyncio.create_task(ask(guarded(app, scorer=scorer), into=into))
    await until(lambda: scorer.waiting)
    for _ in range(50):
        await asyncio.sleep(0)
    assert (app.sent, into.messages) == (1, [])
    while not task.done():
        if scorer.waiting:
            scorer.answer(Assessment())
        await asyncio.sleep(0)
    assert into.body == b"One. Two. Three. Four. Five."


async def test_a_slow_client_holds_the_application_back() -> None:
    app, gate = of(streams("One. ", "Two. ", "Three. ", "Four. "), PLAIN), asyncio.Event()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await gate.wait()

    task = asyncio.create_task(guarded(app)(scope_of(), asyncio.Event().wait, send))
    app.reads = False
    for _ in range(100):
        await asyncio.sleep(0)
    assert app.sent <= 2
    gate.set()
    await task
    assert app.finished


async def test_events_pass_byte_for_byte() -> None:
    body = b'\xef\xbb\xbfevent: token\r\nid: 7\r\ndata:{"text": "Fine. "}\r\n\r\n'
    body += b': ping\n\nretry: 5\n\ndata: {"role": "assistant"}\n\ndata: {"text": null}\r\r'
    body += b'data: {"text":\ndata: "So is this."}\n\ndata: [DONE]\n\n'
    answer = await ask(guarded(of([body[i : i + 3] for i in range(0, len(body), 3)])))
    shown = answer.body[: answer.body.index(b": guard ")]
    kept = shown.replace(b": ping\n\n", b"").replace(b"retry: 5\n\n", b"")
    assert kept == body.replace(b": ping\n\n", b"").replace(b"retry: 5\n\n", b"")
    assert b": ping\n\n" in shown
    assert note(answer) == {"call_id": "call-0", "verdict": "released"}


async def test_events_go_up_to_the_bad_sentence(seen: Recorder) -> None:
    app = of(events("All ", "is fine. You ", "are ", "nasty. ", "Never."))
    answer = await ask(guarded(app, recorder=seen))
    assert told(answer) == [{"text": "All ", "n": 1}, {"text": "is fine. " + FALLBACK, "n": 1}]
    assert note(answer)["verdict"] == "blocked"
    assert seen.outcomes[0].text == "All is fine. " + FALLBACK


async def test_events_of_bare_text_are_judged_as_one_text() -> None:
    chunks = [
        b"data: All is\n\n",
        b"data:  fine.\ndata: You\n\n",
        b"data:  are nas\n\n",
        b"data: ty.\n\n",
    ]
    answer = await ask(guarded(of(chunks), None))
    assert told(answer)[0] == "All is"
    assert "".join(told(answer)).split() == ["All", "is", "fine.", FALLBACK]


async def test_a_space_alone_is_text_too() -> None:
    chunks = [b"data: you\n\n", b"data:  \n\n", b"data: nasty\n\n", b"data: [DONE]\n\n"]
    assert told(await ask(guarded(of(chunks), None))) == [FALLBACK]


async def test_comments_do_not_wait() -> None:
    scorer, into = HeldScorer(), Answered()
    app = of([*events("One. Two"), b": ping\n\n"])
    task = asyncio.create_task(ask(guarded(app, scorer=scorer), into=into))
    await until(lambda: scorer.waiting)
    scorer.answer(Assessment(reason=Unscored.LANGUAGE))
    await until(lambda: into.body.endswith(b": ping\n\n"))
    assert b"Two" not in into.body
    await until(lambda: scorer.waiting)
    scorer.answer(Assessment())
    await task
    assert b"One. Two" in into.body


async def test_bare_text_that_calls_itself_events_is_not_read(seen: Recorder) -> None:
    chunks = streams("You are ", "nasty.\n\n", "Very.")
    answer = await ask(guarded(of(chunks), None, recorder=seen))
    assert answer.body.startswith(b"You are nasty.\n\nVery.")
    assert seen.outcomes[0].unread == {"not_events"}
    refused = await ask(guarded(of(chunks), None, policy=WITHHOLD))
    assert (refused.status, b"nasty" in refused.body) == (502, False)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"not json", "not_json"),
        (b'{"text": "x", "text": "nasty"}', "not_json"),
        (b'{"text": 7}', "not_text"),
        (b'{"text": {"nasty": 1}}', "not_text"),
    ],
)
async def test_an_event_that_nobody_can_read(data: bytes, why: str, seen: Recorder) -> None:
    chunks = [*events("Fine. "), b"data: " + data + b"\n\n", *events("More.")]
    answer = await ask(guarded(of(chunks), recorder=seen))
    assert b"".join(chunks) in answer.body
    assert seen.outcomes[0].unread == {why}
    assert note(answer)["verdict"] == "unscored"
    cut = await ask(guarded(of(chunks), policy=WITHHOLD))
    assert data not in cut.body
    assert cut.status == 200 or cut.ended


async def test_a_stream_in_which_the_field_never_comes_counts_as_unread(seen: Recorder) -> None:
    chunks = [b'data: {"delta": "nasty"}\n\n', b"data: [DONE]\n\n"]
    await ask(guarded(of(chunks), recorder=seen))
    assert seen.outcomes[0].unread == {"no_field"}
    answer = await ask(guarded(of(chunks), policy=WITHHOLD))
    assert (answer.status, b"nasty" in answer.body) == (502, False)


async def test_two_texts_in_one_event_are_not_mixed(seen: Recorder) -> None:
    one = b'data: {"choices": [{"t": "a"}, {"t": "b"}]}\n\n'
    await ask(guarded(of([one]), "choices.*.t", recorder=seen))
    assert seen.outcomes[0].unread == {"several_texts"}


async def test_the_field_of_an_event_can_lie_deep() -> None:
    one = (
        b'id: 4\nevent: chunk\ndata: {"choices": [{"d": {"t": "Fine. nasty"}}], "raw": "nasty"}\n\n'
    )
    given = Guarded(field="choices.*.d.t", blank=("raw",))
    answer = await ask(guarded(of([one]), given))
    assert told(answer) == [{"choices": [{"d": {"t": f"Fine. {FALLBACK}"}}], "raw": None}]
    assert answer.body.startswith(b"id: 4\nevent: chunk\ndata: ")


async def test_lines_of_json_are_judged_alike() -> None:
    chunks = [b'{"text": "Fi', b'ne. "}\r\n{"text": "nas', b'ty"}\n', b'{"text": " x"}\n']
    answer = await ask(guarded(of(chunks, "application/x-ndjson")))
    lines = answer.body.splitlines()
    assert "".join(json.loads(line)["text"] for line in lines) == "Fine. " + FALLBACK
    kind = await ask(guarded(of([b'"a"\n\n', b'"b"'], "application/jsonl"), None))
    assert kind.body == b'"a"\n\n"b"'


async def test_on_block_raise_before_anything_was_said() -> None:
    for app, given in ((of(events("nasty")), "text"), (of(streams("nasty"), PLAIN), None)):
        answer = await ask(guarded(app, given, policy=RAISE))
        assert (answer.status, answer.json["error"]["code"]) == (502, "content_filter")
        assert answer.ended


async def test_on_block_raise_within_events_is_an_error_event() -> None:
    answer = await ask(guarded(of(events("Fine. It", " is nasty")), policy=RAISE))
    assert told(answer)[0]["text"].strip() == "Fine."
    assert told(answer)[1]["error"]["code"] == "content_filter"
    assert b"event: error\n" in answer.body
    assert (answer.status, answer.ended) == (200, True)


async def test_on_block_raise_within_lines_is_a_line() -> None:
    app = of([b'{"text": "Fine. "}\n', b'{"text": "nasty"}\n'], "application/jsonl")
    answer = await ask(guarded(app, policy=RAISE))
    assert json.loads(answer.body.splitlines()[1])["error"]["code"] == "content_filter"


async def test_on_block_raise_within_text_breaks_off(seen: Recorder) -> None:
    into, app = Answered(), of(streams("Fine. ", "It is nasty. ", "More."), PLAIN)
    with pytest.raises(Blocked):
        await ask(guarded(app, policy=RAISE, recorder=seen), into=into)
    assert (into.body.strip(), into.ended) == (b"Fine.", False)
    assert seen.errors == []


async def test_redaction_and_full_hold() -> None:
    rule = Rule(score="toxicity", action=Action.REDACT, threshold=0.9)
    policy = Policy(rules=(rule,), redaction="[x]", hold=Hold.FULL)
    answer = await ask(guarded(of(events("Fine. ", "nasty. ", "Kind.")), policy=policy))
    texts = [one["text"] for one in told(answer)]
    assert texts == ["Fine. ", "[x]. ", "Kind."]


async def test_a_redacted_sentence_is_replaced_within_its_event(seen: Recorder) -> None:
    rule = Rule(score="toxicity", action=Action.REDACT, threshold=0.9)
    policy = Policy(rules=(rule,), redaction="[x]")
    app = of(events("Fine. So na", "sty. Kind", ". Bye."))
    answer = await ask(guarded(app, policy=policy, recorder=seen))
    texts = [one["text"] for one in told(answer) if "text" in one]
    assert texts == ["Fine. So [x]", ". Kind", ". Bye."]
    assert note(answer)["verdict"] == "flagged"
    assert seen.outcomes[0].text == "".join(texts)


async def test_copies_are_blanked_from_a_redaction_on() -> None:
    rule = Rule(score="toxicity", action=Action.REDACT, threshold=0.9)
    policy = Policy(rules=(rule,), redaction="[x]")
    sent = [
        {"text": "Fine. ", "so_far": "Fine. "},
        {"text": "So nasty. ", "so_far": "Fine. So nasty. "},
        {"text": "Bye.", "so_far": "Fine. So nasty. Bye."},
        {"done": True, "so_far": "Fine. So nasty. Bye."},
    ]
    app = of([f"data: {json.dumps(one)}\n\n".encode() for one in sent])
    field = Guarded(field="text", blank=("so_far",))
    answer = await ask(guarded(app, field, policy=policy))
    assert told(answer)[:4] == [
        sent[0],
        {"text": "So [x]. ", "so_far": None},
        {"text": "Bye.", "so_far": None},
        {"done": True, "so_far": None},
    ]


async def test_log_probabilities_are_dropped_from_a_redaction_on() -> None:
    rule = Rule(score="toxicity", action=Action.REDACT, threshold=0.9)
    policy = Policy(rules=(rule,), redaction="[x]")
    pieces = ["Fine. ", "So nasty. ", ""]
    tokens = [{"content": [{"token": piece, "bytes": [*piece.encode()]}]} for piece in pieces]
    sent = [{"text": one, "logprobs": two} for one, two in zip(pieces, tokens, strict=True)]
    sent += [{"logprobs": tokens[1]}]  # type: ignore[list-item]
    app = of([f"data: {json.dumps(one)}\n\n".encode() for one in sent])
    given = told(await ask(guarded(app, policy=policy)))
    assert given[0] == sent[0]
    assert [one["logprobs"] for one in given[1:4]] == [None, None, None]


async def test_hold_none_passes_every_chunk_at_once(seen: Recorder) -> None:
    app = of(streams("you are ", "nas", "ty"), PLAIN)
    answer = await ask(guarded(app, policy=replace(BLOCK, hold=Hold.NONE), recorder=seen))
    assert [one for one in answer.chunks if one] == app.chunks
    assert seen.outcomes[0].verdict is Verdict.FLAGGED


@pytest.mark.parametrize(("media", "chunks"), [(PLAIN, streams("One. Two. ", "x" * 600, "y", "z"))])
async def test_what_is_too_long_passes_or_ends(
    media: str, chunks: list[bytes], seen: Recorder
) -> None:
    answer = await ask(guarded(of(chunks, media), body_mb=0.0005, recorder=seen))
    assert (answer.body, answer.ended) == (b"".join(chunks), True)
    assert seen.outcomes[0].unread == {"too_large"}
    into = Answered()
    with pytest.raises(Blocked):
        await ask(guarded(of(chunks, media), body_mb=0.0005, policy=WITHHOLD), into=into)
    assert into.body.strip() == b"One."


@pytest.mark.parametrize(
    ("media", "chunks"),
    [
        (PLAIN, [b"One. Two. ", b"caf\xc3", b"\xa9" + b"x" * 600, b"y"]),
        (EVENTS, [*events("One. Two. "), b'data: {"te', b"x" * 600, b"\n\n"]),
        ("application/jsonl", [b'{"text": "One. "}\n{"te', b"x" * 600, b"\n"]),
    ],
)
async def test_what_was_half_read_passes_too(media: str, chunks: list[bytes]) -> None:
    answer = await ask(guarded(of(chunks, media), body_mb=0.0005))
    assert (answer.body, answer.ended) == (b"".join(chunks), True)


async def test_events_that_come_together_are_read_one_by_one() -> None:
    told_first = [b'data: {"text": "nasty. ", "n": 1}\n\n', b'data: {"text": "It", "n": 2}\n\n']
    parts = [*told_first, b'id: 3\ndata: {"text": " is", "n": 3}\n\n']
    apart, together = await ask(guarded(of(parts))), await ask(guarded(of([b"".join(parts)])))
    assert apart.body == together.body
    assert told(apart) == [{"text": FALLBACK, "n": 3}]


async def test_an_event_without_end_is_too_long(seen: Recorder) -> None:
    chunks = [*events("One. "), b"data: " + b"x" * 600, b"y" * 600, b"\n\n", *events("z")]
    answer = await ask(guarded(of(chunks), body_mb=0.0005, recorder=seen))
    assert answer.body == b"".join(chunks)
    assert seen.outcomes[0].unread == {"too_large"}
    cut = await ask(guarded(of(chunks), body_mb=0.0005, policy=WITHHOLD))
    assert b"xx" not in cut.body
    assert b"content_filter" in cut.body


async def test_a_compressed_stream_is_not_held(seen: Recorder) -> None:
    app = of([b"\x1f\x8b1", b"2"], headers=[(b"content-encoding", b"gzip")])
    answer = await ask(guarded(app, recorder=seen))
    assert answer.chunks == [b"\x1f\x8b1", b"2", b""]
    assert seen.outcomes[0].unread == {"compressed"}


async def test_an_application_that_fails_in_mid_stream_is_heard(seen: Recorder) -> None:
    error, into = ValueError("mine"), Answered()
    app = of(streams("One. Two. Thr"), PLAIN, error=error)
    with pytest.raises(ValueError, match="mine") as raised:
        await ask(guarded(app, recorder=seen), into=into)
    assert raised.value is error
    assert into.body.strip() == b"One. Two."
    assert seen.errors == ["test"]
    assert seen.outcomes[0].text.strip() == "One. Two."


async def test_what_was_released_of_an_event_is_given_before_the_failure() -> None:
    into, app = Answered(), of(events("One. Two"), error=ValueError("mine"))
    with pytest.raises(ValueError, match="mine"):
        await ask(guarded(app), into=into)
    assert [one["text"].strip() for one in told(into)] == ["One."]
    assert not into.ended


@pytest.mark.parametrize("last", [b"Fine.", b"nasty."])
async def test_an_application_that_has_ended_is_not_told_that_the_client_left(last: bytes) -> None:
    heard: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await of([last], PLAIN)(scope, receive, send)
        listening = asyncio.create_task(receive())
        for _ in range(10):
            await asyncio.sleep(0)
        heard.append(listening.done())
        listening.cancel()

    await ask(guarded(app))
    assert heard == [False]


async def test_a_stream_that_is_blocked_tells_the_application_to_stop(seen: Recorder) -> None:
    stopped: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        head = {"headers": [(b"content-type", b"text/plain")]}
        await send({"type": "http.response.start", "status": 200, **head})
        await send({"type": "http.response.body", "body": b"nasty. ", "more_body": True})
        await send({"type": "http.response.body", "body": b"And so on. A", "more_body": True})
        stopped.append(await receive())

    answer = await ask(guarded(app, recorder=seen))
    assert (answer.body, answer.ended) == (FALLBACK.encode(), True)
    assert stopped == [{"type": "http.disconnect"}]
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_strict_application_is_told_by_an_error() -> None:
    app = of(streams("nasty. ", *["More. "] * 50), PLAIN)
    answer = await ask(guarded(app), asgi={"spec_version": "2.4"})
    assert answer.body == FALLBACK.encode()
    assert not app.finished


async def test_an_application_that_leaves_ends_the_exchange(seen: Recorder) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        head = {"headers": [(b"content-type", b"text/plain")]}
        await send({"type": "http.response.start", "status": 200, **head})
        await send({"type": "http.response.body", "body": b"One. Two", "more_body": True})

    answer = await ask(guarded(app, recorder=seen))
    assert not answer.ended
    assert seen.outcomes[0].text.strip() in {"", "One."}


async def test_nothing_is_left_of_a_request_that_is_cancelled() -> None:
    scorer, recorder = HeldScorer(), Recorder()
    app = of(streams("One. Two. ", "Three."), PLAIN)
    before = asyncio.all_tasks()
    task = asyncio.create_task(ask(guarded(app, scorer=scorer, recorder=recorder)))
    await until(lambda: scorer.waiting)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == before
    assert recorder.outcomes[0].unscored is Unscored.ABANDONED


async def test_a_connection_that_breaks_is_told_to_the_application() -> None:
    heard: list[Exception] = []
    inner = of(streams("One. ", "Two. ", "Three. ", "Four. "), PLAIN, reads=False)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            await inner(scope, receive, send)
        except OSError as error:
            heard.append(error)

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            raise BrokenPipeError

    await guarded(app)(scope_of(), asyncio.Event().wait, send)
    assert isinstance(heard[0], BrokenPipeError)


async def until(true: Any) -> None:
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0)
