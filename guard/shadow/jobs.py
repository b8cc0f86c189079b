"""Jobs of the shadow path: a sampled call as a job, and a job from its payload to what it adds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from guard.fairness import Tally
from guard.fairness.catalogue import SHADOW_RESULTS, result_tally
from guard.records import Ask, Case, Generated, Job, Posting, Turn
from guard.shadow.cases import CaseContext, pair_cases, unchanged
from guard.shadow.comparison import Instruments
from guard.shadow.measurement import Results, measure, plan_results, unaware_sums
from guard.shadow.monitor import EvidenceMonitor
from guard.shadow.plan import Plan, make_plan

VERSION = 1
_AS_MESSAGES = "as_messages"
ROLES = frozenset(("system", "user", "assistant"))


class UnreadableJobError(ValueError):
    """The payload of a job is not what this version writes; the message says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowJob:
    """One call to be asked again about other groups.

    reply: what the caller got; None where that is no reply to compare (withheld, unread).
    parameters: of the live call, in the words of the API; JSON values. as_messages: the callable
    that is asked takes a list of messages and not a text.
    """

    call_id: str
    use_case: str
    lane: str
    turns: tuple[Turn, ...]
    reply: str | None
    parameters: Mapping[str, object] = field(default_factory=dict)
    as_messages: bool = False


def job_of(shadow: ShadowJob, *, offered_at: float) -> Job:
    """The job for an inbox. Its key is the call's id: a call is shadowed once."""
    payload = {
        "version": VERSION,
        "turns": [[turn.role, turn.content] for turn in shadow.turns],
        "reply": shadow.reply,
        "parameters": dict(shadow.parameters),
        "as_messages": shadow.as_messages,
    }
    return Job(
        key=f"shadow:{shadow.call_id}",
        lane=shadow.lane,
        use_case=shadow.use_case,
        call_id=shadow.call_id,
        payload=json.dumps(payload, sort_keys=True, allow_nan=False),
        offered_at=offered_at,
    )


def shadow_of(job: Job) -> ShadowJob:
    """The call a job is about. Raises UnreadableJobError."""
    payload = _payload(job)
    turns, reply, parameters = (payload.get(name) for name in ("turns", "reply", "parameters"))
    if not isinstance(turns, list) or not turns:
        raise UnreadableJobError(f"job {job.key}: turns must be a list that is not empty")
    if not (reply is None or isinstance(reply, str)):
        raise UnreadableJobError(f"job {job.key}: reply must be a text or null")
    if not isinstance(parameters, dict):
        raise UnreadableJobError(f"job {job.key}: parameters must be an object")
    if _AS_MESSAGES in payload:
        as_messages = payload[_AS_MESSAGES]
    else:  # written by version 0.1
        as_messages = parameters.pop(_AS_MESSAGES, False)
    return ShadowJob(
        call_id=job.call_id,
        use_case=job.use_case,
        lane=job.lane,
        turns=tuple(_turn(job, turn) for turn in turns),
        reply=reply,
        parameters=parameters,
        as_messages=as_messages is True,
    )


