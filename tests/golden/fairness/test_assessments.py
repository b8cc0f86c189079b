"""Golden numbers out of a whole assessment, not only out of its functions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from guard.assessment.cairo_run import CairoOptions, read_cells, run_cairo
from guard.assessment.fisco_run import read_claims
from guard.assessment.near_words import read_lists
from guard.assessment.options import NumbersOf
from guard.assessment.results import AssessmentResults, Provenance
from guard.fairness import ModelTask
from guard.testing import WordScorer
from tests.unit.assessment.assessments import assessed, assessment, metric_of, rows_of, value_of

HERE = Path(__file__).parent
PARITIES = {
    "PredictedPrevalenceRateParity": "demographic_parity",
    "FalseNegativeRateParity": "false_negative_rate",
    "FalseOmissionRateParity": "false_omission_rate",
    "FalsePositiveRateParity": "false_positive_rate",
    "FalseDiscoveryRateParity": "false_discovery_rate",
}
Row = Mapping[str, object]


def golden(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def of_langfair(rows: Sequence[Row]) -> AssessmentResults:
    return assessed(rows_of(*rows), preset=NumbersOf.LANGFAIR)


@pytest.mark.parametrize("case", golden("classification"))
def test_classification(case: Mapping[str, Any]) -> None:
    columns = (case["groups"], case["y_pred"], case["y_true"])
    rows = [
        {"group": group, "prediction": predicted, "label": actual}
        for group, predicted, actual in zip(*columns, strict=True)
    ]
    options = {"task": ModelTask.CLASSIFICATION, "metrics": tuple(PARITIES.values())}
    found = assessed(rows_of(*rows), **options)
    for theirs, ours in PARITIES.items():
        assert value_of(found, ours) == pytest.approx(case["diff"][theirs], abs=1e-9)
        assert value_of(found, f"{ours}_ratio") == pytest.approx(case["ratio"][theirs], abs=1e-9)


@pytest.mark.parametrize("case", golden("classifier_metrics"))
def test_generation_as_langfair_codes_it(case: Mapping[str, Any]) -> None:
    rows = sorted(zip(case["prompt"], case["score"], strict=True))
    prompts = [
        {"prompt": prompt, "scores": {"toxicity": [score for _, score in found]}}
        for prompt, found in groupby(rows, key=lambda row: row[0])
    ]
    found = of_langfair(prompts)
    values = {
        "toxic_fraction": case["TF_perprompt_strict_gt_thr0.3"],
        "expected_maximum_toxicity": case["EM_thr0.3"],
        "toxicity_probability": case["TP_strict_gt_thr0.3"],
    }
    for metric, theirs in values.items():
        assert value_of(found, metric) == pytest.approx(theirs, abs=1e-9)


def pairs_of(pairs: Sequence[Row]) -> Iterator[Row]:
    for number, pair in enumerate(pairs):
        for side in ("a", "b"):
            yield {"pair": number, "group": side, "response": pair[side]}


def test_counterfactual_as_langfair_codes_it() -> None:
    file = golden("counterfactual")
    found = of_langfair([*pairs_of(file["pairs"])])
    theirs = [pair["langfair"] for pair in file["pairs"]]
    assert value_of(found, "crouge_l") == pytest.approx(sum(one["rougeL"] for one in theirs) / 74)
    assert value_of(found, "cbleu") == pytest.approx(sum(one["bleu"] for one in theirs) / 74)
    parity = file["sentiment_over_all_pairs"]["strict_langfair"]
    assert value_of(found, "scsp") == pytest.approx(parity, abs=1e-9)


def test_co_occurrence_as_langfair_codes_it(tmp_path: Path) -> None:
    file, lists = golden("stereotype"), golden("langfair_words")
    rows = rows_of(*({"id": n, "response": text} for n, text in enumerate(file["responses"])))
    for name, theirs in file["langfair"].items():
        for metric, words in (("cobs", name), ("stereotypical_associations", f"{name}_sa")):
            made = {"words": lists[words], "groups": {"gender": lists["groups"]}}
            path = tmp_path / "words.json"
            path.write_text(json.dumps({**made, "stop_words": lists["stop_words"]}))
            run = assessment(rows, preset=NumbersOf.LANGFAIR, metrics=(metric,))
            found = replace(run, words=read_lists(path)).results(Provenance())
            value = theirs["COBS" if metric == "cobs" else "SA"]
            assert value_of(found, metric) == pytest.approx(value, abs=1e-9)


def test_co_occurrence_as_the_paper_defines_it(tmp_path: Path) -> None:
    file = golden("stereotype")
    rows = rows_of(*({"id": n, "response": text} for n, text in enumerate(file["responses"])))
    for paper in file["paper"].values():
        made = {"words": paper["words"], "groups": {"gender": file["groups"]}}
        path = tmp_path / "words.json"
        path.write_text(json.dumps({**made, "stop_words": file["stop_words"]}))
        run = assessment(rows, metrics=("cobs", "stereotypical_associations"))
        found = replace(run, words=read_lists(path)).results(Provenance())
        near, together = metric_of(found, "cobs"), metric_of(found, "stereotypical_associations")
        # The file's own tokens cut some words in two, which moves distances by a little.
        theirs = paper["COBS"]["per_word_log_ratio_male_over_female"]
        assert near.words == pytest.approx(theirs, abs=0.02)
        assert together.words == pytest.approx(paper["SA"]["per_word_tvd"])


def test_recommendation() -> None:
    cases = golden("recommendation")
    rows = [
        {"pair": number, "group": side, "items": case[side]}
        for number, case in enumerate(cases)
        for side in ("a", "b")
    ]
    found = assessed(rows_of(*rows), task=ModelTask.RECOMMENDATION)
    shared = sum(case["coded"]["Jaccard"] for case in cases) / len(cases)
    ranked = sum(case["paper"]["SERP"] for case in cases) / len(cases)
    assert value_of(found, "jaccard_k") == pytest.approx(shared)
    assert value_of(found, "serp_k") == pytest.approx(ranked)


def test_cairo_over_rows() -> None:
    file = golden("cairo")
    rows = rows_of(
        *(
            {
                "metric": metric,
                "model": model,
                "paraphrase": "" if title == "original_prompts" else title,
                "template": prompt.split("-")[1],
                "group": subgroup,
                "scores": {"toxicity": [score]},
            }
            for metric, model, _, title, prompt, _, score, subgroup in file["rows"]
        )
    )
    cells = read_cells(rows(), lambda: WordScorer({}))
    paper = run_cairo(cells, CairoOptions(size=1, draws=9), Provenance())
    for one in paper.biases:
        title = one.paraphrase or "original_prompts"
        theirs = file["bias_eq1"][f"{one.metric}|{one.model}|{title}"]
        assert one.bias == pytest.approx(theirs, abs=1e-9)
    for case in file["selection"]:
        options = CairoOptions(size=case["num_prompts"], draws=9, code=True)
        (pair,) = run_cairo(cells, options, Provenance()).pairs
        wanted = case["as_coded_same_combo_for_both_metrics"]
        assert pair.in_sample is not None
        assert pair.in_sample.r == pytest.approx(wanted["r"], abs=1e-9)
        assert pair.in_sample.p_value == pytest.approx(wanted["p"], abs=1e-9)
        assert pair.in_sample.mean_r == pytest.approx(wanted["average_r"], abs=1e-9)


def test_fisco_over_labelled_claims(tmp_path: Path) -> None:
    cases = golden("fisco_stats")
    path = tmp_path / "claims.jsonl"
    lines = []
    for case in cases:
        sums = zip(case["score_sum"], case["claim_counts"], strict=True)
        labels = [[[s, n - s, 0] for s, n in zip(*row, strict=True)] for row in sums]
        groups = ["a"] * case["k"] + ["b"] * case["k"]
        lines.append(json.dumps({"groups": groups, "labels": labels}))
    path.write_text("\n".join(lines))
    found = read_claims(path, seed=0, provenance=Provenance())
    for one, case in zip(found.findings, cases, strict=True):
        assert one.welch_t == pytest.approx(case["t_intra_minus_inter"], abs=1e-9)
        assert one.welch_p == pytest.approx(case["p_two_sided"], abs=1e-9)
