"""The review page of a store, on a listener of its own: for commands and for applications."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from guard.bootstrap.review import open_accounts, open_review_service
from guard.bootstrap.storage import connect_store, secret_fact, store_settings
from guard.errors import SettingsError
from guard.http.sockets import listen, url_of
from guard.ports import Store
from guard.review_web.app import review_app
from guard.review_web.http import MAX_HEADER_BYTES
from guard.review_web.options import LOOPBACK, ReviewOptions
from guard.settings import Settings, load_settings

LOCALHOST: Final = "127.0.0.1"
SESSION_KEY_FACT: Final = "review/session_key"
REQUEST_SECONDS: Final = 10.0
"""How long a request may take to arrive."""
KEEP_ALIVE_SECONDS: Final = 30
MAX_CONNECTIONS: Final = 256
SHUTDOWN_SECONDS: Final = 5


class ReviewServer:
    """Serves an application in a thread until closed. `url` is where."""

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


class ReviewPage:
    """The page of a store, served until it is closed."""

    def __init__(self, server: ReviewServer, release: Callable[[], None]) -> None:
        self._server = server
        self._release = release
        self.url = server.url

    def close(self) -> None:
        """Stop serving; close the store if it was opened for the page."""
        self._server.close()
        self._release()


def open_review(
    settings: Settings | str | os.PathLike[str],
    *,
    store: Store | None = None,
    host: str = LOCALHOST,
    port: int = 0,
    options: ReviewOptions | None = None,
) -> ReviewPage:
    """Serve the review page beside an application.

    settings: those of the guard, or the path of its guard.yaml. store: the one the guard has open,
    if it is in this process; it stays open. Only this machine is listened to unless `host` says
    otherwise, and then `options.url` must give the public address.
    Raises SettingsError and StoreError.
    """
    if not isinstance(settings, Settings):
        settings = load_settings(settings)
    options = options or ReviewOptions()
    check_host(host, options)
    opened = store or _open_store(settings)

    def release() -> None:
        if store is None:
            opened.shut()

    try:
        server = serve_review(review_of(opened, settings, options), host, port)
    except BaseException:
        release()
        raise
    return ReviewPage(server, release)


def review_of(store: Store, settings: Settings, options: ReviewOptions | None = None) -> ASGIApp:
    """The page of a store as an ASGI application, for a server of your own. Raises StoreError.

    Secrets are made once and kept in the store: any number of processes may serve the page.
    """
    secret = secret_fact(store, SESSION_KEY_FACT)
    return review_app(open_review_service(store, settings), open_accounts(store), secret, options)


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


def check_host(host: str, options: ReviewOptions) -> None:
    """Raises SettingsError for a host that other machines reach, without a public address."""
    local = host in LOOPBACK or f"[{host}]" in LOOPBACK
    if not local and not options.url:
        raise SettingsError(
            f"review: {host} can be reached from other machines: give the public address, as in"
            " url https://review.example.org (--url), and put a proxy with TLS before the page,"
            " since passwords would travel unencrypted"
        )


def _open_store(settings: Settings) -> Store:
    where = store_settings(settings)
    if where is None:
        raise SettingsError("review: there is no store: set store.url in guard.yaml")
    return connect_store(where)


class ReviewProtocol(H11Protocol):
    """Closes connections whose request does not arrive in time, and those above the limit.

    uvicorn alone waits for ever for the rest of a request.
    """

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request; close a connection above the limit."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.close()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop the timer once there is a request to answer."""
        super().data_received(data)
        if self._answering():
            self._stop()
        elif self._waiting is None and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the interface is uvicorn's
        """Close the connection: what is not HTTP gets no answer."""
        self.transport.close()

    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def _config(app: ASGIApp) -> Config:
    """No access log: addresses tell who looked at what. Forwarded addresses are not trusted."""
    return Config(
        app,
        http=ReviewProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
