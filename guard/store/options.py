"""What holds for every store, whatever keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor

REMEMBERED_SECONDS = 7 * 86_400.0
"""How long the key of an ended job is remembered, so that it is not done again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a store is kept.

    clock: Unix seconds. bucket_seconds: width of a time bucket. max_jobs: how many jobs may be
    neither finished nor buried. new_token: text that tells one lease from all others.
    """

    clock: Callable[[], float]
    bucket_seconds: float
    max_jobs: int
    new_token: Callable[[], str]

    def bucket(self, at_seconds: float) -> int:
        """The number of the bucket a time falls into."""
        return floor(at_seconds / self.bucket_seconds)
