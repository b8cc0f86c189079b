"""An application that does not keep to ASGI gets nothing past the guard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.asgi_made import ask, guarded

START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"application/json")],
}
FINE = {"type": "http.response.body", "body": b'{"text": "fine"}'}
NASTY = {"type": "http.response.body", "body": b'{"text": "nasty"}'}


@pytest.mark.parametrize(
    ("messages", "body"),
    [((NASTY, START, FINE), b""), ((START, FINE, NASTY), FINE["body"])],
)
async def test_a_body_at_the_wrong_time_is_refused(messages: Any, body: bytes) -> None:
    refused: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            try:
                await send(message)
            except RuntimeError as error:
                refused.append(str(error))
                return

    assert (await ask(guarded(app))).body == body
    assert "before the start or after the end" in refused[0]
