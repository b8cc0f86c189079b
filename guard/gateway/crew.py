"""The workers of a replica: started, replaced when they die, asked for samples, and ended."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Self

from guard.errors import GuardError, SettingsError
from guard.gateway.channel import Channel, Kind, Message
from guard.telemetry import Families, lasting, read_samples, summed

FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 5.0
SETTLED_SECONDS: Final = 60.0
"""A worker that lived so long does not make the next pause longer."""
SAMPLES_SECONDS: Final = 2.0

_log = logging.getLogger("guard.gateway")


class Worker:
    """A process that answers. `samples`: the last it gave."""

    def __init__(self, process: asyncio.subprocess.Process, channel: Channel) -> None:
        self._process = process
        self._channel = channel
        self._listening = asyncio.ensure_future(self._listen())
        self._asked: asyncio.Future[None] | None = None
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.samples: Families = {}

    @classmethod
    async def start(cls, listener: socket.socket, start: Message) -> Self:
        """A new process on the socket that clients connect to; `ready` tells when it answers."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # the working directory is no place to import from
                "-m",
                "guard.gateway.worker",
                str(theirs.fileno()),
                str(listener.fileno()),
                pass_fds=(theirs.fileno(), listener.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
            )
        ours.settimeout(0.0)
        worker = cls(process, await Channel.over(ours))
        await worker._channel.say(start)
        return worker

    async def ended(self) -> int:
        """Wait for its end, and for the last it had to say; its exit status."""
        status = await self._process.wait()
        await self._listening
        if not self.ready.done():
            self.ready.set_exception(GuardError(f"a worker ended as it began (status {status})"))
        self._channel.close()
        return status

    @property
    def failed(self) -> bool:
        """Whether it has ended without ever having answered anybody."""
        return self.ready.done() and self.ready.exception() is not None

    async def ask(self) -> Families:
        """Its samples now, or the last it gave where it does not answer in time."""
        if self._asked is None:
            self._asked = asyncio.get_running_loop().create_future()
            await self._channel.say(Message(kind=Kind.SAMPLES))
        await asyncio.wait({self._asked}, timeout=SAMPLES_SECONDS)
        return self.samples

    async def drain(self) -> None:
        """Have it finish what is under way, and end."""
        await self._channel.say(Message(kind=Kind.DRAIN))

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _listen(self) -> None:
        while (message := await self._channel.hear()) is not None:
            match message.kind:
                case Kind.READY:
                    self.ready.set_result(None)
                case Kind.FAILED:
                    self._fail(message)
                case Kind.SAMPLES:
                    self.samples = read_samples(message.text)
                    self._answered()
        self._answered()

    def _answered(self) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.set_result(None)

    def _fail(self, message: Message) -> None:
        kind = SettingsError if message.mark else GuardError
        if self.ready.done():
            _log.error("a worker failed: %s", message.text)
        else:
            self.ready.set_exception(kind(message.text))


class Place:
    """A place for a worker: there is one at a time, and another one when it dies.

    replaced: told of each one that died and had to be replaced.
    """

    def __init__(
        self, listener: socket.socket, start: Message, replaced: Callable[[], None]
    ) -> None:
        self._listener = listener
        self._start = start
        self._replaced = replaced
        self._ending = asyncio.Event()
        self._worker: Worker | None = None
        self._past: Families = {}

    async def open(self) -> None:
        """Start the first worker and wait until it answers. Raises GuardError."""
        self._worker = await Worker.start(self._listener, self._start)
        self._kept = asyncio.ensure_future(self._keep(self._worker))
        await asyncio.shield(self._worker.ready)

    async def families(self) -> Families:
        """The samples of the worker, and what those before it had counted."""
        worker = self._worker
        return summed([self._past, await worker.ask() if worker is not None else {}])

    async def drain(self, seconds: float) -> None:
        """Have the worker finish what is under way; after so many seconds it is killed."""
        self._ending.set()
        if self._worker is not None:
            await self._worker.drain()
            done, _ = await asyncio.wait({self._kept}, timeout=seconds)
            if not done:
                _log.error("a worker did not end within %g seconds and was killed", seconds)
                self.kill()
            await self._kept

    def kill(self) -> None:
        """End the worker at once, and for good."""
        self._ending.set()
        if self._worker is not None:
            self._worker.kill()

    async def _keep(self, worker: Worker) -> None:
        loop, pause, first = asyncio.get_running_loop(), FIRST_PAUSE_SECONDS, worker
        while True:
            began = loop.time()
            status = await worker.ended()
            self._worker, self._past = None, summed([self._past, lasting(worker.samples)])
            if self._ending.is_set() or (worker.failed and worker is first):
                return
            pause = FIRST_PAUSE_SECONDS if loop.time() - began > SETTLED_SECONDS else pause
            why = worker.ready.exception() or f"status {status}"
            _log.error("a worker ended (%s); another one begins in %g s", why, pause)
            if await self._ends_within(pause):
                return
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            self._replaced()
            self._worker = worker = await Worker.start(self._listener, self._start)

    async def _ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        except TimeoutError:
            return False
        return True
