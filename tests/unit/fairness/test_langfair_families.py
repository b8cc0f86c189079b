"""What the golden files of LangFair's families miss."""

from __future__ import annotations

import ast
import json
import math
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from guard import fairness
from guard.fairness import (
    ClassifiedCase,
    CooccurrenceBias,
    Ended,
    Ending,
    ExpectedMaximum,
    Fraction,
    Likeness,
    Parity,
    Probability,
    Rate,
    RefusalDifference,
    RollingWindow,
    Said,
    Sides,
    Similarity,
    StereotypicalAssociations,
    StrictParity,
    Unawareness,
    WeakParity,
    add,
    langfair,
)
from guard.fairness.cooccurrence import nearness
from guard.fairness.generation import SAID
from guard.fairness.word_overlap import common_subsequence
from guard.fairness.words import words
from guard.records import Reading, Undefined

GOLDEN = Path(__file__).parents[2] / "golden/fairness"
NAN = math.nan


def reading(found: Reading | Undefined) -> Reading:
    assert isinstance(found, Reading), found
    return found


# Generation


def test_the_threshold_is_reached_at_the_threshold_unless_strict() -> None:
    assert fairness.toxic_fraction([0.5, 0.4]) == 0.5
    assert fairness.toxic_fraction([0.5, 0.4], strict=True) == 0.0
    assert fairness.toxicity_probability([[0.5], [0.1]]) == 0.5
    assert fairness.stereotype_fraction([0.6]) == 1.0
    assert fairness.stereotype_probability([[0.1, 0.6]], threshold=0.7) == 0.0
    assert fairness.expected_maximum_stereotype([[0.1, 0.6], [0.2, 0.0]]) == pytest.approx(0.4)


def test_only_complete_sets_of_m_are_admitted_and_the_others_counted() -> None:
    metric = ExpectedMaximum(name="emt", m=3)
    sums = add(*map(metric.tally, [[0.1, 0.2, 0.9], [0.1, 0.2], [0.1, None, 0.2], [0.1] * 4]))
    assert sums["emt|m3|incomplete"] == 3.0
    sums = add(sums, metric.tally([0.3, 0.5, 0.4]))
    assert reading(metric.estimate(sums)).value == pytest.approx(0.7)
    probability = Probability(name="tp", m=2)
    assert reading(probability.estimate(probability.tally([0.1, 0.9]))).value == 1.0
    assert probability.tally([NAN, 0.9]) == {"tp|m2|incomplete": 1.0}


def test_readings_with_another_m_are_another_tally() -> None:
    sums = ExpectedMaximum(name="emt", m=2).tally([0.1, 0.2])
    assert isinstance(ExpectedMaximum(name="emt", m=3).estimate(sums), Undefined)


def test_a_fraction_agrees_with_the_plain_function() -> None:
    scores = [0.1, 0.9, 0.5, 0.49, 1.0]
    metric = Fraction(name="tf")
    found = reading(metric.estimate(add(*map(metric.tally, scores))))
    assert (found.value, found.n) == (fairness.toxic_fraction(scores), 5)


# Co-occurrence


def test_nearness_is_the_double_sum_of_the_formula() -> None:
    rng = random.Random(1)
    for length in (0, 1, 2, 7, 40):
        marks = [int(rng.random() < 0.3) for _ in range(length)]
        wanted = [
            sum(0.9 ** (abs(j - k) - 1) for k in range(length) if marks[k] and k != j)
            for j in range(length)
        ]
        assert nearness(marks, 0.9) == pytest.approx(wanted)


def test_cobs_has_a_sign_and_counts_the_words_that_remain() -> None:
    texts = ["he is a nurse and a doctor", "she is a nurse", "he knows a pilot", "she, a doctor"]
    groups = {"male": ["he"], "female": ["she"]}
    forth = fairness.CooccurrenceBias(words=["nurse", "doctor", "pilot"], groups=groups).of(texts)
    back = fairness.CooccurrenceBias(
        words=["nurse", "doctor", "pilot"], groups=dict(reversed(groups.items()))
    ).of(texts)
    assert isinstance(forth, float)
    assert isinstance(back, float)
    assert forth == pytest.approx(-back)
    metric = CooccurrenceBias(name="c", words=["nurse", "doctor", "pilot"], groups=groups)
    sums = add(*(metric.tally(Said(conversation=t, response=t)) for t in texts))
    assert metric.remaining(sums).keys() == {"nurse", "doctor"}


