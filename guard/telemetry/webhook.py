"""Alarms to an address of the owner's, as JSON, from a thread of its own.

Who raises an alarm never waits for the address and never sees its errors. Each alarm is sent once
by the process that took it, and tried again for a while where the address is away or busy. What
could not be sent is logged and counted; the alarm itself stands in the store all the same. What is
not sent when this process ends is left to another one.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
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

from guard.telemetry.answer_time import TimedResponse

MOST_WAITING = 1000
"""Alarms that wait to be sent; beyond it they are left for later."""
LEAVING_SECONDS = 0.5
"""How long a closing webhook waits until what it leaves is noted."""
_BUSY = frozenset((HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS))

Alarm = Mapping[str, object]
"""A JSON object."""

_log = logging.getLogger("guard.alarms")


class AlarmEnd(StrEnum):
    """What became of an alarm: it arrived, was given up, or is left to be sent later."""

    SENT = "sent"
    FAILED = "failed"
    LEFT = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    """Where alarms go.

    headers: sent along; secrets, so they are not shown. timeout_seconds: for a connection and for
    each answer, of which the head is read. pauses_seconds: before each further attempt.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_seconds: float = 10.0
    pauses_seconds: tuple[float, ...] = (1.0, 5.0, 25.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookCounts:
    """Alarms that arrived, that were given up, and that were left for later."""

    sent: int = 0
    failed: int = 0
    left: int = 0


class Webhook:
    """Sends alarms one after the other. Thread-safe.

    posted: told what became of every alarm, usually on the thread that sends. wanted: asked before
    the first attempt whether an alarm is still to be sent; one that is not is told to nobody.
    """

    def __init__(
        self,
        target: WebhookTarget,
        posted: Callable[[Alarm, AlarmEnd], None] = lambda *_: None,
        *,
        wanted: Callable[[Alarm], bool] = lambda _: True,
    ) -> None:
        self._target = target
        self._posted = posted
        self._wanted = wanted
        self._waiting: Queue[Alarm] = Queue(MOST_WAITING)
        self._opener = _opener()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._counts = WebhookCounts()

    @property
    def counts(self) -> WebhookCounts:
        """What became of the alarms so far."""
        return self._counts

    def send(self, alarm: Alarm) -> None:
        """Hand over one alarm; returns at once."""
        with self._lock:
            taken = self._put(alarm)
            if taken and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="guard-alarms", daemon=True)
                self._thread.start()
        if not taken:
            self._note(alarm, AlarmEnd.LEFT, "too many alarms wait to be sent")

    def close(self, *, timeout_seconds: float) -> None:
        """Wait for alarms that are not sent yet, so long at most; then leave the others."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(timeout_seconds)
        self._stop.set()
        if thread is not None:
            thread.join(LEAVING_SECONDS)

    def _put(self, alarm: Alarm) -> bool:
        try:
            self._waiting.put_nowait(alarm)
        except Full:
            return False
        return True

    def _run(self) -> None:
        while (alarm := self._next()) is not None:
            try:
                if self._stop.is_set() or self._wanted(alarm):
                    self._note(alarm, *self._deliver(json.dumps(alarm).encode()))
            except Exception as error:
                _log.exception("an alarm could not be sent")
                self._note(alarm, AlarmEnd.FAILED, type(error).__name__)

    def _next(self) -> Alarm | None:
        """None when nothing waits: then this thread ends, and the next alarm starts another."""
        with self._lock:
            try:
                return self._waiting.get_nowait()
            except Empty:
                self._thread = None
                return None

    def _deliver(self, body: bytes) -> tuple[AlarmEnd, str]:
        """Try until it is there, it is refused, there were enough attempts, or this process ends;
        with what went wrong."""
        problem = "this process ends"
        for pause in (0.0, *self._target.pauses_seconds):
            if self._stop.wait(pause):
                return AlarmEnd.LEFT, problem
            problem, again = self._attempt(body)
            if not again:
                break
        return AlarmEnd.FAILED if problem else AlarmEnd.SENT, problem

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
        except OSError as error:
            return f"{type(error).__name__}: {error}", True
        except HTTPException as error:  # its text is what was answered, as it came
            return f"it answered what is not HTTP: {type(error).__name__}", True

    def _note(self, alarm: Alarm, end: AlarmEnd, problem: str) -> None:
        """What became of it, and for which problem it did not arrive."""
        self._counts = replace(self._counts, **{end: getattr(self._counts, end) + 1})
        if end is AlarmEnd.LEFT:
            _log.warning("alarm_webhook.url: an alarm is left to be sent later: %s", problem)
        elif end is AlarmEnd.FAILED:
            _log.warning("alarm_webhook.url: an alarm was not sent: %s", problem)
        try:
            self._posted(alarm, end)
        except Exception:
            _log.exception("it could not be noted what became of an alarm")


class _Connection(HTTPConnection):
    response_class = TimedResponse


class _TlsConnection(HTTPSConnection):
    response_class = TimedResponse


class _Handler(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Connection, req)


class _TlsHandler(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_TlsConnection, req)


def _opener() -> OpenerDirector:
    """Follows no redirect: headers with secrets go to the address that was set and to no other."""
    made = OpenerDirector()
    for handler in (
        ProxyHandler(),
        _Handler(),
        _TlsHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    ):
        made.add_handler(handler)
    return made
