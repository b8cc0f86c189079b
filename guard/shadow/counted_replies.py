"""Replies that were counted before, over all processes and ever since.

Digests of replies are facts of the store, of each use case the latest ones. They are made with a
key, so that nobody without it can tell from them whether a text was among those counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final

from guard.fairness.tally import key
from guard.ports import FactStore

SHARD_DIGITS: Final = 2
"""First digits of the digests that share a fact, so that a job writes little: there are 256."""
MOST_OF_A_SHARD: Final = 64
"""Of 256 facts, 16,384 digests of a use case."""

NoteReplies = Callable[[str, str, Collection[str]], Collection[str]]
"""Of these digests of a use case, those that another job than this one noted before; from now on
all of them are noted."""


def forget_all(_: str, __: str, ___: Collection[str]) -> Collection[str]:
    """None of them."""
    return ()


@dataclass(frozen=True, slots=True)
class CountedReplies:
    """Digests in hexadecimal digits, each with the job that noted it first, so that one that is
    done again after a crash finds its own ones new."""

    store: FactStore

    def note(self, use_case: str, job: str, digests: Collection[str]) -> frozenset[str]:
        """See `NoteReplies`. job: what tells jobs apart. Raises StoreError."""
        shards: dict[str, list[str]] = {}
        for digest in sorted(digests):
            shards.setdefault(digest[:SHARD_DIGITS], []).append(digest)
        return frozenset(
            digest
            for shard, own in shards.items()
            for digest in self._note(key("counted_replies", use_case, shard), job, own)
        )

    def _note(self, name: str, job: str, digests: Collection[str]) -> Iterable[str]:
        text = self.store.update_fact(name, lambda known: _with_noted(known, job, digests))
        noted = json.loads(text)
        return (digest for digest in digests if noted.get(digest, job) != job)


def _with_noted(known: str | None, job: str, digests: Iterable[str]) -> str:
    """The fact with these digests as the latest ones."""
    noted: dict[str, str] = json.loads(known or "{}")
    for digest in digests:
        noted[digest] = noted.pop(digest, job)
    latest = list(noted.items())[-MOST_OF_A_SHARD:]
    return json.dumps(dict(latest), separators=(",", ":"))
