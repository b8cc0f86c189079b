"""What the desk remembers of a person from one page to the next, whichever process serves it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from guard.ports import Windows

Json: TypeAlias = dict[str, object]
MOST_VOTES = 20
"""How many votes can be taken back, one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerMemory:
    """Small facts per reviewer. Raises StoreError."""

    windows: Windows

    def voted(self, reviewer: str, case_id: str) -> None:
        """The latest vote of this person is, or is about to be, on this case."""

        def later(before: Json) -> Json:
            votes = [one for one in _texts(before, "votes") if one != case_id]
            return before | {"votes": [*votes, case_id][-MOST_VOTES:]}

        self._change(reviewer, later)

    def votes(self, reviewer: str) -> list[str]:
        """The cases of the latest votes, oldest first."""
        return _texts(self._read(reviewer), "votes")

    def unvoted(self, reviewer: str, case_id: str) -> None:
        """That vote is gone."""

        def without(before: Json) -> Json:
            return before | {"votes": [one for one in _texts(before, "votes") if one != case_id]}

        self._change(reviewer, without)

    def passed(self, reviewer: str, opened_at: float | None) -> None:
        """This person skipped a case of then; None when it begins with the oldest again."""
        self._change(reviewer, lambda before: before | {"passed": opened_at})

    def passed_at(self, reviewer: str) -> float | None:
        """When the case that was skipped last was opened."""
        value = self._read(reviewer).get("passed")
        return float(value) if isinstance(value, int | float) else None

    def _read(self, reviewer: str) -> Json:
        return _parsed(self.windows.fact(_name(reviewer)))

    def _change(self, reviewer: str, how: Callable[[Json], Json]) -> None:
        name, done = _name(reviewer), False
        while not done:
            known = self.windows.fact(name)
            new = json.dumps(how(_parsed(known)), sort_keys=True)
            done = new == known or self.windows.swap(name, expected=known, new=new)


def _name(reviewer: str) -> str:
    return f"review/of/{reviewer}"


def _parsed(known: str | None) -> Json:
    value = json.loads(known) if known else {}
    return value if isinstance(value, dict) else {}


def _texts(found: Json, name: str) -> list[str]:
    value = found.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
