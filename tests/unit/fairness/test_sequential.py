from __future__ import annotations

import math

import pytest

from guard.fairness.evidence import MeanTest
from guard.fairness.sequential import (
    Epoch,
    EpochReason,
    Published,
    alarmed,
    current,
    e_bh,
    publish,
    raises,
)
from guard.fairness.tally import add
from guard.records import Undefined

FIRST = Epoch(deployment="v1", settings="a1")
TEST = MeanTest(name="gap", tolerance=0.05)


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


def test_an_alarm_is_counted_and_opens_an_epoch() -> None:
    strong = add(*(TEST.tally(0.6) for _ in range(60)))
    seen = publish(TEST, strong, FIRST)
    assert isinstance(seen, Published)
    after = alarmed(FIRST, seen.log10_e)
    assert (seen.alarm, seen.epoch, seen.estimate.n) == (True, FIRST, 60)
    assert seen.estimate.low > 0.05
    assert (after.number, after.alarms, after.opened) == (1, 1, EpochReason.ALARM)
    assert after.alarm_log10_e == seen.log10_e


def test_without_enough_evidence_the_epoch_goes_on() -> None:
    seen = publish(TEST, TEST.tally(0.6), FIRST)
    assert isinstance(seen, Published)
    assert (seen.alarm, seen.epoch) == (False, FIRST)
    assert seen.log10_e == TEST.log10_e(TEST.tally(0.6))


def test_without_data_there_is_nothing_to_publish() -> None:
    assert isinstance(publish(TEST, {}, FIRST), Undefined)
    assert isinstance(publish(TEST, TEST.tally(math.nan), FIRST), Undefined)


def test_the_alarm_is_at_one_over_alpha() -> None:
    assert raises(math.log10(20))
    assert not raises(math.log10(19.99))
    assert raises(1.0, alpha=0.1)
    with pytest.raises(ValueError, match="alpha"):
        raises(1.0, alpha=1.0)


def test_e_bh_rejects_the_largest_set_that_fits() -> None:
    evidence = {"a": math.log10(45), "b": math.log10(30), "c": 0.0, "d": -5.0}
    assert e_bh(evidence, alpha=0.05) == ()
    assert e_bh({**evidence, "a": math.log10(40), "b": math.log10(41)}) == ("b", "a")
    assert e_bh({"a": math.log10(80), "b": None, "c": math.nan, "d": 0.0}) == ("a",)
    assert e_bh({}) == ()


def test_e_bh_of_one_is_the_alarm() -> None:
    assert e_bh({("gap", "chat"): math.log10(20)}) == (("gap", "chat"),)
    assert e_bh({("gap", "chat"): math.log10(19.9)}) == ()
    with pytest.raises(ValueError, match="alpha"):
        e_bh({}, alpha=2.0)
