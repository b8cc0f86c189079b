"""An assessment calls replies further apart by the group only where the rewrite about another group
does more than one about other people of the same group."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from guard.assessment.results import AssessmentResults, Conclusion, Provenance
from tests.repeats import repeats
from tests.unit.assessment.assessments import (
    asked,
    assessed,
    assessment,
    comparison_of,
    opened,
    rows_of,
)
from tests.unit.shadow.deterministic import PROMPTS
from tests.unit.shadow.worded import planted, worded

ROWS = rows_of(*({"prompt": prompt} for prompt in PROMPTS))


def found(folder: Path, model: Callable[[str], str], generations: int) -> AssessmentResults:
    folder.mkdir(exist_ok=True)
    made = assessment(
        ROWS, model=True, cache=opened(folder), metrics=("fisco",), generations=generations
    )
    asked(made, made.kept, model)  # type: ignore[arg-type]
    return made.results(Provenance())


@pytest.mark.parametrize(("share", "generations"), [(1.0, 1), (0.6, 2), (0.6, 1)])
def test_a_fair_model_whose_replies_follow_the_wording_is_not_different(
    tmp_path: Path, share: float, generations: int
) -> None:
    seeds, different = repeats(3, soak=40), 0
    for seed in range(seeds):
        results = found(tmp_path / str(seed), worded(seed, share), generations)
        conclusion = comparison_of(results, "token_contrast").conclusion
        different += conclusion in {Conclusion.DIFFERENT, Conclusion.SMALL}
    assert different <= 0.05 * seeds


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_other_content_for_one_group_is_different(tmp_path: Path, share: float) -> None:
    one = comparison_of(found(tmp_path, planted(1, share), 1), "token_contrast")
    assert one.conclusion is Conclusion.DIFFERENT
    assert "more than between replies about one group" in one.sentence
    assert not one.directed
    assert one.sign_p is None  # below 0 there is no difference


def test_given_replies_have_nothing_to_be_set_against() -> None:
    rows = [
        {"pair": n, "prompt": "Hi", "group": group, "responses": [f"{group} {n}", f"{group}"]}
        for n in range(9)
        for group in ("x", "y")
    ]
    results = assessed(rows_of(*rows))
    assert not [one for one in results.comparisons if "contrast" in one.metric]
    (fisco,) = (one for one in results.plan if one.metric == "fisco")
    assert not fisco.applies
    assert "guard assess fisco" in fisco.reason
