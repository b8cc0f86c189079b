"""ASGI applications that answer like a model, asked without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from guard.flow import Flow
from guard.policy import Policy, Rule
from guard.ports import Scorer
from guard.records import Action
from guard.testing import Recorder, WordScorer
from guard.wrap.asgi import GuardASGI, Guarded

NASTY = WordScorer({"toxicity": {"nasty": 0.95, "rude": 0.95}})
FALLBACK = "No."
BLOCK = Policy(
    rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),), fallback=FALLBACK
)


def guard_of(
    policy: Policy = BLOCK, scorer: Scorer = NASTY, recorder: Recorder | None = None
) -> Any:
    """What GuardASGI needs of a guard, without a classifier."""
    ids = iter(range(1_000_000))
    flow = Flow(
        scorer=scorer,
        observer=recorder or Recorder(),
        policy_of=lambda _: policy,
        clock=lambda: 0.0,
        new_id=lambda: f"call-{next(ids)}",
    )
    return SimpleNamespace(flow=flow, lane=lambda use_case, shadow=None: None)


def guarded(app: Any, given: str | Guarded | None = "text", /, **options: Any) -> GuardASGI:
    """`app` with its path /text guarded. options: of `guard_of` or of `GuardASGI`."""
    names = ("policy", "scorer", "recorder")
    guard = guard_of(**{name: options.pop(name) for name in names if name in options})
    return GuardASGI(app, guard=guard, use_case="test", paths={"/text": given}, **options)


@dataclass
class App:
    """Answers with these chunks; keeps what it heard.

    headers: of the answer, besides its type. background: whether it got to the end.
    """

    chunks: Sequence[bytes]
    media: str = "application/json"
    headers: Sequence[tuple[bytes, bytes]] = ()
    status: int = 200
    error: Exception | None = None
    reads: bool = True
    heard: list[Any] = field(default_factory=list)
    sent: int = 0
    finished: bool = False
    scope: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = {**scope}
        while self.reads and (await self._heard(receive)).get("more_body"):
            pass
        headers = [(b"content-type", self.media.encode("latin-1")), *self.headers]
        start = {"type": "http.response.start", "status": self.status, "headers": headers}
        await send(start)
        for chunk in self.chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            self.sent += 1
        if self.error is not None:
            raise self.error
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        self.finished = True

    async def _heard(self, receive: Any) -> Any:
        self.heard.append(message := await receive())
        return message


@dataclass
class Answered:
    """What the client got."""

    messages: list[Any] = field(default_factory=list)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        given = [(name.decode(), value.decode()) for name, value in self.messages[0]["headers"]]
        assert len(dict(given)) == len(given), "a header stands twice"
        return dict(given)

    @property
    def chunks(self) -> list[bytes]:
        return [one["body"] for one in self.messages if one["type"] == "http.response.body"]

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def ended(self) -> bool:
        ends = [not one.get("more_body", False) for one in self.messages[1:]]
        assert not any(ends[:-1]), "something was sent after the end"
        return ends[-1:] == [True]


def scope_of(path: str = "/text", method: str = "POST", **more: Any) -> dict[str, Any]:
    base = {"type": "http", "path": path, "method": method, "headers": []}
    return {**base, "asgi": {"spec_version": "2.3"}, **more}


async def ask(
    app: Any,
    path: str = "/text",
    *,
    body: Iterable[bytes] = (b"",),
    into: Answered | None = None,
    **more: Any,
) -> Answered:
    """Ask once, as a client that waits. into: filled as the answer comes. more: of the scope."""
    pieces = list(body)
    answered = into or Answered()

    async def receive() -> Any:
        if not pieces:
            await asyncio.Event().wait()
        piece = pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message: Any) -> None:
        answered.messages.append({**message})

    await app(scope_of(path, **more), receive, send)
    return answered


def streams(*pieces: str) -> list[bytes]:
    return [piece.encode() for piece in pieces]


def events(*texts: str) -> list[bytes]:
    return [b"data: " + json.dumps({"text": text, "n": 1}).encode() + b"\n\n" for text in texts]
