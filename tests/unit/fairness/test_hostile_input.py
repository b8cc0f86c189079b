"""What a newcomer or a live caller hands over: arrays, generators, 32 bits, and mistakes."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from guard import fairness
from guard.fairness import Undefined
from guard.fairness.cairo import agreement, select
from guard.fairness.fairpair import cosine_gap

NAN, INF = math.nan, math.inf
GROUPS = {"m": ["he"], "f": ["she"]}


@pytest.mark.parametrize("kind", [list, tuple, iter, np.array, lambda x: np.array(x, dtype="f4")])
def test_lists_may_be_arrays_or_generators(kind: Callable[[list[float]], list[float]]) -> None:
    scores = [0.25, 0.75, 0.5]
    assert fairness.toxic_fraction(kind(scores)) == 2 / 3
    assert type(fairness.toxic_fraction(kind(scores))) is float
    assert fairness.expected_maximum_toxicity([kind(scores)]) == 0.75
    assert fairness.toxicity_probability([kind(scores)]) == 1.0
    assert fairness.scsp(kind(scores), kind(scores)) == 0.0
    assert fairness.wcsp(kind(scores), kind([0.75])) == pytest.approx(2 / 3, abs=1e-12)
    assert fairness.gap(kind(scores), kind([0.25])) == 0.25
    assert fairness.serp_k(kind(scores), kind(scores)) == 1.0
    assert fairness.cosine(kind(scores), kind(scores)) == 1.0
    assert fairness.parity(fairness.Rate.PREVALENCE, kind([0, 0, 1]), kind([1, 0, 1])) == 0.5
    found = fairness.fairpair(kind(scores), kind(scores), fairness.sentiment_gap)
    assert isinstance(found, fairness.FairPair)
    assert isinstance(fairness.toxic_fraction(kind([NAN, 0.5])), Undefined)
    assert isinstance(fairness.expected_maximum_toxicity([kind([NAN, 0.5])]), Undefined)
    assert isinstance(fairness.scsp(kind([NAN, 0.5]), kind([0.5])), Undefined)


def test_words_and_endings_may_be_arrays_or_generators() -> None:
    words = ["one", "two"]
    assert fairness.rouge_l(iter(words), np.array(words)) == 1.0  # type: ignore[arg-type]
    assert fairness.cbleu(np.array(words), words) == 1.0  # type: ignore[arg-type]
    assert fairness.ftu_share(iter(["he is", "it is"]), iter(["he"])) == 0.5  # type: ignore[arg-type]
    ended = np.array(["refused", "answered"])
    assert fairness.refusal_rate_difference(ended, iter(ended)) == 0.0


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (
            lambda: fairness.CooccurrenceBias(words=["nurse"], groups=GROUPS).of("he is a nurse"),
            "responses",
        ),
        (lambda: fairness.CooccurrenceBias(words="nurse", groups=GROUPS).of(["he"]), "words"),
        (
            lambda: fairness.CooccurrenceBias(words=["nurse"], groups={"m": "he", "f": "she"}).of(
                ["he"]
            ),
            "groups",
        ),
        (
            lambda: fairness.CooccurrenceBias(words=["nurse"], groups=GROUPS, stop_words="the").of(
                ["he"]
            ),
            "stop_words",
        ),
        (
            lambda: fairness.StereotypicalAssociations(words=["nurse"], groups=GROUPS).of("he"),
            "responses",
        ),
        (lambda: fairness.ftu_share("he is", ["he"]), "prompts"),
        (lambda: fairness.ftu_share(["he is"], "he"), "lexicon"),
        (lambda: fairness.Unawareness(name="u", lexicon="he"), "lexicon"),
        (lambda: fairness.mask("he is", "he"), "entries"),
        (lambda: fairness.expected_maximum_toxicity([0.5]), "scores_per_prompt"),
        (lambda: fairness.toxic_fraction(0.5), "scores"),
        (lambda: fairness.refusal_rate_difference("refused", "refused"), "first"),
        (lambda: fairness.refusal_rate_difference(["refused"], [], counted="refused"), "counted"),
        (lambda: fairness.RefusalDifference(name="r", between=("a", "a")), "between"),
        (lambda: fairness.Parity(name="p", rate="none", between=("a", "b")), "rate"),
        (lambda: fairness.Parity(name="p", rate="prevalence", between=("a",)), "between"),
        (lambda: fairness.parity(fairness.Rate.PREVALENCE, "ab", [1, 0]), "groups"),
        (lambda: fairness.parity(fairness.Rate.PREVALENCE, ["a"], [1], between="ab"), "between"),
        (lambda: fairness.parity(fairness.Rate.PREVALENCE, ["a", "b"], ["yes", "no"]), "positive"),
        (lambda: fairness.serp_k([1], [1], k=1.5), "k 1.5"),
        (lambda: fairness.Mean(name="m", bounds=(1.0, 1.0)), "bounds"),
        (lambda: fairness.Similarity(name="m", bounds=(0.0, NAN)), "bounds"),
        (lambda: fairness.UseCaseFacts(task="chat"), "task"),
        (lambda: fairness.UseCaseFacts(task="generation", intervention="both"), "intervention"),
        (lambda: fairness.fairpair_of_matrix(np.arange(16.0).reshape(4, 4), 2), "symmetric"),
        (lambda: fairness.fairpair_of_matrix(-np.ones((4, 4)), 2), "below 0"),
        (lambda: fairness.claim_similarities(-np.ones((2, 2, 3))), "labels"),
        (
            lambda: fairness.cairo(
                np.ones((3, 2, 2, 2)),
                np.ones((3, 2, 2, 2)),
                size=1,
                generator=np.random.default_rng(0),
                draws=0,
            ),
            "draws",
        ),
    ],
)
def test_a_mistake_is_told_by_the_argument(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        call()


def test_sums_of_32_bit_scores_keep_growing() -> None:
    metric = fairness.ExpectedMaximum(name="e", m=1)
    full = {"e|m1|n": 2.0**24, "e|m1|sum": 2.0**24, "e|m1|squares": 2.0**24}
    total = fairness.add(full, metric.tally([np.float32(1.0)]))
    assert {type(value) for value in total.values()} == {float}
    assert total["e|m1|sum"] == 2.0**24 + 1
    live, batch = fairness.Fraction(name="f", threshold=0.7), np.array([0.7], dtype="f4")
    hits = live.tally(batch[0])["f|hits"]
    assert hits == fairness.toxic_fraction(batch, threshold=0.7)


def test_the_cosine_of_any_finite_vectors() -> None:
    wide = fairness.cosine([0.1, 0.2, 0.3], [0.3, 0.1, 0.2])
    single = np.array([0.1, 0.2, 0.3], dtype="f4"), np.array([0.3, 0.1, 0.2], dtype="f4")
    assert fairness.cosine(*single) == pytest.approx(
        fairness.cosine(*(one.tolist() for one in single)), abs=1e-15
    )
    assert wide == pytest.approx(11 / 14, abs=1e-15)
    assert fairness.cosine(np.array([100, 100], "i1"), np.array([100, 100], "i1")) == 1.0
    for size in (1e-200, 1.2e154, 1e300):
        assert fairness.cosine([size, size], [1.0, 1.0]) == 1.0
        assert cosine_gap([size, size], [1.0, 1.0]) == 0.0
    for broken in ([0.0, 0.0], [NAN, 1.0], [INF, -INF], []):
        assert isinstance(fairness.cosine(broken, [1.0] * len(broken)), Undefined)
        assert math.isnan(cosine_gap(broken, [1.0] * len(broken)))


def test_a_word_very_far_from_a_group_leaves_cobs_finite() -> None:
    far = ["he", *["x"] * 14_300, "nurse"]
    there = fairness.CooccurrenceBias(words=["nurse"], groups=GROUPS).of([far, ["she", "nurse"]])
    back = fairness.CooccurrenceBias(words=["nurse"], groups={"f": ["she"], "m": ["he"]}).of(
        [far, ["she", "nurse"]]
    )
    assert not isinstance(there, Undefined)
    assert there == -back
    assert math.isfinite(there)


def test_lexicons_may_be_written_with_capitals() -> None:
    texts, plain = ["He is a Nurse, she is kind, she is a nurse."], (["nurse"], GROUPS)
    capitals = (["Nurse"], {"m": ["He"], "f": ["SHE"]})
    cobs, sa = (
        [metric(words=words, groups=groups) for words, groups in (plain, capitals)]
        for metric in (fairness.CooccurrenceBias, fairness.StereotypicalAssociations)
    )
    assert cobs[1].of(texts) == cobs[0].of(texts)
    assert cobs[1].of_each_word(texts).keys() == {"nurse"}
    assert sa[1].of(texts) == sa[0].of(texts) == pytest.approx(1 / 6, abs=1e-12)


def test_a_case_whose_group_is_unknown_is_left_out() -> None:
    for unknown in (None, NAN, np.float64("nan")):
        groups = ["a", "b", unknown, unknown]
        assert fairness.parity(fairness.Rate.PREVALENCE, groups, [1, 0, 1, 0]) == 1.0
    apart = fairness.parity(fairness.Rate.PREVALENCE, ["a", "b"], [1, 0], between=("a", "z"))
    assert isinstance(apart, Undefined)
    assert "'z'" in apart.reason
    assert fairness.parity(fairness.Rate.PREVALENCE, [1j, 2j], [1, 0]) == 1.0


def test_tasks_and_rates_may_be_given_by_name() -> None:
    named = fairness.UseCaseFacts(
        task="classification", maps_to_attribute=True, intervention="punitive"
    )
    applying = {one.metric for one in fairness.applicable(named) if one.applies}
    assert applying == {"false_positive_rate", "false_discovery_rate"}
    parity = fairness.Parity(name="p", rate="prevalence", between=("a", "b"))
    assert parity.tally(fairness.ClassifiedCase(group="a", predicted=1)) == {
        "p|n|a": 1,
        "p|hits|a": 1,
    }


def test_a_missing_score_makes_a_prompt_undefined_and_not_an_error() -> None:
    scores = [0.1, None], [0.2, 0.3]
    assert isinstance(fairness.fairpair(*scores, fairness.sentiment_gap), Undefined)
    vectors = [[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]]
    assert isinstance(fairness.fairpair(*vectors, fairness.cosine), Undefined)


def test_correlations_leave_out_what_is_undefined() -> None:
    first = {"a": 1.0, "b": 2.0, "c": 3.0, "d": Undefined("no data"), "e": None}
    second = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 1.0, "e": 2.0}
    found = agreement(first, second)
    assert not isinstance(found, Undefined)
    assert found.n == 3
    assert isinstance(select([[1.0, 2.0, INF]], [[1.0, 2.0, 3.0]], [(0,)]), Undefined)


def test_matrices_from_32_bit_products_are_symmetric_enough() -> None:
    noise = np.triu(np.full((8, 8), 1e-7))
    found = fairness.permutation_test(np.ones((8, 8)) + noise, 4)
    assert not isinstance(found, Undefined)
    with pytest.raises(ValueError, match="symmetric"):
        fairness.permutation_test(np.ones((8, 8)) + 100 * noise, 4)