def test_cobs_as_a_tally_agrees_with_the_formula() -> None:
    file = json.loads((GOLDEN / "stereotype.json").read_text(encoding="utf-8"))
    paper = file["paper"]["professions"]
    metric = CooccurrenceBias(
        name="c", words=paper["words"], groups=file["groups"], stop_words=file["stop_words"]
    )
    said = (Said(conversation=str(n), response=t) for n, t in enumerate(file["tokens"]))
    found = reading(metric.estimate(add(*map(metric.tally, said))))
    assert found.value == pytest.approx(paper["COBS"]["mean_over_words_with_both_groups"])
    assert (found.n, found.low < found.value < found.high) == (128, True)


def test_associations_take_more_than_two_groups() -> None:
    groups = {"a": ["x"], "b": ["y"], "c": ["z"]}
    alone = fairness.StereotypicalAssociations(words=["nurse", "pilot"], groups=groups).of(
        ["x nurse", "x x nurse"]
    )
    assert alone == pytest.approx(2 / 3)
    even = fairness.StereotypicalAssociations(words=["nurse"], groups=groups).of(["x y z nurse"])
    assert even == pytest.approx(0.0)
    assert fairness.StereotypicalAssociations(words=["nurse", "pilot"], groups=groups).of_each_word(
        ["x nurse"]
    ).keys() == {"nurse"}
    metric = StereotypicalAssociations(name="s", words=["nurse"], groups=groups)
    sums = metric.tally(Said(conversation="1", response="x nurse"))
    assert metric.remaining(sums) == {"nurse": pytest.approx(2 / 3)}


def test_a_word_of_both_lexicons_counts_for_both() -> None:
    groups = {"a": ["they", "x"], "b": ["they", "y"]}
    found = fairness.CooccurrenceBias(words=["nurse"], groups=groups).of_each_word(
        ["they nurse nurse", "x nurse y"]
    )
    assert found == {"nurse": pytest.approx(0.0)}


# Counterfactual


def slow_subsequence(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        last = row
        row = [0]
        for place, y in enumerate(b):
            row.append(last[place] + 1 if x == y else max(last[place + 1], row[-1]))
    return row[-1]


def test_the_bits_count_what_the_table_counts() -> None:
    rng = random.Random(2)
    for _ in range(300):
        a, b = ("".join(rng.choices("abcd", k=rng.randrange(90))) for _ in range(2))
        assert common_subsequence(a, b) == slow_subsequence(a, b)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "…",
        "yes",
        "two words",
        "今天天气很好",
        "हिन्दी भाषा",
        "สวัสดี",
        "naïve café",
        "👍",
        "a" * 9000,
    ],
)
def test_identical_texts_score_1_in_every_script_and_length(text: str) -> None:
    assert fairness.rouge_l(text, text) == 1.0
    assert fairness.cbleu(text, text) == 1.0


def test_texts_without_a_common_word_score_0() -> None:
    for a, b in [("alpha beta", "gamma"), ("", "word"), ("…", "!"), ("今天", "明后")]:
        assert fairness.rouge_l(a, b) == fairness.cbleu(a, b) == 0.0


def test_both_composed_forms_of_a_letter_are_one_word() -> None:
    assert fairness.rouge_l("café", "cafe\u0301") == 1.0
    assert words("It’s O'Neil's") == ["it's", "o'neil's"]


def test_protected_words_are_masked_on_both_sides() -> None:
    a, b = "The old man lost his keys", "The old woman lost her keys"
    protected = ["old man", "old woman", "his", "her"]
    assert fairness.rouge_l(a, b) < 1.0
    assert fairness.rouge_l(a, b, protected=protected) == 1.0
    assert fairness.cbleu(a.split(), b.split(), protected=["man", "woman", "his", "her"]) == 1.0
    assert fairness.mask("The OLD man’s keys.", protected) == "The OLD man’s keys."
    assert fairness.mask("An Old  Man, his keys.", protected) == "An someone, someone keys."


def test_bleu_is_the_lower_direction_and_smooths_only_when_told() -> None:
    a, b = "a b c d e f", "a b c d x y z"
    assert fairness.cbleu(a, b) == fairness.cbleu(b, a)
    assert fairness.cbleu("a b c d", "a x c y") == 0.0
    assert 0 < fairness.cbleu("a b c d", "a x c y", epsilon=0.1) < 0.5


def test_cosine() -> None:
    assert fairness.cosine([1.0, 0.0], [0.0, 2.0]) == 0.0
    assert fairness.cosine([1.0, 2.0], [-1.0, -2.0]) == pytest.approx(-1.0)
    for broken in ([0.0, 0.0], [NAN, 1.0], [math.inf, 1.0]):
        assert isinstance(fairness.cosine(broken, [1.0, 1.0]), Undefined)


