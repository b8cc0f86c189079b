"""One record for a stream that is judged in many rounds.

The proxy asks again and again with all that a stream has said so far, and does not say which time
is the last. Each round is judged as a reply of its own; the record of the last one stands for the
whole reply. Until it is known to be the last, a draft of it outlives the process.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from guard.gateway.overload import CallLater
from guard.ports import Observer
from guard.records import Outcome, Stream

QUIET_SECONDS: Final = 10.0
"""So long after the answer to a round no other one is expected, and its record is handed on."""
MOST_CHARACTERS: Final = 40_000_000
"""Of all rounds that wait; beyond it the oldest one of the use case that has most is handed on, and
what its stream says after that is another record."""
LEAST_CHARACTERS: Final = 2_000
"""That a round counts for."""
MOST_ROUNDS: Final = 10_000
"""Whose outcome is not known yet, or will never be."""


class Drafts(Protocol):
    """Keeps what is known of calls, if this process dies. Thread-safe."""

    def draft(
        self, outcome: Outcome, stream: Stream, texts: Sequence[str], *, replaces: str = ""
    ) -> None:
        """Keep an outcome until another one replaces it, it is dropped, or an observer hears it."""

    def drop(self, call_id: str) -> None:
        """It counts for nothing."""

    def left(self, stream: Stream, texts: Sequence[str]) -> str:
        """The call of a process that died which goes on in `texts`; empty without one."""


class NoDrafts:
    """Keeps nothing, where nothing is recorded."""

    def draft(
        self, outcome: Outcome, stream: Stream, texts: Sequence[str], *, replaces: str = ""
    ) -> None:
        """Not kept."""

    def drop(self, call_id: str) -> None:
        """There is none."""

    def left(self, stream: Stream, texts: Sequence[str]) -> str:
        """No process has left anything."""
        del stream, texts
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplySoFar:
    """What a reply says so far. texts: one for each choice or part of a message. calls: of tools,
    each with its name and arguments. images: their addresses."""

    texts: tuple[str, ...] = field(default=(), repr=False)
    calls: tuple[str, ...] = field(default=(), repr=False)
    images: tuple[str, ...] = field(default=(), repr=False)

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        return self.texts, self.calls, self.images

    @property
    def characters(self) -> int:
        return sum(len(text) for part in self.parts for text in part)

    def goes_on_in(self, later: ReplySoFar) -> bool:
        """Whether that is this with more at the ends of its texts and calls, or more of these."""
        return all(map(_goes_on, self.parts, later.parts))


def _goes_on(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    pairs = zip(new, old, strict=False)
    return len(new) >= len(old) and all(later.startswith(former) for later, former in pairs)


@dataclass(eq=False, slots=True)
class _Round:
    """said: as the proxy sent it. outcome: None until it is known. replaces: the call of an
    earlier round whose draft is there still. is_replaced: the stream went on. is_last: it did
    not."""

    call_id: str
    stream: Stream
    said: ReplySoFar = field(repr=False)
    replaces: str = ""
    outcome: Outcome | None = None
    is_replaced: bool = False
    is_last: bool = False

    @property
    def characters(self) -> int:
        return max(self.said.characters, LEAST_CHARACTERS)


class StreamRecords:
    """An observer that tells another one of the last round of each stream. Thread-safe.

    call_later: calls a function after so many seconds. drafts: of rounds that wait.
    """

    def __init__(
        self, observer: Observer, call_later: CallLater, drafts: Drafts | None = None
    ) -> None:
        self._observer = observer
        self._call_later = call_later
        self._drafts = drafts or NoDrafts()
        self._lock = threading.Lock()
        self._judged: dict[str, _Round] = {}
        self._unanswered: dict[str, _Round] = {}
        self._latest: dict[Stream, _Round] = {}
        self._characters: Counter[str] = Counter()

    def begin(self, call_id: str, stream: Stream, said: ReplySoFar) -> None:
        """A round begins. One before it that goes on in this one leaves no record.

        call_id: of the outcome that this round will have, until it is `answered`.
        """
        begun, (use_case, _) = _Round(call_id, stream, said), stream
        with self._lock:
            ended = self._end_former(begun)
            self._judged[call_id] = self._unanswered[call_id] = self._latest[stream] = begun
            if len(self._judged) > MOST_ROUNDS:
                self._judged.pop(next(iter(self._judged)))
            self._characters[use_case] += begun.characters
            while self._characters.total() > MOST_CHARACTERS:
                ((fullest, _),) = self._characters.most_common(1)
                ended += self._end(next(one for one in self._latest if one[0] == fullest))
        self._tell(ended)

    def answered(self, stream: Stream, call_id: str, *, ends: bool = False) -> None:
        """The proxy has its answer to this round, or waits for it no longer: only now may it ask
        again. ends: the answer ends the stream, so that what is asked under its id from now on is
        about another reply. To be called where `call_later` may be."""
        with self._lock:
            one = self._unanswered.pop(call_id, None)
            is_latest = one is not None and self._latest.get(stream) is one
        if one is None:
            return
        if is_latest and not ends:
            self._call_later(QUIET_SECONDS, lambda: self._end_round(one))
        elif is_latest:
            self._end_round(one)
        elif ends:
            self._restore(one)

    def outcome(self, outcome: Outcome) -> None:
        """Keep the outcome of a round until that is known to be the last; hand on any other."""
        with self._lock:
            found = self._judged.pop(outcome.call.id, None)
            if found is not None:
                found.outcome = outcome
            waits = found is not None and not found.is_last
            if found is not None and waits and not found.is_replaced:
                self._draft(found, outcome)
        if not waits:
            self._observer.outcome(outcome)

    def upstream_error(self, use_case: str) -> None:
        """Hand it on."""
        self._observer.upstream_error(use_case)

    def flush(self) -> None:
        """Hand on everything that waits: no stream goes on."""
        with self._lock:
            ended = [one for stream in tuple(self._latest) for one in self._end(stream)]
        self._tell(ended)

    def _draft(self, found: _Round, outcome: Outcome) -> None:
        self._drafts.draft(outcome, found.stream, found.said.texts, replaces=found.replaces)
        found.replaces = ""

    def _end_former(self, begun: _Round) -> list[Outcome]:
        former = self._latest.get(begun.stream)
        if former is None:
            begun.replaces = self._drafts.left(begun.stream, begun.said.texts)
            return []
        former.is_replaced = former.said.goes_on_in(begun.said)
        if former.is_replaced:
            drafted = former.outcome is not None
            begun.replaces = former.call_id if drafted else former.replaces
            former.replaces = ""
        ended = self._end(begun.stream)
        return [] if former.is_replaced else ended

    def _restore(self, one: _Round) -> None:
        """Another reply was asked about under its id meanwhile: it had not gone on."""
        with self._lock:
            ended = [one.outcome] if one.is_replaced and one.outcome is not None else []
            one.is_replaced, one.is_last = False, True
        self._tell(ended)

    def _end_round(self, begun: _Round) -> None:
        with self._lock:
            is_latest = self._latest.get(begun.stream) is begun
            ended = self._end(begun.stream) if is_latest else []
            if begun.is_last:
                self._judged.pop(begun.call_id, None)
        self._tell(ended)

    def _end(self, stream: Stream) -> list[Outcome]:
        """Make the latest round of a stream its last one; gives its outcome, if that is known."""
        last = self._latest.pop(stream)
        self._characters[stream[0]] -= last.characters
        last.is_last = not last.is_replaced
        if last.replaces:  # it has no outcome yet, which will not wait
            self._drafts.drop(last.replaces)
        return [last.outcome] if last.outcome is not None else []

    def _tell(self, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            self._observer.outcome(outcome)
