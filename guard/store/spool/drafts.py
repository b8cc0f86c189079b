"""Drafts in a journal: those that have no end yet, and those that a dead process has left."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from guard.records import Draft
from guard.store.spool.format import decode_draft

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

    @property
    def reserved_bytes(self) -> int:
        """Room for their ends."""
        return sum(size for _, size in self._places.values())

    def kept_from(self, position: int) -> int:
        """Where the oldest begins, if that is before `position`."""
        start, _ = next(iter(self._places.values()), (position, 0))
        return min(start, position)


@dataclass(frozen=True, slots=True)
class LeftDrafts:
    """What a dead process has left of drafts.

    open: those without an end, in their order. start: none of them begins before it. replaced: ids
    of those that others stand for, those of other journals among them.
    """

    open: tuple[Draft, ...] = ()
    start: float = inf
    replaced: frozenset[str] = frozenset()


def find_left_drafts(lines: Iterable[tuple[int, Sequence[bytes]]]) -> LeftDrafts:
    """lines: all that is left of a journal, in parts, each with where it begins."""
    found: dict[str, tuple[int, Draft]] = {}
    replaced: set[str] = set()
    for start, payloads in lines:
        for draft in map(_decode, payloads):
            if isinstance(draft, Draft):
                found.pop(draft.replaces, None)
                found[draft.id] = start, draft
                replaced |= {draft.replaces} - {""}
            elif draft is not None:
                found.pop(draft, None)
    return LeftDrafts(
        open=tuple(draft for _, draft in found.values()),
        start=min((start for start, _ in found.values()), default=inf),
        replaced=frozenset(replaced),
    )


def _decode(payload: bytes) -> Draft | str | None:
    try:
        return decode_draft(payload)
    except ValueError as error:
        _log.error("a draft in the spool cannot be read and is left out: %s", error)
        return None
