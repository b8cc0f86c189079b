"""The review page on a listener of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import Final

from starlette.types import ASGIApp
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from guard.errors import SettingsError
from guard.http.sockets import listen, url_of
from guard.reviewer.shell import LARGEST_HEADERS

LOCALHOST: Final = "127.0.0.1"
HEADER_SECONDS: Final = 10.0
"""How long a request may take to say what it wants."""
REST_SECONDS: Final = 30
MOST_CONNECTIONS: Final = 256
END_SECONDS: Final = 5


class ReviewServer:
    """Serves until closed. `url` is where."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self._socket = listen(host, port)
        self.host = host
        self.port = int(self._socket.getsockname()[1])
        self._server = Server(_config(app))
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": [self._socket]},
            name="guard-review",
            daemon=True,
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The address to open."""
        return url_of(self.host, self.port)

    def close(self) -> None:
        """Finish what is being answered, for a few seconds at most, and stop listening."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


def serve_review(app: ASGIApp, host: str = LOCALHOST, port: int = 0) -> ReviewServer:
    """Serve `review_app(...)` in a thread, on a free port when `port` is 0.

    Raises SettingsError when that address cannot be listened on.
    """
    try:
        return ReviewServer(app, host, port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(
            f"cannot serve the review page on {host}:{port}: {reason}; choose another port, or 0"
            " for any"
        ) from error


class Timely(H11Protocol):
    """A connection that is closed when a request does not come to its point.

    uvicorn waits for ever for the rest of a request that was begun.
    """

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request; too many connections at once are closed."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.close()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Go on waiting until there is a request to answer."""
        super().data_received(data)
        if self._answering():
            self._stop()
        elif self._waiting is None and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for any more."""
        self._stop()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the interface is uvicorn's
        """Close without a word on what is no HTTP: what cannot be read gets no answer."""
        self.transport.close()

    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def _config(app: ASGIApp) -> Config:
    """Without a log of requests: their addresses say who looked at what.

    Whoever is in front of this page could name any address as the client's: nobody is believed.
    """
    return Config(
        app,
        http=Timely,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=LARGEST_HEADERS,
        timeout_keep_alive=REST_SECONDS,
        timeout_graceful_shutdown=END_SECONDS,
    )
