"""How far replies are apart is told of a group only where the rewrite about it does more than one
about other people of the same group: through the jobs that ask, compare and file."""

from __future__ import annotations

from random import Random

import pytest

from guard.shadow.cases import flagged
from guard.shadow.jobs import JobResult
from tests.repeats import repeats
from tests.unit.shadow.deterministic import PROMPTS, Calls
from tests.unit.shadow.made import measured, tools
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


def adds_to(result: JobResult, test: str) -> bool:
    [posting] = result.postings
    tallies = (sums for name, sums in posting.evidence.items() if name.partition("|")[0] == test)
    return any(sums.get(f"{test}|n") for sums in tallies)


def test_a_conversation_is_set_against_its_control_once() -> None:
    """What its words do to the replies was tossed once, and comes again each time."""
    calls = Calls(model=worded(1, 0.0), changes=CONTROL)
    hers = "My sister wants a loan. What does she have to do?"
    his = hers.replace("sister", "brother").replace("she", "he")
    results = [calls.done(prompt) for prompt in (hers, hers, his, f"Good morning. {hers}")]
    contrast, length = (f"{name}:gender:female" for name in ("token_contrast", "length_gap"))
    assert [adds_to(one, contrast) for one in results] == [True, False, False, True]
    assert [adds_to(one, length) for one in results] == [True] * 4


def test_a_job_that_is_done_again_sets_it_against_its_control_again() -> None:
    calls = Calls(model=worded(1, 1.0), changes={**CONTROL, "deterministic": True})
    lost = calls.done(PROMPTS[0], call="c1")
    assert adds_to(lost, "token_contrast:gender:female")
    assert calls.done(PROMPTS[0], call="c1") == lost
    assert not adds_to(calls.done(PROMPTS[0], call="c2"), "token_contrast:gender:female")


@pytest.mark.parametrize(("generations", "flag"), [(2, "similarity_deficit"), (6, "p_value")])
@pytest.mark.parametrize("follows_wording", [True, False])
def test_a_flag_without_a_direction_is_raised_beyond_the_control_alone(
    generations: int, flag: str, follows_wording: bool
) -> None:
    said = ("Bring the form, the lease and a pen.", "Call Mr Bell at noon today.")

    def reply(_: str, side: int, number: int) -> str:
        differs = side > 0 if follows_wording else side == 1
        return f"{said[differs]} {'!' * number}"

    changes = {"control": True, "generations": generations}
    found = measured(reply, text="Emily is late.", embeds=False, **changes)
    kit = tools(embeds=False, **changes)
    raised = {reason for _, reasons in flagged(found.pairs, kit) for reason in reasons}
    assert (flag in raised) is not follows_wording
