"""Evidence goes to the present epoch; an alarm is counted once, and stands until it is noted."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping

import pytest

from guard.fairness import EpochReason, Tally
from guard.fairness.group_tests import OmnibusTest
from guard.records import Posting
from guard.shadow.monitor import (
    AlarmCheck,
    AlarmFamily,
    EvidenceMonitor,
    MonitoredUseCase,
    epochs_of,
    totals,
)
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore

GAP = OmnibusTest(metric="gap", attribute="gender", groups=2, material=0.05)
REFUSAL = OmnibusTest(metric="refusal", attribute="gender", groups=2)
ALL = ("chat", "gap:gender")
PLACE = ("chat", "gap:gender:female")
BOTH = {ALL, PLACE}


OPTIONS = StoreOptions(
    clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=10, new_token=lambda: "token"
)


def store() -> MemoryStore:
    return MemoryStore(OPTIONS)


def watch(windows: MemoryStore, *, deployment: str = "d1", settings: str = "s1") -> EvidenceMonitor:
    watched = MonitoredUseCase(tests=(GAP, REFUSAL), deployment=deployment, settings=settings)
    return EvidenceMonitor(windows, {"chat": watched})


def observed(times: int, value: float, omnibus: OmnibusTest = GAP) -> dict[str, Tally]:
    test = omnibus.of_group("female")
    return {test.name: {key: number * times for key, number in test.tally(value).items()}}


def post(
    windows: MemoryStore,
    watching: EvidenceMonitor,
    evidence: Mapping[str, Tally],
    use_case: str = "chat",
) -> None:
    filed = watching.by_epoch(use_case, evidence)
    windows.add([Posting(use_case=use_case, at_seconds=0.0, evidence=filed)])


def test_nothing_is_published_without_data() -> None:
    windows = store()
    assert watch(windows).check() == AlarmCheck()
    assert watch(windows).by_epoch("chat", {}) == {}
    assert windows.fact("epochs|chat") is None


def test_evidence_is_filed_under_its_epoch() -> None:
    assert list(watch(store()).by_epoch("chat", observed(1, 0.1))) == ["gap:gender:female|e0"]


def test_a_difference_is_published_before_it_alarms() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(5, 0.2))
    found = watching.check()
    assert set(found.published) == BOTH
    published = found.published[PLACE]
    assert 0.0 < published.log10_e < 1.3
    assert published.estimate is not None
    assert published.estimate.value == pytest.approx(0.2)
    assert (published.estimate.n, published.epoch.alarmed) == (5, False)
    assert found.alarms == ()
    assert found.epochs[PLACE].opened is EpochReason.START


def test_the_test_of_all_groups_is_the_mean_of_theirs() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(5, 0.2))
    found = watching.check().published
    of_group, of_all = (10 ** found[test].log10_e for test in (PLACE, ALL))
    assert of_all == pytest.approx((of_group + 1.0) / 2)
    assert found[ALL].estimate is None


def test_processes_that_end_each_others_epochs_are_told(caplog: pytest.LogCaptureFixture) -> None:
    windows = store()
    old, new = watch(windows, settings="s1"), watch(windows, settings="s2")
    post(windows, old, observed(1, 0.1))
    post(windows, new, observed(1, 0.1))
    post(windows, new, observed(1, 0.1))
    assert caplog.messages == []
    for _ in range(8):
        post(windows, old, observed(1, 0.1))
        post(windows, new, observed(1, 0.1))
    said = [f"begun anew {times} times" for times in (2, 2, 4, 4, 8, 8)]
    assert len(caplog.messages) == len(said)
    assert all(one in line for one, line in zip(said, caplog.messages, strict=True))
    assert "another store.url" in caplog.text


def test_an_alarm_stands_and_is_raised_once() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(50, 0.3))
    found = watching.check()
    assert set(found.alarms) == BOTH
    for test in BOTH:
        epoch = found.epochs[test]
        assert (epoch.number, epoch.alarms, epoch.alarmed) == (0, 1, True)
        assert epoch.alarm_log10_e == found.published[test].log10_e
    assert totals(found.epochs) == 2
    post(windows, watching, observed(50, 0.3))
    again = watching.check()
    assert again.alarms == ()
    assert again.published[PLACE].log10_e > found.published[PLACE].log10_e
    assert list(watching.by_epoch("chat", observed(1, 0.1))) == ["gap:gender:female|e0"]


def test_an_alarm_that_is_noted_makes_room_for_the_next() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(50, 0.3) | observed(3, 0.0, REFUSAL))
    watching.check()
    assert set(watching.acknowledge("chat", by="ann")) == {test for _, test in BOTH}
    epochs = epochs_of(windows, "chat")
    for name in ("gap:gender", "gap:gender:female"):
        epoch = epochs[name]
        assert (epoch.number, epoch.alarmed, epoch.alarms) == (1, False, 1)
        assert (epoch.opened, epoch.acknowledged_by) == (EpochReason.ACKNOWLEDGED, "ann")
    assert epochs["refusal:gender"].number == 0
    assert PLACE not in watching.check().published
    post(windows, watching, observed(50, 0.3))
    assert set(watching.check().alarms) == BOTH
    assert totals(watching.check().epochs) == 4


def test_one_alarm_of_several_can_be_noted() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(50, 0.3) | observed(50, 0.3, REFUSAL))
    assert len(watching.check().alarms) == 4
    assert watching.acknowledge("chat", ["refusal:gender"], by="ann") == ("refusal:gender",)
    standing = {test for test, epoch in epochs_of(windows, "chat").items() if epoch.alarmed}
    assert standing == {test for _, test in BOTH}
    assert watching.acknowledge("chat", ["no:such"], by="ann") == ()


def test_a_difference_too_small_to_matter_raises_no_alarm() -> None:
    windows = store()
    watching = watch(windows)
    post(windows, watching, observed(500, 0.04))
    found = watching.check()
    assert found.alarms == ()
    assert found.published[PLACE].log10_e > 10
    assert not found.published[PLACE].is_material
    assert not found.published[ALL].is_material


def test_groups_with_evidence_are_to_be_asked_about_more_often() -> None:
    windows = store()
    watching = watch(windows)
    assert watching.weights("chat") == {}
    post(windows, watching, observed(5, 0.2))
    log10_e = watching.check().published[PLACE].log10_e
    assert watching.weights("chat") == {"gender": {"female": pytest.approx(10**log10_e)}}
    post(windows, watching, observed(50, 0.3))
    watching.check()
    watching.check()
    assert watching.weights("chat") == {}


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
    post(windows, watching, observed(50, 0.3))
    first: list[AlarmCheck] = []
    windows.meanwhile = lambda: first.append(watching.check())
    assert other.check().alarms == ()
    assert set(first[0].alarms) == BOTH
    assert totals(other.check().epochs) == 2


def test_a_deployment_opens_new_epochs_for_all_tests() -> None:
    windows = store()
    first = watch(windows)
    post(windows, first, observed(50, 0.3) | observed(1, 0.0, REFUSAL))
    first.check()
    second = watch(windows, deployment="d2")
    assert list(second.by_epoch("chat", observed(1, 0.1))) == ["gap:gender:female|e1"]
    epochs = epochs_of(windows, "chat")
    assert {epoch.opened for epoch in epochs.values()} == {EpochReason.DEPLOYMENT}
    assert {test for test in epochs if test.count(":") == 1} == {"gap:gender", "refusal:gender"}
    assert not any(epoch.alarmed for epoch in epochs.values())
    third = watch(windows, deployment="d2", settings="s2")
    third.by_epoch("chat", observed(1, 0.1))
    assert epochs_of(windows, "chat")["gap:gender"].opened is EpochReason.SETTINGS


def test_a_group_that_comes_later_shares_the_epoch_of_its_attribute() -> None:
    windows = store()
    post(windows, watch(windows), observed(3, 0.1))
    later = watch(windows, deployment="d2")
    post(windows, later, observed(3, 0.1))
    male = GAP.of_group("male")
    assert list(later.by_epoch("chat", {male.name: male.tally(0.1)})) == ["gap:gender:male|e1"]


def test_who_only_looks_opens_no_epoch() -> None:
    windows = store()
    post(windows, watch(windows), observed(10, 0.2))
    looking = EvidenceMonitor(windows, {"chat": MonitoredUseCase(tests=(GAP,))})
    estimate = looking.check().published[PLACE].estimate
    assert estimate is not None
    assert estimate.n == 10
    assert epochs_of(windows, "chat")["gap:gender"].number == 0


def test_the_family_counts_tests_without_data() -> None:
    windows = store()
    post(windows, watch(windows), observed(12, 0.4))
    small = EvidenceMonitor(windows, {"chat": MonitoredUseCase(tests=(GAP,))})
    many = tuple(OmnibusTest(metric=f"t{number}", attribute="a", groups=2) for number in range(999))
    large = EvidenceMonitor(windows, {"chat": MonitoredUseCase(tests=(GAP, *many))})
    assert large.check().alarms == ()
    assert ALL in small.check().alarms


def test_a_use_case_does_not_pay_for_others_unless_asked_to() -> None:
    def found(family: AlarmFamily) -> tuple[object, ...]:
        windows = store()
        use_cases = {"chat": MonitoredUseCase(tests=(GAP,))} | {
            f"other-{number}": MonitoredUseCase(tests=(GAP, REFUSAL)) for number in range(500)
        }
        watching = EvidenceMonitor(windows, use_cases, family=family)
        post(windows, watching, observed(10, 0.4))
        return watching.check().alarms

    assert ALL in found(AlarmFamily.USE_CASE)
    assert found(AlarmFamily.ALL) == ()


def test_tests_of_other_settings_are_not_read() -> None:
    windows = store()
    old = OmnibusTest(metric="old", attribute="gender", groups=2)
    post(windows, watch(windows), observed(3, 0.5, old) | observed(3, 0.1))
    assert set(watch(windows).check().published) == BOTH


def test_epochs_of_an_earlier_version_are_read_and_its_pairs_are_passed_over() -> None:
    windows = store()
    written = {
        "gap:gender:female~male": {
            "deployment": "d1",
            "settings": "s1",
            "number": 1,
            "alarms": 1,
            "alarm_log10_e": 3.0,
            "opened": "alarm",
        }
    }
    windows.update_fact("epochs|chat", lambda _: json.dumps(written))
    watching = watch(windows)
    pair = {"gap:gender:female~male|e1": {"gap:gender:female~male|n": 9.0}}
    windows.add([Posting(use_case="chat", at_seconds=0.0, evidence=pair)])
    assert watching.check().published == {}
    post(windows, watching, observed(50, 0.3))
    assert set(watching.check().alarms) == BOTH
    epochs = epochs_of(windows, "chat")
    assert epochs["gap:gender:female~male"].opened is EpochReason.ALARM
    assert epochs["gap:gender:female"].number == 0


def test_of_many_groups_those_that_prompts_are_about_first_have_tests_of_their_own() -> None:
    windows = store()
    groups = {"race": ("a", "b", "c", "d"), "gender": ("female", "male")}
    one = MonitoredUseCase(tests=(), groups=groups, max_groups=2)
    watching = EvidenceMonitor(windows, {"chat": one})
    seen = watching.tested_groups("chat", {"race": "c"})
    assert [seen("race", group) for group in "abcd"] == ["other", "other", "c", "other"]
    assert seen("gender", "male") == "male"
    for source in "cad":
        watching.tested_groups("chat", {"race": source})
    later = EvidenceMonitor(windows, {"chat": one}).tested_groups("chat", {"race": "b"})
    assert [later("race", group) for group in "abcd"] == ["a", "other", "c", "other"]
    assert windows.fact("tested_groups|chat") == '{"race": ["c", "a", "d", "b"]}'


def test_no_order_is_kept_where_every_group_has_a_test() -> None:
    windows = store()
    one = MonitoredUseCase(tests=(), groups={"gender": ("female", "male")})
    seen = EvidenceMonitor(windows, {"chat": one}).tested_groups("chat", {"gender": "male"})
    assert seen("gender", "female") == "female"
    assert windows.fact("tested_groups|chat") is None
