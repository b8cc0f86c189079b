"""A worker: it answers what clients ask.

The supervisor sends the settings, says which of them to accept from, asks for metrics
and says when to drain; a worker whose supervisor has ended ends too.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

import uvloop
from uvicorn.server import ServerState

from guard.bootstrap import Runtime, open_runtime
from guard.bootstrap.second_look import models_digest
from guard.bootstrap.standard_error import never_wait_for_readers
from guard.bootstrap.tracing import command_outlets
from guard.bootstrap.upstreams import open_clients
from guard.bootstrap.use_cases import upstreams_of
from guard.errors import GuardError, SettingsError
from guard.gateway.errors import invalid_request
from guard.gateway.judging import reply_to
from guard.gateway.monitoring import ACCESS_LOG, Health, RequestLog
from guard.gateway.processes.messages import MessageKind, MessageStream, WorkerMessage
from guard.gateway.startup import open_gateway
from guard.http.protocol import Application, Bounds, bounded_config
from guard.http.sockets import BACKLOG, affordable_connections, raise_file_limit
from guard.settings import Settings
from guard.telemetry import samples_of

if TYPE_CHECKING:
    from guard.telemetry.opentelemetry.outlets import TraceOutlets

KEEP_ALIVE_SECONDS: Final = 75
"""Longer than proxies keep a connection that they may use again."""
ACCEPTED_AT_ONCE: Final = 16
"""Connections in one turn of the loop. uvloop accepts one for each socket it listens on; with a
single one, new connections would wait for seconds while many requests are under way."""
CANCEL_SECONDS: Final = 2.0
"""For requests that were cancelled to release what they hold."""


class WorkerServer:
    """The listeners of one worker. For one event loop."""

    def __init__(
        self, app: Application, bounds: Bounds, listeners: Sequence[socket.socket]
    ) -> None:
        self._config = bounded_config(
            app,
            bounds,
            keep_alive_seconds=KEEP_ALIVE_SECONDS,
            date_header=False,
            log_level="critical",
        )
        self._config.load()
        self._state = ServerState()
        self._listeners = listeners
        self._servers: dict[int, list[asyncio.Server]] = {}
        self._draining = False

    async def accept(self, numbers: Collection[int]) -> None:
        """Accept from the listeners with these numbers and from no others; from none any more once
        it drains."""
        for number in self._servers.keys() - set(numbers):
            self._close(number)
        for number in sorted(set(numbers) - self._servers.keys()):
            if self._draining:
                return
            try:
                await self._open(number)
            except OSError as error:  # no descriptors left: the supervisor asks again
                self._close(number)
                _log.error("a worker cannot accept connections: %s", error)

    async def _open(self, number: int) -> None:
        opened, loop = self._servers.setdefault(number, []), asyncio.get_running_loop()
        for _ in range(ACCEPTED_AT_ONCE):
            one = self._listeners[number].dup()
            opened.append(await loop.create_server(self._connection, sock=one, backlog=BACKLOG))
        if self._draining:
            self._close(number)

    def _close(self, number: int) -> None:
        for server in self._servers.pop(number, []):
            server.close()

    async def drain(self, seconds: float) -> None:
        """Stop accepting, let requests under way end, and cancel them after `seconds`."""
        self._draining = True
        for number in tuple(self._servers):
            self._close(number)
        for listener in self._listeners:
            listener.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        tasks = self._state.tasks
        if tasks:
            await asyncio.wait(set(tasks), timeout=seconds)
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(set(tasks), timeout=CANCEL_SECONDS)
        for connection in list(self._state.connections):
            connection.transport.close()

    def _connection(self) -> asyncio.Protocol:
        made: asyncio.Protocol = self._config.http_protocol_class(  # type: ignore[call-arg]
            config=self._config, server_state=self._state, app_state={}
        )
        return made


_log = logging.getLogger("guard.gateway")

SHIPPING_SECONDS: Final = 5.0
SCORING_NICENESS: Final = 5
SWITCH_SECONDS: Final = 0.001
"""How long the event loop waits for a thread that reads a text, once for each."""


def main(messages: int, listeners: Sequence[int]) -> None:
    """Serve until the supervisor says so, or has ended.

    messages: the file descriptor of the socket to the supervisor. listeners: of those that clients
    connect to.
    """
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal sends them to all
        signal.signal(number, signal.SIG_IGN)  # the supervisor acts
    never_wait_for_readers()
    raise_file_limit()
    sys.setswitchinterval(SWITCH_SECONDS)
    supervisor, *clients = (socket.socket(fileno=number) for number in (messages, *listeners))
    for each in (supervisor, *clients):
        each.settimeout(0.0)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(supervisor, clients))


async def _serve(supervisor: socket.socket, clients: Sequence[socket.socket]) -> None:
    stream = await MessageStream.over(supervisor)
    start = await stream.receive()
    if start is None:
        return
    if start.mark:
        _log_requests()
    settings = Settings.model_validate_json(start.text)
    try:
        with command_outlets(os.environ) as outlets:
            is_first = start.kind is MessageKind.START
            runtime = await _open_runtime(settings, outlets, needs_store=is_first)
            await _answer(runtime, stream, clients)
    except GuardError as error:
        at_fault = isinstance(error, SettingsError)
        failed = WorkerMessage(kind=MessageKind.FAILED, text=str(error), mark=at_fault)
        await stream.send(failed)


async def _open_runtime(
    settings: Settings, outlets: TraceOutlets | None, *, needs_store: bool
) -> Runtime:
    """In a thread of its own, whose lower priority the scoring threads inherit: they can keep every
    core busy, and requests must still be accepted and answered in time."""

    def opened() -> Runtime:
        os.nice(SCORING_NICENESS)  # on Linux that of this thread
        return open_runtime(settings, readings=False, outlets=outlets, needs_store=needs_store)

    with ThreadPoolExecutor(1) as thread:
        return await asyncio.get_running_loop().run_in_executor(thread, opened)


def _count_invalid(log: RequestLog, code: str, message: str) -> bytes:
    """The answer to what is no valid request, which the application never sees."""
    log.refused(code)
    return invalid_request(code, message)


async def _answer(
    runtime: Runtime, stream: MessageStream, clients: Sequence[socket.socket]
) -> None:
    settings = runtime.settings
    section, health = settings.gateway, Health(runtime.storage_state)
    drained_at = 0.0
    try:
        async with open_clients(settings, upstreams_of(settings).values()) as upstreams:
            gateway = open_gateway(runtime, upstreams, health, reply_to)
            bounds = Bounds(
                connections=affordable_connections(section.connections),
                request_seconds=section.request_seconds,
                error_body=partial(_count_invalid, gateway.log),
            )
            server = WorkerServer(gateway, bounds, clients)
            _freeze_garbage_collector()
            models = models_digest(settings.scoring)
            await stream.send(WorkerMessage(kind=MessageKind.READY, text=models))
            obeying = asyncio.ensure_future(_obey(stream, runtime, server))  # while it drains, too
            may_drain = await _wait_for_end(obeying)
            health.draining = True
            await stream.send(WorkerMessage(kind=MessageKind.DRAINING))
            seconds = section.drain_seconds if may_drain else 0.0
            drained_at = time.monotonic() + seconds
            await server.drain(seconds)
            await asyncio.to_thread(gateway.guardrail.close)
    finally:
        left = max(drained_at - time.monotonic(), SHIPPING_SECONDS)
        await asyncio.to_thread(runtime.close, drain_seconds=SHIPPING_SECONDS, judging_seconds=left)
    obeying.cancel()
    await _send_samples(stream, runtime)


async def _wait_for_end(obeying: asyncio.Task[bool]) -> bool:
    """Until this worker is told to drain; False when the supervisor has ended."""
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    waiting = asyncio.ensure_future(terminated.wait())
    await asyncio.wait({obeying, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    return obeying.result() if obeying.done() else True


async def _obey(stream: MessageStream, runtime: Runtime, server: WorkerServer) -> bool:
    while (message := await stream.receive()) is not None:
        if message.kind is MessageKind.ACCEPT:
            await server.accept(json.loads(message.text))
        if message.kind is MessageKind.DRAIN:
            return True
        if message.kind is MessageKind.SAMPLES:
            await _send_samples(stream, runtime)
    return False


async def _send_samples(stream: MessageStream, runtime: Runtime) -> None:
    samples = await asyncio.to_thread(samples_of, runtime.metrics.registry)
    await stream.send(WorkerMessage(kind=MessageKind.SAMPLES, text=samples))


def _log_requests() -> None:
    log = logging.getLogger(ACCESS_LOG)
    log.addHandler(logging.StreamHandler(sys.stderr))
    log.setLevel(logging.INFO)


def _freeze_garbage_collector() -> None:
    """What is loaded now lives as long as the worker. Collections that look through it again and
    again would hold up every request for tens of milliseconds."""
    gc.collect()
    gc.freeze()
