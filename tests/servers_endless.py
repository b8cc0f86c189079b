"""A server whose answers do not end: it says a beginning, and then the same again and again."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tests.servers import PATIENCE_SECONDS

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


@dataclass
class Endless:
    """sent_bytes: to all who asked. asked: how many did; left: how many of them hung up."""

    begin: bytes
    again: bytes
    pause_seconds: float
    url: str = ""
    asked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    left: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    sent_bytes: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def wait_until_left(self) -> bool:
        """Whether one more of those who asked hangs up in time."""
        return self.left.acquire(timeout=PATIENCE_SECONDS)

    def answer(self, client: socket.socket) -> None:
        """Until the client has gone."""
        with client, suppress(OSError):
            client.recv(2**16)
            self.asked.release()
            client.sendall(self.begin)
            while not self.over.wait(self.pause_seconds):
                client.sendall(self.again)
                self.sent_bytes += len(self.again)
        self.left.release()


@contextmanager
def endless(begin: bytes, again: bytes, *, pause_seconds: float = 0.0) -> Iterator[Endless]:
    """again: sent without end. pause_seconds: before each time."""
    server = socket.create_server(("127.0.0.1", 0))
    told = Endless(begin, again, pause_seconds, f"http://127.0.0.1:{server.getsockname()[1]}/")

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                threading.Thread(target=told.answer, args=(client,), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.over.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(PATIENCE_SECONDS)
