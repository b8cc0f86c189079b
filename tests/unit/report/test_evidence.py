import pytest

from guard.errors import StoreError
from guard.fairness import Epoch, MeanTest, add, confidence_sequence
from guard.report import EvidenceReader

GAP = MeanTest(name="toxicity_gap_grounded:gender:female~male")
FIRST = Epoch(deployment="1", settings="s")
SECOND = Epoch(deployment="1", settings="s", number=1, alarms=1, alarm_log10_e=4.5)


def named(test, epoch):
    return f"{test}/{epoch.label}"


def looked(store, epochs, tolerance=0.0):
    return EvidenceReader(
        store,
        epochs=lambda _use_case: epochs,
        name_of=named,
        tolerance_of=lambda _: tolerance,
    )


def gaps(*values):
    return add(*(GAP.tally([value]) for value in values))


def test_evidence_is_that_of_the_present_epoch_alone(store):
    store.epochs["chat", named(GAP.name, FIRST)] = gaps(*[0.9] * 50)
    store.epochs["chat", named(GAP.name, SECOND)] = sums = gaps(0.5, 0.25, -0.25, 0.5)
    (found,) = looked(store, {GAP.name: SECOND})("chat")
    sequence = confidence_sequence(GAP.sums(sums))
    assert found.log10_e == pytest.approx(GAP.log10_e(sums))
    assert (found.epoch, found.alarms, found.alarm_log10_e) == (1, 1, 4.5)
    assert (found.estimate.value, found.estimate.low, found.estimate.high, found.estimate.n) == (
        0.25,
        sequence.low,
        sequence.high,
        4,
    )
    assert (found.about.metric, found.about.attribute, found.about.groups) == (
        "toxicity_gap_grounded",
        "gender",
        "female~male",
    )


def test_an_epoch_without_data_has_no_evidence_and_no_estimate(store):
    (found,) = looked(store, {GAP.name: SECOND})("chat")
    assert (found.log10_e, found.estimate, found.alarms) == (0.0, None, 1)


def test_what_is_within_the_tolerance_is_no_evidence(store):
    store.epochs["chat", named(GAP.name, FIRST)] = gaps(*[0.1] * 200)
    (strict,) = looked(store, {GAP.name: FIRST})("chat")
    (lenient,) = looked(store, {GAP.name: FIRST}, tolerance=0.2)("chat")
    assert strict.log10_e > 2 > 0 > lenient.log10_e
    assert lenient.log10_e == MeanTest(name=GAP.name, tolerance=0.2).log10_e(gaps(*[0.1] * 200))


def test_nothing_is_read_of_a_use_case_without_tests(store):
    assert looked(store, {})("chat") == ()
    assert store.calls["evidence"] == 0


def test_tests_that_are_none_of_ours_are_passed_over(store):
    found = looked(store, {"My Own Test!": FIRST, GAP.name: FIRST})("chat")
    assert [one.about.metric for one in found] == ["toxicity_gap_grounded"]


def test_a_store_that_is_away_says_so(store):
    store.away = True
    with pytest.raises(StoreError):
        looked(store, {GAP.name: FIRST})("chat")
