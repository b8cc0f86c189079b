"""`guard serve`: the gateway, with its metrics and the review page on listeners of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from guard.bootstrap.storage import connect_store
from guard.cli.review_serve import review_page
from guard.cli.stores import store_of
from guard.errors import SettingsError
from guard.gateway.checks import check_gateway
from guard.settings import Settings, load_settings


@click.command()
@click.option(
    "--settings",
    "file",
    type=click.Path(path_type=Path),
    required=True,
    help="A guard.yaml that declares an upstream.",
)
@click.option("--host", help="Where to listen, instead of gateway.host.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Instead of gateway.port; 0 is any free one."
)
@click.option(
    "--workers", type=click.IntRange(1, 256), help="Processes, instead of gateway.workers."
)
@click.option("--log-requests", is_flag=True, help="One line for each, on standard error.")
def serve(
    file: Path, *, host: str | None, port: int | None, workers: int | None, log_requests: bool
) -> None:
    """Serve the OpenAI API in front of the upstreams, every reply judged before it is released.

    SIGTERM ends it well: requests under way are finished, for gateway.drain_seconds at most. A
    second one ends it at once.
    """
    settings = _with(load_settings(file), host=host, port=port, workers=workers)
    try:
        check_gateway(settings)
    except SettingsError as error:
        raise SettingsError(f"{file}: {error}") from error
    from guard.gateway.processes.supervisor import serve_gateway  # noqa: PLC0415 - an extra, looked for above

    with _reviewed(settings) as review:

        def told(line: str) -> None:
            click.echo(line)
            if review and line.startswith("gateway:"):
                click.echo(f"review: {review}")

        asyncio.run(serve_gateway(settings, told, log_requests=log_requests))


def _with(settings: Settings, **given: object) -> Settings:
    """The settings with what the command line says instead."""
    changed = {name: value for name, value in given.items() if value is not None}
    return settings.model_copy(update={"gateway": settings.gateway.model_copy(update=changed)})


@contextmanager
def _reviewed(settings: Settings) -> Iterator[str]:
    """The address of the review page, if there is to be one. Raises SettingsError, StoreError."""
    where = settings.gateway.review
    if where is None:
        yield ""
        return
    store = connect_store(store_of(settings, None))
    try:
        with review_page(store, settings, host=where.host, port=where.port) as address:
            yield address
    finally:
        store.shut()
