"""A collector that takes everything and keeps nothing, in a process of its own.

`GET /spans` and `GET /events` say how many bytes of each came in.
"""

from __future__ import annotations

from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BYTES: Counter[str] = Counter()
KINDS = {"/v1/traces": "/spans", "/v1/logs": "/events"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Take a batch."""
        BYTES[KINDS[self.path]] += len(self.rfile.read(int(self.headers["content-length"])))
        self._answer(b"")

    def do_GET(self) -> None:
        """Say how much came."""
        self._answer(str(BYTES[self.path]).encode())

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
