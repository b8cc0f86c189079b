"""The review page of a store, put together: for commands and for applications."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp

from guard.bootstrap.review import open_desk, open_people
from guard.bootstrap.storage import connect_store, secret_fact, store_settings
from guard.errors import SettingsError
from guard.ports import Store
from guard.reviewer.app import review_app
from guard.reviewer.options import LOOPBACK, ReviewOptions
from guard.reviewer.server import LOCALHOST, ReviewServer, serve_review
from guard.settings import Settings, load_settings

SESSION_FACT: Final = "review/session_key"


class ReviewPage:
    """The page of a store, on a listener of its own, until it is closed."""

    def __init__(self, server: ReviewServer, let_go: Callable[[], None]) -> None:
        self._server = server
        self._let_go = let_go
        self.url = server.url

    def close(self) -> None:
        """Stop serving; a store that was opened for the page is let go of."""
        self._server.close()
        self._let_go()


def review_of(store: Store, settings: Settings, options: ReviewOptions | None = None) -> ASGIApp:
    """The page of a store as an ASGI application, for a server of your own. Raises StoreError.

    Secrets are made once and kept in the store: any number of processes may serve the page.
    """
    secret = secret_fact(store, SESSION_FACT)
    return review_app(open_desk(store, settings), open_people(store), secret, options)


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
    otherwise, and then `options.url` must say under which address people come.
    Raises SettingsError and StoreError.
    """
    if not isinstance(settings, Settings):
        settings = load_settings(settings)
    options = options or ReviewOptions()
    checked_host(host, options)
    opened = store or _opened(settings)
    try:
        server = serve_review(review_of(opened, settings, options), host, port)
    except BaseException:
        _shut(store, opened)
        raise
    return ReviewPage(server, lambda: _shut(store, opened))


def checked_host(host: str, options: ReviewOptions) -> None:
    """Raises SettingsError for an address that others reach, without one that they may use."""
    here = host in LOOPBACK or f"[{host}]" in LOOPBACK
    if not here and not options.url:
        raise SettingsError(
            f"review: {host} can be reached from other machines: say under which address people"
            " come, as in url https://review.example.org (--url); put a proxy with TLS before it,"
            " since passwords would travel in the clear"
        )


def _opened(settings: Settings) -> Store:
    where = store_settings(settings)
    if where is None:
        raise SettingsError("review: there is no store: set store.url in guard.yaml")
    return connect_store(where)


def _shut(given: Store | None, opened: Store) -> None:
    if given is None:
        opened.shut()
