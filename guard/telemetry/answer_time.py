"""Answers over HTTP that have to be there in time, however they drip.

The time limit of a socket is for each read, so that an answer of one byte a second never ends.
"""

from __future__ import annotations

from http.client import HTTPResponse
from io import BufferedReader, RawIOBase
from socket import socket
from time import monotonic
from typing import Any


class TimedResponse(HTTPResponse):
    """An answer whose head and body have to be there within the time limit of its socket.

    For `HTTPConnection.response_class`. Reading later than that raises TimeoutError.
    """

    def __init__(self, sock: socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        if (seconds := sock.gettimeout()) is not None:
            self.fp = BufferedReader(_TimedReader(self.fp.detach(), sock, seconds))


class _TimedReader(RawIOBase):
    """Reads from a socket for so many seconds from now on. raw: the socket as a file."""

    def __init__(self, raw: Any, sock: socket, seconds: float) -> None:
        self._raw = raw
        self._socket = sock
        self._seconds = seconds
        self._until = monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left_seconds = self._until - monotonic()
        if left_seconds <= 0:
            raise TimeoutError("the answer did not end in time")
        self._socket.settimeout(left_seconds)
        found: int | None = self._raw.readinto(buffer)
        self._socket.settimeout(self._seconds)
        return found

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def close(self) -> None:
        self._raw.close()
        super().close()
