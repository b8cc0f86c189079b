"""Stands between the proxy and our gateway, passes everything on and remembers it."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

_PASSED = ("content-type", "x-api-key", "x-guard-use-case", "authorization")


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One request of the proxy and what the gateway answered."""

    path: str
    headers: dict[str, str]
    asked: dict[str, Any]
    status: int
    answer: dict[str, Any]


class GuardrailRecorder:
    """exchanges: all that there were, oldest first. Thread-safe."""

    def __init__(self, gateway: str) -> None:
        self.exchanges: list[Exchange] = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                sent = {name.lower(): value for name, value in self.headers.items()}
                status, answer = _pass_on(gateway + self.path, raw, sent)
                recorder.exchanges.append(
                    Exchange(
                        path=self.path,
                        headers=sent,
                        asked=json.loads(raw),
                        status=status,
                        answer=json.loads(answer),
                    )
                )
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def origin(self) -> str:
        """Where it listens, as in http://127.0.0.1:PORT."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def about(self, text: str) -> list[Exchange]:
        """Those in whose request this text stands."""
        return [one for one in tuple(self.exchanges) if text in json.dumps(one.asked)]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _pass_on(url: str, raw: bytes, sent: dict[str, str]) -> tuple[int, bytes]:
    headers = {name: sent[name] for name in _PASSED if name in sent}
    request = urllib.request.Request(url, data=raw, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
