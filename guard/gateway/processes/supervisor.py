"""The supervisor: it opens the sockets, keeps the workers running, adds up their metrics."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Final

from guard.bootstrap.readings import open_readings
from guard.bootstrap.storage import connected_store, shows_readings, store_settings
from guard.gateway.processes.messages import MessageKind, WorkerMessage
from guard.gateway.processes.refusals import MOST_CONNECTIONS, Refusals
from guard.gateway.processes.worker_slot import WorkerSlot
from guard.http.sockets import (
    affordable_connections,
    listen,
    listening_errors,
    raise_file_limit,
    url_of,
)
from guard.scoring import usable_cores
from guard.settings import Settings
from guard.telemetry import (
    CollectedMetrics,
    FairnessCollector,
    Families,
    ReplicaMetrics,
    ScrapedCollector,
    add_families,
    read_samples,
    samples_of,
    serve,
    summed_metrics,
)

CHECK_SECONDS: Final = 5.0
"""How often workers are asked for their samples, and so whether they still run."""
SCRAPE_SECONDS: Final = 10.0
"""For the samples of all workers together, before a scrape fails."""
KILL_SECONDS: Final = 20.0
"""Beyond the time to drain, until a worker is killed."""


async def serve_gateway(
    settings: Settings, announce: Callable[[str], None], *, log_requests: bool = False
) -> None:
    """Serve until SIGTERM or SIGINT; a second signal kills the workers.

    settings: those that `check_gateway` accepts. announce: called with a line for each address,
    once all workers answer. Raises SettingsError and other GuardErrors for what cannot be started.
    """
    raise_file_limit()
    with ExitStack() as opened:
        listeners = [opened.enter_context(one) for one in _listeners(settings)]
        start = WorkerMessage(
            kind=MessageKind.START,
            text=worker_settings(settings).model_dump_json(),
            mark=log_requests,
        )
        supervisor = Supervisor(settings, listeners, start)
        metrics = opened.enter_context(supervisor.metrics())
        where = url_of(settings.gateway.host, listeners[0].getsockname()[1])

        def ready() -> None:
            announce(f"gateway: {where}")
            announce_limit(settings.gateway.connections, announce)
            if metrics:
                announce(f"metrics: {metrics}")

        await supervisor.run(opened.enter_context(_signals()), ready)


def announce_limit(connections: int, announce: Callable[[str], None]) -> None:
    """Say so where the system allows fewer connections than the settings do."""
    allowed = affordable_connections(connections)
    if allowed < connections:
        announce(
            f"each worker takes {allowed} connections instead of {connections}"
            " (gateway.connections), a third of the files that it may have open (ulimit -Hn)"
        )


def worker_settings(settings: Settings) -> Settings:
    """The settings of one worker: unless they say otherwise, each scores on its share of cores."""
    scoring, workers = settings.scoring, settings.gateway.workers
    share = scoring.workers or max(1, usable_cores() // workers)
    return settings.model_copy(update={"scoring": scoring.model_copy(update={"workers": share})})


def shared_out(accepting: Sequence[bool]) -> tuple[tuple[int, ...], ...]:
    """For each worker the numbers of the sockets to accept from: its own, and those of workers that
    do not accept, which are dealt out. Nothing where none does.

    The kernel spreads connections over all sockets; those to one without a worker would wait.
    """
    able = [number for number, can in enumerate(accepting) if can]
    if not able:
        return tuple(() for _ in accepting)
    by = [n if can else able[n % len(able)] for n, can in enumerate(accepting)]
    return tuple(
        tuple(socket for socket, taker in enumerate(by) if taker == worker)
        for worker in range(len(accepting))
    )


class Supervisor:
    """Runs the workers of one gateway and serves their metrics. For one event loop."""

    def __init__(
        self, settings: Settings, listeners: list[socket.socket], start: WorkerMessage
    ) -> None:
        self._settings = settings
        self._listeners = listeners
        self._refusals = Refusals(listeners, affordable_connections(MOST_CONNECTIONS))
        self._metrics = ReplicaMetrics()
        self._changed = asyncio.Event()
        replaced, changed = self._metrics.worker_replaced, self._changed.set
        self._slots = [WorkerSlot(listeners, start, replaced, changed) for _ in listeners]
        self._loop = asyncio.get_running_loop()

    async def run(self, signals: asyncio.Queue[None], ready: Callable[[], None]) -> None:
        """Serve until the first signal, drain until the second."""
        ending = asyncio.ensure_future(signals.get())
        serving = asyncio.ensure_future(self._serve(ready))
        try:
            await asyncio.wait({ending, serving}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
            self._refusals.close()
            for listener in self._listeners:
                listener.close()
            draining = asyncio.ensure_future(self._drain())
            again = asyncio.ensure_future(signals.get())
            await asyncio.wait({draining, again}, return_when=asyncio.FIRST_COMPLETED)
            again.cancel()
        finally:
            for slot in self._slots:
                slot.kill()
            self._refusals.close()
            serving.cancel()
            ending.cancel()

    async def families(self) -> Families:
        """The sums over all workers, and what the supervisor counts itself."""
        ours = read_samples(samples_of(self._metrics.registry))
        theirs = await asyncio.gather(*(slot.families() for slot in self._slots))
        return add_families([ours, *theirs])

    @contextmanager
    def metrics(self) -> Iterator[str]:
        """`/metrics` on a listener of its own; its URL, empty where none is configured.

        It includes the readings of the store where that is set. Raises SettingsError, StoreError.
        """
        where = self._settings.gateway.metrics
        if where is None:
            yield ""
            return
        with ExitStack() as opened:
            sums = ScrapedCollector(lambda: summed_metrics(self._families_from_thread()))
            workers = CollectedMetrics(sums)
            kept = store_settings(self._settings)
            if kept is not None and shows_readings(self._settings):
                store = opened.enter_context(connected_store(kept))
                workers.registry.register(FairnessCollector(open_readings(store, self._settings)))
            with closing(serve(workers, where.host, where.port)) as server:
                yield server.url

    async def _serve(self, ready: Callable[[], None]) -> None:
        await asyncio.gather(*(slot.open() for slot in self._slots))
        await self._share_out()
        ready()
        watching = (self._check(), self._share_out_again())
        await asyncio.gather(*watching, *(slot.supervised() for slot in self._slots))

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            await asyncio.gather(*(slot.check() for slot in self._slots))
            self._changed.set()

    async def _share_out_again(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._share_out()

    async def _share_out(self) -> None:
        accepting = [slot.accepts for slot in self._slots]
        if any(accepting):
            self._refusals.close()
        elif any(slot.cannot_begin for slot in self._slots):
            self._refusals.open()
        numbers = shared_out(accepting)
        for slot, theirs in zip(self._slots, numbers, strict=True):
            await slot.accept(theirs)

    async def _drain(self) -> None:
        seconds = self._settings.gateway.drain_seconds + KILL_SECONDS
        await asyncio.gather(*(slot.drain(seconds) for slot in self._slots))

    def _families_from_thread(self) -> Families:
        return asyncio.run_coroutine_threadsafe(self.families(), self._loop).result(SCRAPE_SECONDS)


def _listeners(settings: Settings) -> list[socket.socket]:
    """A socket for each worker, all at one address. Raises SettingsError.

    The supervisor keeps them open, so that connections which are not accepted yet outlive a worker.
    """
    section = settings.gateway
    remedy = "choose another gateway.port (--port), or 0 for any"
    with listening_errors("the gateway", section.host, section.port, remedy):
        # Shared sockets would join those of another gateway, so the port is tried alone first.
        listen(section.host, section.port).close()
        first = listen(section.host, section.port, shared=section.workers > 1)
        port = first.getsockname()[1]
        others = range(section.workers - 1)
        return [first, *(listen(section.host, port, shared=True) for _ in others)]


@contextmanager
def _signals() -> Iterator[asyncio.Queue[None]]:
    """SIGTERM, SIGINT and the end of a terminal as they come."""
    loop, received = asyncio.get_running_loop(), asyncio.Queue[None]()
    hangs_up = signal.getsignal(signal.SIGHUP) is signal.SIG_DFL  # else it is under `nohup`
    numbers = [signal.SIGTERM, signal.SIGINT, *[signal.SIGHUP] * hangs_up]
    for number in numbers:
        loop.add_signal_handler(number, received.put_nowait, None)
    try:
        yield received
    finally:
        for number in numbers:
            with suppress(RuntimeError):
                loop.remove_signal_handler(number)
