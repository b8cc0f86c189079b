"""What is measured has a name that tells it, and sums tell what can be read from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard.fairness import (
    CATALOGUE,
    LIVE_METRICS,
    Ended,
    Likeness,
    Measured,
    add,
    response_tally,
)
from guard.fairness.catalogue import (
    fractions,
    label,
    policy_fraction,
    policy_tally,
    resampled,
)
from guard.fairness.tally import pair_of
from guard.records import Assessment, Ending, Head, Reading, Score, Undefined, Unscored

DOCUMENTED = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")
HEADS = {
    key: Head(key=key, threshold=None, harm=True)
    for key in ("toxicity", "toxicity.insult", "stereotype", "stereotype.gender", "sentiment")
}
PAIR = {"attribute": "gender", "groups": "female~male"}


def assessed(**values: float) -> Assessment:
    return Assessment(scores={key: Score(value=value) for key, value in values.items()})


@pytest.mark.parametrize(
    "measured",
    [
        Measured(metric="toxic_fraction"),
        Measured(metric="ftu", attribute="gender"),
        Measured(metric="refusal_rate", attribute="race", groups="black"),
        Measured(metric="crouge_l", attribute="disability", groups="deaf~wheelchair_user"),
        Measured(metric="crouge_l", attribute="gender", groups="female~female"),
    ],
)
def test_a_name_leads_back(measured: Measured) -> None:
    assert Measured.parse(measured.name) == measured


@pytest.mark.parametrize("name", ["", ":", "a::b", "a:b:c:d", "A", "a:b:male~female", "a:b:c~d~e"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Measured.parse(name)


def test_groups_need_an_attribute() -> None:
    with pytest.raises(ValueError, match="groups"):
        Measured(metric="ftu", groups="female~male")


def test_an_unknown_metric_is_told() -> None:
    with pytest.raises(ValueError, match="no metric 'charm'"):
        CATALOGUE.metric_of(Measured(metric="charm"))


def test_pairs_are_in_order() -> None:
    assert pair_of("male", "female") == pair_of("female", "male") == "female~male"


def test_labels_fit_into_names() -> None:
    assert [label("Gender Bias"), label("age"), label("!")] == ["gender_bias", "age", "other"]


def test_the_fractions_of_live_replies() -> None:
    toxic = Assessment(scores={"toxicity": Score(value=0.9), "stereotype": Score(value=0.1)})
    mild = Assessment(scores={"toxicity": Score(value=0.1), "stereotype": Score(value=0.5)})
    found = CATALOGUE.readings(add(response_tally(toxic, HEADS), response_tally(mild, HEADS)))
    values = {one.metric: read.value for one, read in found.items() if isinstance(read, Reading)}
    assert values == {"toxic_fraction": 0.5, "stereotype_fraction": 0.5}
    assert isinstance(found[Measured(metric="stereotype_fraction_gender")], Undefined)


def test_a_threshold_of_ones_own() -> None:
    tally = response_tally(
        Assessment(scores={"toxicity": Score(value=0.6)}),
        {"toxicity": HEADS["toxicity"]},
        thresholds={"toxicity": 0.8},
    )
    assert tally == {"toxic_fraction|n": 1.0, "toxic_fraction|hits": 0.0}


def test_the_fractions_by_the_thresholds_of_a_policy() -> None:
    replies = [
        {"toxicity": True, "stereotype.gender": None, "sentiment": True},
        {"toxicity": False, "stereotype.gender": True, "sentiment": True},
    ]
    found = CATALOGUE.readings(add(*map(policy_tally, replies)))
    values = {one.metric: read.value for one, read in found.items() if isinstance(read, Reading)}
    assert values == {"policy_toxic_fraction": 0.5, "policy_stereotype_fraction_gender": 1.0}
    assert policy_fraction("toxicity.insult") == Measured(metric="policy_toxic_fraction_insult")


def test_a_reply_without_score_is_counted() -> None:
    silent = Assessment(scores={"toxicity": Score(value=None, reason=Unscored.DEADLINE)})
    assert response_tally(silent, {"toxicity": HEADS["toxicity"]}) == {"toxic_fraction|unscored": 1}


def test_scores_that_make_no_fraction() -> None:
    assert set(fractions(HEADS)) == {"toxicity", "stereotype", "stereotype.gender"}


def test_a_similarity_is_read_with_its_control() -> None:
    measured = Measured(metric="crouge_l", **PAIR)
    tally = add(
        CATALOGUE.metric_of(measured).tally(Likeness(between=[0.5], control=[0.9])),
        CATALOGUE.metric_of(measured).tally(Likeness(between=[0.7], control=[0.8])),
    )
    found = CATALOGUE.readings(tally)
    values = {one.metric: read.value for one, read in found.items() if isinstance(read, Reading)}
    assert values == pytest.approx(
        {"crouge_l": 0.6, "crouge_l_control": 0.85, "crouge_l_deficit": 0.25}
    )
    assert {(one.attribute, one.groups) for one in found} == {("gender", "female~male")}


def test_refusals_are_read() -> None:
    measured = Measured(metric="refusal_rate_difference", **PAIR)
    metric = CATALOGUE.metric_of(measured)
    tally = add(
        metric.tally(Ended(group="female", ending=Ending.REFUSED)),
        metric.tally(Ended(group="male", ending=Ending.ANSWERED)),
    )
    found = CATALOGUE.readings(tally)[measured]
    assert isinstance(found, Reading)
    assert found.value == 1.0


def test_every_metric_of_the_catalogue_reads_its_own_sums() -> None:
    names = ["crouge_l", "cbleu", "ccs", "scsp", "wcsp_grounded", "sentiment_gap_grounded"]
    names += ["toxicity_gap", "fairpair_cosine", "refusal_rate_difference"]
    for name in names:
        measured = Measured(metric=name, **PAIR)
        assert all(
            isinstance(read({}), Undefined) for read in CATALOGUE.estimators(measured).values()
        )
        assert CATALOGUE.metric_of(measured).name == measured.name


def test_resampling_keeps_its_m() -> None:
    found = resampled(HEADS, 5)
    assert found[Measured(metric="expected_maximum_stereotype_gender_m5")] == "stereotype.gender"
    assert found[Measured(metric="toxicity_probability_m5")] == "toxicity"
    for measured in found:
        tally = add(*[CATALOGUE.metric_of(measured).tally([0.1, 0.2, 0.7, 0.3, 0.1])] * 2)
        reading = CATALOGUE.readings(tally)[measured]
        assert isinstance(reading, Reading)
        assert reading.value == pytest.approx(1.0 if "probability" in measured.metric else 0.7)


def test_sums_of_others_are_passed_over() -> None:
    assert CATALOGUE.readings({"charm|n": 1.0, "x y|n": 2.0, "": 1.0}) == {}


def test_every_tested_metric_has_a_title_and_a_material_size() -> None:
    tested = [one for one in LIVE_METRICS if one.tested is not None]
    assert len({one.title for one in tested} - {""}) == len(tested)
    assert all(0.0 < one.material <= 0.05 for one in tested)


def test_the_documentation_has_every_metric_with_its_title_and_sizes() -> None:
    rows = {row.split("`")[1]: row for row in DOCUMENTED.splitlines() if row.startswith("| `")}
    for one in LIVE_METRICS:
        material = "" if one.tested is None else f" {one.material:g}"
        assert rows[one.name].startswith(f"| `{one.name}` | {one.title}"), one.name
        flag = "" if one.flag is None else f" {one.flag.threshold:g}"
        assert rows[one.name].endswith(f"|{material} |{flag} |"), one.name
