"""What is kept of every guarded call: its sums, a case where a rule fired, a job where sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from guard.counterfactual import sampled
from guard.fairness import response_tally
from guard.fairness.catalogue import SHADOW_RESULTS, policy_tally, result_tally
from guard.fairness.tally import merged
from guard.ports import Clock
from guard.records import Case, Head, Job, Outcome, Posting, TextKind, Unscored, Verdict
from guard.shadow.cases import CaseContext, unchanged
from guard.shadow.daily_texts import DailyTexts
from guard.shadow.examples import DailyExamples, candidate_sums, example_case, no_epoch
from guard.shadow.job_payload import ROLES, ShadowJob, job_of

_VALUE_CHARACTERS: Final = 24
"""Of a decimal, or of another value."""
Keep = Callable[[Job | Posting | Case], bool]
SHADOWED_CHARACTERS: Final = 200_000
"""Of a conversation, its reply and its parameters; a longer call is not asked again: jobs and the
cases of pairs hold all of it, several times over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Which calls of a use case are shadowed. share: in [0, 1]. key: of the hash, secret."""

    share: float
    key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecorder:
    """An observer. Nothing here waits: `keep` takes a record or drops it, and counts that itself.

    samplings: by use case; those that are not in it are not shadowed. reviewers: votes wanted on a
    case of a use case. versions: of what made the scores. clock: Unix seconds. kept_text: what
    cases keep of a text; jobs have it whole, until they are done. rule_scores: for which a
    use case has rules. candidate_epoch: of a use case, the name under which the decisions of its
    candidate policy are counted; empty for none. examples: how many replies are kept for it.
    texts: how much of the texts of replies is kept in cases.
    """

    keep: Keep
    heads: Mapping[str, Head]
    samplings: Mapping[str, Sampling]
    versions: Mapping[str, str]
    reviewers: Callable[[str], int]
    clock: Clock
    kept_text: Callable[[str], str] = unchanged
    rule_scores: Callable[[str], Iterable[str]] = lambda _: ()
    candidate_epoch: Callable[[str], str] = no_epoch
    examples: DailyExamples = field(default_factory=DailyExamples)
    texts: DailyTexts = field(default_factory=DailyTexts)

    def outcome(self, outcome: Outcome) -> None:
        """A guarded call ended."""
        for record in self.records(outcome):
            self.keep(record)

    def records(self, outcome: Outcome, *, final: bool = True) -> Iterator[Job | Posting | Case]:
        """What is kept of it; nothing of a text that is no reply.

        final: False where more of the reply may come: then it is no example of its day.
        """
        if outcome.call.kind is not TextKind.REPLY:
            return
        now, use_case = self.clock(), outcome.call.use_case
        by_paper = response_tally(outcome.assessment, self.heads)
        counted = merged((by_paper, policy_tally(self._met(outcome))))
        left_alone = self._left_alone(outcome)
        results = {SHADOW_RESULTS: result_tally({("", left_alone): 1})} if left_alone else {}
        epoch = self.candidate_epoch(use_case) if outcome.candidate else ""
        evidence = results | candidate_sums(outcome, epoch)
        yield Posting(use_case=use_case, at_seconds=now, sums=counted, evidence=evidence)
        yield from self._cases(outcome, epoch if final else "", now, final=final)
        if left_alone == "":
            yield job_of(_shadow(outcome), offered_at=now)

    def upstream_error(self, use_case: str) -> None:
        """There is no reply to keep anything of."""

    def _cases(self, outcome: Outcome, epoch: str, now: float, *, final: bool) -> Iterator[Case]:
        use_case = outcome.call.use_case
        context = CaseContext(
            use_case=use_case,
            at_seconds=now,
            versions=self.versions,
            reviewers=self.reviewers(use_case),
            kept_text=self.kept_text,
        )
        if case := self.texts.case(outcome, context, final=final):
            yield case
        admitted = epoch and self.examples.admit(outcome, now)
        if admitted and (example := example_case(outcome, context, epoch)):
            yield example

    def _met(self, outcome: Outcome) -> Mapping[str, bool | None]:
        """By score, whether a rule for it was met; None where the reply has no such score."""
        fired = {one.score for one in outcome.fired}
        scored = outcome.assessment.value
        return {
            score: score in fired if score in fired or scored(score) is not None else None
            for score in self.rule_scores(outcome.call.use_case)
        }

    def _left_alone(self, outcome: Outcome) -> str | None:
        """Why a call gets no shadow: None when it is not sampled, empty when it gets one."""
        call = outcome.call
        sampling = self.samplings.get(call.use_case)
        if sampling is None or not sampled(call.id, sampling.key, sampling.share):
            return None
        if call.never_shadowed:
            return call.never_shadowed
        if call.lane is None:
            return "nobody_to_ask"
        if not call.turns or any(turn.role not in ROLES for turn in call.turns):
            return "not_text"
        turns = [turn.content for turn in call.turns]
        is_kept = _is_short(SHADOWED_CHARACTERS, outcome.reply, turns, call.parameters)
        return "" if is_kept else "too_long"


def _is_short(most: int, *values: object) -> bool:
    """Whether all texts, keys, numbers and other values in them are at most so many characters. No
    more is looked at than that."""
    left: list[object] = [*values]
    size = 0
    while left and size <= most:
        match left.pop():
            case str() as text:
                size += len(text)
            case Mapping() as found:
                left.extend(found.keys())
                left.extend(found.values())
            case list() | tuple() as found:
                size += len(found)
                left.extend(found)
            case int() as number:
                size += 1 + number.bit_length() // 3
            case _:
                size += _VALUE_CHARACTERS
    return size <= most


def _shadow(outcome: Outcome) -> ShadowJob:
    call = outcome.call
    return ShadowJob(
        call_id=call.id,
        use_case=call.use_case,
        lane=str(call.lane),
        turns=call.turns,
        reply=_whole_reply(outcome),
        parameters=call.parameters,
        as_messages=call.as_messages,
        trace_parent=call.trace_parent,
    )


def _whole_reply(outcome: Outcome) -> str | None:
    """What the model said at first, if all of it was read, whatever policy made of it."""
    unread = (
        outcome.partial
        or outcome.structured
        or outcome.assessment.reason in {Unscored.ABANDONED, Unscored.NOT_TEXT, Unscored.OFF}
    )
    regenerated = outcome.attempts > 1 and outcome.verdict is not Verdict.BLOCKED
    return None if unread or regenerated or not outcome.reply else outcome.reply
