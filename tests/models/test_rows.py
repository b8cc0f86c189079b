"""What the files say, and what is left out."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from train.heads import HEADS, KEYS, index_of
from train.keys import fraction_of, text_key
from train.recipe import Recipe
from train.rows import Row, merge_twins, read_task, stereotype_targets, targets_of
from train.sampling import rate_of, split_rows

EVERYTHING = Recipe(rates={})


def row(text: str, **known: float) -> Row:
    targets = targets_of({key: known.get(key.replace(".", "_")) for key in KEYS})
    return Row(text=text, key=text_key(text), source="test", licence="MIT", targets=targets)


def test_heads_are_in_the_promised_order() -> None:
    assert KEYS[:2] == ("toxicity", "toxicity.severe_toxicity")
    assert (len(KEYS), KEYS[6], KEYS[-1]) == (13, "stereotype", "sentiment")
    assert [head.key for head in HEADS if not head.harm] == ["sentiment"]


@pytest.mark.parametrize(
    ("text", "key"),
    [("It's  HERE\t- now!", "itsherenow"), ("\u201cQuoted\u201d\u2026", "quoted"), ("!?", "")],
)
def test_keys_ignore_case_space_and_punctuation(text: str, key: str) -> None:
    assert text_key(text) == key


def test_fractions_are_spread_evenly_and_stay() -> None:
    found = [fraction_of(str(n), "salt") for n in range(2000)]
    assert 0.45 < sum(found) / len(found) < 0.55
    assert fraction_of("a", "salt") == fraction_of("a", "salt") != fraction_of("a", "pepper")


def test_what_a_source_does_not_label_is_unknown(data: Path) -> None:
    rows = [r for r in read_task(data, "toxicity") if r.source == "toxicity/hatexplain"]
    assert rows
    for each in rows:
        assert each.targets[index_of("toxicity")] == 0
        assert set(each.targets[1:]) == {None}


def test_stereotype_categories_are_known_where_stereotypes_are() -> None:
    yes = stereotype_targets({"stereotype": 1, "category": "race"})
    no = stereotype_targets({"stereotype": 0, "category": None})
    first = index_of("stereotype")
    assert yes[first : first + 6] == (1, 0, 1, 0, 0, 0)
    assert no[first : first + 6] == (0, 0, 0, 0, 0, 0)
    assert {*yes[:first], yes[-1]} == {None}


def test_sentiment_runs_from_zero_to_one(data: Path) -> None:
    targets = {r.targets[-1] for r in read_task(data, "sentiment")}
    assert targets == {0.0, 1.0}


def test_twins_become_one_row_that_knows_both() -> None:
    merged = merge_twins([row("Same text", toxicity=1.0), row("same text!", sentiment=0.0)])
    assert len(merged) == 1
    assert (merged[0].targets[0], merged[0].targets[-1]) == (1.0, 0.0)


def test_twins_that_disagree_meet_in_the_middle() -> None:
    merged = merge_twins([row("a b", toxicity=1.0), row("a b", toxicity=0.0)])
    assert merged[0].targets[0] == 0.5


def test_sealed_and_development_texts_are_dropped(data: Path) -> None:
    split = split_rows(data, EVERYTHING)
    keys = {r.key for r in (*split.training, *split.validation)}
    assert text_key("the sealed river is awful") not in keys
    assert text_key("you are a stupid table") not in keys
    assert text_key("the river is awful and nasty") in keys


def test_unclear_licences_are_dropped(data: Path) -> None:
    split = split_rows(data, EVERYTHING)
    assert "unclear" not in {r.licence for r in (*split.training, *split.validation)}


def test_validation_texts_are_never_trained_on(data: Path) -> None:
    split = split_rows(data, Recipe(rates={}, validation_share=0.3))
    assert split.validation
    assert not {r.key for r in split.training} & {r.key for r in split.validation}
    assert {r.source for r in split.validation} >= {"toxicity/jigsaw_6label", "sentiment/sst5"}


def test_a_split_is_the_same_every_time(data: Path) -> None:
    assert split_rows(data, Recipe()) == split_rows(data, Recipe())


def test_rates_go_by_the_longest_prefix() -> None:
    rates = {"toxicity/": 0.5, "toxicity/llm_": 1.0}
    assert rate_of("toxicity/llm_oasst", rates) == 1.0
    assert rate_of("toxicity/other", rates) == 0.5
    assert rate_of("sentiment/sst5", rates) == 1.0


def test_a_rate_takes_about_its_share(data: Path) -> None:
    half = split_rows(data, Recipe(rates={"toxicity": 0.5}))
    whole = split_rows(data, EVERYTHING)
    assert 0.6 < len(half.training) / len(whole.training) < 0.95


def test_answers_of_models_are_all_used() -> None:
    assert rate_of("toxicity/llm_oasst_tree", Recipe().rates) == 1.0
    assert rate_of("stereotype/llm_vicuna80", Recipe().rates) == 1.0


def test_counterfactual_copies_keep_their_labels_and_stay_out_of_validation(data: Path) -> None:
    plain, swapped = (
        split_rows(data, replace(EVERYTHING, copies=copies, validation_share=0.2))
        for copies in (0, 1)
    )
    known = {r.key for r in plain.training}
    copies = [r for r in swapped.training if r.key not in known]
    assert copies
    assert {r.targets for r in copies} <= {r.targets for r in plain.training}
    assert not {r.key for r in copies} & {r.key for r in plain.validation}
    assert not any("women" in r.text for r in copies if "nurses" not in r.text)


def test_repeated_sources_are_passed_over_more_often(data: Path) -> None:
    source = "sentiment/sst5"
    once, twice = (
        Counter(r.source for r in split_rows(data, replace(EVERYTHING, repeats=repeats)).training)
        for repeats in ({}, {source: 2})
    )
    assert twice[source] == 2 * once[source] > 0
    assert twice - once == Counter({source: once[source]})
