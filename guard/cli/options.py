"""Options that commands share, and the store that they name."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import click

from guard.bootstrap.storage import connected_store, store_settings
from guard.errors import SettingsError
from guard.settings import Settings, StoreSettings, load_settings

F = TypeVar("F", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """A finite number in a range; click's own lets `nan` through."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; a usage error where it is none."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def settings_option(help_text: str, *, required: bool = False) -> Callable[[F], F]:
    """`--settings`, as `file`."""
    path = click.Path(path_type=Path)
    return click.option("--settings", "file", type=path, required=required, help=help_text)


def port_option(default: int, help_text: str = "0 is any free one.") -> Callable[[F], F]:
    """`--port`."""
    ports = click.IntRange(0, 65535)
    return click.option("--port", type=ports, default=default, help=help_text)


def store_options(command: F) -> F:
    """`--settings` and `--store`, as `file` and `url`."""
    file = settings_option("The guard.yaml of the processes that use the store.")
    url = click.option("--store", "url", help="URL of the store, instead of store.url there.")
    return file(url(command))


def json_option(help_text: str) -> Callable[[F], F]:
    """`--json`, as `json_`."""
    return click.option("--json", "json_", is_flag=True, help=help_text)


def with_store(command: Callable[..., None]) -> Callable[..., None]:
    """`--settings` and `--store`: the command gets the store, open until it ends, and the settings.

    Raises SettingsError, StoreError.
    """

    @wraps(command)
    def with_open_store(
        *arguments: object, file: Path | None, url: str | None, **options: object
    ) -> None:
        settings = load_settings(file) if file else Settings()
        with connected_store(store_of(settings, url)) as store:
            command(store, settings, *arguments, **options)

    return store_options(with_open_store)


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


def who() -> str:
    """Who runs this command, as it stands in the audit."""
    try:
        return f"command line, {getpass.getuser()}"
    except (KeyError, OSError):  # a container whose user has no name
        return f"command line, user {os.getuid()}"