def _payload(job: Job) -> dict[str, object]:
    try:
        payload = json.loads(job.payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableJobError(f"job {job.key}: its payload is no JSON") from error
    if not isinstance(payload, dict):
        raise UnreadableJobError(f"job {job.key}: its payload is no object")
    if payload.get("version") != VERSION:
        version = str(payload.get("version"))[:20]
        raise UnreadableJobError(
            f"job {job.key}: written by version {version}, this one reads {VERSION}"
        )
    return payload


def _turn(job: Job, turn: object) -> Turn:
    match turn:
        case [str(role), str(content)] if role in ROLES:
            return Turn(role=role, content=content)
    roles = ", ".join(sorted(ROLES))
    raise UnreadableJobError(f"job {job.key}: a turn must be a role ({roles}) and a text")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What a job leaves behind: sums and cases."""

    postings: tuple[Posting, ...] = ()
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedJob:
    """One job made ready.

    asks: every question of it, in order; none when there is nothing to compare. tokens: about what
    they will take. conclude: from the replies, in the same order; slow, and run in a thread.
    skip: what is left behind when it is not done, and why.
    """

    asks: tuple[Ask, ...]
    tokens: int
    conclude: Callable[[Sequence[Generated]], JobResult]
    skip: Callable[[str], JobResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPreparation:
    """Makes jobs ready.

    tools: of a use case; None for one that is not shadowed any more. parameters: what goes along
    with the questions of a use case, besides what the job brings. kept_text: what cases keep of
    a text.
    """

    tools: Callable[[str], Instruments | None]
    parameters: Callable[[str], Mapping[str, object]]
    monitor: EvidenceMonitor
    versions: Mapping[str, str]
    kept_text: Callable[[str], str] = unchanged

    def prepare(self, job: Job) -> PreparedJob:
        """Raises UnreadableJobError. A use case that is not shadowed any more is counted so."""
        shadow, tools = shadow_of(job), self.tools(job.use_case)
        if tools is None:
            left = JobResult(postings=(_not_shadowed(job),))
            return PreparedJob(asks=(), tokens=0, conclude=lambda _: left, skip=lambda _: left)
        plan = make_plan(
            job.call_id,
            shadow.turns,
            shadow.reply,
            lexicons=tools.lexicons,
            options=tools.options,
            weights=self.monitor.weights(job.use_case),
        )
        parameters = {**shadow.parameters, **self.parameters(job.use_case)}
        asks = plan.asks(parameters, as_messages=shadow.as_messages)
        outcome = _PlannedJob(preparation=self, job=job, plan=plan, tools=tools)
        return PreparedJob(
            asks=tuple(ask for _, ask in asks),
            tokens=plan.tokens(parameters),
            conclude=outcome.concluded,
            skip=outcome.skipped,
        )


def _not_shadowed(job: Job) -> Posting:
    counted = result_tally({("", "skipped_not_shadowed"): 1})
    return Posting(
        use_case=job.use_case, at_seconds=job.offered_at, evidence={SHADOW_RESULTS: counted}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlannedJob:
    """A job whose questions are known."""

    preparation: JobPreparation
    job: Job
    plan: Plan
    tools: Instruments = field(repr=False)

    def concluded(self, replies: Sequence[Generated]) -> JobResult:
        """Everything that the replies tell."""
        monitor, use_case = self.preparation.monitor, self.job.use_case
        sources = {one.attribute: one.source for one in self.plan.variants}
        tested_group = monitor.tested_groups(use_case, sources)
        found = measure(self.plan, replies, self.tools, tested_group)
        evidence = monitor.by_epoch(use_case, found.evidence)
        return JobResult(
            postings=(self._posting(found.sums, evidence, found.results),),
            cases=pair_cases(found.pairs, self.tools, self._context()),
        )

    def skipped(self, why: str) -> JobResult:
        """What is known without asking, and that nobody was asked."""
        attributes = {variant.attribute for variant in self.plan.variants} or {""}
        skipped = {(attribute, f"skipped_{why}"): 1 for attribute in sorted(attributes)}
        results = {**plan_results(self.plan), **skipped}
        return JobResult(postings=(self._posting(unaware_sums(self.plan), {}, results),))

    def _posting(self, sums: Tally, evidence: Mapping[str, Tally], results: Results) -> Posting:
        counts = result_tally(results)
        return Posting(
            use_case=self.job.use_case,
            at_seconds=self.job.offered_at,
            sums=sums,
            evidence={**evidence, **({SHADOW_RESULTS: counts} if counts else {})},
        )

    def _context(self) -> CaseContext:
        return CaseContext(
            use_case=self.job.use_case,
            at_seconds=self.job.offered_at,
            versions=self.preparation.versions,
            reviewers=self.tools.options.reviewers,
            kept_text=self.preparation.kept_text,
        )
