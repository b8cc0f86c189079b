"""What leaves for the client."""

from __future__ import annotations

import json

from guard.errors import Blocked
from guard.records import Verdict
from guard.wrap.asgi.headers import OF_THE_BODY, header, without
from guard.wrap.asgi.types import Headers, Message, Send

CALL_ID = "x-guard-call-id"
VERDICT = "x-guard-verdict"
_REMEDIES = {
    "compressed": "; put compression outside the guard",
    "too_large": "; body_mb of GuardASGI says how much is read",
    "too_many_texts": "; most_texts of GuardASGI says how many are judged",
    "no_field": "; the field that GuardASGI was told is not there",
    "media_type": "; only JSON, plain text, event streams and lines of JSON are read",
}


class Out:
    """The answer on its way out. Its head leaves with the first bytes of its body."""

    def __init__(self, send: Send, start: Message) -> None:
        self._send = send
        self._start = {key: start[key] for key in start if key != "trailers"}
        self.begun = False
        self.ended = False

    @property
    def headers(self) -> Headers:
        """As they stand now."""
        return [(bytes(name), bytes(value)) for name, value in self._start.get("headers", ())]

    def say(self, **told: str) -> None:
        """Add headers of the guard; an underscore in a name stands for a hyphen."""
        names = {name.replace("_", "-"): value for name, value in told.items() if value}
        added = [header(name, value) for name, value in names.items()]
        self._start["headers"] = [*without(self.headers, names), *added]

    def another_body(self, length: int | None) -> None:
        """Drop what headers say of the body that the application sent. length: of the new one."""
        headers = without(self.headers, OF_THE_BODY)
        added = [] if length is None else [header("content-length", str(length))]
        self._start = {**self._start, "headers": [*headers, *added]}

    async def give(self, body: bytes, *, more: bool) -> None:
        """Send bytes of the body. more: others follow."""
        if not self.begun:
            self.begun = True
            await self._send(self._start)
        if body or not more:
            self.ended = not more
            await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def refuse(self, blocked: Blocked) -> None:
        """In place of the whole answer: an error that says why."""
        self._start = {"type": "http.response.start", "status": 502, "headers": []}
        body = refusal(blocked).encode("ascii")
        self.another_body(len(body))
        self._start["headers"] += [header("content-type", "application/json")]
        self.say(x_guard_call_id=blocked.outcome.call.id, x_guard_verdict=Verdict.BLOCKED)
        await self.give(body, more=False)


def refusal(blocked: Blocked) -> str:
    """The error as JSON of ASCII characters."""
    outcome = blocked.outcome
    why = ", ".join(sorted(outcome.unread))
    could_not = f": it could not be read ({why}{_REMEDIES.get(why, '')})" if why else ""
    error = {"code": "content_filter", "message": f"{blocked}{could_not}"}
    return json.dumps({"error": error}, ensure_ascii=True)