def test_strict_parity_is_exact_for_lists_of_any_length() -> None:
    assert fairness.scsp([0.0, 1.0], [0.5]) == pytest.approx(0.5)
    assert fairness.scsp([0.2, 0.2, 0.8], [0.2, 0.8, 0.8]) == pytest.approx(0.2)
    assert fairness.scsp([0.0], [1.0]) == pytest.approx(1.0)


def test_the_histogram_is_wrong_by_one_bin_at_most() -> None:
    rng, metric = random.Random(3), StrictParity(name="s")
    pairs = [(rng.random() ** 2, rng.random()) for _ in range(300)]
    seen = (Sides(conversation=str(n), first=[a], second=[b]) for n, (a, b) in enumerate(pairs))
    found = reading(metric.estimate(add(*map(metric.tally, seen))))
    exact = fairness.scsp(*zip(*pairs, strict=True))
    assert isinstance(exact, float)
    assert abs(found.value - exact) <= 1 / 256


def test_weak_parity_and_gap_keep_the_sign_for_flags() -> None:
    metric = WeakParity(name="w")
    sides = [Sides(conversation=str(n), first=[0.1], second=[0.9]) for n in range(9)]
    sums = add(*map(metric.tally, sides))
    assert reading(metric.estimate(sums)).value == 1.0
    assert reading(metric.signed(sums)).value == -1.0
    assert fairness.wcsp([0.6, 0.5], [0.4, 0.3]) == 0.5
    assert fairness.gap([0.1, 0.3], [0.9]) == pytest.approx(-0.7)


def test_a_similarity_stands_beside_its_control() -> None:
    metric = Similarity(name="rouge")
    seen = [Likeness(between=[0.6, 0.8], control=[0.9]), Likeness(between=[0.5], control=[0.9])]
    sums = add(*map(metric.tally, [*seen, Likeness(between=[]), Likeness(between=[0.6])]))
    assert reading(metric.estimate(sums)).value == pytest.approx(0.6)
    assert reading(metric.control(sums)).value == pytest.approx(0.9)
    assert reading(metric.deficit(sums)).value == pytest.approx(0.3)
    assert sums["rouge|unscored"] == 1.0


# Classification


def test_a_rate_of_0_is_a_rate_and_a_group_without_cases_is_none() -> None:
    groups, predicted, actual = ["a", "a", "b", "b"], [0, 0, 1, 0], [1, 0, 1, 0]
    assert fairness.parity(fairness.Rate.PREVALENCE, groups, predicted) == 0.5
    assert fairness.parity(fairness.Rate.PREVALENCE, groups, predicted, kind="ratio") == 0.0
    assert fairness.parity(
        fairness.Rate.PREVALENCE, groups, predicted, between=("b", "a"), kind="ratio"
    ) == Undefined("the rate below the line is 0: a ratio has no value")
    assert fairness.parity(fairness.Rate.FALSE_NEGATIVE, groups, predicted, actual) == 1.0
    assert isinstance(
        fairness.parity(fairness.Rate.FALSE_DISCOVERY, groups, predicted, actual), Undefined
    )
    assert isinstance(fairness.parity(fairness.Rate.PREVALENCE, ["a"], [1]), Undefined)


def test_classes_are_taken_one_against_the_rest_and_groups_by_twos() -> None:
    groups, predicted = ["a", "a", "b", "c"], ["hire", "wait", "hire", "fire"]
    apart = fairness.parity(
        fairness.Rate.PREVALENCE, groups, predicted, positive="hire", between=("a", "b")
    )
    assert apart == 0.5
    with pytest.raises(ValueError, match="between"):
        fairness.parity(fairness.Rate.PREVALENCE, groups, predicted, positive="hire")
    assert fairness.intersection(race="b", gender="f") == "gender=f,race=b"


def test_parities_as_tallies_agree_with_the_plain_functions() -> None:
    rng = random.Random(4)
    rows = [(rng.choice("ab"), rng.randrange(2), rng.randrange(2)) for _ in range(80)]
    for rate, kind in ((r, k) for r in Rate for k in ("difference", "ratio")):
        metric = Parity(name="p", rate=rate, between=("a", "b"), kind=kind)  # type: ignore[arg-type]
        seen = [ClassifiedCase(group=g, predicted=p, actual=a) for g, p, a in rows]
        columns = [list(column) for column in zip(*rows, strict=True)]
        known = columns[:2] if rate is Rate.PREVALENCE else columns
        wanted = fairness.parity(rate, *known, kind=kind)  # type: ignore[arg-type]
        sums = add(*map(metric.tally, seen))
        assert reading(metric.estimate(sums)).value == pytest.approx(wanted)
        assert metric.rates(sums).keys() == {"a", "b"}
        assert abs(reading(metric.signed(sums)).value) <= 1


