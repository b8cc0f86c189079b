"""An address that is told of alarms: it answers as told, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.servers import PATIENCE_SECONDS


@dataclass
class Receiver:
    """What came in. answers: status codes in order, the last one from then on. came: anything."""

    answers: list[int]
    port: int = 0
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)
    came: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/alarms"


@contextmanager
def receiving(*answers: int, held: bool = False) -> Iterator[Receiver]:
    receiver = Receiver(answers=list(answers))
    if not held:
        receiver.hold.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.hold.wait(PATIENCE_SECONDS)
            receiver.bodies.append(json.loads(body))
            receiver.came.set()
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            left = receiver.answers
            self.send_response(left.pop(0) if len(left) > 1 else left[0])
            self.send_header("location", "/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()
