"""What the sequential tests say by now, read from the store; changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from guard.fairness import Epoch, Measured, Published
from guard.records import About, Evidence

States: TypeAlias = Mapping[str, Published]
Epochs: TypeAlias = Mapping[str, Epoch]


class EvidenceReader:
    """Reads evidence.

    epochs: of a use case, by the name of the test. published: from these, the state of its tests
    with data. needed: from both, by the name of the test of a group, about how many more
    comparisons would show a difference.
    """

    def __init__(
        self,
        *,
        epochs: Callable[[str], Mapping[str, Epoch]],
        published: Callable[[str, Epochs], States],
        needed: Callable[[str, States, Epochs], Mapping[str, int]] = lambda *_: {},
    ) -> None:
        self._epochs = epochs
        self._published = published
        self._needed = needed

    def __call__(self, use_case: str) -> Sequence[Evidence]:
        """Every test of a group and of all groups that ever had data. Raises StoreError."""
        epochs = {test: one for test, one in self._epochs(use_case).items() if is_test(test)}
        found = self._published(use_case, epochs) if epochs else {}
        needed = self._needed(use_case, found, epochs) if found else {}
        return [
            replace(
                _evidence(about_of(use_case, Measured.parse(test)), epoch, found.get(test)),
                needed=needed.get(test),
            )
            for test, epoch in epochs.items()
        ]


def _evidence(about: About, epoch: Epoch, found: Published | None) -> Evidence:
    return Evidence(
        about=about,
        log10_e=found.log10_e if found else 0.0,
        epoch=epoch.number,
        alarms=epoch.alarms,
        alarmed=epoch.alarmed,
        alarm_log10_e=epoch.alarm_log10_e,
        estimate=found.estimate if found else None,
        material=found.material if found else None,
        is_material=bool(found and found.is_material),
    )


def about_of(use_case: str, measured: Measured) -> About:
    """What is measured, of which use case."""
    return About(
        use_case=use_case,
        metric=measured.metric,
        attribute=measured.attribute,
        groups=measured.groups,
    )


def is_test(name: str) -> bool:
    """Whether this is the name of a test. Pairs of groups were tested up to version 0.4."""
    try:
        measured = Measured.parse(name)
    except ValueError:
        return False
    return measured.attribute != "" and len(measured.between) < 2
