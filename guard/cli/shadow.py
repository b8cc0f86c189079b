"""`guard shadow`: asks models behind addresses about other groups, beside the guards."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import closing
from pathlib import Path

import click

from guard.bootstrap import open_scorer
from guard.bootstrap.shadow import Shadowing
from guard.bootstrap.storage import connect_store, store_settings
from guard.bootstrap.use_cases import shadow_upstreams
from guard.errors import SettingsError
from guard.settings import Settings, StoreSettings, load_settings


@click.command()
@click.option(
    "--settings",
    "file",
    type=click.Path(path_type=Path),
    required=True,
    help="The guard.yaml of the processes whose calls are shadowed.",
)
@click.option(
    "--nice",
    type=click.IntRange(0, 19),
    default=19,
    show_default=True,
    help="How far others go first; 0 is not at all.",
)
def shadow(file: Path, nice: int) -> None:
    """Work off shadow jobs until told to end.

    For use cases whose `shadow` names an `upstream` or whose calls come through the gateway; calls
    wrapped with a callable are shadowed in their own process. Run as many as you like: each job is
    done once. SIGTERM ends it well, and a kill loses nothing.
    """
    settings = load_settings(file)
    store_at = _checked(settings, file)
    os.nice(nice)
    with closing(open_scorer(settings.scoring)) as engine:
        store = connect_store(store_at)
        try:
            shadowing = Shadowing(settings, store, engine)
            click.echo(f"shadowing: {', '.join(shadow_upstreams(settings))}")
            asyncio.run(_until_told(shadowing, settings))
        finally:
            store.shut()


def _checked(settings: Settings, file: Path) -> StoreSettings:
    where = store_settings(settings)
    if where is None or not shadow_upstreams(settings):
        raise SettingsError(
            f"{file}: no use case has a `shadow` with a share above 0 and an `upstream`, there or"
            " for the gateway: there is nothing to do"
        )
    if where.url.startswith("memory:"):
        raise SettingsError(
            f"{file}: store.url: {where.url} is known to one process alone; name another store"
        )
    return where


async def _until_told(shadowing: Shadowing, settings: Settings) -> None:
    from guard.bootstrap.upstreams import open_upstreams  # noqa: PLC0415 - an extra

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    names = shadow_upstreams(settings).values()
    async with open_upstreams(settings, names) as upstreams:
        await shadowing.run(upstreams, stop)
    shadowing.close(timeout_seconds=0.0)
