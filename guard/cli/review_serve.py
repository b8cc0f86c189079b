"""`guard review serve`: the review page, on a listener of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import click

from guard.bootstrap.review import PURGE_ACTOR, open_accounts, open_retention, purge_periodically
from guard.cli.stores import opened_store, store_options
from guard.errors import SettingsError
from guard.ports import Store
from guard.settings import Settings

DEFAULT_PORT: Final = 9466
NOBODY: Final = (
    "nobody can sign in yet: make an account with `guard review add-user NAME --role admin`"
)


@click.command()
@store_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="0 is any free one.",
)
@click.option(
    "--url",
    "public",
    default="",
    help="Under which address people come, if not under this machine's own; https is for a proxy"
    " with TLS before this page.",
)
def serve(file: Path | None, url: str | None, *, host: str, port: int, public: str) -> None:
    """Serve the review page until told to end.

    For this machine alone unless --host and --url say otherwise. Run as many as you like on one
    store. While it runs, cases go when they are as old as review.retention_days says.
    """
    with (
        opened_store(file, url) as (store, settings),
        review_page(store, settings, host=host, port=port, public=public) as address,
    ):
        click.echo(f"review: {address}")
        threading.Event().wait()


@contextmanager
def review_page(
    store: Store, settings: Settings, *, host: str, port: int, public: str = ""
) -> Iterator[str]:
    """The page, its address, and what makes old cases go. Raises SettingsError, StoreError."""
    try:
        from guard.review_web import ReviewOptions, open_review  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise SettingsError(f"{error.name} is missing: pip install 'evenguard[review]'") from error
    options = ReviewOptions(url=public)
    page = open_review(settings, store=store, host=host, port=port, options=options)
    retention = open_retention(store, settings)
    with closing(page), purge_periodically(lambda: retention.purge(by=PURGE_ACTOR)):
        if not open_accounts(store).users():
            click.echo(f"guard: {NOBODY}", err=True)
        yield options.url or page.url
