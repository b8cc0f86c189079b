"""Assessments of recent texts."""

from __future__ import annotations

import sys
from collections import OrderedDict
from dataclasses import replace
from threading import Lock

from guard.records import Assessment

_ENTRY_BYTES = 800  # the record, its mapping and the table's own entry
_SCORE_BYTES = 240  # a score, its range and its number
_PASSAGE_BYTES = 1600  # a passage with a mapping of all heads
_LARGEST_SHARE = 8  # no text takes more than this part of the room


class Cache:
    """The least recently asked for texts go first. Thread-safe. room 0 keeps nothing.

    hits, misses: so far. held_bytes: now, by an estimate that errs on the high side.
    """

    def __init__(self, room_bytes: int) -> None:
        self._room = room_bytes
        self._entries: OrderedDict[str, tuple[Assessment, int]] = OrderedDict()
        self._lock = Lock()
        self.held_bytes = self.hits = self.misses = 0

    def get(self, text: str) -> Assessment | None:
        """What was said about this very text, without the times it took."""
        with self._lock:
            found = self._entries.get(text)
            if found is None:
                self.misses += 1
                return None
            self.hits += 1
            self._entries.move_to_end(text)
        return replace(found[0], queued_seconds=0.0, scoring_seconds=0.0)

    def put(self, text: str, assessment: Assessment) -> None:
        """Remember a complete assessment; others, and very large texts, are not kept."""
        size = _size(text, assessment)
        if assessment.reason is not None or size > self._room // _LARGEST_SHARE:
            return
        with self._lock:
            self.held_bytes += size - self._forget(text)
            self._entries[text] = assessment, size
            while self.held_bytes > self._room:
                self.held_bytes -= self._entries.popitem(last=False)[1][1]

    def _forget(self, text: str) -> int:
        return self._entries.pop(text)[1] if text in self._entries else 0


def _size(text: str, assessment: Assessment) -> int:
    scores = _SCORE_BYTES * len(assessment.scores)
    return sys.getsizeof(text) + _ENTRY_BYTES + scores + _PASSAGE_BYTES * len(assessment.passages)
