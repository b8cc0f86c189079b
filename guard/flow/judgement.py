"""What a policy makes of one text: by the fast scores, and by a second look where they act."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from guard.flow.second_look import (
    ReadRange,
    decide_again,
    heard_alone,
    join_scores,
    looked_for,
    passages_in_doubt,
    ranges_to_read,
    second_look,
)
from guard.flow.steps import Answer, ScoreText, Step
from guard.policy import (
    Decision,
    OnUnscored,
    Policy,
    Rescoring,
    decide,
    missing_score,
    offending,
    rescoring,
)
from guard.ports import Clock
from guard.records import Action, Assessment, Fired, Passage, SecondLook, Span, Unscored
from guard.text import merged


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A decision on a text and what it rests on.

    assessment: the fast scores. since: passages that end by this character were judged before and
    do not count. second: those of the second scorer for the ranges that it read;
    None where the fast scores decided. look: what came of asking it; None where it was not asked.
    """

    text: str = field(repr=False)
    assessment: Assessment
    decision: Decision
    since: int = 0
    second: Assessment | None = None
    look: SecondLook | None = None

    @property
    def fast_decision(self) -> Decision:
        """With the action that the fast scores asked for."""
        return (
            self.decision if self.look is None else replace(self.decision, action=self.look.action)
        )

    @property
    def may_change(self) -> bool:
        """Whether what fired stands at the end of the text, so that what follows may clear it."""
        if missing_score(self.assessment):
            return False
        ends = [span.end for action in Action for span in self.causes(action)]
        return not ends or not any(map(str.isalnum, self.text[max(ends) :]))

    def causes(self, action: Action, *, innermost: bool = False) -> tuple[Span, ...]:
        """The ranges to remove so that no rule that asks for `action` is met any more. innermost:
        as in `guard.policy.offending`."""
        by_second, by_fast = list[Fired](), list[Fired]()
        for one in self.decision.fired:
            if one.action is action:
                known = self.second is not None and one.score in self.second.scores
                (by_second if known else by_fast).append(one)
        counts = _after(self.since, self.assessment)
        second = offending(by_second, self.second, innermost=innermost) if self.second else ()
        return merged([*second, *offending(by_fast, counts, innermost=innermost)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A text to judge. since: as in `Judgement`. waiting: somebody waits for it, so that the
    deadline counts, for both looks together. began: when."""

    text: str = field(repr=False)
    began: float
    waiting: bool = True
    since: int = 0


@dataclass(frozen=True, slots=True)
class _Deadline:
    """When an answer must be there; due None is never."""

    clock: Clock
    due: float | None

    def left(self) -> float | None:
        return None if self.due is None else max(0.0, self.due - self.clock())


def judge(stretch: Stretch, policy: Policy, clock: Clock) -> Generator[Step, Answer, Judgement]:
    """Score a text, decide, and have the second scorer decide where that is called for."""
    limit = policy.deadline_of(stretch.text) if stretch.waiting else None
    deadline = _Deadline(clock, None if limit is None else stretch.began + limit)
    assessment = cast("Assessment", (yield ScoreText(stretch.text, limit)))
    if again := rescoring(policy, stretch.text, assessment):
        assessment = yield from _score_again(again, deadline)
    counts = _after(stretch.since, assessment)
    fast = Judgement(
        text=stretch.text,
        assessment=assessment,
        decision=decide(policy, counts),
        since=stretch.since,
    )
    withheld = missing_score(assessment) and policy.on_unscored is OnUnscored.WITHHOLD
    ranges = () if withheld else ranges_to_read(stretch.text, policy, counts)
    return (yield from _look_again(ranges, policy, fast, deadline)) if ranges else fast


def _score_again(again: Rescoring, deadline: _Deadline) -> Generator[Step, Answer, Assessment]:
    answers = list[Assessment]()
    for text in again.texts:
        answers.append(cast("Assessment", (yield ScoreText(text, deadline.left()))))
    return again.result(answers)


def _after(since: int, assessment: Assessment) -> Assessment:
    """Without the passages that were judged before."""
    if not since:
        return assessment
    allowance = assessment.allowance
    return replace(
        assessment,
        passages=_ending_after(since, assessment.passages),
        allowance=allowance
        and replace(allowance, passages=_ending_after(since, allowance.passages)),
    )


def _ending_after(since: int, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    return tuple(one for one in passages if one.span.end > since)


def _look_again(
    ranges: Sequence[Span], policy: Policy, fast: Judgement, deadline: _Deadline
) -> Generator[Step, Answer, Judgement]:
    """What stands after a second look; without an answer the fast decision does."""
    found, looked_at = list[ReadRange](), deadline.clock()
    counts = _after(fast.since, fast.assessment)
    causes = looked_for(policy, counts)
    for span in ranges:
        found.append((yield from _read_range(span, causes, policy, fast.text, deadline)))
        if missing_score(found[-1][1]):
            break
    ended = deadline.clock()
    if deadline.due is not None and ended > deadline.due:
        found[-1] = (found[-1][0], Assessment(reason=Unscored.DEADLINE))
    second = join_scores(found, causes)
    answered = not missing_score(second)
    decision = decide_again(policy, counts, second) if answered else None
    look = second_look(counts, fast.decision.action, found, decision)
    timed = replace(fast, look=replace(look, seconds=ended - looked_at))
    return timed if decision is None else replace(timed, decision=decision, second=second)


def _read_range(
    span: Span, causes: Sequence[Span], policy: Policy, text: str, deadline: _Deadline
) -> Generator[Step, Answer, ReadRange]:
    """What the second scorer says about a range; nothing where it did not read all it should."""
    found = yield from _read(span, text, deadline)
    alone = list[ReadRange]()
    for passage in passages_in_doubt(policy, found, causes):
        alone.append((yield from _read(passage, text, deadline)))
        if missing_score(alone[-1][1]):
            return span, alone[-1][1]
    return heard_alone(found, alone) if alone else found


def _read(span: Span, text: str, deadline: _Deadline) -> Generator[Step, Answer, ReadRange]:
    step = ScoreText(text[span.start : span.end], deadline.left(), second=True)
    return span, cast("Assessment", (yield step))
