"""One of the processes that answer: `python -m guard.gateway.worker CHANNEL LISTENER`.

Both are numbers of inherited file descriptors: a socket to the process above, and the socket that
clients connect to. The process above says what the settings are, asks for samples, and says when to
end; when it is gone, so is everybody here.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import uvloop

from guard.bootstrap import Runtime, open_runtime
from guard.bootstrap.upstreams import open_clients
from guard.bootstrap.use_cases import upstreams_of
from guard.errors import GuardError, SettingsError
from guard.gateway.channel import Channel, Kind, Message
from guard.gateway.health import Health
from guard.gateway.journal import ACCESS
from guard.gateway.judging import reply_to
from guard.gateway.opening import open_gateway
from guard.gateway.protocol import Bounds
from guard.gateway.server import Server
from guard.settings import Settings
from guard.telemetry import samples_of

SHIPPING_SECONDS: Final = 5.0
SCORING_NICENESS: Final = 5


def main(channel: int, listener: int) -> None:
    """Serve until told to end, or until nobody is above any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; who is above decides
    _open_many_files()
    above, clients = socket.socket(fileno=channel), socket.socket(fileno=listener)
    above.settimeout(0.0)
    clients.settimeout(0.0)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(above, clients))


async def _serve(above: socket.socket, clients: socket.socket) -> None:
    channel = await Channel.over(above)
    start = await channel.hear()
    if start is None:
        return
    if start.mark:
        _log_requests()
    settings = Settings.model_validate_json(start.text)
    try:
        runtime = await _opened(settings)
        await _answer(runtime, channel, clients)
    except GuardError as error:
        at_fault = isinstance(error, SettingsError)
        await channel.say(Message(kind=Kind.FAILED, text=str(error), mark=at_fault))


async def _opened(settings: Settings) -> Runtime:
    """In a thread of its own, whose lower priority the threads that score inherit. They can keep
    every core busy, and a request must be taken in and answered in time all the same."""

    def opened() -> Runtime:
        os.nice(SCORING_NICENESS)  # on Linux that of this thread
        return open_runtime(settings, readings=False)

    with ThreadPoolExecutor(1) as thread:
        return await asyncio.get_running_loop().run_in_executor(thread, opened)


async def _answer(runtime: Runtime, channel: Channel, clients: socket.socket) -> None:
    settings = runtime.settings
    section, health = settings.gateway, Health(runtime.storage_state)
    bounds = Bounds(connections=section.connections, request_seconds=section.request_seconds)
    try:
        async with open_clients(settings, upstreams_of(settings).values()) as upstreams:
            server = Server(open_gateway(runtime, upstreams, health, reply_to), bounds)
            await server.start(clients)
            _spare_what_stays()
            await channel.say(Message(kind=Kind.READY))
            stays = await _attend(channel, runtime)
            health.draining = True
            await server.drain(section.drain_seconds if stays else 0.0)
    finally:
        await asyncio.to_thread(runtime.close, drain_seconds=SHIPPING_SECONDS)
    await _give_samples(channel, runtime)


async def _attend(channel: Channel, runtime: Runtime) -> bool:
    """Until this worker is told to end; False when there is nobody above any more."""
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    talk = asyncio.ensure_future(_talk(channel, runtime))
    wait = asyncio.ensure_future(told.wait())
    done, others = await asyncio.wait({talk, wait}, return_when=asyncio.FIRST_COMPLETED)
    for other in others:
        other.cancel()
    return talk.result() if talk in done else True


async def _talk(channel: Channel, runtime: Runtime) -> bool:
    while (message := await channel.hear()) is not None:
        if message.kind is Kind.DRAIN:
            return True
        if message.kind is Kind.SAMPLES:
            await _give_samples(channel, runtime)
    return False


async def _give_samples(channel: Channel, runtime: Runtime) -> None:
    samples = await asyncio.to_thread(samples_of, runtime.metrics.registry)
    await channel.say(Message(kind=Kind.SAMPLES, text=samples))


def _log_requests() -> None:
    log = logging.getLogger(ACCESS)
    log.addHandler(logging.StreamHandler(sys.stderr))
    log.setLevel(logging.INFO)


def _spare_what_stays() -> None:
    """What was loaded lives as long as the worker. Looked through by the collector again and again
    it would hold up every request for tens of milliseconds."""
    gc.collect()
    gc.freeze()


def _open_many_files() -> None:
    """As many connections as the system allows, and not as many as a shell begins with."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
