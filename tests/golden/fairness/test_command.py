"""Golden numbers out of `guard assess` itself: files in, files out.

`--preset langfair` gives every value of LangFair's own functions that can be given to a command,
but for the departures that docs/assess.md lists; the numbers of FairPair, FiSCo and CAIRO come from
the commands of those names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from guard.cli.main import main

HERE = Path(__file__).parent
LANGFAIR = ("--preset", "langfair")
PARITIES = {
    "PredictedPrevalenceRateParity": "demographic_parity",
    "FalseNegativeRateParity": "false_negative_rate",
    "FalseOmissionRateParity": "false_omission_rate",
    "FalsePositiveRateParity": "false_positive_rate",
    "FalseDiscoveryRateParity": "false_discovery_rate",
}
Row = Mapping[str, object]
Claim = tuple[str, float, float]


def golden(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


class Command:
    """`guard assess` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = 0

    def file(self, rows: Sequence[Row]) -> Path:
        self.runs += 1
        path = self.folder / f"{self.runs}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    def run(self, *arguments: object) -> None:
        found = CliRunner().invoke(main, ["assess", *map(str, arguments)])
        assert found.exit_code == 0, found.output

    def metrics(self, rows: Sequence[Row], *options: object) -> dict[tuple[str, str], float]:
        """(metric, attribute) to its value."""
        data, out = self.file(rows), self.folder / f"out-{self.runs}"
        self.run("--use-case", "golden", "--prompts", data, "--out", out, *options)
        found = json.loads((out / "results.json").read_text())["metrics"]
        return {
            (one["metric"], one["attribute"]): one["reading"]["value"]
            for one in found
            if one["reading"] is not None
        }

    def paper(self, name: str, rows: Sequence[Row], *options: object) -> Any:
        data, out = self.file(rows), self.folder / f"out-{self.runs}"
        self.run(name, data, "--out", out, *options)
        return json.loads((out / f"{name}.json").read_text())


def of_pairs(pairs: Sequence[Row], field: str) -> list[Row]:
    """Each pair under an attribute of its own, so that it has a value of its own; twice, since one
    observation has no interval and hence no value."""
    return [
        {"pair": f"{n}-{time}", "attribute": f"case{n}", "group": side, field: pair[side]}
        for n, pair in enumerate(pairs)
        for time in (1, 2)
        for side in ("a", "b")
    ]


def classification(command: Command) -> Iterator[Claim]:
    for case in golden("classification"):
        columns = zip(case["groups"], case["y_pred"], case["y_true"], strict=True)
        rows = [{"group": g, "prediction": p, "label": y} for g, p, y in columns]
        names = ",".join(PARITIES.values())
        found = command.metrics(rows, *LANGFAIR, "--metrics", names, "--positive", "1")
        for theirs, ours in PARITIES.items():
            yield theirs, found[ours, "group"], case["diff"][theirs]
            yield theirs, found[f"{ours}_ratio", "group"], case["ratio"][theirs]


def generation(command: Command) -> Iterator[Claim]:
    for case in golden("classifier_metrics"):
        rows = sorted(zip(case["prompt"], case["score"], strict=True))
        prompts = [
            {"prompt": prompt, "scores": {"toxicity": [score for _, score in found]}}
            for prompt, found in groupby(rows, key=lambda row: row[0])
        ]
        for threshold in ("0.3", "0.5"):
            found = command.metrics(prompts, *LANGFAIR, "--threshold", threshold)
            ending = f"strict_gt_thr{threshold}"
            yield "TF", found["toxic_fraction", ""], case[f"TF_perprompt_{ending}"]
            yield "TP", found["toxicity_probability", ""], case[f"TP_{ending}"]
            worst = found["expected_maximum_toxicity", ""]
            yield "EM", worst, case[f"EM_thr{threshold}"]


def counterfactual(command: Command) -> Iterator[Claim]:
    file = golden("counterfactual")
    for pairs, told in ((file["pairs"], "langfair"), (file["neutralised"], "")):
        found = command.metrics(of_pairs(pairs, "response"), *LANGFAIR)
        for n, pair in enumerate(pairs):
            theirs = pair[told] if told else pair
            yield f"ROUGE-L {n}", found["crouge_l", f"case{n}"], theirs["rougeL"]
            yield f"BLEU {n}", found["cbleu", f"case{n}"], theirs["bleu"]


def sentiment(command: Command) -> Iterator[Claim]:
    file = golden("counterfactual")
    rows = [{**row, "attribute": "all"} for row in of_pairs(file["pairs"], "response")]
    found = command.metrics(rows, *LANGFAIR, "--sentiment-threshold", 0.05)
    theirs = file["sentiment_over_all_pairs"]
    yield "SCSP", found["scsp", "all"], theirs["strict_langfair"]
    yield "SCSP", found["scsp", "all"], theirs["strict_scipy_wasserstein"]
    yield "WCSP", found["wcsp", "all"], theirs["weak_paper_absolute_threshold_0.05"]


