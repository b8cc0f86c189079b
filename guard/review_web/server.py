"""The review page of a store, on a listener of its own: for commands and for applications."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import ExitStack
from typing import Final

from starlette.types import ASGIApp
from uvicorn import Server

from guard.bootstrap.review import open_accounts, open_review_service
from guard.bootstrap.storage import connected_store, secret_fact, store_settings
from guard.errors import SettingsError
from guard.http.protocol import Bounds, bounded_config
from guard.http.sockets import (
    LOCALHOST,
    affordable_connections,
    listen,
    listening_errors,
    url_of,
)
from guard.ports import Store
from guard.review_web.app import review_app
from guard.review_web.http import MAX_HEADER_BYTES
from guard.review_web.options import LOOPBACK, ReviewOptions
from guard.settings import Settings, StoreSettings, load_settings

SESSION_KEY_FACT: Final = "review/session_key"
REQUEST_SECONDS: Final = 10.0
"""How long a request may take to arrive."""
KEEP_ALIVE_SECONDS: Final = 30
MAX_CONNECTIONS: Final = 256
SHUTDOWN_SECONDS: Final = 5


class ReviewPage:
    """The review page, served in a thread until it is closed. url: the address to open.

    host: as the listener was asked for. opened: closed after the last answer.
    """

    def __init__(self, app: ASGIApp, host: str, listener: socket.socket, opened: ExitStack) -> None:
        self._opened = opened
        self.url = url_of(host, int(listener.getsockname()[1]))
        bounds = Bounds(
            connections=affordable_connections(MAX_CONNECTIONS),
            request_seconds=REQUEST_SECONDS,
            head_bytes=MAX_HEADER_BYTES,
            drops_unread=True,
        )
        self._server = Server(
            bounded_config(
                app, bounds, keep_alive_seconds=KEEP_ALIVE_SECONDS, drain_seconds=SHUTDOWN_SECONDS
            )
        )
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": [listener]},
            name="guard-review",
            daemon=True,
        )
        self._thread.start()

    def close(self) -> None:
        """Finish what is being answered, for a few seconds at most, and stop listening."""
        self._server.should_exit = True
        self._thread.join()
        self._opened.close()


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
    with ExitStack() as opened:
        kept = store or opened.enter_context(connected_store(_store_of(settings)))
        app = review_of(kept, settings, options)
        with listening_errors("the review page", host, port):
            listener = opened.enter_context(listen(host, port))
        return ReviewPage(app, host, listener, opened.pop_all())


def review_of(store: Store, settings: Settings, options: ReviewOptions | None = None) -> ASGIApp:
    """The page of a store as an ASGI application, for a server of your own. Raises StoreError.

    Secrets are made once and kept in the store: any number of processes may serve the page.
    """
    secret = secret_fact(store, SESSION_KEY_FACT)
    service, accounts = open_review_service(store, settings), open_accounts(store)
    return review_app(service, accounts, secret, options, settings=settings)


def check_host(host: str, options: ReviewOptions) -> None:
    """Raises SettingsError for a host that other machines reach, without a public address."""
    local = host in LOOPBACK or f"[{host}]" in LOOPBACK
    if not local and not options.url:
        raise SettingsError(
            f"review: {host} can be reached from other machines: give the public address, as in"
            " url https://review.example.org (--url), and put a proxy with TLS before the page,"
            " since passwords would travel unencrypted"
        )


def _store_of(settings: Settings) -> StoreSettings:
    where = store_settings(settings)
    if where is None:
        raise SettingsError("review: there is no store: set store.url in guard.yaml")
    return where
