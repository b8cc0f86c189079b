"""The findings of a store: read with the settings, and alarms taken note of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guard.bootstrap.shadow import test_families
from guard.bootstrap.storage import material_sizes
from guard.errors import SettingsError
from guard.fairness.catalogue import ALARM_POSTS, SHADOW_RESULTS, results_of
from guard.fairness.group_tests import OmnibusTest
from guard.fairness.tally import Measured
from guard.ports import Store
from guard.records import CaseFilter, CaseState
from guard.settings import Settings
from guard.shadow.finding_counts import UseCaseCounts, count_use_case
from guard.shadow.findings import DIFFERENCE, AttributeFinding, FindingScope, make_findings
from guard.shadow.monitor import AlarmFamily, EvidenceMonitor, epochs_of, read_tests, stored_tests

MOST_CASES = 1000
"""So many cases are counted at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsReader:
    """Findings of the use cases that are shadowed or have evidence in the store.

    families: of the use cases that are shadowed, their tests. Methods raise StoreError.
    """

    store: Store
    settings: Settings
    families: Mapping[str, tuple[OmnibusTest, ...]]

    def use_cases(self) -> list[str]:
        """Those that are shadowed, declared, or have sums in the store."""
        return sorted({*self.families, *self.settings.use_cases, *self.store.use_cases()})

    def read(
        self, use_case: str, *, difference: float = DIFFERENCE
    ) -> tuple[AttributeFinding, ...]:
        """Of one use case. difference: the size that is spoken of, in (0, 1]."""
        scope = self.scope(use_case, difference=difference)
        counts = self._counts(use_case, SHADOW_RESULTS)
        epochs = epochs_of(self.store, use_case)
        published = read_tests(self.store, use_case, scope.tests, epochs)
        return make_findings(scope, published, epochs, counts)

    def scope(self, use_case: str, *, difference: float = DIFFERENCE) -> FindingScope:
        """Its family of tests and what an alarm takes; of a use case that the settings do not
        shadow, the tests that the store has."""
        return FindingScope(
            use_case=use_case,
            tests=self.families.get(use_case) or self._stored(use_case),
            alpha=self.settings.alarm_alpha,
            use_cases=self._sharing(),
            difference=difference,
        )

    def use_case_counts(self, use_case: str) -> UseCaseCounts:
        """What belongs to no attribute."""
        counts = {
            what: count
            for (attribute, what), count in self._counts(use_case, SHADOW_RESULTS).items()
            if attribute == ""
        }
        posts = self._counts(use_case, ALARM_POSTS)
        unposted = sum(round(count) for (_, what), count in posts.items() if what == "failed")
        return count_use_case(counts, unposted=unposted)

    def _counts(self, use_case: str, name: str) -> dict[tuple[str, str], float]:
        return results_of(self.store.evidence(use_case, [name])[name])

    def open_cases(self, use_case: str, attribute: str) -> int:
        """Cases of this attribute that wait for people, `MOST_CASES` at most."""
        where = CaseFilter(use_case=use_case, attribute=attribute, state=CaseState.OPEN)
        return self.store.count(where, most=MOST_CASES)

    def acknowledge(self, use_case: str, *, by: str, attribute: str = "") -> tuple[str, ...]:
        """Take note of the alarms that stand, of one attribute or of all; their tests.

        The audit of the store says who and when. Without one that stands nothing happens.
        """
        tests = [
            test
            for test, epoch in epochs_of(self.store, use_case).items()
            if epoch.alarmed and attribute in ("", _attribute_of(test))
        ]
        if not tests:
            return ()
        noted = EvidenceMonitor(self.store, {}).acknowledge(use_case, tests, by=by)
        for test in noted:
            self.store.note(actor=by, event="acknowledged", detail=f"alarm of {test} in {use_case}")
        return noted

    def _stored(self, use_case: str) -> tuple[OmnibusTest, ...]:
        shadow = self.settings.use_cases.get(use_case, self.settings.defaults).shadow
        return stored_tests(
            epochs_of(self.store, use_case),
            tolerance=shadow.tolerance,
            material=material_sizes(shadow),
        )

    def _sharing(self) -> int:
        everybody = AlarmFamily(self.settings.alarm_family) is AlarmFamily.ALL
        return max(len(self.families), 1) if everybody else 1


def open_findings(store: Store, settings: Settings) -> FindingsReader:
    """Findings of a store. Raises SettingsError."""
    return FindingsReader(store=store, settings=settings, families=test_families(settings))


def check_use_case(reader: FindingsReader, use_case: str) -> None:
    """Raises SettingsError for a use case that neither the settings nor the store has."""
    if use_case not in (known := reader.use_cases()):
        names = ", ".join(known) or "none"
        raise SettingsError(f"no use case {use_case!r}; there are: {names} (--use-case)")


def _attribute_of(test: str) -> str:
    return Measured.parse(test).attribute
