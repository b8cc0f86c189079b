"""Alarms to an address of the owner's, as JSON, from a thread of its own.

Who raises an alarm never waits for the address and never sees its errors. Each alarm is sent once
by the process that raised it, and tried again for a while where the address is away or busy. What
could not be sent is logged and counted; the alarm itself stands in the store all the same.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPException
from queue import Empty, Full, Queue
from urllib.error import HTTPError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

MOST_WAITING = 1000
"""Alarms that wait to be sent; beyond it they are given up at once."""
_BUSY = frozenset((HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS))

_log = logging.getLogger("guard.alarms")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    """Where alarms go.

    headers: sent along; secrets, so they are not shown. timeout_seconds: for a connection and for
    each answer. pauses_seconds: before each further attempt.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_seconds: float = 10.0
    pauses_seconds: tuple[float, ...] = (1.0, 5.0, 25.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCounts:
    """Alarms that arrived, and alarms that were given up."""

    sent: int = 0
    failed: int = 0


class Webhook:
    """Sends alarms one after the other. Thread-safe."""

    def __init__(self, target: WebhookTarget) -> None:
        self._target = target
        self._waiting: Queue[Mapping[str, object]] = Queue(MOST_WAITING)
        self._opener = _opener()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._counts = WebhookCounts()

    @property
    def counts(self) -> WebhookCounts:
        """What became of the alarms so far."""
        return self._counts

    def send(self, alarm: Mapping[str, object]) -> None:
        """Hand over one alarm, a JSON object; returns at once."""
        with self._lock:
            try:
                self._waiting.put_nowait(alarm)
            except Full:
                self._give_up("too many alarms wait to be sent")
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="guard-alarms", daemon=True)
                self._thread.start()

    def close(self, *, timeout_seconds: float) -> None:
        """Wait for alarms that are not sent yet, so long at most; then try none again."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(timeout_seconds)
        self._stop.set()

    def _run(self) -> None:
        while (alarm := self._next()) is not None:
            try:
                self._deliver(json.dumps(alarm).encode())
            except Exception as error:
                _log.exception("an alarm could not be sent")
                self._give_up(type(error).__name__)

    def _next(self) -> Mapping[str, object] | None:
        """None when nothing waits: then this thread ends, and the next alarm starts another."""
        with self._lock:
            try:
                return self._waiting.get_nowait()
            except Empty:
                self._thread = None
                return None

    def _deliver(self, body: bytes) -> None:
        """Try until it is there, it is refused, or there were enough attempts."""
        for pause in (*self._target.pauses_seconds, None):
            problem, again = self._attempt(body)
            if not problem:
                self._counts = WebhookCounts(sent=self._counts.sent + 1, failed=self._counts.failed)
                return
            if not again or pause is None or self._stop.wait(pause):
                self._give_up(problem)
                return

    def _attempt(self, body: bytes) -> tuple[str, bool]:
        """What went wrong, nothing where it arrived, and whether another attempt may help."""
        headers = {"content-type": "application/json", **self._target.headers}
        request = Request(self._target.url, data=body, headers=headers, method="POST")  # noqa: S310 - settings allow http and https
        try:
            with self._opener.open(request, timeout=self._target.timeout_seconds):
                return "", False
        except HTTPError as error:
            error.close()
            return f"it answered {error.code}", error.code >= 500 or error.code in _BUSY
        except (OSError, HTTPException) as error:
            return f"{type(error).__name__}: {error}", True

    def _give_up(self, problem: str) -> None:
        self._counts = WebhookCounts(sent=self._counts.sent, failed=self._counts.failed + 1)
        _log.warning("alarm_webhook.url: an alarm was not sent: %s", problem)


def _opener() -> OpenerDirector:
    """Follows no redirect: headers with secrets go to the address that was set and to no other."""
    made = OpenerDirector()
    for handler in (
        ProxyHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    ):
        made.add_handler(handler)
    return made
