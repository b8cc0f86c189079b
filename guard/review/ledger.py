"""The audit made into sums, each entry once, whoever dies in the middle.

Votes and audit are one transaction of the store. What they add to the figures comes after, entry
by entry, together with the number of the entry: who comes second with an entry adds nothing, and
what a killed process left out the next one adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from guard.ports import Cases, Windows
from guard.records import Audit, Batch, Position, Posting
from guard.review.counting import SUMS, added

SPOOL: Final = "review/audit"
"""The name under which the store keeps how far the audit was read."""
COUNTED: Final = frozenset({"voted", "unvoted", "closed", "disputed"})
PAGE: Final = 1000
LONGEST_TRAIL: Final = 10_000


class Kept(Cases, Windows, Protocol):
    """The store, as far as decisions are counted."""

    def accept(self, batch: Batch, position: Position) -> bool:
        """See `ports.Store`."""

    def position(self, spool: str) -> int:
        """See `ports.Store`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Counts what people decided. Any number of processes may do it at once."""

    store: Kept

    def follow(self, *, pages: int = 3) -> bool:
        """Count what is new in the audit, up to so many pages of it; whether that was all.

        Raises StoreError; what was counted by then stays counted, and is not counted again.
        """
        at = self.store.position(SPOOL)
        for _ in range(pages):
            entries = self.store.audit(after=at, limit=PAGE)
            for entry in entries:
                if entry.event in COUNTED:
                    self._count(entry)
            if len(entries) < PAGE:
                return True
            at = entries[-1].number
            self._passed(at)
        return False

    def _count(self, entry: Audit) -> None:
        case_id = entry.case_id
        filed = self.store.case(case_id)
        if filed is None:  # erased: what it was about is not known any more
            self._passed(entry.number)
            return
        trail = self.store.audit(case_id=case_id, limit=LONGEST_TRAIL)
        sums = added(filed.case, trail, entry.number)
        posting = Posting(
            use_case=filed.case.use_case, at_seconds=entry.at_seconds, evidence={SUMS: sums}
        )
        self._accept(Batch(postings=(posting,) if sums else ()), entry.number)

    def _passed(self, number: int) -> None:
        self._accept(Batch(), number)

    def _accept(self, batch: Batch, number: int) -> None:
        self.store.accept(batch, Position(spool=SPOOL, end=number))
