"""The process above the workers: it listens for them, adds up what they count, and ends them."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Final

from guard.bootstrap.storage import connect_store, open_readings, shows_readings, store_settings
from guard.errors import SettingsError
from guard.gateway.channel import Kind, Message
from guard.gateway.crew import Place
from guard.http.sockets import listen, url_of
from guard.ports import Store
from guard.scoring.cores import usable_cores
from guard.settings import Settings
from guard.telemetry import (
    Families,
    ReplicaMetrics,
    Summed,
    publish,
    read_samples,
    samples_of,
    serve,
    summed,
)

GATHER_SECONDS: Final = 5.0
"""How often samples are taken from workers, so that one that is killed takes few with it."""
PATIENCE_SECONDS: Final = 10.0
"""For the samples of all workers together, before a scrape fails."""
LAST_SECONDS: Final = 20.0
"""Beyond the time to drain, until a worker is killed."""


async def serve_gateway(
    settings: Settings, told: Callable[[str], None], *, log_requests: bool = False
) -> None:
    """Serve until SIGTERM or SIGINT; the second one ends it at once.

    settings: those in which `check_gateway` finds nothing wrong. told: hears a line for each
    address that is listened on, once all workers answer. Raises SettingsError and other
    GuardErrors for what cannot be started.
    """
    with ExitStack() as opened:
        listeners = [opened.enter_context(one) for one in _listeners(settings)]
        start = Message(kind=Kind.START, text=of_one(settings).model_dump_json(), mark=log_requests)
        replica = Replica(settings, listeners, start)
        metrics = opened.enter_context(replica.metrics())
        where = url_of(settings.gateway.host, listeners[0].getsockname()[1])

        def ready() -> None:
            told(f"gateway: {where}")
            if metrics:
                told(f"metrics: {metrics}")

        await replica.run(opened.enter_context(_signals()), ready)


def of_one(settings: Settings) -> Settings:
    """The settings of one worker: unless they say otherwise, each scores on its share of cores."""
    scoring, workers = settings.scoring, settings.gateway.workers
    share = scoring.workers or max(1, usable_cores() // workers)
    return settings.model_copy(update={"scoring": scoring.model_copy(update={"workers": share})})


class Replica:
    """The workers and what belongs to all of them."""

    def __init__(self, settings: Settings, listeners: list[socket.socket], start: Message) -> None:
        self._settings = settings
        self._listeners = listeners
        self._metrics = ReplicaMetrics()
        self._places = [Place(one, start, self._metrics.worker_replaced) for one in listeners]
        self._loop = asyncio.get_running_loop()

    async def run(self, signals: asyncio.Queue[None], ready: Callable[[], None]) -> None:
        """Serve until the first signal, drain until the second."""
        ending = asyncio.ensure_future(signals.get())
        serving = asyncio.ensure_future(self._serve(ready))
        try:
            await asyncio.wait({ending, serving}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
            for listener in self._listeners:
                listener.close()
            draining = asyncio.ensure_future(self._drain())
            again = asyncio.ensure_future(signals.get())
            await asyncio.wait({draining, again}, return_when=asyncio.FIRST_COMPLETED)
            again.cancel()
        finally:
            for place in self._places:
                place.kill()
            serving.cancel()
            ending.cancel()

    async def families(self) -> Families:
        """The sums over all workers, and what is counted here."""
        ours = read_samples(samples_of(self._metrics.registry))
        theirs = await asyncio.gather(*(place.families() for place in self._places))
        return summed([ours, *theirs])

    @contextmanager
    def metrics(self) -> Iterator[str]:
        """`/metrics` on a listener of its own; its address, empty where there is none."""
        where = self._settings.gateway.metrics
        if where is None:
            yield ""
            return
        with self._store() as store:
            summed_up = Summed(self._gathered)
            if store is not None:
                publish(summed_up.registry, open_readings(store, self._settings))
            with closing(serve(summed_up, where.host, where.port)) as server:
                yield server.url

    async def _serve(self, ready: Callable[[], None]) -> None:
        await asyncio.gather(*(place.open() for place in self._places))
        ready()
        while True:
            await asyncio.sleep(GATHER_SECONDS)
            await self.families()

    async def _drain(self) -> None:
        seconds = self._settings.gateway.drain_seconds + LAST_SECONDS
        await asyncio.gather(*(place.drain(seconds) for place in self._places))

    def _gathered(self) -> Families:
        """The sums, for a thread that is not the loop's."""
        return asyncio.run_coroutine_threadsafe(self.families(), self._loop).result(
            PATIENCE_SECONDS
        )

    @contextmanager
    def _store(self) -> Iterator[Store | None]:
        """The store, where its readings are shown here. Raises SettingsError, StoreError."""
        where = store_settings(self._settings)
        if where is None or not shows_readings(self._settings):
            yield None
            return
        store = connect_store(where)
        try:
            yield store
        finally:
            store.shut()


def _listeners(settings: Settings) -> list[socket.socket]:
    """A socket for each worker, all at one address. Raises SettingsError.

    They stay here, so that connections which nobody has accepted outlive a worker.
    """
    section = settings.gateway
    try:
        listen(section.host, section.port).close()  # shared sockets would join those of another one
        first = listen(section.host, section.port, shared=section.workers > 1)
        port = first.getsockname()[1]
        others = range(section.workers - 1)
        return [first, *(listen(section.host, port, shared=True) for _ in others)]
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SettingsError(
            f"cannot serve the gateway on {section.host}:{section.port}: {reason}; choose another"
            " gateway.port (--port), or 0 for any"
        ) from error


@contextmanager
def _signals() -> Iterator[asyncio.Queue[None]]:
    """SIGTERM and SIGINT as they come."""
    loop, heard = asyncio.get_running_loop(), asyncio.Queue[None]()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard.put_nowait, None)
    try:
        yield heard
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(RuntimeError):
                loop.remove_signal_handler(number)
