"""The messages between a worker and its supervisor: lines of JSON over a pair of sockets."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

_LARGEST: Final = 2**28  # bytes of a message; samples of very many series have some millions


class MessageKind(StrEnum):
    """To a worker: START, or REPLACE where it takes the place of one that had begun; ACCEPT,
    SAMPLES, DRAIN. To the supervisor: READY, FAILED, SAMPLES, DRAINING."""

    START = "start"
    REPLACE = "replace"
    ACCEPT = "accept"
    SAMPLES = "samples"
    DRAIN = "drain"
    READY = "ready"
    FAILED = "failed"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerMessage:
    """text: settings with START and REPLACE, samples with SAMPLES, the error with FAILED, with
    ACCEPT the numbers of the listening sockets that the worker is to accept from and no others,
    with READY a digest of its models.

    mark: with START and REPLACE, whether requests are logged; with FAILED, whether a setting is at
    fault.
    """

    kind: MessageKind
    text: str = ""
    mark: bool = False


class MessageStream:
    """One end of the connection between a worker and its supervisor. For one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, end: socket.socket) -> Self:
        """The stream over one of a pair of connected sockets."""
        return cls(*await asyncio.open_unix_connection(sock=end, limit=_LARGEST))

    async def receive(self) -> WorkerMessage | None:
        """The next message; None when the other process has ended."""
        try:
            line = await self._reader.readline()
        except (OSError, ValueError):
            return None
        if not line.endswith(b"\n"):
            return None
        kind, text, mark = json.loads(line)
        return WorkerMessage(kind=MessageKind(kind), text=text, mark=mark)

    async def send(self, message: WorkerMessage) -> None:
        """Send a message; does nothing when the other process has ended, or this end is closed."""
        if self._writer.is_closing():  # uvloop raises RuntimeError then
            return
        line = json.dumps([message.kind, message.text, message.mark])
        with suppress(OSError):
            self._writer.write(line.encode("ascii") + b"\n")
            await self._writer.drain()

    def close(self) -> None:
        """Close this end; the other process receives None."""
        self._writer.close()
