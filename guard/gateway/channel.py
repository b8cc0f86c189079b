"""What a worker and the process above it say to each other: lines of JSON over two sockets."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

_LONGEST: Final = 2**28  # bytes of a message; samples of very many series have some millions


class Kind(StrEnum):
    """What a message is. Downwards: START, SAMPLES, DRAIN. Upwards: READY, FAILED, SAMPLES."""

    START = "start"
    SAMPLES = "samples"
    DRAIN = "drain"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """text: settings with START, samples with SAMPLES, what is wrong with FAILED.

    mark: with START, whether requests are logged; with FAILED, whether a setting is at fault.
    """

    kind: Kind
    text: str = ""
    mark: bool = False


class Channel:
    """One end. For one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, end: socket.socket) -> Self:
        """The channel over one of a pair of connected sockets."""
        return cls(*await asyncio.open_unix_connection(sock=end, limit=_LONGEST))

    async def hear(self) -> Message | None:
        """The next message; None when there is nobody at the other end any more."""
        try:
            line = await self._reader.readline()
        except (OSError, ValueError):
            return None
        if not line.endswith(b"\n"):
            return None
        kind, text, mark = json.loads(line)
        return Message(kind=Kind(kind), text=text, mark=mark)

    async def say(self, message: Message) -> None:
        """Send a message; nothing happens where nobody is there."""
        line = json.dumps([message.kind, message.text, message.mark])
        with suppress(OSError):
            self._writer.write(line.encode("ascii") + b"\n")
            await self._writer.drain()

    def close(self) -> None:
        """Let the other end know that there is nobody here any more."""
        self._writer.close()
