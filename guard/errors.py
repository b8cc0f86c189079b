"""Every error a user can meet.

GuardError
├── SettingsError        guard.yaml or an argument is wrong: which key, and what is allowed
├── UnknownUseCase       a use case that the settings do not declare
├── ModelError           a classifier cannot be used: missing, corrupt, not what its manifest says
├── ScoresInputError     a line of `guard score` input is not usable
├── AssessmentInputError the input of `guard assess` is not usable: which file, row or field
├── StoreError           what is kept cannot be reached: which store, and the setting that names it
│   └── StoreContentError the store answers, but a key of it holds something else
├── UpstreamError        a language model gave no reply
│   ├── UpstreamBusy     nothing was generated: ask again later
│   │   └── AllInUse     all connections that the settings allow are in use
│   ├── TimedOut         the request was sent, and its answer did not come in time
│   ├── Broken           the connection broke, or what came was not HTTP
│   └── TooLarge         the answer is larger than the settings allow
├── ReviewError          a reviewer asked for what cannot be: said in words for people
│   ├── NotHeld          the case is not in this person's hands (any more)
│   ├── AlreadyClosed    the case was decided
│   ├── NoSuchCase       there is no such case (any more)
│   └── WrongVerdict     no verdict for this kind of case
└── Blocked              a reply was withheld and the caller asked for an exception
"""

from __future__ import annotations

import signal
import threading
from functools import partial
from inspect import isroutine
from traceback import walk_tb
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guard.records import Outcome


class GuardError(Exception):
    """Base of all errors raised by evenguard.

    It can be copied and pickled, whatever the constructor of its class takes: an error that cannot
    be unpickled hangs a `multiprocessing.Pool` and breaks a `ProcessPoolExecutor`.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Its class and arguments, without its constructor, and its attributes."""
        return _made_bare, (type(self), self.args), self.__dict__


class SettingsError(GuardError):
    """A setting is wrong. The message names the path in the file and what is allowed there."""


class UnknownUseCase(GuardError):  # noqa: N818 - public names in the product's own words
    """The use case is not declared in the settings. The message lists those that are."""


class ModelError(GuardError):
    """A classifier cannot be used. The message names the file and the remedy."""


class ScoresInputError(GuardError):
    """A line of input cannot be scored. The message names the line and what is expected."""


class AssessmentInputError(GuardError):
    """A file given to `guard assess` cannot be used. The message names it, place and remedy."""


class ClusterError(GuardError):
    """A cluster cannot be reached, or gave up. The message names it and what it said."""


class StoreError(GuardError):
    """The store cannot be reached or read. The message names it and the remedy."""


class StoreContentError(StoreError):
    """The store answers, but holds what evenguard did not write. The message names where."""


class UpstreamError(GuardError):
    """A language model gave no reply. The message names the address and what it answered."""


class UpstreamBusy(UpstreamError):  # noqa: N818 - public names in the product's own words
    """Nothing was generated: too many requests, or nobody listens. Ask again later.

    retry_after_seconds: how long the model asked to be left alone; None when it did not say.
    """

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class AllInUse(UpstreamBusy):
    """Nothing was sent: all connections that the settings allow are in use."""


class TimedOut(UpstreamError):  # noqa: N818 - named for what happened
    """The request was sent, and its answer did not come in time."""


class Broken(UpstreamError):  # noqa: N818 - named for what happened
    """The connection broke, or what came was not HTTP."""


class TooLarge(UpstreamError):  # noqa: N818 - named for what happened
    """The answer is larger than the settings allow; the rest of it was not read."""


class ReviewError(GuardError):
    """A reviewer asked for what cannot be. The message is for that person."""


class NotHeld(ReviewError):  # noqa: N818 - public names in the product's own words
    """The case is not in this person's hands, or no longer."""


class AlreadyClosed(ReviewError):  # noqa: N818 - likewise
    """The case was decided."""


class NoSuchCase(ReviewError):  # noqa: N818 - likewise
    """There is no such case, or no longer."""


class WrongVerdict(ReviewError):  # noqa: N818 - likewise
    """No verdict for this kind of case. The message lists those there are."""


class Blocked(GuardError):  # noqa: N818 - public names in the product's own words
    """A reply was withheld, or a prompt not sent, and `on_block: raise` is set.

    `outcome` is the whole record, texts included; the kind of its call tells which. It goes along
    where the exception is pickled. The message has no text.
    """

    def __init__(self, outcome: Outcome) -> None:
        what = "prompt" if outcome.call.kind == "prompt" else "reply"
        super().__init__(f"{what} of call {outcome.call.id} withheld by policy")
        self.outcome = outcome


def may_be_signal(error: BaseException) -> bool:
    """Whether `error` may have come out of the handler of a signal (Ctrl-C, the end of the process,
    a time-out of the application) and is no failure of the code that was interrupted.

    Handlers run on the main thread alone; anywhere else there are only errors. By its kind Ctrl-C
    and the end of the process are known, and anything else by the handler in its traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    return isinstance(error, KeyboardInterrupt | SystemExit) or _raised_by_handler(error)


def _raised_by_handler(error: BaseException) -> bool:
    handlers = {_code_of(signal.getsignal(number)) for number in signal.valid_signals()}
    frames = (frame.f_code for frame, _ in walk_tb(error.__traceback__))
    return any(code in handlers for code in frames)


def _code_of(handler: object) -> CodeType | None:
    """Of a function, a method, or an object that is called; None for what Python has no code of."""
    while isinstance(handler, partial):
        handler = handler.func
    called = handler if isroutine(handler) or not callable(handler) else handler.__call__
    return getattr(called, "__code__", None)


def _made_bare(kind: type[GuardError], arguments: tuple[object, ...]) -> GuardError:
    return kind.__new__(kind, *arguments)
