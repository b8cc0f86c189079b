"""What the sequential tests of a use case say, read without changing anything.

Alarms are raised elsewhere, by whoever adds evidence; looking here opens no epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from guard.fairness import Epoch, MeanTest, Measured, Published, Tally, publish
from guard.ports import EvidenceStore
from guard.records import About, Estimate, Evidence

NameOf = Callable[[str, Epoch], str]


class EvidenceReader:
    """Reads evidence.

    epochs: of a use case, by the name of the test. name_of: under which name the store keeps the
    sums of a test in an epoch. tolerance_of: a use case's, in [0, 1). alpha: of the confidence
    sequences.
    """

    def __init__(
        self,
        store: EvidenceStore,
        *,
        epochs: Callable[[str], Mapping[str, Epoch]],
        name_of: NameOf,
        tolerance_of: Callable[[str], float],
        alpha: float = 0.05,
    ) -> None:
        self._store = store
        self._epochs = epochs
        self._name_of = name_of
        self._tolerance_of = tolerance_of
        self._alpha = alpha

    def __call__(self, use_case: str) -> Sequence[Evidence]:
        """Every test that ever had data, as far as its name is one of ours. Raises StoreError."""
        known = self._epochs(use_case)
        epochs = {test: epoch for test, epoch in known.items() if is_measured(test)}
        if not epochs:
            return ()
        names = {test: self._name_of(test, epoch) for test, epoch in epochs.items()}
        sums = self._store.evidence(use_case, list(names.values()))
        tolerance = self._tolerance_of(use_case)
        return [
            self._seen(use_case, MeanTest(name=test, tolerance=tolerance), epoch, sums[names[test]])
            for test, epoch in epochs.items()
        ]

    def _seen(self, use_case: str, test: MeanTest, epoch: Epoch, sums: Tally) -> Evidence:
        found = _published(test, tuple(sorted(sums.items())), epoch, self._alpha)
        return Evidence(
            about=about_of(use_case, Measured.parse(test.name)),
            log10_e=found.log10_e if found else 0.0,
            epoch=epoch.number,
            alarms=epoch.alarms,
            alarm_log10_e=epoch.alarm_log10_e,
            estimate=_estimate(found) if found else None,
        )


@lru_cache(maxsize=8192)
def _published(
    test: MeanTest, sums: tuple[tuple[str, float], ...], epoch: Epoch, alpha: float
) -> Published | None:
    """Most tests have heard nothing since the last scrape, and limits take a millisecond each."""
    published = publish(test, dict(sums), epoch, alpha=alpha)
    return published if isinstance(published, Published) else None


def _estimate(found: Published) -> Estimate:
    return Estimate(value=found.value, low=found.low, high=found.high, n=found.n)


def about_of(use_case: str, measured: Measured) -> About:
    """What is measured, of which use case."""
    return About(
        use_case=use_case,
        metric=measured.metric,
        attribute=measured.attribute,
        groups=measured.groups,
    )


def is_measured(name: str) -> bool:
    """Whether a name is that of something measured."""
    try:
        Measured.parse(name)
    except ValueError:
        return False
    return True
