"""Commands that run until they are stopped: `guard serve`, `guard shadow`, `guard exporter`."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Final

import click

from guard.bootstrap import open_scorer
from guard.bootstrap.readings import open_readings, series_limits
from guard.bootstrap.shadow import Shadowing
from guard.bootstrap.standard_error import never_wait_for_readers
from guard.bootstrap.storage import connected_store
from guard.bootstrap.tracing import command_outlets, job_tracer, traced_work
from guard.bootstrap.use_cases import shadow_upstreams
from guard.cli.options import port_option, settings_option, store_of, store_options
from guard.cli.review import review_page
from guard.errors import SettingsError, StoreError
from guard.gateway.checks import check_gateway
from guard.http.sockets import LOCALHOST
from guard.records import Snapshot
from guard.settings import Settings, StoreSettings, errors_name, load_settings
from guard.shadow.worker_timing import WorkerTiming
from guard.telemetry import CollectedMetrics, FairnessCollector
from guard.telemetry import serve as serve_metrics

EXPORTER_PORT: Final = 9465


@click.command()
@settings_option("A guard.yaml that declares an upstream.", required=True)
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
    """Serve the OpenAI API in front of the upstreams; every reply is judged before it is released.

    SIGTERM drains: requests under way are finished, for gateway.drain_seconds at most. A second
    SIGTERM ends it at once.
    """
    never_wait_for_readers()
    settings = _overridden(load_settings(file), host=host, port=port, workers=workers)
    with errors_name(file):
        check_gateway(settings)
    from guard.gateway.processes.supervisor import serve_gateway  # noqa: PLC0415 - an extra, looked for above

    with _review_beside(settings) as review:

        def announce(line: str) -> None:
            click.echo(line)
            if review and line.startswith("gateway:"):
                click.echo(f"review: {review}")

        asyncio.run(serve_gateway(settings, announce, log_requests=log_requests))


def _overridden(settings: Settings, **given: object) -> Settings:
    """The settings with the options of the command line in their place."""
    changed = {name: value for name, value in given.items() if value is not None}
    return settings.model_copy(update={"gateway": settings.gateway.model_copy(update=changed)})


@contextmanager
def _review_beside(settings: Settings) -> Iterator[str]:
    """The URL of the review page; empty where none is configured. SettingsError, StoreError."""
    where = settings.gateway.review
    if where is None:
        yield ""
        return
    with (
        connected_store(store_of(settings, None)) as store,
        review_page(store, settings, host=where.host, port=where.port) as address,
    ):
        yield address


@click.command()
@settings_option("The guard.yaml of the processes whose calls are shadowed.", required=True)
@click.option(
    "--nice",
    type=click.IntRange(0, 19),
    default=19,
    help="Niceness of the process; 0 is that of the shell.",
)
def shadow(file: Path, nice: int) -> None:
    """Send shadow requests until stopped.

    For use cases whose `shadow` names an `upstream` or whose calls come through the gateway; calls
    wrapped with a callable are shadowed in their own process. Any number of these workers may run:
    each job is done once. SIGTERM stops after the jobs under way, and a kill loses none.
    """
    never_wait_for_readers()
    settings = load_settings(file)
    where = _checked_store(settings, file)
    os.nice(nice)
    with (
        closing(open_scorer(settings.scoring)) as engine,
        connected_store(where) as store,
        command_outlets(os.environ) as outlets,
    ):
        shadowing = Shadowing(settings, store, engine, tracer=job_tracer(outlets))
        click.echo(f"shadowing: {', '.join(shadow_upstreams(settings))}")
        asyncio.run(_until_signal(shadowing, settings))


def _checked_store(settings: Settings, file: Path) -> StoreSettings:
    if not shadow_upstreams(settings):
        raise SettingsError(
            f"{file}: no use case has a `shadow` with a share above 0 and an `upstream`, there or"
            " for the gateway: there is nothing to do"
        )
    with errors_name(f"{file}: store.url"):
        return store_of(settings, None)


async def _until_signal(shadowing: Shadowing, settings: Settings) -> None:
    from guard.bootstrap.upstreams import open_upstreams  # noqa: PLC0415 - an extra

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    names = shadow_upstreams(settings).values()
    async with open_upstreams(settings, names) as upstreams:
        await shadowing.run(upstreams, stop)
    shadowing.close(timeout_seconds=WorkerTiming().drain_seconds)


@click.command()
@store_options
@click.option("--host", default=LOCALHOST, help="Where to listen.")
@port_option(EXPORTER_PORT)
@click.option(
    "--max-series",
    type=click.IntRange(min=1),
    help="Of each use case, instead of metrics.max_series; what is above is left out and counted.",
)
@click.option(
    "--max-use-cases",
    type=click.IntRange(min=1),
    help="The same for use cases, instead of metrics.max_use_cases.",
)
@click.option("--pairs", is_flag=True, help="Show pairs of groups as well, as metrics.pairs does.")
def exporter(
    file: Path | None,
    url: str | None,
    *,
    host: str,
    port: int,
    max_series: int | None,
    max_use_cases: int | None,
    pairs: bool,
) -> None:
    """Serve the readings of a store on /metrics until stopped.

    Run one, however many processes share the store: two would be counted twice. While the store is
    away it answers with guard_store_up 0.
    """
    never_wait_for_readers()
    settings = load_settings(file) if file else Settings()
    where = store_of(settings, url)
    given = {"max_series": max_series, "max_use_cases": max_use_cases, "pairs": pairs or None}
    changed = {name: value for name, value in given.items() if value is not None}
    limits = series_limits(settings.metrics.model_copy(update=changed))
    with ExitStack() as opened:

        @cache
        def readings() -> Callable[[], Snapshot]:
            """Of the store, which is connected as soon as it can be reached."""
            store = opened.enter_context(connected_store(where))
            return open_readings(store, settings, limits=limits)

        outlets = opened.enter_context(command_outlets(os.environ))

        def snapshot() -> Snapshot:
            return readings()()

        try:
            readings()
        except StoreError as error:
            click.echo(f"guard: {error}; waiting for it", err=True)
        traced = traced_work(outlets, "guard readings", snapshot)
        _serve_readings(CollectedMetrics(FairnessCollector(traced)), host, port)


def _serve_readings(metrics: CollectedMetrics, host: str, port: int) -> None:
    try:
        server = serve_metrics(metrics, host, port)
    except SettingsError as error:
        raise SettingsError(f"{error} (--port)") from error
    with closing(server):
        click.echo(f"readings: {server.url}")
        threading.Event().wait()
