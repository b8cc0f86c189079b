"""Drafts in a journal: those that have no end yet, and those that a dead process has left."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from guard.records import Draft
from guard.store.spool.format import SpoolRecord, decode_draft

_log = logging.getLogger(__name__)


class OpenDrafts:
    """Drafts of a process that lives. Not thread-safe.

    Files are kept from the oldest on, and room for the end of each: as much again as it takes.
    """

    def __init__(self) -> None:
        self._places: dict[str, tuple[int, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._places)

    def add(self, draft: Draft, *, start: int, size_bytes: int) -> None:
        """One that is in the journal, from `start` on; the one that it replaces is not open."""
        self._places.pop(draft.replaces, None)
        self._places[draft.id] = start, size_bytes

    def end(self, draft_id: str) -> None:
        """It is known what is recorded of the call."""
        self._places.pop(draft_id, None)

    def start_of(self, draft_id: str) -> int | None:
        """Where it begins in the journal; None where it is not open."""
        place = self._places.get(draft_id)
        return None if place is None else place[0]

    @property
    def reserved_bytes(self) -> int:
        """Room for their ends."""
        return self.reserved_without("")

    def reserved_without(self, draft_id: str) -> int:
        """The same for all but one."""
        return sum(size for one, (_, size) in self._places.items() if one != draft_id)

    def kept_from(self, position: int) -> int:
        """Where the oldest begins, if that is before `position`."""
        start, _ = next(iter(self._places.values()), (position, 0))
        return min(start, position)


@dataclass(frozen=True, slots=True)
class LeftDrafts:
    """What a dead process has left of drafts.

    open: those without an end, in their order. start: none of them begins before it. replaced: ids
    of those that count for nothing, those of other journals among them, and where it says so.
    """

    open: tuple[Draft, ...] = ()
    start: float = inf
    replaced: Mapping[str, int] = field(default_factory=dict)


class LeftStates:
    """What becomes of drafts that dead processes have left. Not thread-safe.

    One is offered to a call that goes on with it, or taken to be shipped, but never both. `lines`:
    where this process's own journal says that one of them counts for nothing.
    """

    def __init__(self) -> None:
        self._claimed: set[str] = set()
        self._taken: set[str] = set()
        self._replaced: set[str] = set()
        self.lines: dict[str, int] = {}

    def claim(self, draft_id: str) -> bool:
        """Whether a call may go on with it: nobody else does, and it is not on its way."""
        if draft_id in self._taken or self._is_claimed_or_replaced(draft_id):
            return False
        self._claimed.add(draft_id)
        return True

    def take(self, draft_id: str) -> bool:
        """Whether it may be shipped: no call goes on with it."""
        if self._is_claimed_or_replaced(draft_id):
            return False
        self._taken.add(draft_id)
        return True

    def replace(self, draft_id: str, start: int) -> None:
        """The journal says from `start` on that it counts for nothing, if it was claimed."""
        if draft_id in self._claimed:
            self.lines[draft_id] = start
            self.end_claim(draft_id)

    def end_claim(self, draft_id: str) -> None:
        """Whoever claimed it records the call, whether the journal says so or not."""
        if draft_id in self._claimed:
            self._claimed.discard(draft_id)
            self._replaced.add(draft_id)

    def note_replaced(self, draft_ids: Iterable[str]) -> None:
        """Other journals say that these count for nothing."""
        self._replaced.update(draft_ids)

    def is_replaced(self, draft_id: str) -> bool:
        """Whether it counts for nothing."""
        return draft_id in self._replaced

    def _is_claimed_or_replaced(self, draft_id: str) -> bool:
        return draft_id in self._claimed or draft_id in self._replaced


def find_left_drafts(lines: Iterable[tuple[int, Sequence[bytes]]]) -> LeftDrafts:
    """lines: all that is left of a journal, in parts, each with where it begins."""
    found: dict[str, tuple[int, Draft]] = {}
    replaced: dict[str, int] = {}
    for start, payloads in lines:
        for draft in map(_decode, payloads):
            if isinstance(draft, Draft):
                found.pop(draft.replaces, None)
                found[draft.id] = start, draft
                if draft.replaces:
                    replaced[draft.replaces] = start
            elif draft is not None and found.pop(draft, None) is None:
                replaced[draft] = start
    return LeftDrafts(
        open=tuple(draft for _, draft in found.values()),
        start=min((start for start, _ in found.values()), default=inf),
        replaced=replaced,
    )


def drafted_records(payloads: Sequence[bytes]) -> Sequence[SpoolRecord]:
    """Those of the first draft in these lines."""
    drafts = (one for one in map(_decode, payloads) if isinstance(one, Draft))
    return next((one.records for one in drafts), ())


def _decode(payload: bytes) -> Draft | str | None:
    try:
        return decode_draft(payload)
    except ValueError as error:
        _log.error("a draft in the spool cannot be read and is left out: %s", error)
        return None
