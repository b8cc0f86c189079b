"""Answers of our own making, piece by piece: a kind one with something more in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.integration.gateway_cases import KIND
from tests.servers_openai import Behaviour, Choice, Saying, canned, responses
from tests.servers_openai.acts import PLAIN, head


def chunk(**delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    top = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**top, "choices": [choice]}


def with_choices(*choices: Any) -> dict[str, Any]:
    return {**chunk(), "choices": [*choices]}


def frame(event: object) -> bytes:
    return b"data: %s\n\n" % (event if isinstance(event, bytes) else json.dumps(event).encode())


def stream(*frames: bytes, opening: bytes | None = None) -> Behaviour:
    """A kind stream with these bytes before its end."""
    pieces = [frame(chunk(role="assistant", content=KIND)), *frames, frame(b"[DONE]")]
    return lambda _: [opening or PLAIN.head(), *map(PLAIN.pack, pieces), b"0\r\n\r\n"]


def says(text: str, **more: Any) -> bytes:
    return frame({**chunk(content=text), **more})


def headed(**headers: str) -> bytes:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return head(200, {"transfer-encoding": "chunked", **named})


def tool(**call: Any) -> bytes:
    return frame(chunk(tool_calls=[{"index": 0, "id": "call_1", **call}]))


def function(name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def message(**more: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": KIND, **more}
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    top = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m"}
    return {**top, "choices": [choice]}


def whole(answer: object, status: int = 200, **how: Any) -> Behaviour:
    content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return canned(status, content, **how)


def text_of(text: str) -> bytes:
    return json.dumps(message(content=text)).encode()


def events(change: Callable[[dict[str, Any]], None], kind: str) -> Behaviour:
    """A kind response in which one event is changed."""
    found = _kind()
    for event in found:
        if event["type"] == f"response.{kind}":
            change(event)
    return _sent(found)


def _kind() -> list[dict[str, Any]]:
    saying = Saying(choices=(Choice(text=KIND),))
    return [json.loads(json.dumps(one)) for one in responses.events(saying, {"model": "m"})]


def _sent(found: list[dict[str, Any]]) -> Behaviour:
    numbered = [{**one, "sequence_number": number} for number, one in enumerate(found)]
    frames = [PLAIN.pack(PLAIN.frame(one)) for one in numbered]
    return lambda _: [PLAIN.head(), *frames, b"0\r\n\r\n"]


def beside(**event: Any) -> Behaviour:
    """A kind response with one more event before its end."""
    found = _kind()
    at = {"item_id": "other_1", "output_index": 1, **event, "type": f"response.{event['type']}"}
    return _sent([*found[:-1], at, found[-1]])


def item(**item: Any) -> Behaviour:
    return beside(type="output_item.done", item={"id": "other_1", "status": "completed", **item})


def put(*path: str | int) -> Callable[[str], Callable[[dict[str, Any]], None]]:
    def change(text: str) -> Callable[[dict[str, Any]], None]:
        def changed(event: dict[str, Any]) -> None:
            node: Any = event
            for step in path[:-1]:
                node = node[step]
            node[path[-1]] = text

        return changed

    return change
