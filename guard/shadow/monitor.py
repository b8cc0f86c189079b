"""Whether evidence is enough for an alarm, and in which epoch it is being added up.

The epochs of a use case are one fact in the store, which one process at a time changes, so that
any number of them agree and an alarm is counted by the one whose change was taken. A test appears
there with its first evidence. Who posts evidence says of which deployment and settings it is; when
they are others than before, new epochs open for all tests. Who only looks opens none but by alarm.

Alarms are raised by e-BH over the whole family, the tests of all use cases, those without data
with e = 1. While nothing differs anywhere, the chance that it ever raises one, however often
somebody looks, is at most alpha: what e-BH asks for is never met before the mean of all e-values,
which is an e-process as well, reaches 1/alpha.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace

from guard.fairness import Epoch, EpochReason, MeanTest, Published, Tally, e_bh, key, publish
from guard.fairness.sequential import alarmed, current
from guard.ports import EvidenceStore, FactStore
from guard.records import Undefined

Epochs = Mapping[str, Epoch]
TestKey = tuple[str, str]
"""A use case and the name of a test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredUseCase:
    """One use case. tests: its whole family.

    deployment, settings: what identifies the system that evidence is filed about; not used by
    those who only look.
    """

    tests: tuple[MeanTest, ...]
    deployment: str = ""
    settings: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmCheck:
    """What one check found.

    published: tests with data. alarms: raised by this check, and by no other. epochs: in which
    each goes on.
    """

    published: Mapping[TestKey, Published] = field(default_factory=dict)
    alarms: tuple[TestKey, ...] = ()
    epochs: Mapping[TestKey, Epoch] = field(default_factory=dict)


def epoch_name(test: str, epoch: Epoch) -> str:
    """Under which name a store keeps the evidence of a test in this epoch."""
    return key(test, epoch.label)


class EvidenceMonitor:
    """Adds evidence to epochs and raises alarms.

    Thread-safe as far as the store is. Raises StoreError when that cannot be reached.
    """

    def __init__(
        self,
        store: EvidenceStore,
        use_cases: Mapping[str, MonitoredUseCase],
        *,
        alpha: float = 0.05,
    ) -> None:
        self._store = store
        self._use_cases = dict(use_cases)
        self._alpha = alpha

    def by_epoch(self, use_case: str, evidence: Mapping[str, Tally]) -> dict[str, Tally]:
        """Evidence by test as evidence by epoch, ready to be posted."""
        if not evidence:
            return {}
        epochs = self._change_epochs(
            use_case, lambda found: self._present(use_case, found, evidence)
        )
        return {epoch_name(test, epochs[test]): sums for test, sums in evidence.items()}

    def check(self) -> AlarmCheck:
        """The state of all tests; alarms are counted and open new epochs."""
        seen = {use_case: self._read(use_case) for use_case in self._use_cases}
        published = {
            (use_case, name): one for use_case, found in seen.items() for name, one in found.items()
        }
        rejected = e_bh(self._family(published), alpha=self._alpha)
        alarms = tuple(test for test in rejected if self._raise(test, published[test]))
        shown = {test: replace(one, alarm=test in rejected) for test, one in published.items()}
        return AlarmCheck(published=shown, alarms=alarms, epochs=self._epochs())

    def _family(self, published: Mapping[TestKey, Published]) -> dict[TestKey, float | None]:
        family: dict[TestKey, float | None] = {
            (use_case, test.name): None
            for use_case, one in self._use_cases.items()
            for test in one.tests
        }
        return family | {test: one.log10_e for test, one in published.items()}

    def _read(self, use_case: str) -> dict[str, Published]:
        """The tests of a use case that have data in their present epoch."""
        epochs = _decode(self._store.fact(_fact(use_case)))
        tests = {test.name: test for test in self._use_cases[use_case].tests if test.name in epochs}
        names = {test: epoch_name(test, epochs[test]) for test in tests}
        sums = self._store.evidence(use_case, list(names.values())) if names else {}
        found = {
            name: publish(test, sums.get(names[name], {}), epochs[name], alpha=self._alpha)
            for name, test in tests.items()
        }
        return {name: one for name, one in found.items() if not isinstance(one, Undefined)}

    def _raise(self, key: TestKey, seen: Published) -> bool:
        """Count an alarm and go on in a new epoch; False when somebody else has."""
        use_case, test = key
        mine = False

        def raised(found: Epochs) -> Epochs:
            nonlocal mine
            mine = found.get(test) == seen.epoch
            return {**found, test: alarmed(seen.epoch, seen.log10_e)} if mine else found

        self._change_epochs(use_case, raised)
        return mine

    def _present(self, use_case: str, found: Epochs, tests: Iterable[str]) -> Epochs:
        """The epochs of the system as it is now, those of tests with new evidence among them."""
        one = self._use_cases[use_case]
        first = Epoch(deployment=one.deployment, settings=one.settings)
        known = {test: first for test in tests if test not in found}
        return known | {
            test: current(epoch, deployment=one.deployment, settings=one.settings)
            for test, epoch in found.items()
        }

    def _epochs(self) -> dict[TestKey, Epoch]:
        return {
            (use_case, test): epoch
            for use_case in self._use_cases
            for test, epoch in epochs_of(self._store, use_case).items()
        }

    def _change_epochs(self, use_case: str, change: Callable[[Epochs], Epochs]) -> Epochs:
        """The epochs after a change, which is made again if another process was faster."""

        def changed(kept: str | None) -> str:
            return _encode(change(_decode(kept)))

        return _decode(self._store.update_fact(_fact(use_case), changed))


def epochs_of(facts: FactStore, use_case: str) -> Epochs:
    """The present epoch of every test of a use case that has evidence; changes nothing."""
    return _decode(facts.fact(_fact(use_case)))


def totals(epochs: Mapping[TestKey, Epoch]) -> int:
    """Alarms ever raised."""
    return sum(epoch.alarms for epoch in epochs.values())


def _fact(use_case: str) -> str:
    return key("epochs", use_case)


def _encode(epochs: Epochs) -> str:
    return json.dumps({test: asdict(epoch) for test, epoch in epochs.items()}, sort_keys=True)


def _decode(kept: str | None) -> Epochs:
    if kept is None:
        return {}
    return {
        test: Epoch(**{**fields, "opened": EpochReason(fields["opened"])})
        for test, fields in json.loads(kept).items()
    }
