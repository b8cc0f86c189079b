"""Numbers of FairPair, FiSCo and CAIRO, computed elsewhere from the same data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from guard.fairness.cairo import bias_table, equation1, pooled, prompt_combinations, select
from guard.fairness.fairpair import FairPair, fairpair, fairpair_of_matrix
from guard.fairness.fisco import combined, inter_intra, welch
from guard.fairness.student import TTest

HERE = Path(__file__).parent
EXACT = 1e-9
TITLES = ["original_prompts", "P1_1", "P1_2", "P2_1", "P2_2"]

Pair = tuple[float, float]


def load(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def fairpair_values() -> Iterator[Pair]:
    for case in load("fairpair"):
        found = fairpair_of_matrix(case["phi_matrix"], case["n"])
        assert isinstance(found, FairPair)
        yield found.bias, case["B"]
        yield found.v_gp, case["V_gp"]
        yield found.v_pg, case["V_pg"]
        assert isinstance(found.f, float)
        yield found.f, case["F"]


def fisco_values() -> Iterator[Pair]:
    for case in load("fisco_stats"):
        inter, intra = inter_intra(combined(case["score_sum"], case["claim_counts"]), case["k"])
        assert (inter.size, intra.size) == (case["k"] ** 2, case["k"] * (case["k"] - 1))
        found = welch(intra, inter)
        assert isinstance(found, TTest)
        yield found.t, case["t_intra_minus_inter"]
        yield found.p_value, case["p_two_sided"]


def cairo_scores(metric: str) -> np.ndarray:
    """(models, prompt sets, templates, subgroups)."""
    scores = np.full((6, 5, 4, 3), np.nan)
    for name, model, _, title, prompt, _, score, group in load("cairo")["rows"]:
        if name == metric:
            at = int(model[1]), TITLES.index(title), int(prompt.split("-")[1]), int(group[1]) - 1
            scores[at] = score
    assert np.isfinite(scores).all()
    return scores


def cairo_biases() -> Iterator[Pair]:
    data, scores = load("cairo"), {metric: cairo_scores(metric) for metric in ("M1", "M2")}
    for name, value in data["bias_eq1"].items():
        metric, model, title = name.split("|")
        yield float(equation1(scores[metric][int(model[1]), TITLES.index(title)])), value
    for name, value in data["bias_as_coded"].items():
        metric, model, titles = name.split("|")
        sets = [tuple(sorted(TITLES.index(title) for title in titles.split("+")))]
        yield float(bias_table(scores[metric], sets, bias=pooled)[0, int(model[1])]), value


def cairo_selections() -> Iterator[Pair]:
    scores = {metric: cairo_scores(metric) for metric in ("M1", "M2")}
    for case in load("cairo")["selection"]:
        sets = prompt_combinations(5, case["num_prompts"])
        assert len(sets) == case["n_combos"]
        tables = [bias_table(one, sets, bias=pooled) for one in scores.values()]
        shared, paper = select(*tables, sets, shared=True), select(*tables, sets)
        wanted = case["as_coded_same_combo_for_both_metrics"]
        assert {TITLES[one] for one in shared.first} == set(wanted["prompts"])
        assert sets.index(shared.first) == wanted["sample"]
        yield from zip((shared.r, shared.p_value, shared.mean_r), _three(wanted), strict=True)
        wanted = case["paper_algorithm1_independent_combos"]
        assert [TITLES[one] for one in paper.first[1:]] == wanted["combo_m1"]
        assert [TITLES[one] for one in paper.second[1:]] == wanted["combo_m2"]
        yield from zip((paper.r, paper.p_value), (wanted["r"], wanted["p"]), strict=True)


def _three(wanted: dict[str, float]) -> tuple[float, float, float]:
    return wanted["r"], wanted["p"], wanted["average_r"]


@pytest.mark.parametrize(
    ("values", "count"),
    [(fairpair_values, 48), (fisco_values, 18), (cairo_biases, 480), (cairo_selections, 20)],
)
def test_every_number(values: Any, count: int) -> None:
    pairs = list(values())
    assert len(pairs) == count
    assert max(abs(found - wanted) for found, wanted in pairs) <= EXACT


def test_fairpair_of_replies_is_that_of_their_matrix() -> None:
    for case in load("fairpair"):
        replies, n = range(2 * case["n"]), case["n"]
        matrix = np.array(case["phi_matrix"])
        found = fairpair(replies[:n], replies[n:], lambda *pair, of=matrix: of[pair])
        assert found == fairpair_of_matrix(matrix, n)
