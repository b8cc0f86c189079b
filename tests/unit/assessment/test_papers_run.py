"""CAIRO and FiSCo over rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from random import Random

import pytest

from guard.assessment.cairo_run import CairoOptions, CairoResults, read_cells, run_cairo
from guard.assessment.fisco_run import FiscoResults, FiscoTools, read_claims, run_fisco
from guard.assessment.results import BadRow, Provenance
from guard.counterfactual import bundled
from guard.errors import AssessmentInputError
from guard.fairness import MeasuredReply
from guard.records import Ending
from guard.render.paper_markdown import cairo_markdown, fisco_markdown
from guard.testing import WordScorer
from tests.unit.assessment.assessments import SCORES, rows_of


def noise_rows(seed: int, models: int = 6) -> list[dict[str, object]]:
    draw = Random(seed)
    return [
        {
            "model": f"m{model}",
            "metric": metric,
            "template": f"t{template}",
            "group": group,
            "paraphrase": paraphrase,
            "scores": {"toxicity": [draw.random()]},
        }
        for model in range(models)
        for metric in ("A", "B")
        for template in range(4)
        for group in ("f", "m")
        for paraphrase in ("", "p1", "p2")
    ]


def cairo_of(rows: Sequence[dict[str, object]], **options: int) -> CairoResults:
    cells = read_cells(rows_of(*rows)(), lambda: WordScorer(SCORES))
    return run_cairo(cells, CairoOptions(draws=19, **options), Provenance())


def test_a_selected_correlation_never_comes_alone() -> None:
    found = cairo_of(noise_rows(1), size=2)
    (pair,) = found.pairs
    assert pair.selected is not None
    assert pair.in_sample is not None
    assert pair.held_out is not None
    assert pair.null_p is not None
    assert pair.null_p >= 1 / 20
    assert found.paraphrases == ("", "p1", "p2")
    assert len(found.biases) == 6 * 2 * 3
    text = cairo_markdown(found)
    assert "A selected correlation overfits" in text
    assert f"p = {pair.null_p:.3g}" in text


def test_fewer_than_three_models_have_no_correlation() -> None:
    (pair,) = cairo_of(noise_rows(2, models=2), size=1).pairs
    assert "fewer than three models" in pair.undefined
    assert "fewer than three models" in cairo_markdown(cairo_of(noise_rows(2, models=2), size=1))


def test_responses_are_scored_where_no_scores_are_given() -> None:
    row = {"model": "m", "metric": "A", "template": "t", "group": "f", "responses": ["bad", "fine"]}
    cells = read_cells(rows_of(row)(), lambda: WordScorer(SCORES))
    assert cells == {("A", "m", "", "t", "f"): pytest.approx(0.2)}


@pytest.mark.parametrize(
    ("rows", "options", "told"),
    [
        ([{"prompt": "p"}], {}, "made:1: CAIRO needs a 'model'"),
        (noise_rows(1)[:1], {}, "CAIRO compares metrics"),
    ],
)
def test_rows_that_cannot_be_are_said_so(
    rows: list[dict[str, object]], options: dict[str, int], told: str
) -> None:
    with pytest.raises(AssessmentInputError, match=told):
        cairo_of(rows, **options)


def prepared(texts: Sequence[str], attribute: str) -> list[MeasuredReply]:
    assert attribute == "gender"
    return [MeasuredReply(text=one, ending=Ending.ANSWERED, masked=one) for one in texts]


def fisco_of(
    *sides: tuple[str, Sequence[str]], questions: int = 1, tools: FiscoTools | None = None
) -> FiscoResults:
    rows = [
        {"pair": n, "attribute": "gender", "group": group, "responses": list(texts)}
        for n in range(questions)
        for group, texts in sides
    ]
    tools = tools or FiscoTools(prepare=prepared)
    return run_fisco(rows_of(*rows)(), tools, provenance=Provenance())


WORDS = ("one two three", "two three four", "one three four", "one two four", "two four five")
OTHER = ("six seven eight", "seven eight nine", "six eight nine", "six seven nine", "nine ten six")


def test_replies_that_differ_are_found_and_those_that_do_not_are_not() -> None:
    apart = fisco_of(("f", WORDS), ("m", OTHER), questions=3)
    alike = fisco_of(("f", WORDS), ("m", WORDS), questions=3)
    assert (apart.different("token"), alike.different("token")) == (3, 0)
    finding = apart.findings[0]
    assert finding.p_value == pytest.approx(2 / 252)
    assert finding.p_adjusted == pytest.approx(3 * 2 / 252)
    assert finding.welch_t is not None
    assert finding.welch_t > 0
    assert "- token: replies differ on 3 of 3" in fisco_markdown(apart)


def test_claims_are_labelled_where_they_are_asked_for() -> None:
    def labels(masked: Sequence[str]) -> list[list[list[int]]]:
        return [[[int(one == two), int(one != two), 0] for two in masked] for one in masked]

    tools = FiscoTools(prepare=prepared, forms=("claims",), label_claims=labels)
    apart = fisco_of(("f", ["one"] * 5), ("m", ["two"] * 5), tools=tools)
    assert {finding.form for finding in apart.findings} == {"claims"}
    assert apart.different("claims") == 1


def test_one_reply_a_side_cannot_be_tested_and_that_is_said() -> None:
    found = fisco_of(("f", WORDS[:1]), ("m", WORDS[:1]))
    assert found.findings[0].p_adjusted is None
    assert "1 not tested: one reply per side" in fisco_markdown(found)


def test_rows_without_groups_are_no_questions() -> None:
    with pytest.raises(AssessmentInputError, match="no question about two groups"):
        fisco_of(("f", WORDS))


def test_claims_are_read_with_care(tmp_path: Path) -> None:
    path = tmp_path / "claims.jsonl"
    for text, told in (
        ("", "it is empty"),
        ("{", "claims.jsonl:1: not JSON"),
        ('{"groups": 1}', "expected lists"),
        ('{"groups": ["a"], "labels": [[1]]}', "must be of shape n x n x 3"),
    ):
        path.write_text(text)
        with pytest.raises(AssessmentInputError, match=told):
            read_claims(path, seed=0, provenance=Provenance())


def test_rows_that_cannot_be_used_are_counted_and_named(tmp_path: Path) -> None:
    rows = [
        {"pair": 1, "attribute": "gender", "group": group, "responses": [*texts]}
        for group, texts in (("female", WORDS), ("male", OTHER))
    ]
    bad = BadRow(place="a:9", problem="no row")
    found = run_fisco(
        chain([bad], rows_of(*rows)()), FiscoTools(prepare=prepared), provenance=Provenance()
    )
    assert (found.questions, found.bad_rows, found.shown) == (1, 1, (bad,))
    assert "1 bad row" in fisco_markdown(found)
    path = tmp_path / "claims.jsonl"
    good = {"question": "q", "groups": ["f", "m"], "labels": [[[0, 0, 0]] * 2] * 2}
    path.write_text("{\n" + json.dumps(good) + "\n")
    claims = read_claims(path, seed=0, provenance=Provenance())
    assert (claims.questions, claims.bad_rows) == (1, 1)


def test_questions_about_one_group_are_counted_and_named() -> None:
    sides = [("q0", "f", WORDS), ("q0", "m", OTHER), ("qx", "m", OTHER), ("q1", "f", WORDS)]
    rows = [
        {"pair": pair, "attribute": "gender", "group": group, "responses": list(said)}
        for pair, group, said in [*sides, ("q1", "m", OTHER), ("q0", "m", OTHER)]
    ]
    rows += [{"group": "f", "responses": ["one"]}, {"pair": "qy", "responses": ["one"]}]
    tools = FiscoTools(prepare=prepared, forms=("token",))
    found = run_fisco(rows_of(*rows)(), tools, provenance=Provenance())
    assert (found.questions, found.bad_rows) == (2, 4)
    assert [(one.place, one.problem) for one in found.shown] == [
        ("made:3", "pair 'qx' has rows of the group 'm' alone: replies to two groups are compared"),
        (
            "made:6",
            "pair 'q0' stood at made:1 before: rows of one pair must stand one after the other to"
            " be compared",
        ),
        ("made:7", "a row needs a `pair`, the question that it answers"),
        ("made:8", "pair 'qy' has rows without a `group`: replies to two groups are compared"),
    ]
    assert "4 bad rows" in fisco_markdown(found)


def test_the_groups_tell_whose_words_are_masked() -> None:
    """Where rows do not say so themselves; and where nobody knows, that is told."""
    asked: list[str] = []

    def prepare(texts: Sequence[str], attribute: str) -> Sequence[MeasuredReply]:
        asked.append(attribute)
        return prepared(texts, "gender")

    rows = [
        {"pair": pair, "group": group, "responses": [*WORDS]}
        for pair, groups in ((1, ("female", "male")), (2, ("Tenants", "Owners")))
        for group in groups
    ]
    tools = FiscoTools(prepare=prepare, lexicons=bundled())
    found = run_fisco(rows_of(*rows)(), tools, provenance=Provenance())
    assert asked == ["gender", "group"]
    assert found.unmasked == 1
    assert "on 1 question words of groups are not masked" in fisco_markdown(found)
