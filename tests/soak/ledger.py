"""What callers saw, and whether the store agrees with it.

A reply is recorded before its caller has the end of it. So of what a caller has whole, everything
is in the store exactly once, whoever was killed meanwhile; of what was broken off, it may be. Only
what was asked while the disk of the spools was full may be missing: that is dropped, and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from guard.fairness import key
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.ports import Store
from guard.records import Audit, CaseFilter, CaseKind, CaseRecord
from tests.soak.texts import MARKER, SECRET, marker_of

EVERYTHING = range(2**40)
USE_CASES = ("chat", "shadowed", "asgi", "langchain")
PAGE = 1000


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One question. insult: whether a rule fires on the reply. whole: it was answered whole.

    droppable: the disk was full while it was under way. unscored: it was withheld as it could not
    be judged, which is counted and opens no case. text: what came back, if anything.
    """

    number: int
    use_case: str
    insult: bool
    whole: bool = False
    droppable: bool = False
    unscored: bool = False
    status: int = 0
    text: str = ""

    @property
    def marker(self) -> str:
        return marker_of(self.number)

    @property
    def must_be_kept(self) -> bool:
        return self.whole and not self.droppable

    @property
    def opens_case(self) -> bool:
        """Whether there must be a case of it."""
        return self.insult and self.must_be_kept and not self.unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that must hold. found, wanted: in words."""

    what: str
    found: str
    wanted: str
    holds: bool


@dataclass(slots=True)
class Ledger:
    """All attempts, added up as they end; the texts are looked at and not kept."""

    attempts: list[Attempt] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)

    def note(self, attempt: Attempt) -> None:
        """An attempt has ended, one way or another."""
        if SECRET in attempt.text:
            self.leaked.append(attempt.marker)
        if set(MARKER.findall(attempt.text)) - {attempt.marker}:
            self.mixed.append(attempt.marker)
        attempt.text = ""
        self.attempts.append(attempt)

    def findings(self, store: Store) -> list[Finding]:
        """All that must hold, once everything has come to rest."""
        return [
            none("insults that reached a caller", self.leaked),
            none("answers with words of another one", self.mixed),
            *self._cases(store),
            *(self._counted(store, use_case) for use_case in USE_CASES),
            self._shadowed(store),
            *_jobs(store),
        ]

    def of(self, use_case: str) -> list[Attempt]:
        """The attempts of one use case."""
        return [one for one in self.attempts if one.use_case == use_case]

    def _cases(self, store: Store) -> list[Finding]:
        opened = Counter(
            marker for record in every_case(store) for marker in {*MARKER.findall(said_in(record))}
        )
        wanted = [one.marker for one in self.attempts if one.opens_case]
        asked = {one.marker for one in self.attempts}
        audited = Counter(entry.case_id for entry in every_entry(store) if entry.event == "opened")
        return [
            none("cases of answered insults that are missing", set(wanted) - opened.keys()),
            none("replies with two cases", [one for one, count in opened.items() if count > 1]),
            none("cases of nothing that was asked", opened.keys() - asked),
            none("cases opened twice", [one for one, count in audited.items() if count > 1]),
            Finding(what="cases", found=str(sum(opened.values())), wanted="-", holds=True),
        ]

    def _counted(self, store: Store, use_case: str) -> Finding:
        sums = store.total(use_case, EVERYTHING)
        counted = sums.get(key("toxic_fraction", "n"), 0) + sums.get(
            key("toxic_fraction", "unscored"), 0
        )
        return self._between(f"calls of {use_case} in the sums", counted, use_case)

    def _shadowed(self, store: Store) -> Finding:
        found = results_of(store.evidence("shadowed", [SHADOW_RESULTS])[SHADOW_RESULTS])
        return self._between(
            "jobs of shadowed done", found.get(("gender", "sampled"), 0), "shadowed"
        )

    def _between(self, what: str, found: float, use_case: str) -> Finding:
        attempts = self.of(use_case)
        least, most = sum(one.must_be_kept for one in attempts), len(attempts)
        return Finding(
            what=what,
            found=f"{found:.0f}",
            wanted=f"{least} answered whole to {most} asked",
            holds=least <= found <= most,
        )


def none(what: str, found: Iterable[str]) -> Finding:
    """That there is none of these."""
    listed = sorted(found)
    shown = f"{len(listed)}" + (f" ({', '.join(listed[:3])})" if listed else "")
    return Finding(what=what, found=shown, wanted="0", holds=not listed)


def _jobs(store: Store) -> list[Finding]:
    counts = store.job_counts()
    left = counts.ready + counts.delayed + counts.leased
    return [
        Finding(what="jobs left", found=str(left), wanted="0", holds=left == 0),
        Finding(
            what="dead letters",
            found=str(counts.dead_letters),
            wanted="0",
            holds=counts.dead_letters == 0,
        ),
    ]


def said_in(record: CaseRecord) -> str:
    """The prompt and reply of a case of a live reply; empty for those of shadow requests."""
    body = json.loads(record.case.body)
    return "" if body.get("shadow") else json.dumps(body)


def every_case(store: Store) -> Sequence[CaseRecord]:
    """All cases of replies."""
    wanted = CaseFilter(kind=CaseKind.RESPONSE)
    found: list[CaseRecord] = []
    while page := store.query(wanted, after=found[-1].case.id if found else "", limit=PAGE):
        found += page
    return found


def every_entry(store: Store) -> Sequence[Audit]:
    """The whole audit."""
    return store.audit(limit=10_000_000)
