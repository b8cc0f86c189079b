"""Which store a command is about, and the store itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from guard.bootstrap.storage import connect_store, store_settings
from guard.errors import SettingsError
from guard.ports import Store
from guard.settings import Settings, StoreSettings, load_settings

F = TypeVar("F", bound=Callable[..., Any])


def store_options(command: F) -> F:
    """`--settings` and `--store`, as `file` and `url`."""
    file = click.option(
        "--settings",
        "file",
        type=click.Path(path_type=Path),
        help="The guard.yaml of the processes whose store it is.",
    )
    url = click.option("--store", "url", help="URL of the store, instead of store.url there.")
    return file(url(command))


@contextmanager
def opened_store(file: Path | None, url: str | None) -> Iterator[tuple[Store, Settings]]:
    """The store, and the settings. Raises SettingsError, StoreError."""
    settings = load_settings(file) if file else Settings()
    store = connect_store(store_of(settings, url))
    try:
        yield store, settings
    finally:
        store.shut()


def store_of(settings: Settings, url: str | None) -> StoreSettings:
    """Which store is meant. url: takes the place of the one in the settings. SettingsError."""
    store = store_settings(settings)
    if url is not None:
        store = (store or StoreSettings()).model_copy(update={"url": url})
    if store is None:
        raise SettingsError(
            "there is no store: give --store URL, or --settings FILE with a store.url"
        )
    if store.url.startswith("memory:"):
        raise SettingsError(f"{store.url} is known to one process alone; name another store")
    return store
