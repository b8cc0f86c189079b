"""A reply with an allowed phrase: how often it is scored, by when, and what the record says."""

from __future__ import annotations

from concurrent.futures import Future
from itertools import count

from guard.policy import Policy, Rule, allow_phrase
from guard.records import Action, Assessment, Unscored, Verdict
from guard.testing import Recorder, WordScorer, answered, wrap_with

POLICY = Policy(
    rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),),
    deadline_seconds=1.0,
    fallback="No.",
    allow=(allow_phrase("Empty the Trash"),),
)


class LateScorer(WordScorer):
    """Answers each text but the first `in_time` ones with a missed deadline.

    deadlines: what was left for each.
    """

    def __init__(self, in_time: int) -> None:
        super().__init__({"toxicity": {"trash": 0.95, "idiot": 0.97}})
        self.in_time = in_time
        self.deadlines: list[float | None] = []

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        self.deadlines.append(deadline_seconds)
        if len(self.deadlines) > self.in_time:
            return answered(Assessment(reason=Unscored.DEADLINE))
        return super().submit(text)


def check(reply: str, in_time: int = 100) -> tuple[str, Recorder, LateScorer]:
    scorer, seen, ticks = LateScorer(in_time), Recorder(), count()

    def clock() -> float:
        return next(ticks) * 0.25

    guarded = wrap_with(lambda: reply, policy=POLICY, scorer=scorer, observer=seen, clock=clock)
    return guarded(), seen, scorer


def test_the_record_keeps_the_scores_and_says_what_was_allowed() -> None:
    said, seen, scorer = check("Now empty the trash.")
    [outcome] = seen.outcomes
    assert said == "Now empty the trash."
    assert (outcome.verdict, outcome.allowed) == (Verdict.RELEASED, ("Empty the Trash",))
    assert outcome.assessment.value("toxicity") == 0.95
    assert scorer.texts == ["Now empty the trash.", "Now .", ""]


def test_scores_of_one_text_share_a_deadline() -> None:
    _, _, scorer = check("Now empty the trash.")
    assert scorer.deadlines == [1.0, 0.75, 0.5]


def test_without_a_second_score_in_time_the_first_one_stands() -> None:
    for in_time in (1, 2):
        said, seen, _ = check("Now empty the trash.", in_time)
        assert said == "No."
        assert seen.outcomes[0].allowed == ()


def test_what_fires_beside_the_phrase_blocks_without_a_second_score() -> None:
    said, seen, scorer = check("Empty the trash. Idiot.")
    assert said == "No."
    assert len(scorer.texts) == 1
    assert seen.outcomes[0].allowed == ()


def test_a_long_reply_that_is_held_whole_has_more_time_in_proportion() -> None:
    _, _, scorer = check("word " * 12_000)
    assert scorer.deadlines == [6.0]
