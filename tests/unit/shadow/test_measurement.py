"""From replies to sums and evidence: what differs is seen, what does not is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from guard.fairness import CATALOGUE, FairPair, Measured, MeasuredReply, add
from guard.records import Ending, Generated, Reading
from guard.shadow import cases
from guard.shadow.comparison import ComparedPair, compare_all, prepare, score_pairs
from guard.shadow.measurement import measure
from guard.shadow.options import flag_thresholds
from guard.testing import HOSTILE_TEXTS
from tests.unit.shadow.made import SHE, answered, embed, measured, planned, speaks, tools

PAIR = "gender:female~male"


SAMPLED = {("gender", what): 1 for what in ("sampled", "mentioned", "rewritten")}


def made(pair: ComparedPair, what: str) -> set[str]:
    """The metrics of a kind that were made of a pair."""
    return {name for name in {**pair.seen.observed, **pair.seen.tested} if what in name}


def flagged(
    pairs: Sequence[ComparedPair], **flags: float | bool | None
) -> list[tuple[ComparedPair, tuple[str, ...]]]:
    return list(cases.flagged(pairs, tools(flags=flag_thresholds(flags))))


def value(found: dict[str, float], name: str) -> float:
    return found[f"{name}:{PAIR}|sum"]


def test_a_classifiers_view_of_a_word_is_not_the_models() -> None:
    found = measured(lambda prompt, *_: speaks(prompt, "She is fine.", "He is fine."))
    (pair,) = found.pairs
    assert pair.seen.observed["sentiment_gap"] == pytest.approx(0.3)  # the scorer likes "she"
    assert pair.seen.observed["toxicity_gap"] == pytest.approx(-0.3)  # and not "he"
    gaps = CATALOGUE.gaps(pair.seen, normalised=True)
    amounts = {"money_gap", "percentage_gap", "duration_gap", "count_gap", "rating_gap"}
    assert gaps == {name: None if name in amounts else 0.0 for name in gaps}
    assert value(dict(found.sums), "sentiment_gap") == pytest.approx(0.3)
    assert value(dict(found.sums), "sentiment_gap_grounded") == 0.0
    assert found.results == SAMPLED | {("gender", "compared"): 1}


@pytest.mark.parametrize("text", [SHE, "He is late. What do I tell him?"])
def test_the_sign_does_not_depend_on_who_was_asked_about(text: str) -> None:
    found = measured(
        lambda prompt, *_: speaks(prompt, "An awful idea.", "A great idea."), text=text
    )
    (pair,) = found.pairs
    assert (pair.replies.first, pair.replies.second) == ("female", "male")
    assert pair.seen.observed["sentiment_gap_grounded"] == pytest.approx(-0.8)
    assert pair.seen.observed["toxicity_gap_grounded"] == pytest.approx(0.9)
    for group, seen in (("female", -0.8), ("male", 0.8)):
        test = f"sentiment_gap_grounded:gender:{group}"
        assert found.evidence[test][f"{test}|sum"] == pytest.approx(seen)


def test_the_live_reply_serves_measures_and_no_test() -> None:
    found = measured(lambda *_: "A fine idea.", live="A great idea.")
    (pair,) = found.pairs
    assert pair.seen.observed["sentiment_gap_grounded"] == pytest.approx((0.9 + 0.5) / 2 - 0.5)
    assert pair.seen.tested["sentiment_gap_grounded"] == 0.0
    assert len(pair.seen.observed["crouge_l"].control) == 1  # live and fresh


def test_without_a_live_reply_one_draw_has_no_control() -> None:
    (pair,) = measured(lambda *_: "A fine idea.").pairs
    assert pair.seen.observed["ccs"].control == []
    assert pair.seen.observed["crouge_l"].between == [1.0]


def test_without_an_embedder_there_is_no_cosine() -> None:
    found = measured(lambda *_: "A fine idea.", embeds=False)
    assert set(found.pairs[0].seen.similarities) == {"crouge_l", "cbleu"}


def test_refusals_are_outcomes() -> None:
    sorry = "I'm sorry, but I can't help with that."
    found = measured(lambda prompt, *_: speaks(prompt, sorry, "A fine idea."))
    (pair,) = found.pairs
    assert pair.seen.tested["refusal_rate_difference"] == 1.0
    assert found.results == SAMPLED | {("gender", "not_answered"): 1, ("gender", "refused"): 1}
    test = "refusal_rate_difference:gender:female"
    assert found.evidence[test][f"{test}|sum"] == 1.0
    gap = "sentiment_gap_grounded:gender:female"
    assert found.evidence[gap] == {f"{gap}|unscored": 1.0}
    rates = {
        one.groups: read.value
        for one, read in CATALOGUE.readings(add(found.sums, found.sums)).items()
        if one.metric == "refusal_rate" and isinstance(read, Reading)
    }
    assert rates == {"female": 1.0, "male": 0.0}


@pytest.mark.parametrize("ending", [Ending.FILTERED, Ending.TIMED_OUT, Ending.FAILED])
def test_endings_without_a_text_are_counted(ending: Ending) -> None:
    found = measured(
        lambda _, side, __: Generated(text="", ending=ending) if side else "A fine idea."
    )
    assert found.results == SAMPLED | {("gender", "not_answered"): 1, ("gender", str(ending)): 1}
    assert found.sums[f"refusal_rate_difference:{PAIR}|male|{ending}"] == 1.0
    tested = found.pairs[0].seen.tested
    filtered, late = ending is Ending.FILTERED, ending is Ending.TIMED_OUT
    assert tested["refusal_rate_difference"] == (-1.0 if filtered else None)
    assert tested["filtered_rate_difference"] == (-1.0 if filtered else None)
    late_rate = {True: -1.0, False: 0.0 if filtered else None}[late]
    assert tested["timed_out_rate_difference"] == late_rate


def test_draws_of_one_call_weigh_one_together() -> None:
    found = measured(lambda *_: "A fine idea.", generations=4)
    assert found.sums[f"refusal_rate_difference:{PAIR}|female|answered"] == 1.0
    assert found.sums[f"sentiment_gap:{PAIR}|n"] == 1.0
    counts = [n for tally in found.evidence.values() for at, n in tally.items() if "|n" in at]
    assert set(counts) == {1.0}
    assert len(counts) > 20


def test_two_draws_make_fairpair() -> None:
    found = measured(lambda _, side, number: f"Idea {number} {number * side}.", generations=2)
    (pair,) = found.pairs
    assert made(pair, "fairpair") == {"fairpair_sentiment", "fairpair_jaccard", "fairpair_cosine"}
    assert isinstance(pair.seen.observed["fairpair_jaccard"].seen, FairPair)
    assert made(pair, "_contrast") == set()
    assert pair.p_values == {}


def test_a_control_makes_contrasts_which_are_the_same_from_either_side() -> None:
    found = measured(
        lambda _, side, __: ("Ask me.", "Ask Mr Bell now.", "Ask me now.")[side],
        text="Emily is late. What do I tell her?",
        control=True,
    )
    pair, beside = found.pairs
    assert pair.seen.tested["token_contrast"] == pytest.approx((1 - 1 / 5) - (1 - 2 / 3))
    assert made(pair, "_contrast") == {"token_contrast", "embedding_contrast"}
    assert made(beside, "_contrast") == set()
    hers, his = (f"token_contrast:gender:{group}" for group in ("female", "male"))
    assert found.evidence[hers][f"{hers}|sum"] == found.evidence[his][f"{his}|sum"]


def test_without_another_word_for_the_group_there_is_no_contrast() -> None:
    found = measured(lambda _, side, __: "abc"[side], control=True)
    (pair,) = found.pairs
    assert pair.seen.tested["token_contrast"] is None
    test = "token_contrast:gender:female"
    assert found.evidence[test] == {f"{test}|unscored": 1.0}


def test_as_many_answers_on_either_side_are_tested() -> None:
    """The mean of two replies minus one would not be symmetric where nothing differs."""
    late = Generated(text="", ending=Ending.TIMED_OUT)
    found = measured(
        lambda _, side, number: late if (side, number) == (1, 0) else ("Great.", "Awful.")[number],
        generations=2,
    )
    (pair,) = found.pairs
    assert pair.seen.observed["sentiment_gap_grounded"] == pytest.approx(0.5 - 0.1)
    even = (pytest.approx(0.9 - 0.1), pytest.approx(0.1 - 0.1))
    assert pair.seen.tested["sentiment_gap_grounded"] in even
    assert pair.seen.tested["timed_out_rate_difference"] == -0.5


def test_four_draws_can_be_tested() -> None:
    found = measured(
        lambda prompt, _, number: speaks(prompt, f"An awful idea {number}.", f"Great: {number}!"),
        generations=4,
    )
    (pair,) = found.pairs
    assert pair.p_values["token"] == pytest.approx(2 / 70)
    assert set(pair.p_values) == {"token", "sentiment", "embedding"}


def test_ten_draws_have_too_many_deals_and_some_of_them_are_drawn() -> None:
    found = measured(
        lambda prompt, _, number: speaks(prompt, f"An awful idea {number}.", f"Great: {number}!"),
        generations=10,
    )
    (pair,) = found.pairs
    assert pair.p_values["token"] == pytest.approx(1e-4, abs=3e-4)


def test_every_text_is_embedded_once() -> None:
    met: list[list[str]] = []

    def embeds(texts: Sequence[str]) -> list[list[float]]:
        met.append(list(texts))
        return embed(texts)

    plan = planned("Emily is late. What do I tell her?", generations=2, control=True)
    replies = [answered(f"A fine idea {number % 3}.") for number, _ in enumerate(plan.asks({}))]
    found = measure(plan, replies, replace(tools(generations=2), embed=embeds))
    assert len(found.pairs) > 1
    assert len(met) == 1
    assert len(met[0]) == len(set(met[0])) == 3


def test_permutations_can_be_left_out() -> None:
    plan, kit = planned(generations=4), tools(generations=4)
    own, other = (
        tuple(MeasuredReply(text=f"{who} {n}", ending=Ending.ANSWERED) for n in range(4))
        for who in ("She", "He")
    )
    prepared = prepare(plan.variants[0], own, other, kit)
    scores = score_pairs([prepared], kit)
    (tested,) = compare_all(plan, [prepared], scores, kit)
    (untested,) = compare_all(plan, [prepared], scores, kit, permutes=False)
    assert (bool(tested.p_values), untested.p_values) == (True, {})
    assert untested.seen == tested.seen


def test_deterministic_replies_are_not_tested_by_permutation() -> None:
    found = measured(lambda *_: "A fine idea.", generations=4, deterministic=True)
    (pair,) = found.pairs
    assert (pair.p_values, made(pair, "fairpair")) == ({}, set())
    assert "sentiment_gap_grounded:gender:female" in found.evidence


def test_several_pairs_of_one_call_are_one_observation() -> None:
    text = "Emily met David."
    found = measured(lambda *_: "A fine idea.", text=text)
    assert [pair.replies.groups for pair in found.pairs] == ["female~male"] * 2
    assert found.sums[f"sentiment_gap:{PAIR}|n"] == 1.0
    test = "refusal_rate_difference:gender:female"
    assert found.evidence[test][f"{test}|n"] == 1.0


def test_a_control_has_groups_of_its_own_and_no_evidence() -> None:
    text = "Emily is late. What do I tell her?"
    found = measured(lambda *_: "She is fine.", text=text, control=True)
    assert {pair.replies.groups for pair in found.pairs} == {"female~male", "female~female"}
    assert {name.split(":")[-1] for name in found.evidence} == {"female", "male"}
    names = {one.name for one in CATALOGUE.readings(found.sums)}
    assert "sentiment_gap:gender:female~female" in names
    assert "refusal_rate_difference:gender:female~female" not in names


def test_maxima_take_complete_sets_of_fresh_replies() -> None:
    said = ["A fine idea.", "An awful idea.", "A great idea."]
    found = measured(lambda _, __, number: said[number], resamples=3, text="How do I boil an egg?")
    twice = CATALOGUE.readings(add(found.sums, found.sums))
    toxic = twice[Measured(metric="expected_maximum_toxicity_m3")]
    assert isinstance(toxic, Reading)
    assert toxic.value == pytest.approx(0.9)
    assert found.pairs == ()
    assert found.sums["ftu:gender|hits"] == 1.0


def test_maxima_take_no_more_replies_than_they_are_of() -> None:
    """Where more are asked for, the others would make the worst one worse."""
    said = ["A fine idea.", "A great idea.", "An awful idea.", "An awful idea."]
    text = "How do I boil an egg?"
    found = measured(lambda _, __, n: said[n], resamples=2, generations=4, text=text)
    assert found.sums["expected_maximum_toxicity_m2|m2|sum"] == 0.0


def test_an_incomplete_set_is_counted_as_one() -> None:
    failed = Generated(text="", ending=Ending.FAILED)
    found = measured(
        lambda _, __, number: "Fine." if number else failed, resamples=2, text="Boil an egg?"
    )
    assert found.sums["expected_maximum_toxicity_m2|m2|incomplete"] == 1.0


def test_tests_can_be_left_out() -> None:
    assert measured(lambda *_: "A fine idea.", tests=False).evidence == {}


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_any_reply_can_be_measured(text: str) -> None:
    found = measured(lambda _, side, __: text if side else "She is fine.", live=text, generations=2)
    assert found.pairs


def test_a_wrong_number_of_replies_is_a_mistake() -> None:
    from guard.shadow.measurement import measure
    from tests.unit.shadow.made import planned

    with pytest.raises(ValueError, match="zip"):
        measure(planned(), [], tools())


def test_what_is_flagged_and_why() -> None:
    sorry = Generated(text="", ending=Ending.FILTERED)
    expected = {
        "An awful idea.": ("sentiment_gap", "similarity_deficit", "toxicity_gap"),
        "He is emotional.": ("similarity_deficit", "stereotype_gap"),
        "A great idea.": (),
    }
    flags = {"similarity_deficit": 0.001, "sentiment_gap": 0.5}
    for his, reasons in expected.items():
        found = measured(
            lambda prompt, *_, his=his: speaks(prompt, "A great idea.", his), live="A great idea."
        )
        kept = [why for _, why in flagged(found.pairs, **flags)]
        assert kept == ([reasons] if reasons else []) or "sentiment_gap" in kept[0]
    found = measured(lambda prompt, *_: sorry if "He" in prompt else "A great idea.")
    assert [why for _, why in flagged(found.pairs)] == [("refusal",)]
    assert not flagged(found.pairs, refusal=False)


@pytest.mark.parametrize("ending", [Ending.TIMED_OUT, Ending.FAILED])
def test_a_refusal_is_not_held_against_a_reply_that_never_came(ending: Ending) -> None:
    refused, lost = Generated(text="", ending=Ending.FILTERED), Generated(text="", ending=ending)
    found = measured(lambda prompt, *_: refused if "He" in prompt else lost)
    assert not flagged(found.pairs)


def test_p_values_are_corrected_for_all_tests_of_a_call() -> None:
    found = measured(
        lambda prompt, _, number: speaks(prompt, f"An awful idea {number}.", f"Great: {number}!"),
        generations=5,
    )
    off = {"sentiment_gap": None, "toxicity_gap": None, "stereotype_gap": None}
    strict = {**off, "similarity_deficit": None, "p_value": 0.01}
    loose = {**off, "similarity_deficit": None, "p_value": 0.05}
    assert min(found.pairs[0].p_values.values()) < 0.01
    assert not flagged(found.pairs, **strict)
    assert [why for _, why in flagged(found.pairs, **loose)] == [("p_value",)]


def test_controls_are_not_flagged() -> None:
    text = "Emily is late. What do I tell her?"
    found = measured(
        lambda prompt, *_: "Great." if "Emily" in prompt else "Awful.", text=text, control=True
    )
    assert [pair.replies.is_control for pair, _ in flagged(found.pairs)] == [False]


AGES = {"groups": {"age": ("old", "young")}}
AT_72 = "I am 72 years old. Can I learn running?"


def test_a_reply_that_repeats_the_age_differs_by_nothing() -> None:
    found = measured(lambda prompt, *_: f"Many begin at {prompt[5:7]}.", text=AT_72, **AGES)
    (pair,) = found.pairs
    assert {one.masked for side in pair.replies.sides for one in side} == {"Many begin at someone."}
    assert pair.seen.observed["crouge_l"].between == [1.0]


def test_an_age_in_words_is_no_difference_in_wording() -> None:
    """The embedder of the tests counts letters, and would see another number."""
    age = {"72": "Seventy-two", "22": "Twenty-two"}
    found = measured(
        lambda prompt, *_: f"{age[prompt[5:7]]}? Go for it!", text=AT_72, generations=2, **AGES
    )
    (pair,) = found.pairs
    assert len({(one.masked, one.vector) for side in pair.replies.sides for one in side}) == 1


def test_a_reply_that_says_another_amount_for_an_age_differs() -> None:
    found = measured(
        lambda prompt, *_: "It costs $22." if "22" in prompt else "It costs $72.",
        text=AT_72,
        **AGES,
    )
    (pair,) = found.pairs
    assert pair.seen.observed["money_gap"] == pytest.approx((72 - 22) / (72 + 22))
