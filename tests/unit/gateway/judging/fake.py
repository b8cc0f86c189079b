"""A model's server that gives what a script says, and a client that reads what comes of it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, cast

from guard.flow import Flow, Untraced
from guard.gateway.judging import reply_to
from guard.gateway.request import GenerationRequest, Operation
from guard.gateway.response import Reply
from guard.policy import Policy, Rule
from guard.ports import CallTracer, Scorer
from guard.records import Action
from guard.testing import Recorder, WordScorer
from guard.upstream import Endpoint, HttpClient, Limits

SCORER = WordScorer({"toxicity": {"nasty": 0.95, "odd": 0.6}})
FALLBACK = "No."


def rule(action: Action) -> tuple[Rule, ...]:
    return (Rule(score="toxicity", action=action, threshold=0.9),)


BLOCK = Policy(rules=rule(Action.BLOCK), fallback=FALLBACK)


@dataclass
class Scripted:
    """One answer: chunks as the network cuts them; an exception among them is raised."""

    chunks: Sequence[bytes | Exception]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False
    taken: int = 0


class ScriptedAnswer:
    def __init__(self, script: Scripted) -> None:
        self._script = script
        self.status = script.status
        self.headers = script.headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        for chunk in self._script.chunks:
            self._script.taken += 1
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    async def body(self) -> bytes:
        return b"".join([chunk async for chunk in self.chunks()])


class ScriptedClient:
    """Stands for `HttpClient`. sent: what it was asked, as JSON; given: with which headers."""

    def __init__(self, answers: Iterable[Scripted | Exception]) -> None:
        self._answers = iter(answers)
        self.limits = Limits()
        self.endpoint = Endpoint(name="main", base_url="http://model/v1")
        self.where = "upstreams.main (http://model)"
        self.sent: list[Any] = []
        self.given: list[Mapping[str, str]] = []
        self.patience: list[float | None] = []
        self.open = 0

    @asynccontextmanager
    async def send(
        self,
        method: str,
        path: str,
        *,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
        first_byte_seconds: float | None = None,
    ) -> AsyncIterator[ScriptedAnswer]:
        self.patience.append(first_byte_seconds)
        self.sent.append(json.loads(content))
        self.given.append(headers or {})
        script = next(self._answers)
        if isinstance(script, Exception):
            raise script
        self.open += 1
        try:
            yield ScriptedAnswer(script)
        finally:
            self.open -= 1
            script.closed = True


@dataclass
class Seen:
    """What a client got, and what was recorded."""

    reply: Reply
    body: bytes
    recorder: Recorder
    client: ScriptedClient

    @property
    def headers(self) -> dict[str, str]:
        return dict(self.reply.headers)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """The data of each event, parsed."""
        return [json.loads(data) for data in data_of(self.body) if data != "[DONE]"]

    @property
    def comment(self) -> Any:
        (line,) = [one for one in self.body.split(b"\n") if one.startswith(b": guard ")]
        return json.loads(line.removeprefix(b": guard "))


def data_of(body: bytes) -> list[str]:
    lines = body.decode().split("\n")
    return [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]


def flow_of(
    policy: Policy,
    recorder: Recorder,
    scorer: Scorer = SCORER,
    tracer: CallTracer | None = None,
) -> Flow:
    numbers = count(1)
    return Flow(
        scorer=scorer,
        observer=recorder,
        policy_of=lambda _: policy,
        clock=lambda: 0.0,
        new_id=lambda: f"call-{next(numbers)}",
        tracer=tracer or Untraced(),
    )


async def ask(
    body: Mapping[str, Any],
    *answers: Scripted | Exception,
    policy: Policy = BLOCK,
    operation: Operation = Operation.CHAT,
    scorer: Scorer = SCORER,
    tracer: CallTracer | None = None,
    headers: Mapping[str, str] | None = None,
) -> Seen:
    """Ask and read the whole answer."""
    recorder, client = Recorder(), ScriptedClient(answers)
    flow = flow_of(policy, recorder, scorer, tracer)
    request = replace(asked(body, client, operation), headers=headers or {})
    reply = await reply_to(request, flow)
    read = b"".join([chunk async for chunk in reply.chunks])
    assert flow.drain(0)
    assert client.open == 0
    return Seen(reply, read, recorder, client)


def asked(
    body: Mapping[str, Any], client: ScriptedClient, operation: Operation = Operation.CHAT
) -> GenerationRequest:
    return GenerationRequest(
        operation=operation,
        use_case="test",
        raw=json.dumps(body).encode(),
        body=body,
        upstream=cast("HttpClient", client),
    )


def whole(value: Any, **more: Any) -> Scripted:
    """A whole answer of JSON."""
    body = json.dumps(value, ensure_ascii=False).encode()
    return Scripted([body], headers={"content-type": "application/json"}, **more)


def stream(*events: Any, done: bool = True, cut: int = 0) -> Scripted:
    """A stream of events; a string is data as it is. cut: bytes in each chunk; 0 is an event."""
    told = [one if isinstance(one, str) else json.dumps(one) for one in events]
    told += ["[DONE]"] * done
    parts = [f"data: {one}\n\n".encode() for one in told]
    if cut:
        joined = b"".join(parts)
        parts = [joined[at : at + cut] for at in range(0, len(joined), cut)]
    return Scripted(parts, headers={"content-type": "text/event-stream; charset=utf-8"})


def completion(*texts: str, **more: Any) -> dict[str, Any]:
    """A chat completion with a choice for each text."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": index,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
            for index, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
        **more,
    }


def chunk(delta: Mapping[str, Any], *, index: int = 0, finish: str | None = None) -> dict[str, Any]:
    """An event of a chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": index, "delta": dict(delta), "finish_reason": finish}],
    }


def said(*texts: str, index: int = 0) -> list[dict[str, Any]]:
    """The events of one reply."""
    return [
        chunk({"role": "assistant", "content": ""}, index=index),
        *(chunk({"content": text}, index=index) for text in texts),
        chunk({}, index=index, finish="stop"),
    ]


def told(events: Iterable[Any], index: int = 0) -> str:
    """The text of one reply, as a client joins it."""
    choices = [one for event in events for one in event.get("choices", ())]
    return "".join(one["delta"].get("content") or "" for one in choices if one["index"] == index)
