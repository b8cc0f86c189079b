import pytest

from guard.fairness import Epoch, Published
from guard.records import Estimate
from guard.report import EvidenceReader

GROUP, ALL = "toxicity_gap_grounded:gender:female", "toxicity_gap_grounded:gender"
FIRST = Epoch(deployment="1", settings="s")
SECOND = Epoch(deployment="1", settings="s", number=1, alarmed=True, alarms=1, alarm_log10_e=4.5)
ESTIMATE = Estimate(value=0.25, low=0.125, high=0.5, n=40)
SEEN = Published(
    test=GROUP,
    log10_e=3.0,
    counted_log10_e=3.0,
    estimate=ESTIMATE,
    epoch=SECOND,
    material=0.02,
    is_material=True,
)


def looked(epochs, **published):
    return EvidenceReader(epochs=lambda _: epochs, published=lambda *_: published)("chat")


def test_a_test_is_shown_with_its_epoch_its_alarm_and_its_estimate():
    (found,) = looked({GROUP: SECOND}, **{GROUP: SEEN})
    assert (found.log10_e, found.estimate) == (3.0, ESTIMATE)
    assert (found.epoch, found.alarms, found.alarmed, found.alarm_log10_e) == (1, 1, True, 4.5)
    assert (found.material, found.is_material) == (0.02, True)
    about = found.about
    assert (about.metric, about.attribute, about.groups) == (*ALL.split(":"), "female")


def test_an_epoch_without_data_has_no_evidence_and_no_estimate():
    (found,) = looked({GROUP: SECOND})
    assert (found.log10_e, found.estimate, found.alarms) == (0.0, None, 1)
    assert (found.material, found.is_material) == (None, False)


def test_the_test_of_all_groups_together_names_none():
    (found,) = looked({ALL: FIRST})
    assert (found.about.attribute, found.about.groups) == ("gender", "")


def test_nothing_is_read_of_a_use_case_without_tests():
    def never(*_):
        raise AssertionError("nothing is to be read")

    assert EvidenceReader(epochs=lambda _: {}, published=never)("chat") == []


@pytest.mark.parametrize("other", ["My Own Test!", "wcsp", f"{ALL}:female~male"])
def test_what_is_no_test_of_ours_is_passed_over(other):
    found = looked({other: FIRST, GROUP: FIRST})
    assert [one.about.groups for one in found] == ["female"]
