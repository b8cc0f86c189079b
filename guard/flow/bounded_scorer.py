"""A scorer that somebody else wrote, kept from holding up or failing those who ask it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from threading import Lock, Semaphore, Thread, Timer
from typing import Final

from guard.flow.drivers import score_of
from guard.ports import Scorer
from guard.records import Assessment, Head, Unscored

MOST_SECONDS: Final = 60.0
"""How long a scorer may take where nobody waits for it."""
_MOST_SUBMISSIONS = 64


class BoundedScorer:
    """Keeps what `guard.ports.Scorer.submit` promises, whatever the scorer behind it does.

    A submission that does not return holds up its own thread and nobody else; where too many are
    under way, the text is not scored (`overload`). A future that is not answered in time, or is
    none, or holds anything but an assessment, is a reason. seconds: as MOST_SECONDS.
    """

    def __init__(self, scorer: Scorer, *, seconds: float = MOST_SECONDS) -> None:
        self.scorer = scorer
        self._seconds = seconds
        self._room = Semaphore(_MOST_SUBMISSIONS)
        self._lock = Lock()
        self._open: set[Future[Assessment]] = set()
        self._closed = False

    @property
    def heads(self) -> Mapping[str, Head]:
        """Those of the scorer."""
        return self.scorer.heads

    @property
    def window_characters(self) -> int:
        """That of the scorer."""
        return self.scorer.window_characters

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """See `guard.ports.Scorer.submit`."""
        answer: Future[Assessment] = Future()
        if not self._room.acquire(blocking=False):
            answer.set_result(Assessment(reason=Unscored.OVERLOAD))
            return answer
        with self._lock:
            self._open.add(answer)
        answer.add_done_callback(self._forget)
        limit = self._seconds if deadline_seconds is None else deadline_seconds
        late = Timer(limit, _give, (answer, Assessment(reason=Unscored.DEADLINE)))
        late.daemon = True
        answer.add_done_callback(lambda _: late.cancel())
        ask = partial(self.scorer.submit, text, deadline_seconds=deadline_seconds)
        asker = Thread(target=self._ask, args=(ask, answer), name="guard-second-look", daemon=True)
        try:
            late.start()
            asker.start()
        except RuntimeError:  # a limit of the system, or the end of the process
            self._room.release()
            _give(answer, Assessment(reason=Unscored.OVERLOAD))
        if self._closed:
            _give(answer, Assessment(reason=Unscored.CLOSED))
        return answer

    def close(self) -> None:
        """Answer what is open with CLOSED, and all that comes later. The scorer goes on."""
        self._closed = True
        with self._lock:
            left = tuple(self._open)
        for answer in left:
            _give(answer, Assessment(reason=Unscored.CLOSED))

    def _forget(self, answer: Future[Assessment]) -> None:
        with self._lock:
            self._open.discard(answer)

    def _ask(self, ask: Callable[[], object], answer: Future[Assessment]) -> None:
        try:
            asked = ask()
        except BaseException:  # raised by the scorer: a signal only ever reaches the main thread
            asked = None
        finally:
            self._room.release()
        if not isinstance(asked, Future):
            _give(answer, Assessment(reason=Unscored.ENGINE_ERROR))
            return
        answer.add_done_callback(partial(_cancel_too, asked))
        asked.add_done_callback(lambda done: _give(answer, score_of(done)))


def _give(answer: Future[Assessment], assessment: Assessment) -> None:
    """The first answer stands; whoever waited may have cancelled it as well."""
    with suppress(InvalidStateError):
        answer.set_result(assessment)


def _cancel_too(asked: Future[object], answer: Future[Assessment]) -> None:
    """Nobody waits any more: drop the work that has not begun."""
    if answer.cancelled():
        asked.cancel()
