"""A worker process: started, asked for samples, replaced when it dies, and ended."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Final, Self

from guard.errors import GuardError, SettingsError
from guard.gateway.processes.messages import MessageKind, MessageStream, WorkerMessage
from guard.telemetry import Families, add_families, growing_families, read_samples

FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 5.0
SETTLED_SECONDS: Final = 60.0
"""A process that lived so long does not make the next pause longer."""
BEGIN_SECONDS: Final = 60.0
"""For a process to begin; one that takes longer goes on, but no client waits for it any more."""
SAMPLES_SECONDS: Final = 2.0
MOST_UNANSWERED: Final = 12
"""Checks in a row that a worker may leave unanswered before it is replaced: about a minute. They
are counted and not timed, so that a machine that was suspended finds its workers alive."""

_log = logging.getLogger("guard.gateway")


class WorkerProcess:
    """A process that answers requests. `samples`: the latest metrics it sent. `models`: a digest of
    what it judges by, once it is ready.

    changed: called when it begins or ceases to accept connections by itself.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        stream: MessageStream,
        changed: Callable[[], None],
    ) -> None:
        self._process = process
        self._stream = stream
        self._changed = changed
        self._draining = False
        self._receiving = asyncio.ensure_future(self._receive())
        self._samples_asked: asyncio.Future[None] | None = None
        self._unanswered = 0
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.samples: Families = {}
        self.models = ""

    @classmethod
    async def start(
        cls,
        listeners: Sequence[socket.socket],
        start: WorkerMessage,
        changed: Callable[[], None],
    ) -> Self:
        """Start a process that can accept from `listeners`; `ready` is set once it may be told to.

        Raises GuardError where the system has no descriptor, memory or process left for it.
        """
        with ExitStack() as opened:
            try:
                ours, theirs = socket.socketpair()
                opened.callback(ours.close)  # a process that was started all the same ends by it
                with theirs:
                    process = await _start_process(theirs, listeners)
                ours.settimeout(0.0)
                worker = cls(process, await MessageStream.over(ours), changed)
            except OSError as error:
                raise GuardError(f"cannot start a worker: {error}") from error
            opened.pop_all()
        await worker._stream.send(start)
        return worker

    async def ended(self) -> int:
        """Wait until it has ended and its last message is read; its exit status."""
        status = await self._process.wait()
        await self._receiving
        if not self.ready.done():
            self.ready.set_exception(GuardError(f"a worker ended as it began (status {status})"))
        self._stream.close()
        return status

    @property
    def failed(self) -> bool:
        """Whether it ended before it could answer any request."""
        return self.ready.done() and self.ready.exception() is not None

    @property
    def accepts(self) -> bool:
        """Whether it accepts connections, and answered when it was last asked for its samples."""
        able = self.ready.done() and not self.failed and not self._draining
        return able and not self._unanswered

    async def accept(self, numbers: Sequence[int]) -> None:
        """Have it accept from the sockets with these numbers, and from no others."""
        text = json.dumps(numbers)
        await self._stream.send(WorkerMessage(kind=MessageKind.ACCEPT, text=text))

    async def request_samples(self) -> Families:
        """Its samples now, or the latest it sent where it does not answer in time."""
        asked = self._samples_asked
        if asked is None:
            asked = self._samples_asked = asyncio.get_running_loop().create_future()
            await self._stream.send(WorkerMessage(kind=MessageKind.SAMPLES))
        await asyncio.wait({asked}, timeout=SAMPLES_SECONDS)
        return self.samples

    async def check(self) -> None:
        """Ask whether it still runs; a worker that has not answered for long is killed.

        One that begins is not asked: to load a model takes as long as the disk needs.
        """
        if not self.ready.done():
            return
        await self.request_samples()
        self._unanswered = self._unanswered + 1 if self._samples_asked is not None else 0
        if self._unanswered >= MOST_UNANSWERED:
            _log.error("a worker does not answer any more and is killed")
            self.kill()

    async def drain(self) -> None:
        """Ask it to finish requests under way and to exit."""
        await self._stream.send(WorkerMessage(kind=MessageKind.DRAIN))

    def kill(self) -> None:
        """Kill it."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _receive(self) -> None:
        while (message := await self._stream.receive()) is not None:
            match message.kind:
                case MessageKind.READY:
                    self.models = message.text
                    self.ready.set_result(None)
                    self._changed()
                case MessageKind.FAILED:
                    self._fail(message)
                case MessageKind.DRAINING:
                    self._draining = True
                    self._changed()
                case MessageKind.SAMPLES:
                    self.samples = read_samples(message.text)
                    self._on_answer()
        self._on_answer()

    def _on_answer(self) -> None:
        asked, self._samples_asked = self._samples_asked, None
        if asked is not None:
            asked.set_result(None)

    def _fail(self, message: WorkerMessage) -> None:
        kind = SettingsError if message.mark else GuardError
        if self.ready.done():
            _log.error("a worker failed: %s", message.text)
        else:
            self.ready.set_exception(kind(message.text))


async def _start_process(
    messages: socket.socket, listeners: Sequence[socket.socket]
) -> asyncio.subprocess.Process:
    numbers = [messages.fileno(), *(one.fileno() for one in listeners)]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # the working directory is no place to import from
        "-m",
        "guard.gateway.processes",
        *map(str, numbers),
        pass_fds=numbers,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )


class WorkerSlot:
    """Keeps one worker process running: a process that dies is replaced, after a growing pause.

    listeners: all that the processes of the gateway accept from. replaced: called for each process
    that died and is replaced. changed: when `accepts` may have changed.
    """

    def __init__(
        self,
        listeners: Sequence[socket.socket],
        start: WorkerMessage,
        replaced: Callable[[], None],
        changed: Callable[[], None],
    ) -> None:
        self._listeners = listeners
        self._start = start
        self._replaced = replaced
        self._changed = changed
        self._models = ""
        self._ending = asyncio.Event()
        self._worker: WorkerProcess | None = None
        self._cannot_begin = False
        self._began_at = 0.0
        self._past: Families = {}

    async def open(self) -> None:
        """Start the first process and wait until it answers. Raises GuardError."""
        self._worker = await self._started(self._start)
        self._supervision = asyncio.ensure_future(self._supervise(self._worker))
        await asyncio.shield(self._worker.ready)

    async def supervised(self) -> None:
        """Wait until no process is kept running any more; raises what ended that, if an error."""
        await asyncio.shield(self._supervision)

    @property
    def accepts(self) -> bool:
        """Whether its process accepts connections."""
        return self._worker is not None and self._worker.accepts

    @property
    def cannot_begin(self) -> bool:
        """Whether the last process ended before it could answer, or none could be started, or the
        present one takes very long to begin."""
        if self._worker is None or self._worker.ready.done():
            return self._cannot_begin
        now = asyncio.get_running_loop().time()
        return self._cannot_begin or now - self._began_at > BEGIN_SECONDS

    async def accept(self, numbers: Sequence[int]) -> None:
        """Have the process accept from the sockets with these numbers; nothing where it cannot."""
        if self._worker is None or not self._worker.accepts:
            return
        self._cannot_begin = False
        if self._models not in ("", self._worker.models):
            _log.error(
                "a worker began with other models than the one before it: restart the gateway,"
                " so that all workers judge alike"
            )
        self._models = self._worker.models
        await self._worker.accept(numbers)

    async def families(self) -> Families:
        """The samples of the process, added to the counters of those before it."""
        worker = self._worker
        return add_families(
            [self._past, await worker.request_samples() if worker is not None else {}]
        )

    async def check(self) -> None:
        """Take the samples of the process, so that one that is killed takes few with it, and kill
        one that does not answer any more; another one takes its place. One that drains answers
        requests alone, and has its own limit."""
        if (worker := self._worker) is not None and not self._ending.is_set():
            await worker.check()

    async def drain(self, seconds: float) -> None:
        """Ask the process to finish requests under way; kill it after `seconds`."""
        self._ending.set()
        if self._worker is not None:
            await self._worker.drain()
            done, _ = await asyncio.wait({self._supervision}, timeout=seconds)
            if not done:
                _log.error("a worker did not end within %g seconds and was killed", seconds)
                self.kill()
            await self._supervision

    def kill(self) -> None:
        """Kill the process, and start no other."""
        self._ending.set()
        if self._worker is not None:
            self._worker.kill()

    async def _supervise(self, worker: WorkerProcess) -> None:
        loop, pause, first = asyncio.get_running_loop(), FIRST_PAUSE_SECONDS, worker
        while True:
            self._began_at = loop.time()
            status = await worker.ended()
            self._worker, self._past = (
                None,
                add_families([self._past, growing_families(worker.samples)]),
            )
            self._cannot_begin = worker.failed
            self._changed()
            if self._ending.is_set() or (worker.failed and worker is first):
                return
            pause = FIRST_PAUSE_SECONDS if loop.time() - self._began_at > SETTLED_SECONDS else pause
            why = worker.ready.exception() or f"status {status}"
            _log.error("a worker ended (%s); another one begins in %g s", why, pause)
            if await self._ends_within(pause):
                return
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            if (next_worker := await self._replacement()) is None:
                return
            self._worker = worker = next_worker
            self._replaced()

    async def _started(self, start: WorkerMessage) -> WorkerProcess:
        return await WorkerProcess.start(self._listeners, start, self._changed)

    async def _replacement(self) -> WorkerProcess | None:
        """Another process, tried for until one starts; None when the gateway ends before."""
        start = replace(self._start, kind=MessageKind.REPLACE)
        while True:
            try:
                return await self._started(start)
            except GuardError as error:
                _log.error("%s; tried again in %g s", error, LONGEST_PAUSE_SECONDS)
            self._cannot_begin = True
            self._changed()
            if await self._ends_within(LONGEST_PAUSE_SECONDS):
                return None

    async def _ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        except TimeoutError:
            return False
        return True
