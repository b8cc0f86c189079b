"""Options that commands share, and the store that they name."""

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


def settings_option(help_text: str, *, required: bool = False) -> Callable[[F], F]:
    """`--settings`, as `file`."""
    path = click.Path(path_type=Path)
    return click.option("--settings", "file", type=path, required=required, help=help_text)


def port_option(default: int, help_text: str = "0 is any free one.") -> Callable[[F], F]:
    """`--port`."""
    ports = click.IntRange(0, 65535)
    return click.option("--port", type=ports, default=default, show_default=True, help=help_text)


def store_options(command: F) -> F:
    """`--settings` and `--store`, as `file` and `url`."""
    file = settings_option("The guard.yaml of the processes that use the store.")
    url = click.option("--store", "url", help="URL of the store, instead of store.url there.")
    return file(url(command))


@contextmanager
def open_store_of(file: Path | None, url: str | None) -> Iterator[tuple[Store, Settings]]:
    """The store of a settings file or URL, and the settings. SettingsError, StoreError."""
    settings = load_settings(file) if file else Settings()
    store = connect_store(store_of(settings, url))
    try:
        yield store, settings
    finally:
        store.shut()


def store_of(settings: Settings, url: str | None) -> StoreSettings:
    """The store to use. url: instead of the one in the settings. Raises SettingsError."""
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
