"""How far replies are apart is told of a group only where the rewrite about it does more than one
about other people of the same group: through the jobs that ask, compare and file."""

from __future__ import annotations

from random import Random

import pytest

from tests.repeats import repeats
from tests.unit.shadow.deterministic import PROMPTS, Calls
from tests.unit.shadow.worded import planted, worded

CONTROL = {"control": True}


def contrasts(calls: Calls) -> set[str]:
    return {test for test in calls.alarms() if "_contrast" in test}


@pytest.mark.parametrize("share", [1.0, 0.6, 0.0])
@pytest.mark.parametrize(("prompts", "times"), [(3, 20), (60, 1)])
def test_a_fair_model_whose_replies_follow_the_wording_raises_no_alarm(
    share: float, prompts: int, times: int
) -> None:
    seeds = repeats(3, soak=40)
    raised = 0
    for seed in range(seeds):
        calls = Calls(model=worded(seed, share), changes=CONTROL)
        calls.ask(*Random(seed).sample(PROMPTS, prompts) * times)
        raised += bool(contrasts(calls))
    assert raised <= 0.05 * seeds


@pytest.mark.parametrize("share", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("generations", [1, 2])
def test_other_content_for_one_group_is_found(share: float, generations: int) -> None:
    calls = Calls(model=planted(1, share), changes={**CONTROL, "generations": generations})
    calls.ask(*PROMPTS)
    assert "token_contrast:gender" in contrasts(calls)
