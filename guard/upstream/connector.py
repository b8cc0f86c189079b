"""Connections to a server that may send what it should not."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

MOST_INTERIM_ANSWERS: Final = 32
"""Answers 1xx ahead of an answer. Servers send one, or one every few seconds to be waited for."""


class CheckedProtocol(ResponseHandler):
    """Ends a connection that brings one interim answer after the other: reading them would keep the
    event loop from all other work, and no time limit of an answer would end it."""

    _interim_answers = 0

    def feed_data(self, data: Any, size: int = 0) -> None:
        """One more answer, with its body."""
        message, _ = data
        is_interim = message.code < HTTPStatus.OK and message.code != HTTPStatus.SWITCHING_PROTOCOLS
        self._interim_answers = self._interim_answers + 1 if is_interim else 0
        if self._interim_answers <= MOST_INTERIM_ANSWERS:
            super().feed_data(data, size)
        elif self.exception() is None:
            what = f"more than {MOST_INTERIM_ANSWERS} interim answers"
            self.close()
            self.set_exception(HttpProcessingError(message=what))


class CheckedConnector(aiohttp.TCPConnector):
    """Never reuses a connection on which bytes came that no request asked for.

    They would be taken for the answer to the next request, which may be another client's. aiohttp
    looks only when a connection comes back to the pool.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(_protocol, self._loop)

    async def _get(self, key: ConnectionKey, traces: list[Trace]) -> Connection | None:
        while (found := await super()._get(key, traces)) is not None:
            if found.protocol is not None and not found.protocol.should_close:
                return found
            found.close()
        return None


def _protocol(loop: AbstractEventLoop) -> ResponseHandler:
    return CheckedProtocol(loop)
