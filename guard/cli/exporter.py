"""`guard exporter`: the global readings of a store, served for Prometheus."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from guard.bootstrap.storage import connect_store, open_readings
from guard.cli.stores import store_of
from guard.errors import SettingsError, StoreError
from guard.http.sockets import LOCALHOST
from guard.ports import Store
from guard.records import Snapshot
from guard.report import SeriesLimits
from guard.settings import Settings, load_settings
from guard.telemetry import GlobalMetrics, serve

DEFAULT_PORT: Final = 9465


@click.command()
@click.option(
    "--settings",
    "file",
    type=click.Path(path_type=Path),
    help="The guard.yaml of the processes whose store it is.",
)
@click.option("--store", "url", help="URL of the store, instead of store.url in the settings.")
@click.option("--host", default=LOCALHOST, show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="0 is any free one.",
)
@click.option(
    "--max-series",
    type=click.IntRange(min=1),
    default=SeriesLimits().series,
    show_default=True,
    help="Of each use case; what is above is left out and counted.",
)
@click.option(
    "--max-use-cases",
    type=click.IntRange(min=1),
    default=SeriesLimits().use_cases,
    show_default=True,
    help="The same for use cases.",
)
def exporter(
    file: Path | None, url: str | None, *, host: str, port: int, max_series: int, max_use_cases: int
) -> None:
    """Serve the readings of a store on /metrics until told to end.

    Run one, however many processes share the store: two would be counted twice. While the store is
    away it answers with guard_store_up 0.
    """
    settings = load_settings(file) if file else Settings()
    store = store_of(settings, url)
    limits = SeriesLimits(series=max_series, use_cases=max_use_cases)
    source = _Source(
        lambda: connect_store(store),
        lambda found: open_readings(found, settings, limits=limits),
    )
    try:
        source.begin()
        _serve(GlobalMetrics(source.snapshot), host, port)
    finally:
        source.close()


def _serve(metrics: GlobalMetrics, host: str, port: int) -> None:
    try:
        server = serve(metrics, host, port)
    except SettingsError as error:
        raise SettingsError(f"{error} (--port)") from error
    try:
        click.echo(f"readings: {server.url}")
        threading.Event().wait()
    finally:
        server.close()


class _Source:
    """A store that is opened when it can be, and what is read of it."""

    def __init__(
        self, open_one: Callable[[], Store], read_of: Callable[[Store], Callable[[], Snapshot]]
    ) -> None:
        self._open = open_one
        self._read_of = read_of
        self._store: Store | None = None
        self._read: Callable[[], Snapshot] | None = None

    def begin(self) -> None:
        """Open it now; a store that is away is no reason to end. Raises SettingsError."""
        try:
            self._opened()
        except StoreError as error:
            click.echo(f"guard: {error}; waiting for it", err=True)

    def snapshot(self) -> Snapshot:
        """Raises StoreError."""
        return self._opened()()

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.shut()

    def _opened(self) -> Callable[[], Snapshot]:
        if self._read is None:
            self._store = self._open()
            self._read = self._read_of(self._store)
        return self._read
