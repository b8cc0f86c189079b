"""How long what somebody else made may take: a graph can hold a loop that never ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from typing import TypeVar

from guard.errors import ModelError

T = TypeVar("T")


def _leave() -> None:
    """What cannot be stopped ends with the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimit:
    """For each step with the model `name`: to load it, or to run it once.

    A step is done by a thread of its own, so that signals are heard meanwhile.
    """

    name: str
    seconds: float

    def within(self, work: Callable[[], T], stop: Callable[[], object] = _leave) -> T:
        """What `work` gives. stop: called where nobody waits for it any more.

        Raises ModelError where it takes longer, and whatever it raises.
        """
        made: Future[T] = Future()
        Thread(target=_make, args=(work, made), name="guard-foreign-graph", daemon=True).start()
        try:
            return made.result(self.seconds)
        except BaseException as error:
            stop()
            if isinstance(error, TimeoutError) and not made.done():
                raise ModelError(
                    f"{self.name}: not done after {self.seconds:g} seconds, where it should take a"
                    " few: does it hold a loop?"
                ) from error
            raise


def _make(work: Callable[[], T], made: Future[T]) -> None:
    try:
        made.set_result(work())
    except BaseException as error:  # whoever waits raises it
        made.set_exception(error)
