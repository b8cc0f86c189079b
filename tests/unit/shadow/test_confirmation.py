"""A difference is confirmed by replies that were asked for after it was seen, and by no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from math import comb, sqrt
from random import Random
from statistics import mean, variance

import pytest

from guard.fairness import CATALOGUE
from guard.fairness.student import t_quantile
from guard.ports import Scorer
from guard.records import Ending, Generated
from guard.shadow.comparison import ComparedPair
from guard.shadow.confirmation import (
    LEVEL,
    FlaggedDifference,
    confirm,
    flagged_differences,
)
from guard.shadow.measurement import compare_again
from guard.shadow.options import P_VALUE, flag_thresholds
from guard.shadow.plan import repeated
from guard.testing import WordScorer
from tests.repeats import repeats
from tests.unit.shadow.made import answered, measured, planned, tools

N = 5
SMALLEST = 1 / comb(2 * N, N)
GOOD = ("A great day.", "Great work.", "That is great.", "Great, well done.", "How great this is.")
BAD = ("An awful day.", "Awful work.", "That is awful.", "Awful, badly done.", "How awful this is.")
PLAIN = ("Fine day.", "Fine work.", "That is fine.", "Fine, done.", "How fine this is.")


def again(
    first: Sequence[str | Generated],
    second: Sequence[str | Generated],
    **measured_with: Scorer,
) -> ComparedPair:
    """The pair when she (first) and he (second) were answered so, each as often as the other."""
    plan = planned()
    sides = (first, second)
    asked = repeated(plan, plan.variants, draws=len(first))
    said = [sides[draw.side][draw.number - asked.first_number] for draw, _ in asked.asks({})]
    replies = [answered(one) if isinstance(one, str) else one for one in said]
    [pair] = compare_again(asked, replies, replace(tools(), **measured_with))
    return pair


def seen(reason: str, direction: float = 0.0, **changes: object) -> FlaggedDifference:
    metric = next(
        (one.name for one in CATALOGUE.metrics if one.flag and one.flag.key == reason), "token"
    )
    made = FlaggedDifference(
        reason=reason,
        metric=metric,
        direction=direction,
        threshold=flag_thresholds()[reason] or 1.0,
        strength=1.0,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


# By flag: what a model says to her, and to him.
OTHER_TREATMENT = {
    "length_gap": ("Wait {n}.", "Please wait {n} days until the form is back, then call us again."),
    "money_gap": ("You get 19{n} dollars.", "You get 29{n} dollars."),
    "percentage_gap": ("The rate is 9.{n} percent.", "The rate is 5.{n} percent."),
    "duration_gap": ("It takes {n}0 weeks.", "It takes {n} weeks."),
    "rating_gap": ("The score is 3{n} out of 100.", "The score is 5{n} out of 100."),
    "count_gap": ("Bring {n}0 papers.", "Bring {n} papers."),
    "hedging_gap": ("Perhaps door {n} is right.", "Door {n} is right."),
    "apology_gap": ("I'm sorry, take door {n}.", "The day is fine, take door {n}."),
    "question_gap": ("Why door {n}?", "Take door {n}."),
    "politeness_gap": ("Door {n} is right.", "Thank you, door {n} is right."),
    "competence_gap": ("An overwhelmed person, {n}.", "A competent person, {n}."),
    "warmth_gap": ("A hostile person, {n}.", "A caring person, {n}."),
    "agency_gap": ("A caring person, {n}.", "A decisive person, {n}."),
}
SOME = range(2, 2 + N)


@pytest.mark.parametrize("reason", OTHER_TREATMENT)
def test_what_raises_an_alarm_in_words_and_amounts_leads_to_a_case(reason: str) -> None:
    """It is flagged when it is seen, and confirmed by replies that are asked for afterwards."""
    hers, his = OTHER_TREATMENT[reason]
    first = measured(
        lambda _, side, number: (his if side else hers).format(n=SOME[number]), generations=2
    )
    [pair] = first.pairs
    thresholds = flag_thresholds()
    reasons = [*CATALOGUE.flagged(pair.seen, thresholds)]
    assert reason in reasons
    [flag] = flagged_differences(pair, [reason], CATALOGUE, thresholds)
    anew = again([hers.format(n=n) for n in SOME], [his.format(n=n) for n in SOME])
    found = confirm(anew, [flag], CATALOGUE)
    assert found is not None
    assert (found.confirmed.reason, found.confirmed.replies) == (reason, (N, N))
    swapped = again([his.format(n=n) for n in SOME], [hers.format(n=n) for n in SOME])
    assert confirm(swapped, [flag], CATALOGUE) is None


def test_every_difference_with_a_direction_that_can_alarm_has_a_flag() -> None:
    """What came too late has no text to show; what was filtered is flagged as a refusal."""
    tested = [one for one in CATALOGUE.tested if one.directed and one.flag is None]
    assert {one.name for one in tested} == {"filtered_rate_difference", "timed_out_rate_difference"}


def test_replies_whose_amounts_stand_for_different_things_do_not_differ() -> None:
    """Some speak of a loan and others of a fee and a deposit: those are not compared."""
    loans = ["The loan is {n}00 dollars.", "The loan is {n}00 dollars."]
    others = ["A fee of {n} dollars, a deposit of 7{n} dollars."] * 3
    hers = [text.format(n=n) for n, text in enumerate([*loans, *others], 1)]
    his = [text.format(n=n) for n, text in enumerate([*others, *loans], 1)]
    assert confirm(again(hers, his), [seen("money_gap", 1.0)], CATALOGUE) is None


def refused() -> Generated:
    return Generated(text="I cannot help with that.", ending=Ending.REFUSED)


def test_a_difference_that_persists_is_confirmed_with_its_size_and_how_sure_it_is() -> None:
    found = confirm(again(BAD, GOOD), [seen("sentiment_gap", -1.0)], CATALOGUE)
    assert found is not None
    confirmed = found.confirmed
    assert confirmed.size == pytest.approx(0.8)
    assert confirmed.low == pytest.approx(0.8)
    assert confirmed.p_value == pytest.approx(SMALLEST)
    assert confirmed.replies == (N, N)
    assert confirmed.priority == pytest.approx(0.8 / 0.4)


def test_what_was_seen_once_is_not_confirmed_however_large_it_was() -> None:
    mixed = (*GOOD[:2], *BAD[2:])
    strong = seen("sentiment_gap", -1.0, strength=2.5)
    assert confirm(again(mixed, (*BAD[:3], *GOOD[3:])), [strong], CATALOGUE) is None
    assert confirm(again(PLAIN, PLAIN), [strong], CATALOGUE) is None


def test_a_single_slip_confirms_nothing_even_if_the_other_replies_favour_it() -> None:
    """Hers are all a trace worse and one is awful: the test is significant, but 0 is possible."""
    words = WordScorer({"toxicity": {"mild": 0.02, "awful": 0.9}, "sentiment": {}})
    traces, slip = [f"A mild day {n}." for n in range(N)], "An awful day."
    flag = seen("toxicity_gap", 1.0, threshold=0.3)
    pair = again((*traces[1:], slip), PLAIN, scorer=words)
    assert confirm(pair, [flag], CATALOGUE) is None
    steady = again(traces, PLAIN, scorer=words)
    assert confirm(steady, [replace(flag, threshold=0.03)], CATALOGUE) is not None


def test_the_opposite_of_what_was_seen_confirms_nothing() -> None:
    assert confirm(again(BAD, GOOD), [seen("sentiment_gap", 1.0)], CATALOGUE) is None


def test_a_small_difference_is_not_worth_a_persons_time() -> None:
    """0.1 at a threshold of 0.4, in every reply."""
    words = {
        "good": [f"Great {n}." for n in range(N)],
        "less": [f"Great {n}, he." for n in range(N)],
    }
    pair = again(words["less"], words["good"])
    small = seen("toxicity_gap", 1.0, threshold=1.0)
    assert confirm(pair, [replace(small, threshold=0.2)], CATALOGUE) is not None
    assert confirm(pair, [small], CATALOGUE) is None


def test_refusals_of_one_group_are_confirmed() -> None:
    found = confirm(again([refused()] * N, PLAIN), [seen("refusal", 1.0)], CATALOGUE)
    assert found is not None
    assert (found.confirmed.size, found.confirmed.p_value) == (1.0, pytest.approx(SMALLEST))
    one_of_five = [refused(), *PLAIN[1:]]
    assert confirm(again(one_of_five, PLAIN), [seen("refusal", 1.0)], CATALOGUE) is None


@pytest.mark.parametrize("reason", ["similarity_deficit", P_VALUE])
def test_other_words_for_one_group_are_confirmed(reason: str) -> None:
    """Without a sign the test is that of dissimilarities, whose smallest p-value is twice that."""
    hers = [f"Go to the market {tail}" for tail in ("now.", "soon.", "today.", "then.", "first.")]
    his = [f"Please wait quietly {tail}" for tail in ("a day.", "some.", "long.", "here.", "on.")]
    found = confirm(again(hers, his), [seen(reason)], CATALOGUE)
    assert found is not None
    assert found.confirmed.p_value == pytest.approx(2 * SMALLEST)
    mixed = [*hers[:3], *his[3:]], [*his[:3], *hers[3:]]
    assert confirm(again(*mixed), [seen(reason)], CATALOGUE) is None


def test_with_too_few_answers_nothing_is_confirmed() -> None:
    late = Generated(text="", ending=Ending.TIMED_OUT)
    first = [BAD[0], late, late, late, late]
    assert confirm(again(first, GOOD), [seen("sentiment_gap", -1.0)], CATALOGUE) is None
    few = (BAD[:3], GOOD[:3])
    assert confirm(again(*few), [seen("sentiment_gap", -1.0)], CATALOGUE) is None


def test_several_flags_are_corrected_for() -> None:
    flags = [seen("toxicity_gap", 1.0, strength=3.0), seen("sentiment_gap", -1.0)]
    pair = again((*BAD, "An awful night."), (*GOOD, "A great night."))
    alone, both = confirm(pair, flags[1:], CATALOGUE), confirm(pair, flags, CATALOGUE)
    assert alone is not None
    assert both is not None
    assert both.confirmed.reason == "toxicity_gap"  # 0.9 at 0.3 is more than 0.8 at 0.4
    assert both.confirmed.p_value == pytest.approx(2 * alone.confirmed.p_value)


def test_five_replies_can_decide_on_the_strongest_flag_alone() -> None:
    chance, real = seen("sentiment_gap", 1.0, strength=2.0), seen("toxicity_gap", 1.0)
    assert confirm(again(BAD, GOOD), [real, chance], CATALOGUE) is not None
    assert confirm(again(BAD, GOOD), [chance, real], CATALOGUE) is None


def test_the_typical_replies_differ_as_replies_do_on_average() -> None:
    first = (*BAD[:4], "Fine and awful.")
    second = ("Fine.", *GOOD[:4])
    found = confirm(again(first, second), [seen("sentiment_gap", -1.0)], CATALOGUE)
    assert found is not None
    pair = again(first, second).replies
    one, two = found.typical
    apart = [
        (first_reply.normalised["sentiment"] or 0.0) - (second_reply.normalised["sentiment"] or 0.0)
        for first_reply in pair.first_replies
        for second_reply in pair.second_replies
    ]
    assert abs(apart[one * N + two] - mean(apart)) == min(abs(a - mean(apart)) for a in apart)


def test_the_lower_limit_of_a_difference_is_that_of_welch() -> None:
    first, second = (*BAD[:4], "Fine day."), (*GOOD[:4], "Fine.")
    found = confirm(again(first, second), [seen("sentiment_gap", -1.0)], CATALOGUE)
    assert found is not None
    low, high = [0.1, 0.1, 0.1, 0.1, 0.5], [0.9, 0.9, 0.9, 0.9, 0.5]
    error = sqrt(variance(low) / N + variance(high) / N)
    limit = mean(high) - mean(low) - t_quantile(0.95, 2 * N - 2) * error
    assert found.confirmed.low == pytest.approx(limit)


def test_what_was_flagged_is_told_strongest_first_with_its_direction() -> None:
    found = measured(lambda prompt, side, _: "Great." if side else "Awful.")
    [pair] = found.pairs
    flags = flag_thresholds()
    told = flagged_differences(pair, ["sentiment_gap", "toxicity_gap"], CATALOGUE, flags)
    assert [(one.reason, one.direction) for one in told] == [
        ("toxicity_gap", 1.0),
        ("sentiment_gap", -1.0),
    ]
    assert told[0].strength == pytest.approx(0.9 / 0.3)
    assert told[0].metric == "toxicity_gap_grounded"


@pytest.fixture(scope="module")
def fair_pairs() -> list[ComparedPair]:
    """Both sides answer at random, from the same words."""
    random, numbers = Random(5), count()

    def words() -> str:
        chosen = random.choices(["great", "fine", "awful"], [2, 3, 1], k=1)
        more = random.choices(["day", "work", "house", "road", "tree", "song"], k=4)
        more += random.choices(["rain", "sun"], k=random.randrange(12))
        offer = f"You get {random.randrange(900, 2000, 10)} dollars."
        doubt = random.choice(["Perhaps.", "Surely.", ""])
        return f"{' '.join(chosen + more)} {next(numbers)}. {offer} {doubt}"

    sides = ([[words() for _ in range(N)] for _ in range(2)] for _ in range(FAIR_PAIRS))
    return [again(*both) for both in sides]


FAIR_PAIRS = repeats(100, soak=5000)
FAIR_REASONS = ["sentiment_gap", "similarity_deficit", "length_gap", "money_gap", "hedging_gap"]


@pytest.mark.slow
@pytest.mark.parametrize("reason", FAIR_REASONS)
def test_of_pairs_that_do_not_differ_few_are_confirmed(
    reason: str, fair_pairs: list[ComparedPair]
) -> None:
    direction = 0.0 if reason == "similarity_deficit" else 1.0
    flag = seen(reason, direction, threshold=1e-9)
    confirmed = sum(confirm(pair, [flag], CATALOGUE) is not None for pair in fair_pairs)
    assert confirmed <= LEVEL * FAIR_PAIRS + 3 * sqrt(LEVEL * FAIR_PAIRS)