def stereotype(command: Command) -> Iterator[Claim]:
    file, lists = golden("stereotype"), golden("langfair_words")
    rows = [{"id": n, "response": text} for n, text in enumerate(file["responses"])]
    path = command.folder / "words.json"
    for name, theirs in file["langfair"].items():
        for metric, words in (("cobs", name), ("stereotypical_associations", f"{name}_sa")):
            made = {"words": lists[words], "groups": {"gender": lists["groups"]}}
            path.write_text(json.dumps({**made, "stop_words": lists["stop_words"]}))
            found = command.metrics(rows, *LANGFAIR, "--metrics", metric, "--words", path)
            yield metric, found[metric, "gender"], theirs["COBS" if metric == "cobs" else "SA"]


def recommendation(command: Command) -> Iterator[Claim]:
    cases = golden("recommendation")
    found = command.metrics(of_pairs(cases, "items"), *LANGFAIR)
    for n, case in enumerate(cases):
        about, size = f"case{n}", max(len(case["a"]), len(case["b"]))
        yield f"Jaccard {n}", found["jaccard_k", about], case["coded"]["Jaccard"]
        yield f"SERP {n}", found["serp_k", about], case["paper"]["SERP"]
        if size > 1:
            yield f"PRAG {n}", found["prag_k", about], case["paper"]["PRAG"]
            coded = min(case["coded"]["PRAG_ab"], case["coded"]["PRAG_ba"])
            yield f"PRAG {n}", found["prag_k", about], coded


def prag(command: Command) -> Iterator[Claim]:
    cases = golden("recommendation")
    found = command.metrics(of_pairs(cases, "items"))
    for n, case in enumerate(cases):
        size = max(len(case["a"]), len(case["b"]))
        if size > 1:
            whole = size * (size + 1) / (size * (size - 1) / 2)
            yield f"PRAG {n}", found["prag_k", f"case{n}"], case["paper"]["PRAG"] * whole


def fairpair(command: Command) -> Iterator[Claim]:
    cases = golden("fairpair")
    rows = [
        {
            "question": n,
            "groups": ["female"] * case["n"] + ["male"] * case["n"],
            "dissimilarities": case["phi_matrix"],
        }
        for n, case in enumerate(cases)
    ]
    found = command.paper("fairpair", rows)["findings"]
    for case, one in zip(cases, found, strict=True):
        names = {"bias": "B", "v_gp": "V_gp", "v_pg": "V_pg", "f": "F"}
        for ours, theirs in names.items():
            yield ours, one[ours], case[theirs]


def fisco(command: Command) -> Iterator[Claim]:
    cases = golden("fisco_stats")
    rows = []
    for case in cases:
        sums = zip(case["score_sum"], case["claim_counts"], strict=True)
        labels = [[[s, n - s, 0] for s, n in zip(*row, strict=True)] for row in sums]
        rows.append({"groups": ["a"] * case["k"] + ["b"] * case["k"], "labels": labels})
    found = command.paper("fisco", rows, "--claims")["findings"]
    for case, one in zip(cases, found, strict=True):
        yield "t", one["welch_t"], case["t_intra_minus_inter"]
        yield "p", one["welch_p"], case["p_two_sided"]


def cairo(command: Command) -> Iterator[Claim]:
    file = golden("cairo")
    original = "original_prompts"
    rows = [
        {
            "metric": metric,
            "model": model,
            "paraphrase": "" if title == original else title,
            "template": prompt.split("-")[1],
            "group": subgroup,
            "scores": {"toxicity": [score]},
        }
        for metric, model, _, title, prompt, _, score, subgroup in file["rows"]
    ]
    paper = command.paper("cairo", rows, "--size", 1, "--draws", 9)
    coded = command.paper("cairo", rows, "--size", 1, "--draws", 9, "--code")
    for found, theirs in ((paper, file["bias_eq1"]), (coded, file["bias_as_coded"])):
        for one in found["biases"]:
            name = f"{one['metric']}|{one['model']}|{one['paraphrase'] or original}"
            yield name, one["bias"], theirs.get(name, one["bias"])
    for case in file["selection"]:
        options = ("--size", case["num_prompts"], "--draws", 9, "--code")
        (pair,) = command.paper("cairo", rows, *options)["pairs"]
        wanted, found = case["as_coded_same_combo_for_both_metrics"], pair["in_sample"]
        yield "r", found["r"], wanted["r"]
        yield "p", found["p_value"], wanted["p"]
        yield "mean r", found["mean_r"], wanted["average_r"]


@pytest.mark.parametrize(
    ("claims", "count"),
    [
        (classification, 250),
        (generation, 60),
        (counterfactual, 296),
        (sentiment, 3),
        (stereotype, 4),
        (recommendation, 142),
        (prag, 31),
        (fairpair, 48),
        (fisco, 18),
        (cairo, 132),
    ],
)
def test_golden_numbers_through_the_command(tmp_path: Path, claims: Any, count: int) -> None:
    found = list(claims(Command(tmp_path)))
    assert len(found) == count
    wrong = [one for one in found if not abs(one[1] - one[2]) <= 1e-9]
    assert wrong == []
