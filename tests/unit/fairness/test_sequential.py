from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.evidence import MeanSums
from guard.fairness.sequential import (
    Epoch,
    EpochReason,
    acknowledged,
    alarmed,
    confidence_sequences,
    current,
    e_bh,
)

FIRST = Epoch(deployment="v1", settings="a1")


def test_nothing_new_opens_no_epoch() -> None:
    assert current(FIRST, deployment="v1", settings="a1") is FIRST


def test_a_deployment_and_a_setting_open_epochs() -> None:
    second = current(FIRST, deployment="v2", settings="a1")
    third = current(second, deployment="v2", settings="a2")
    assert [one.opened for one in (FIRST, second, third)] == [
        EpochReason.START,
        EpochReason.DEPLOYMENT,
        EpochReason.SETTINGS,
    ]
    assert [one.label for one in (FIRST, second, third)] == ["e0", "e1", "e2"]
    assert (third.deployment, third.settings, third.alarms) == ("v2", "a2", 0)
    assert [one.systems for one in (FIRST, second, third)] == [0, 1, 2]
    assert acknowledged(alarmed(third, 3.5), by="ann").systems == 2


def test_an_alarm_is_counted_and_stands_in_its_epoch() -> None:
    after = alarmed(FIRST, 3.5)
    assert (after.number, after.alarmed, after.alarms, after.alarm_log10_e) == (0, True, 1, 3.5)
    assert current(after, deployment="v1", settings="a1") is after


def test_another_deployment_ends_an_alarm() -> None:
    after = current(alarmed(FIRST, 3.5), deployment="v2", settings="a1")
    assert (after.number, after.alarmed, after.alarms, after.alarm_log10_e) == (1, False, 1, 3.5)


def test_an_alarm_ends_when_somebody_takes_note_of_it() -> None:
    after = acknowledged(alarmed(FIRST, 3.5), by="ann")
    assert (after.number, after.alarmed, after.alarms) == (1, False, 1)
    assert (after.opened, after.acknowledged_by) == (EpochReason.ACKNOWLEDGED, "ann")
    assert current(after, deployment="v2", settings="a1").acknowledged_by == ""


def rejected(e: Mapping[str, float], *, alpha: float = 0.05) -> tuple[str, ...]:
    """All with the same share."""
    log10_e = {name: math.log10(one) if one else -math.inf for name, one in e.items()}
    return e_bh(log10_e, lambda _: 1 / len(e), alpha=alpha)


def test_e_bh_rejects_the_largest_set_that_fits() -> None:
    evidence = {"a": 45.0, "b": 30.0, "c": 1.0, "d": 0.0}
    assert rejected(evidence) == ()
    assert rejected({**evidence, "a": 40.0, "b": 41.0}) == ("b", "a")
    assert rejected({"a": 80.0, "c": math.nan, "d": 1.0, "e": 1.0}) == ("a",)
    assert e_bh({}, lambda _: 1.0) == ()


def test_shares_say_how_much_evidence_a_test_needs() -> None:
    shares = {"first": 0.9, "second": 0.1}
    e = math.log10(1 / (0.05 * 0.9)) + 1e-9
    assert e_bh({"first": e, "second": 0.0}, shares.__getitem__) == ("first",)
    assert e_bh({"first": 0.0, "second": e}, shares.__getitem__) == ()
    assert e_bh({"second": e + math.log10(9)}, shares.__getitem__) == ("second",)
    both = {"first": e - math.log10(2), "second": e + math.log10(9 / 2)}
    assert set(e_bh(both, shares.__getitem__)) == {"first", "second"}


def test_e_bh_of_one_is_the_alarm_at_one_over_alpha() -> None:
    assert rejected({"gap": 20.0}) == ("gap",)
    assert rejected({"gap": 19.9}) == ()
    with pytest.raises(ValueError, match="alpha"):
        rejected({"gap": 1.0}, alpha=2.0)


def bisected(evidence: Callable[[float], float], end: float, centre: float) -> float:
    """The limit, the slow way."""
    if evidence(end) < math.log(20):
        return end
    rejected, kept = end, centre
    for _ in range(60):
        middle = 0.5 * (rejected + kept)
        rejected, kept = (rejected, middle) if evidence(middle) < math.log(20) else (middle, kept)
    return rejected


MEAN_SUMS = st.builds(
    lambda n, centre, square: MeanSums(n=n, total=centre * n, squares=n * max(centre**2, square)),
    st.integers(1, 100_000),
    st.floats(-1.0, 1.0),
    st.floats(0.0, 1.0),
)


@given(st.lists(MEAN_SUMS, max_size=5))
def test_limits_are_those_of_a_bisection_whatever_is_beside_them(many: list[MeanSums]) -> None:
    for sums, found in zip(many, confidence_sequences(many), strict=True):
        assert (found.n, -1.0 <= found.low <= found.value <= found.high <= 1.0) == (sums.n, True)
        assert found.low == pytest.approx(bisected(sums.above, -1.0, found.value), abs=1e-9)
        assert found.high == pytest.approx(bisected(sums.below, 1.0, found.value), abs=1e-9)