# Recommendation


def test_identical_lists_reach_1_and_the_papers_constant_does_not() -> None:
    for size in range(2, 12):
        items = list(range(size))
        assert fairness.jaccard_k(items, items) == 1.0
        assert fairness.serp_k(items, items) == pytest.approx(1.0)
        assert fairness.prag_k(items, items) == pytest.approx(1.0)
        paper = fairness.prag_k(items, items, scale="paper")
        assert paper == pytest.approx((size - 1) / (2 * (size + 1)))


def test_prag_counts_pairs_as_the_formula_does() -> None:
    rng = random.Random(5)
    for _ in range(100):
        a, b = (rng.sample(range(9), 6) for _ in range(2))
        rank = {item: place for place, item in enumerate(b)}
        other = {item: place for place, item in enumerate(a)}
        forth = sum(rank.get(v, 9) < rank.get(w, 9) for v, w in combinations(a, 2))
        back = sum(other.get(v, 9) < other.get(w, 9) for v, w in combinations(b, 2))
        assert fairness.prag_k(a, b) == pytest.approx(min(forth, back) / 15)


def test_odd_lists_have_values() -> None:
    assert fairness.jaccard_k([1, 2, 3], [3, 2, 1, 0], k=3) == 1.0
    assert fairness.serp_k([1], [1, 2]) == pytest.approx(2 / 3)
    assert fairness.prag_k([1], []) == Undefined(
        "lists of fewer than two items have no pairs to order"
    )
    assert fairness.jaccard_k([1, 1], [1]) == 1.0
    assert isinstance(fairness.serp_k([], []), Undefined)


# Refusals, unawareness, windows


def test_every_ending_is_counted() -> None:
    metric = RefusalDifference(name="r", between=("a", "b"))
    endings = [("a", e) for e in Ending] + [("b", Ending.ANSWERED)] * 5
    sums = add(*(metric.tally(Ended(group=g, ending=e)) for g, e in endings))
    assert reading(metric.estimate(sums)).value == pytest.approx(0.4)
    assert metric.endings(sums, "a")["timed_out"] == 1.0
    assert reading(metric.rates(sums)["a"]).value == pytest.approx(0.4)
    assert fairness.refusal_rate_difference([Ending.REFUSED], [Ending.FILTERED]) == 0.0
    assert fairness.refusal_rate_difference(list(Ending), [Ending.ANSWERED]) == 0.4


def test_what_failed_may_be_left_out_of_rates() -> None:
    metric = RefusalDifference(name="r", between=("a", "b"), among=SAID)
    endings = [("a", e) for e in Ending] + [("b", Ending.ANSWERED)] * 5
    sums = add(*(metric.tally(Ended(group=g, ending=e)) for g, e in endings))
    assert reading(metric.estimate(sums)).value == pytest.approx(2 / 3)
    alone = fairness.refusal_rate_difference(list(Ending), [Ending.ANSWERED], among=SAID)
    assert alone == pytest.approx(2 / 3)
    lost = [Ended(group="a", ending=Ending.FAILED), Ended(group="b", ending=Ending.REFUSED)]
    assert isinstance(metric.estimate(add(*map(metric.tally, lost))), Undefined)
    nothing = fairness.refusal_rate_difference([Ending.FAILED], [Ending.REFUSED], among=SAID)
    assert isinstance(nothing, Undefined)


def test_unawareness_sees_words_and_phrases_whole() -> None:
    lexicon = ["he", "african american"]
    assert fairness.ftu_share(["The shelf", "Is he in?", "An African American."], lexicon) == 1 / 3
    metric = Unawareness(name="f", lexicon=lexicon)
    assert reading(metric.estimate(metric.tally("African cinema"))).value == 1.0


def test_a_window_ends() -> None:
    window = RollingWindow(seconds=60, bucket_seconds=20)
    assert window.span(199.0) == range(6, 10)
    assert 9 not in window.span(10_000.0)


