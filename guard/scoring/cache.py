"""Assessments of recent texts."""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock

from guard.records import Assessment

_ENTRY_BYTES = 800  # the record, its mapping and the table's own entry
_SCORE_BYTES = 240  # a score, its range and its number
_PASSAGE_BYTES = 1600  # a passage with a mapping of all heads
_LARGEST_SHARE = 8  # no text takes more than this part of the room


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """Running totals, and what is held now (an estimate that errs on the high side)."""

    hits: int
    misses: int
    held_bytes: int


class Cache:
    """The least recently asked for texts go first. Thread-safe. room 0 keeps nothing."""

    def __init__(self, room_bytes: int) -> None:
        self._room = room_bytes
        self._entries: OrderedDict[str, tuple[Assessment, int]] = OrderedDict()
        self._lock = Lock()
        self._held = self._hits = self._misses = 0

    def get(self, text: str) -> Assessment | None:
        """What was said about this very text, without the times it took."""
        with self._lock:
            found = self._entries.get(text)
            if found is None:
                self._misses += 1
                return None
            self._hits += 1
            self._entries.move_to_end(text)
        return replace(found[0], queued_seconds=0.0, scoring_seconds=0.0)

    def put(self, text: str, assessment: Assessment) -> None:
        """Remember a complete assessment; others, and very large texts, are not kept."""
        size = _size(text, assessment)
        if assessment.reason is not None or size > self._room // _LARGEST_SHARE:
            return
        with self._lock:
            self._held += size - self._forget(text)
            self._entries[text] = assessment, size
            while self._held > self._room:
                self._held -= self._entries.popitem(last=False)[1][1]

    def stats(self) -> CacheStats:
        """A snapshot."""
        with self._lock:
            return CacheStats(hits=self._hits, misses=self._misses, held_bytes=self._held)

    def _forget(self, text: str) -> int:
        return self._entries.pop(text)[1] if text in self._entries else 0


def _size(text: str, assessment: Assessment) -> int:
    scores = _SCORE_BYTES * len(assessment.scores)
    return sys.getsizeof(text) + _ENTRY_BYTES + scores + _PASSAGE_BYTES * len(assessment.passages)
