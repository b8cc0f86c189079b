"""Evidence goes to the present epoch, and an alarm is counted once by whoever sees it first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import pytest

from guard.fairness import EpochReason, MeanTest, Tally
from guard.records import Posting
from guard.shadow.monitor import AlarmCheck, EvidenceMonitor, MonitoredUseCase, epochs_of, totals
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore

GAP, REFUSAL = MeanTest(name="gap"), MeanTest(name="refusal")
PLACE = ("chat", "gap")


OPTIONS = StoreOptions(
    clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=10, new_token=lambda: "token"
)


def store() -> MemoryStore:
    return MemoryStore(OPTIONS)


def watch(windows: MemoryStore, *, deployment: str = "d1", settings: str = "s1") -> EvidenceMonitor:
    watched = MonitoredUseCase(tests=(GAP, REFUSAL), deployment=deployment, settings=settings)
    return EvidenceMonitor(windows, {"chat": watched})


def observed(times: int, value: float) -> dict[str, Tally]:
    one = GAP.tally(value)
    return {"gap": {key: number * times for key, number in one.items()}}


def post(windows: MemoryStore, watching: EvidenceMonitor, evidence: Mapping[str, Tally]) -> None:
    filed = watching.by_epoch("chat", evidence)
    windows.add([Posting(use_case="chat", at_seconds=0.0, evidence=filed)])


def test_nothing_is_published_without_data() -> None:
    windows = store()
    assert watch(windows).check() == AlarmCheck()
    assert watch(windows).by_epoch("chat", {}) == {}
    assert windows.fact("epochs|chat") is None


def test_evidence_is_filed_under_its_epoch() -> None:
    assert list(watch(store()).by_epoch("chat", observed(1, 0.1))) == ["gap|e0"]


def test_a_difference_is_published_before_it_alarms() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(10, 0.2))
    found = watching.check()
    published = found.published[PLACE]
    assert 0.0 < published.log10_e < 1.0
    assert published.estimate.value == pytest.approx(0.2)
    assert (published.estimate.n, published.alarm) == (10, False)
    assert found.alarms == ()
    assert found.epochs[PLACE].opened is EpochReason.START


def test_an_alarm_opens_a_new_epoch() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(500, 0.3))
    found = watching.check()
    assert found.alarms == (PLACE,)
    assert found.published[PLACE].alarm
    epoch = found.epochs[PLACE]
    assert (epoch.number, epoch.alarms, epoch.opened) == (1, 1, EpochReason.ALARM)
    assert totals(found.epochs) == 1
    assert watching.check().published == {}
    assert list(watching.by_epoch("chat", observed(1, 0.1))) == ["gap|e1"]


class Overtaken(MemoryStore):
    """A store in which somebody else acts between the reading of evidence and what follows."""

    meanwhile: Callable[[], object] | None = None

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        found = super().evidence(use_case, epochs)
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        return found


def test_two_who_look_count_one_alarm() -> None:
    windows = Overtaken(OPTIONS)
    watching, other = watch(windows), watch(windows)
    post(windows, watching, observed(500, 0.3))
    first: list[AlarmCheck] = []
    windows.meanwhile = lambda: first.append(watching.check())
    assert other.check().alarms == ()
    assert first[0].alarms == (PLACE,)
    assert totals(other.check().epochs) == 1


def test_a_deployment_opens_new_epochs_for_all_tests() -> None:
    windows = store()
    first = watch(windows)
    post(windows, first, observed(10, 0.2) | {"refusal": REFUSAL.tally(0.0)})
    second = watch(windows, deployment="d2")
    assert list(second.by_epoch("chat", observed(1, 0.1))) == ["gap|e1"]
    epochs = epochs_of(windows, "chat")
    assert {test: epoch.opened for test, epoch in epochs.items()} == {
        "gap": EpochReason.DEPLOYMENT,
        "refusal": EpochReason.DEPLOYMENT,
    }
    third = watch(windows, deployment="d2", settings="s2")
    third.by_epoch("chat", observed(1, 0.1))
    assert epochs_of(windows, "chat")["gap"].opened is EpochReason.SETTINGS


def test_who_only_looks_opens_no_epoch() -> None:
    windows = store()
    post(windows, watch(windows), observed(10, 0.2))
    looking = EvidenceMonitor(windows, {"chat": MonitoredUseCase(tests=(GAP,))})
    assert looking.check().published[PLACE].estimate.n == 10
    assert epochs_of(windows, "chat")["gap"].number == 0


def test_the_family_counts_tests_without_data() -> None:
    windows = store()
    post(windows, watch(windows), observed(60, 0.4))
    small = EvidenceMonitor(windows, {"chat": MonitoredUseCase(tests=(GAP,))})
    many = tuple(MeanTest(name=f"t{number}") for number in range(10**5))
    large = EvidenceMonitor(windows, {"chat": MonitoredUseCase(tests=(GAP, *many))})
    assert large.check().alarms == ()
    assert small.check().alarms == (PLACE,)


def test_tests_of_other_settings_are_not_read() -> None:
    windows = store()
    post(windows, watch(windows), {"old": MeanTest(name="old").tally(0.5)} | observed(3, 0.1))
    assert list(watch(windows).check().published) == [PLACE]