# Misuse, and what is missing


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        (lambda: Fraction(name="f", threshold=2), "threshold"),
        (lambda: fairness.toxic_fraction([0.1], threshold=NAN), "threshold"),
        (lambda: ExpectedMaximum(name="e", m=0), "m 0"),
        (lambda: CooccurrenceBias(name="c", words=[], groups={"a": []}), "groups"),
        (lambda: CooccurrenceBias(name="c", words=[], groups={"a": [], "b": []}, beta=0), "beta"),
        (lambda: StereotypicalAssociations(name="s", words=[], groups={}), "groups"),
        (lambda: StrictParity(name="s", bins=10), "bins"),
        (lambda: fairness.cosine([1.0], [1.0, 2.0]), "v has 2"),
        (lambda: fairness.cbleu("a", "b", epsilon=1.0), "epsilon"),
        (lambda: fairness.jaccard_k([1], [1], k=0), "k 0"),
        (lambda: fairness.prag_k([1], [1], scale="x"), "scale"),  # type: ignore[arg-type]
        (lambda: fairness.parity(fairness.Rate.PREVALENCE, ["a"], [], kind="ratio"), "predicted"),
        (
            lambda: fairness.parity(fairness.Rate.FALSE_OMISSION, ["a"], [1], [], kind="ratio"),
            "actual",
        ),
        (lambda: Parity(name="p", rate=Rate.PREVALENCE, between=("a", "b"), kind="x"), "kind"),  # type: ignore[arg-type]
        (lambda: RollingWindow(seconds=1, bucket_seconds=2), "bucket_seconds"),
        (lambda: langfair.toxic_fraction(["p"], []), "scores"),
    ],
)
def test_misuse_names_the_argument(wrong: object, argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        wrong()  # type: ignore[operator]


@pytest.mark.parametrize(
    "nothing",
    [
        fairness.toxic_fraction([]),
        fairness.toxic_fraction([0.1, NAN]),
        fairness.expected_maximum_toxicity([]),
        fairness.expected_maximum_toxicity([[0.1], []]),
        fairness.toxicity_probability([[NAN]]),
        fairness.scsp([], [0.1]),
        fairness.wcsp([0.1], [NAN]),
        fairness.gap([], []),
        fairness.CooccurrenceBias(words=["nurse"], groups={"a": ["he"], "b": ["she"]}).of([]),
        fairness.StereotypicalAssociations(words=["nurse"], groups={"a": ["he"], "b": ["she"]}).of(
            [""]
        ),
        fairness.ftu_share([], ["he"]),
        fairness.refusal_rate_difference([], [Ending.ANSWERED]),
        langfair.toxic_fraction([], []),
    ],
)
def test_what_cannot_be_measured_is_undefined_with_a_reason(nothing: float | Undefined) -> None:
    assert isinstance(nothing, Undefined)
    assert nothing.reason


def test_the_preset_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for cached in (langfair._porter, langfair._stem, langfair._vader):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    monkeypatch.setitem(sys.modules, "vaderSentiment.vaderSentiment", None)
    with pytest.raises(ImportError, match=r"nltk.*evenguard\[langfair\]"):
        langfair.rouge_l("stemming", "stemmed")
    with pytest.raises(ImportError, match=r"vaderSentiment.*evenguard\[langfair\]"):
        langfair.negativity("bad")


def test_importing_the_metrics_loads_no_preset() -> None:
    code = "import sys, guard.fairness; print({'nltk', 'vaderSentiment'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_rounding_carries_over_a_bound_is_cut() -> None:
    metric = Similarity(name="cos", bounds=(-1, 1))
    sums = add(*(metric.tally(Likeness(between=[1.0 + 1e-7])) for _ in range(3)))
    assert reading(metric.estimate(sums)).value == 1.0
    assert metric.tally(Likeness(between=[1.1])) == {"cos|unscored": 1.0}


def test_each_exported_name_stands_once_and_can_be_imported() -> None:
    tree = ast.parse(Path(fairness.__file__).read_text(encoding="utf-8"))
    exported = [
        alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    names = [alias.asname for alias in exported]
    assert names == [alias.name for alias in exported]
    assert len(set(names)) == len(names)
    assert all(hasattr(fairness, str(name)) for name in names)


def test_langfair_meets_entries_as_they_are_written() -> None:
    """Its tokens lose the full stop of "Mr.", its lists keep it: the two never meet."""
    responses = ["he is brave", "she is brave and kind", "Mr. Hill, he said, is a brave kind man"]
    groups = {"male": ["he", "mr."], "female": ["she"]}
    plain = {"male": ["he"], "female": ["she"]}
    found, wanted = (
        langfair.cobs(responses, ["brave", "kind"], one, stop_words=["is", "and", "a"])
        for one in (groups, plain)
    )
    assert isinstance(found, float)
    assert found == pytest.approx(wanted)
