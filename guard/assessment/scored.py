"""A reply and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from guard.records import Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredReply:
    """A reply to the prompt as it is. scores: by head, None where there is none."""

    text: str
    ending: Ending
    scores: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def is_scored(self) -> bool:
        """Whether there is any score."""
        return any(value is not None for value in self.scores.values())
