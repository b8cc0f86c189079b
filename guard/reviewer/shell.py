"""Around the whole page: who may ask at all, and what every answer carries, failures included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guard.reviewer.headers import ENCODED, STRICT_TRANSPORT
from guard.reviewer.options import ReviewOptions

Headers = list[tuple[bytes, bytes]]
LARGEST_HEADERS: Final = 16_384
ELSEWHERE: Final = (
    "This page is not served under that address. Use the one that was printed when it was started,"
    " or start it with --url and the address you use.\n"
)


class Shell:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, options: ReviewOptions) -> None:
        self._app = app
        self._options = options
        self._always = [*ENCODED, *([STRICT_TRANSPORT] if options.secure else [])]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what is not HTTP is not answered."""
        if scope["type"] != "http":
            return
        app = self._answering(scope)
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": self._with_ours(message.get("headers", ()))}
            await send(message)

        try:
            await app(scope, receive, sent)
        except Exception:
            if begun:
                raise
            await PlainTextResponse("Something went wrong.\n", 500)(scope, receive, sent)
            raise

    def _answering(self, scope: Scope) -> ASGIApp:
        headers = scope["headers"]
        size = len(scope["query_string"]) + sum(len(name) + len(value) for name, value in headers)
        if size > LARGEST_HEADERS:
            return PlainTextResponse("That request says too much before its form.\n", 431)
        return self._app if self._is_here(headers) else PlainTextResponse(ELSEWHERE, 421)

    def _is_here(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        hosts = [value for name, value in headers if name == b"host"]
        return len(hosts) == 1 and self._options.serves(hosts[0].decode("latin-1"))

    def _with_ours(self, headers: Iterable[tuple[bytes, bytes]]) -> Headers:
        ours = {name for name, _ in self._always}
        return [*(one for one in headers if one[0].lower() not in ours), *self._always]
