"""FairPair of dissimilarities that are given: what is read, decided and refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from guard.assessment.fairpair_run import FairPairResults, read_fairpair
from guard.assessment.results import Provenance
from guard.errors import AssessmentInputError
from guard.render.fairpair_markdown import fairpair_markdown

GROUPS = ["f"] * 4 + ["m"] * 4


def apart(across: float, inside: float) -> list[list[float]]:
    return [
        [0.0 if i == j else (inside if (i < 4) == (j < 4) else across) for j in range(8)]
        for i in range(8)
    ]


def found(folder: Path, *lines: Mapping[str, object] | str) -> FairPairResults:
    path = folder / "rows.jsonl"
    texts = (one if isinstance(one, str) else json.dumps(one) for one in lines)
    path.write_text("".join(f"{text}\n" for text in texts))
    return read_fairpair(path, seed=0, provenance=Provenance())


def test_each_question_has_its_figures_and_all_have_one(tmp_path: Path) -> None:
    rows = [
        {"question": f"q{n}", "groups": GROUPS, "dissimilarities": apart(0.8 + n % 3 / 100, 0.2)}
        for n in range(40)
    ]
    results = found(tmp_path, *rows)
    one = results.findings[0]
    assert (one.bias, one.v_gp, one.v_pg) == (pytest.approx(0.8), *[pytest.approx(0.2)] * 2)
    assert one.f == pytest.approx(16.0)
    assert one.p_value == pytest.approx(2 / 70)
    assert one.p_adjusted == 1.0
    assert results.f is not None
    assert results.f.value == pytest.approx(16.4, abs=0.1)
    page = fairpair_markdown(results)
    assert "40 questions; F of their means: 16." in page
    assert "| q0 | f and m | 8 | 0.8 | 0.2, 0.2 | 16 | 0.0286 | 1 |" in page


def test_what_has_no_figure_says_why(tmp_path: Path) -> None:
    row = {"groups": ["f", "m"], "dissimilarities": [[0, 1], [1, 0]]}
    (one,) = found(tmp_path, row).findings
    assert (one.question, one.f) == ("rows.jsonl:1", None)
    assert "fewer than two replies" in one.undefined
    still = {"groups": GROUPS, "dissimilarities": apart(0.5, 0.0)}
    (one,) = found(tmp_path, still).findings
    assert (one.bias, one.f) == (0.5, None)
    assert one.undefined


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "rows.jsonl:1: "),
        ({"groups": ["f"]}, 'rows.jsonl:1: expected "dissimilarities" to be a list'),
        ({"groups": ["f", "m"], "dissimilarities": [[0]]}, "2 groups for 1 rows"),
        ({"groups": ["f", "m", "f"], "dissimilarities": [[0]] * 3}, "all replies of one before"),
        ({"groups": ["f", "f"], "dissimilarities": [[0]] * 2}, "groups: expected two"),
        ({"groups": ["f", "m"], "dissimilarities": [["x"], [1]]}, "rows.jsonl:1: "),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: Mapping[str, object] | str, told: str) -> None:
    with pytest.raises(AssessmentInputError, match=told):
        found(tmp_path, line)


def test_a_file_that_is_empty_or_missing_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(AssessmentInputError, match="is empty"):
        found(tmp_path)
    with pytest.raises(AssessmentInputError, match="cannot read"):
        read_fairpair(tmp_path / "none", seed=0, provenance=Provenance())
