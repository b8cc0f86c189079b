"""Every golden number of LangFair's families that METRICS claims, within 1e-9."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from guard import fairness
from guard.fairness import langfair
from guard.records import Undefined

HERE = Path(__file__).parent
TOLERANCE = 1e-9
PARITIES = {
    "PredictedPrevalenceRateParity": fairness.Rate.PREVALENCE,
    "FalseNegativeRateParity": fairness.Rate.FALSE_NEGATIVE,
    "FalseOmissionRateParity": fairness.Rate.FALSE_OMISSION,
    "FalsePositiveRateParity": fairness.Rate.FALSE_POSITIVE,
    "FalseDiscoveryRateParity": fairness.Rate.FALSE_DISCOVERY,
}
Claim = tuple[str, float | Undefined, float]


def golden(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def classification() -> Iterator[Claim]:
    for number, case in enumerate(golden("classification")):
        for kind, field in (("difference", "diff"), ("ratio", "ratio")):
            for theirs, ours in PARITIES.items():
                columns = [case["groups"], case["y_pred"]]
                columns += [] if ours is fairness.Rate.PREVALENCE else [case["y_true"]]
                found = fairness.parity(ours, *columns, kind=kind)
                yield f"{ours}_{kind} {number}", found, case[field][theirs]


def generation() -> Iterator[Claim]:
    for number, case in enumerate(golden("classifier_metrics")):
        sets = langfair.by_prompt(case["prompt"], case["score"])
        for threshold in (0.3, 0.5):
            per_prompt = langfair.toxic_fraction(case["prompt"], case["score"], threshold=threshold)
            probability = fairness.toxicity_probability(sets, threshold=threshold, strict=True)
            worst = fairness.expected_maximum_toxicity(sets)
            yield f"TF {number}", per_prompt, case[f"TF_perprompt_strict_gt_thr{threshold}"]
            yield f"TP {number}", probability, case[f"TP_strict_gt_thr{threshold}"]
            yield f"EM {number}", worst, case[f"EM_thr{threshold}"]
        pooled = fairness.toxic_fraction(case["score"], threshold=0.5, strict=True)
        yield f"pooled TF {number}", pooled, case["TF_pooled_thr0.5"]


def counterfactual() -> Iterator[Claim]:
    file = golden("counterfactual")
    for number, pair in enumerate(file["pairs"]):
        a, b, theirs = pair["a"], pair["b"], pair["langfair"]
        yield f"ROUGE-L {number}", langfair.rouge_l(a, b), theirs["rougeL"]
        yield f"BLEU {number}", langfair.bleu(a, b), theirs["bleu"]
        for side in ("a", "b"):
            for name, value in langfair.vader(pair[side]).items():
                yield f"VADER {name} {number}", value, pair["vader"][side][name]
    for number, pair in enumerate(file["neutralised"]):
        a, b = pair["a"], pair["b"]
        yield f"neutralised ROUGE-L {number}", langfair.rouge_l(a, b), pair["rougeL"]
        yield f"neutralised BLEU {number}", langfair.bleu(a, b), pair["bleu"]


def sentiment() -> Iterator[Claim]:
    file = golden("counterfactual")
    first, second = ([langfair.negativity(p[side]) for p in file["pairs"]] for side in ("a", "b"))
    over_all = file["sentiment_over_all_pairs"]
    yield "SCSP", fairness.scsp(first, second), over_all["strict_scipy_wasserstein"]
    yield "SCSP, LangFair's", fairness.scsp(first, second), over_all["strict_langfair"]
    weak = fairness.wcsp(first, second, threshold=0.05)
    yield "WCSP", weak, over_all["weak_paper_absolute_threshold_0.05"]


def recommendation() -> Iterator[Claim]:
    for number, case in enumerate(golden("recommendation")):
        a, b, coded, paper = case["a"], case["b"], case["coded"], case["paper"]
        yield f"Jaccard {number}", fairness.jaccard_k(a, b), coded["Jaccard"]
        yield f"Jaccard {number}", fairness.jaccard_k(b, a), coded["pairwise"]["Jaccard"]
        yield f"SERP {number}", fairness.serp_k(a, b), paper["SERP"]
        if len(a) > 1:
            found = fairness.prag_k(a, b, scale="paper")
            yield f"PRAG {number}", found, paper["PRAG"]
            yield f"PRAG {number}", found, min(coded["PRAG_ab"], coded["PRAG_ba"])


def stereotype() -> Iterator[Claim]:
    file = golden("stereotype")
    tokens, groups, stop_words = file["tokens"], file["groups"], file["stop_words"]
    for name, paper in file["paper"].items():
        words, theirs = paper["words"], paper["COBS"]
        logs = fairness.CooccurrenceBias(
            words=words, groups=groups, stop_words=stop_words
        ).of_each_word(tokens)
        mean = fairness.CooccurrenceBias(words=words, groups=groups, stop_words=stop_words).of(
            tokens
        )
        for word, value in theirs["per_word_log_ratio_male_over_female"].items():
            yield f"COBS {word}", logs[word], value
        yield f"COBS words {name}", len(logs), theirs["words_with_both_groups"]
        yield f"COBS {name}", mean, theirs["mean_over_words_with_both_groups"]
        distances = fairness.StereotypicalAssociations(words=words, groups=groups).of_each_word(
            tokens
        )
        mean = fairness.StereotypicalAssociations(words=words, groups=groups).of(tokens)
        for word, value in paper["SA"]["per_word_tvd"].items():
            yield f"SA {word}", distances[word], value
        yield f"SA words {name}", len(distances), paper["SA"]["words_seen"]
        yield f"SA {name}", mean, paper["SA"]["mean_over_words_seen"]


def stereotype_langfair() -> Iterator[Claim]:
    file, lists = golden("stereotype"), golden("langfair_words")
    groups, stop_words = lists["groups"], lists["stop_words"]
    for name, theirs in file["langfair"].items():
        near = langfair.cobs(file["responses"], lists[name], groups, stop_words=stop_words)
        together = langfair.stereotypical_associations(
            file["responses"], lists[f"{name}_sa"], groups
        )
        yield f"LangFair COBS {name}", near, theirs["COBS"]
        yield f"LangFair SA {name}", together, theirs["SA"]


@pytest.mark.parametrize(
    ("claims", "count"),
    [
        (classification, 250),
        (generation, 70),
        (counterfactual, 888),
        (sentiment, 3),
        (recommendation, 182),
        (stereotype, 60),
        (stereotype_langfair, 4),
    ],
)
def test_golden_numbers(claims: Any, count: int) -> None:
    found = list(claims())
    assert len(found) == count
    wrong = [
        (name, ours, theirs)
        for name, ours, theirs in found
        if isinstance(ours, Undefined) or not abs(ours - theirs) <= TOLERANCE
    ]
    assert wrong == []
