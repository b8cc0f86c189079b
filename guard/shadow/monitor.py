"""Whether evidence is enough for an alarm, and in which epoch it is being added up.

The epochs of a use case are one fact in the store, which one process at a time changes, so that
any number of them agree and an alarm is counted by the one whose change was taken. The tests of one
metric and attribute share their epochs. They appear there with their first evidence. Who posts
evidence says of which deployment and settings it is; when they are others than before, new epochs
open for all tests. Who only looks opens none.

Alarms are raised by weighted e-BH over the family of tests of a use case: while no group is treated
differently in it, the chance that it ever raises one, however often somebody looks, is at most
alpha. Over the family of all use cases together it is at most alpha for all of them, and each has
to pay for all others. An alarm takes evidence and a size that matters, stands until somebody
acknowledges it or the system changes, and is raised once in its epoch.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum

from guard.fairness import CATALOGUE, Epoch, EpochReason, Published, Tally, e_bh, key
from guard.fairness.group_tests import (
    OmnibusTest,
    TestedGroup,
    is_group_test,
    omnibus_of,
    publish_tests,
    shares,
)
from guard.fairness.sequential import acknowledged, alarmed, current
from guard.fairness.tally import Measured
from guard.ports import EvidenceStore, FactStore
from guard.shadow.group_choice import EVEN, GroupWeights, group_weights
from guard.shadow.tested_groups import MAX_GROUPS, GroupsByAttribute, tested_groups

Epochs = Mapping[str, Epoch]
TestKey = tuple[str, str]
_log = logging.getLogger("guard.shadow")
"""A use case and the name of a test."""


class AlarmFamily(StrEnum):
    """Over which tests the chance of a false alarm is counted."""

    USE_CASE = "use_case"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredUseCase:
    """One use case. tests: its whole family.

    groups: those compared, by attribute; max_groups: how many of an attribute have tests of their
    own. deployment, settings: what identifies the system that evidence is filed about. All of these
    are not used by those who only look.
    """

    tests: tuple[OmnibusTest, ...]
    groups: GroupsByAttribute = field(default_factory=dict)
    max_groups: int = MAX_GROUPS
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
        family: AlarmFamily = AlarmFamily.USE_CASE,
    ) -> None:
        self._store = store
        self._use_cases = dict(use_cases)
        self._alpha = alpha
        self._family = family
        self._weights: Mapping[str, GroupWeights] = {}
        self._begun: Counter[str] = Counter()

    def weights(self, use_case: str) -> GroupWeights:
        """How often each group is to be asked about, by what the last check here has found."""
        return self._weights.get(use_case, EVEN)

    def system(self, use_case: str) -> tuple[str, str, int]:
        """What identifies the system that evidence is filed about now: its deployment, its
        settings, and how many there were before it, since an earlier one may come back."""
        one = self._use_cases[use_case]
        present = self._present(use_case, epochs_of(self._store, use_case), ())
        before = max((epoch.systems for epoch in present.values()), default=0)
        return one.deployment, one.settings, before

    def tested_groups(self, use_case: str, sources: Mapping[str, str]) -> TestedGroup:
        """Under which group each one is tested.

        sources: by attribute, the group that this prompt is about.
        """
        one = self._use_cases[use_case]
        return tested_groups(self._store, use_case, one.groups, one.max_groups, sources)

    def by_epoch(self, use_case: str, evidence: Mapping[str, Tally]) -> dict[str, Tally]:
        """Evidence by test of a group as evidence by epoch, ready to be posted."""
        if not evidence:
            return {}
        anew = False

        def present(found: Epochs) -> Epochs:
            nonlocal anew
            epochs = self._present(use_case, found, evidence)
            anew = any(epochs[test].number != epoch.number for test, epoch in found.items())
            return epochs

        epochs = self._change_epochs(use_case, present)
        if anew:
            self._note_others(use_case)
        return {epoch_name(test, epochs[test]): sums for test, sums in evidence.items()}

    def check(self) -> AlarmCheck:
        """The state of all tests; new alarms are counted."""
        by_use_case = {use_case: self._read(use_case) for use_case in self._use_cases}
        self._weights = {
            use_case: group_weights(tests.values()) for use_case, tests in by_use_case.items()
        }
        published = {
            (use_case, test): one
            for use_case, tests in by_use_case.items()
            for test, one in tests.items()
        }
        alarms = tuple(
            test for test in self._rejected(published) if self._raise(test, published[test])
        )
        return AlarmCheck(published=published, alarms=alarms, epochs=self._epochs())

    def acknowledge(
        self, use_case: str, tests: Collection[str] | None = None, *, by: str
    ) -> tuple[str, ...]:
        """Take note of alarms that stand; the names of those tests.

        New epochs open for all tests of the same metric and attribute, so that the next alarm is
        news. tests: None is all. by: who.
        """
        noted: tuple[str, ...] = ()

        def change(found: Epochs) -> Epochs:
            nonlocal noted
            noted = tuple(
                test
                for test, epoch in found.items()
                if epoch.alarmed and (tests is None or test in tests)
            )
            closed = {omnibus_of(test) for test in noted}
            return {
                test: acknowledged(epoch, by=by) if omnibus_of(test) in closed else epoch
                for test, epoch in found.items()
            }

        self._change_epochs(use_case, change)
        return noted

    def _note_others(self, use_case: str) -> None:
        """This process began new epochs. It is the same since it started: whoever ended its last
        ones is another. Said at the 2nd time, the 4th, the 8th and so on."""
        self._begun[use_case] += 1
        times = self._begun[use_case]
        if times > 1 and times.bit_count() == 1:
            _log.warning(
                "use_cases.%s.shadow: evidence has begun anew %d times, since processes of another"
                " version, deployment or settings add to the same store; while they do, no alarm"
                " can be raised: give all of them the same, or another store.url",
                use_case,
                times,
            )

    def _rejected(self, published: Mapping[TestKey, Published]) -> Iterable[TestKey]:
        """The tests whose evidence is enough, strongest first."""
        counted = {test: one.counted_log10_e for test, one in published.items()}
        share = {name: shares(one.tests) for name, one in self._use_cases.items()}
        if self._family is AlarmFamily.ALL:
            use_cases = len(share)
            return e_bh(
                counted, lambda test: share[test[0]](test[1]) / use_cases, alpha=self._alpha
            )
        return [
            test
            for use_case in self._use_cases
            for test in e_bh(
                {test: e for test, e in counted.items() if test[0] == use_case},
                lambda test: share[test[0]](test[1]),
                alpha=self._alpha,
            )
        ]

    def _read(self, use_case: str) -> dict[str, Published]:
        """The tests of a use case that have data in their present epoch."""
        epochs = epochs_of(self._store, use_case)
        return read_tests(self._store, use_case, self._use_cases[use_case].tests, epochs)

    def _raise(self, key: TestKey, seen: Published) -> bool:
        """Count an alarm; False when it stands already, or its epoch is over."""
        use_case, test = key
        mine = False

        def raised(found: Epochs) -> Epochs:
            nonlocal mine
            mine = found.get(test) == seen.epoch and not seen.epoch.alarmed
            return {**found, test: alarmed(seen.epoch, seen.log10_e)} if mine else found

        if not seen.epoch.alarmed:
            self._change_epochs(use_case, raised)
        return mine

    def _present(self, use_case: str, found: Epochs, tests: Iterable[str]) -> Epochs:
        """The epochs of the system as it is now, those of tests with new evidence among them."""
        one = self._use_cases[use_case]
        groups = {test.name: test.groups for test in one.tests}
        present = {
            test: current(epoch, deployment=one.deployment, settings=one.settings)
            for test, epoch in found.items()
        }
        for test in tests:
            omnibus = omnibus_of(test)
            first = Epoch(
                deployment=one.deployment, settings=one.settings, groups=groups.get(omnibus, 0)
            )
            shared = present.setdefault(omnibus, first)
            own = replace(shared, groups=0, alarmed=False, alarms=0, alarm_log10_e=0.0)
            present.setdefault(test, own)
        return {
            test: replace(epoch, groups=groups.get(test, epoch.groups))
            for test, epoch in present.items()
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


def read_tests(
    store: EvidenceStore,
    use_case: str,
    tests: Iterable[OmnibusTest],
    epochs: Epochs,
    *,
    alpha: float = 0.05,
) -> dict[str, Published]:
    """The state of these tests, as far as they have data in their present epoch.

    epochs: those of the use case. alpha: of confidence sequences. Changes nothing. Raises
    StoreError.
    """
    of_groups = {name: epoch for name, epoch in epochs.items() if is_group_test(name)}
    names = {test: epoch_name(test, epoch) for test, epoch in of_groups.items()}
    sums = store.evidence(use_case, list(names.values())) if names else {}
    by_omnibus: dict[str, dict[str, Tally]] = {}
    for name, stored in names.items():
        group = Measured.parse(name).groups
        by_omnibus.setdefault(omnibus_of(name), {})[group] = sums.get(stored, {})
    return publish_tests(tests, by_omnibus, epochs, alpha=alpha)


def stored_tests(
    epochs: Epochs, *, tolerance: float, material: Mapping[str, float]
) -> tuple[OmnibusTest, ...]:
    """The tests that a store has epochs of, for those who do not know the settings of all.

    material: by metric; one that is missing in it has none.
    """
    groups = Counter(omnibus_of(name) for name in epochs if is_group_test(name))
    found = []
    for name, seen in groups.items():
        measured = Measured.parse(name)
        kept = epochs[name].groups if name in epochs else 0
        test = OmnibusTest(
            metric=measured.metric,
            attribute=measured.attribute,
            groups=max(kept, seen),
            tolerance=tolerance,
            material=material.get(measured.metric, 0.0),
            directed=(live := CATALOGUE.find(measured.metric)) is None or live.directed,
        )
        found.append(test)
    return tuple(found)


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
    """What a store has, written by this version or an earlier one."""
    if kept is None:
        return {}
    known = {one.name for one in fields(Epoch)}
    return {
        test: Epoch(
            **{
                **{name: value for name, value in written.items() if name in known},
                "opened": EpochReason(written["opened"]),
            }
        )
        for test, written in json.loads(kept).items()
    }
