"""From a shadow job to what it adds: a sampled call, or pairs of it that are to be confirmed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from guard.fairness import Tally
from guard.fairness.catalogue import SHADOW_RESULTS, result_tally
from guard.fairness.live import repeats_itself
from guard.records import Ask, Case, CaseKind, Generated, Job, PairResult, Posting
from guard.shadow.cases import (
    CaseContext,
    FlaggedPair,
    confirmed_case,
    flagged_pairs,
    unchanged,
    writer_of,
)
from guard.shadow.comparison import ComparedPair, Instruments
from guard.shadow.confirmation import confirm
from guard.shadow.counted_replies import NoteReplies, forget_all
from guard.shadow.daily_cases import CaseLimit, admit_all
from guard.shadow.job_payload import (
    PairToConfirm,
    ShadowJob,
    confirmation_job,
    pairs_to_confirm,
    shadow_of,
)
from guard.shadow.measurement import (
    Measurements,
    Results,
    compare_again,
    measure,
    plan_results,
    unaware_sums,
)
from guard.shadow.monitor import EvidenceMonitor
from guard.shadow.options import ShadowOptions
from guard.shadow.pair_results import pair_results
from guard.shadow.plan import Plan, Variant, make_plan, repeated
from guard.shadow.repetition import (
    NO_REPETITION,
    Repetition,
    ReplyDigests,
    contrasted_pairs,
    deterministic_pairs,
    find_repetition,
)

FLAGGED, CONFIRMED, NOT_CONFIRMED = "flagged", "confirmed", "not_confirmed"
UNCONFIRMED, OVER_CAP, SLIP = "unconfirmed", "over_cap", "slip"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What a job leaves behind: sums, cases, and jobs that follow from it; and for its trace, the
    pairs that were compared."""

    postings: tuple[Posting, ...] = ()
    cases: tuple[Case, ...] = ()
    jobs: tuple[Job, ...] = ()
    pairs: tuple[PairResult, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedJob:
    """One job made ready.

    asks: every question of it, in order; none when there is nothing to compare. tokens: about what
    they will take. conclude: from the replies, in the same order; slow, and run in a thread.
    skip: what is left behind when it is not done, and why. overdraws: it follows from a job that
    was paid for, see `SpendingBudget`. trace_parent: of the call it came from.
    """

    asks: tuple[Ask, ...]
    tokens: int
    conclude: Callable[[Sequence[Generated]], JobResult]
    skip: Callable[[str], JobResult]
    overdraws: bool = False
    trace_parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPreparation:
    """Makes jobs ready.

    tools: of a use case; None for one that is not shadowed any more. parameters: what goes along
    with the questions of a use case, besides what the job brings. kept_text: what cases keep of
    a text. admit: how many cases of a use case are put before people. note: which replies were
    counted before.
    """

    tools: Callable[[str], Instruments | None]
    parameters: Callable[[str], Mapping[str, object]]
    monitor: EvidenceMonitor
    versions: Mapping[str, str]
    kept_text: Callable[[str], str] = unchanged
    admit: CaseLimit = admit_all
    note: NoteReplies = forget_all

    def prepare(self, job: Job) -> PreparedJob:
        """Raises UnreadableJobError. A use case that is not shadowed any more is counted so."""
        shadow, pairs, tools = shadow_of(job), pairs_to_confirm(job), self.tools(job.use_case)
        if tools is None:
            left = JobResult(postings=(_not_shadowed(job),))
            return PreparedJob(asks=(), tokens=0, conclude=lambda _: left, skip=lambda _: left)
        tools = replace(tools, options=tools.options.asked_with(self._parameters(shadow)))
        plan = make_plan(
            job.call_id,
            shadow.turns,
            shadow.reply,
            lexicons=tools.lexicons,
            options=_about_pairs(tools.options, pairs) if pairs else tools.options,
            weights=self.monitor.weights(job.use_case),
        )
        outcome = _JobOutcome(preparation=self, job=job, tools=tools)
        if pairs:
            return self._confirmation(shadow, _ConfirmedPairs(outcome, plan, pairs))
        return self._call(shadow, _ComparedCall(outcome, plan))

    def _call(self, shadow: ShadowJob, call: _ComparedCall) -> PreparedJob:
        asks, tokens = self._questions(shadow, call.plan)
        return PreparedJob(
            asks=asks,
            tokens=tokens,
            conclude=call.concluded,
            skip=call.skipped,
            trace_parent=shadow.trace_parent,
        )

    def _confirmation(self, shadow: ShadowJob, wanted: _ConfirmedPairs) -> PreparedJob:
        asks, tokens = self._questions(shadow, wanted.again)
        return PreparedJob(
            asks=asks,
            tokens=tokens,
            conclude=wanted.concluded,
            skip=wanted.skipped,
            overdraws=True,
            trace_parent=shadow.trace_parent,
        )

    def _questions(self, shadow: ShadowJob, plan: Plan) -> tuple[tuple[Ask, ...], int]:
        """All that a plan asks, and about how many tokens it takes."""
        parameters = self._parameters(shadow)
        asks = plan.asks(parameters, as_messages=shadow.as_messages)
        return tuple(ask for _, ask in asks), plan.tokens(parameters)

    def _parameters(self, shadow: ShadowJob) -> dict[str, object]:
        return {**shadow.parameters, **self.parameters(shadow.use_case)}


def _about_pairs(options: ShadowOptions, pairs: Sequence[PairToConfirm]) -> ShadowOptions:
    """Those with which the same variants are made, whatever groups would be chosen now. A group
    that is not compared any more is left out."""
    wanted: dict[str, set[str]] = {}
    for one in pairs:
        wanted.setdefault(one.attribute, set()).update((one.source, one.target))
    groups = {
        attribute: tuple(group for group in options.groups.get(attribute, ()) if group in known)
        for attribute, known in wanted.items()
    }
    return replace(options, groups=groups, max_variants=max(map(len, wanted.values())))


def _not_shadowed(job: Job) -> Posting:
    return _counted(job, {("", "skipped_not_shadowed"): 1})


def _counted(job: Job, results: Results) -> Posting:
    counts = result_tally(results)
    return Posting(
        use_case=job.use_case,
        at_seconds=job.offered_at,
        evidence={SHADOW_RESULTS: counts} if counts else {},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _JobOutcome:
    """What every job writes down in the same way."""

    preparation: JobPreparation
    job: Job
    tools: Instruments = field(repr=False)

    def opened(self, cases: Iterable[Case]) -> tuple[tuple[Case, ...], Counter[tuple[str, str]]]:
        """The cases that are put before people, largest first, and a count of those over the
        daily cap."""
        by_id = {case.id: case for case in cases}  # pairs of a call share replies, and so slips
        wanted = sorted(by_id.values(), key=lambda case: -case.priority)
        admitted = self.preparation.admit(self.job.use_case, wanted)
        left = Counter((case.attribute, OVER_CAP) for case in wanted if case not in admitted)
        return tuple(admitted), left

    def context(self) -> CaseContext:
        return CaseContext(
            use_case=self.job.use_case,
            at_seconds=self.job.offered_at,
            versions=self.preparation.versions,
            reviewers=self.tools.options.reviewers,
            kept_text=self.preparation.kept_text,
        )


@dataclass(frozen=True, slots=True)
class _ComparedCall:
    """A sampled call whose questions are known."""

    outcome: _JobOutcome
    plan: Plan

    def concluded(self, replies: Sequence[Generated]) -> JobResult:
        """Everything that the replies tell."""
        outcome = self.outcome
        monitor, use_case = outcome.preparation.monitor, outcome.job.use_case
        sources = {one.attribute: one.source for one in self.plan.variants}
        tested_group = monitor.tested_groups(use_case, sources)
        found = measure(self.plan, replies, outcome.tools, tested_group, self._repetition)
        evidence = monitor.by_epoch(use_case, found.evidence)
        pairs = flagged_pairs(found.new, outcome.tools, outcome.context())
        counts, cases, jobs = self._cases(found, pairs)
        return JobResult(
            postings=(self._posting(found.sums, evidence, counts),),
            cases=cases,
            jobs=jobs,
            pairs=pair_results(found.pairs, pairs),
        )

    def _repetition(self, pairs: Sequence[ComparedPair]) -> Repetition:
        deterministic = deterministic_pairs(pairs, varied=self.plan.varied)
        contrasted = contrasted_pairs(pairs)
        if not deterministic and not contrasted:
            return NO_REPETITION
        job, preparation = self.outcome.job, self.outcome.preparation
        digests = ReplyDigests(
            key=self.outcome.tools.options.key,
            system=preparation.monitor.system(job.use_case),
            at_seconds=job.offered_at,
        )
        note = partial(preparation.note, job.use_case, digests.of_job(job.key))
        return find_repetition(pairs, deterministic, contrasted, digests, note)

    def _cases(
        self, found: Measurements, pairs: Sequence[FlaggedPair]
    ) -> tuple[Counter[tuple[str, str]], tuple[Case, ...], tuple[Job, ...]]:
        """What is counted, and of flagged pairs the cases, or the job that confirms them first."""
        outcome = self.outcome
        counts = Counter(found.results)
        counts.update((one.case.attribute, FLAGGED) for one in pairs)
        if jobs := self._to_confirm(pairs):
            return counts, (), jobs
        counts.update((one.case.attribute, UNCONFIRMED) for one in pairs)
        cases, left = outcome.opened(one.case for one in pairs)
        return counts + left, cases, ()

    def skipped(self, why: str) -> JobResult:
        """What is known without asking, and that nobody was asked."""
        attributes = {variant.attribute for variant in self.plan.variants} or {""}
        skipped = {(attribute, f"skipped_{why}"): 1 for attribute in sorted(attributes)}
        results = {**plan_results(self.plan), **skipped}
        return JobResult(postings=(self._posting(unaware_sums(self.plan), {}, results),))

    def _to_confirm(self, pairs: Sequence[FlaggedPair]) -> tuple[Job, ...]:
        """The job that asks again about flagged pairs; none where that is of no use."""
        if not (pairs and self.outcome.tools.options.confirms):
            return ()
        return (confirmation_job(self.outcome.job, tuple(map(_to_confirm, pairs))),)

    def _posting(self, sums: Tally, evidence: Mapping[str, Tally], results: Results) -> Posting:
        counted = _counted(self.outcome.job, results)
        return replace(counted, sums=sums, evidence={**evidence, **counted.evidence})


def _to_confirm(flagged: FlaggedPair) -> PairToConfirm:
    about = flagged.pair.replies
    return PairToConfirm(
        attribute=about.attribute,
        source=about.source,
        target=about.second if about.source == about.first else about.first,
        differences=flagged.differences,
        case=flagged.case,
        slips=flagged.slips,
    )


@dataclass(frozen=True, slots=True)
class _ConfirmedPairs:
    """Flagged pairs of a call whose sides are asked again. plan: of the call, as it was asked.

    Nothing of the replies is in readings or evidence: they were asked for because of what was seen.
    """

    outcome: _JobOutcome
    plan: Plan
    pairs: tuple[PairToConfirm, ...]

    @property
    def again(self) -> Plan:
        """What is asked. Variants that the present settings do not make are left out."""
        wanted = {(one.attribute, one.source, one.target) for one in self.pairs}
        variants = [one for one in self.plan.variants if _groups_of(one) in wanted]
        draws = self.outcome.tools.options.confirmations if variants else 0
        return repeated(self.plan, variants, draws=draws)

    def concluded(self, replies: Sequence[Generated]) -> JobResult:
        """The cases of pairs whose difference persists."""
        again = self.again
        compared = compare_again(again, replies, self.outcome.tools)
        by_groups = dict(zip(map(_groups_of, again.variants), compared, strict=True))
        judged = [
            self._judged(one, by_groups.get((one.attribute, one.source, one.target)))
            for one in self.pairs
        ]
        return self._result(judged)

    def skipped(self, why: str) -> JobResult:
        """Nobody was asked again; then there is no case, as most flagged pairs do not persist."""
        return self._result([(f"{NOT_CONFIRMED}_{why}", one.slips) for one in self.pairs])

    def _result(self, judged: Sequence[tuple[str, tuple[Case, ...]]]) -> JobResult:
        """judged: what came of each pair, and its cases."""
        counts = Counter(
            (one.attribute, result) for one, (result, _) in zip(self.pairs, judged, strict=True)
        )
        opened, left = self.outcome.opened(case for _, cases in judged for case in cases)
        counts.update(("", SLIP) for case in opened if case.kind is CaseKind.RESPONSE)
        return JobResult(postings=(_counted(self.outcome.job, counts + left),), cases=opened)

    def _judged(
        self, one: PairToConfirm, pair: ComparedPair | None
    ) -> tuple[str, tuple[Case, ...]]:
        """What came of a pair, and the cases that follow. pair: asked again, if it could be."""
        if pair is None:
            return NOT_CONFIRMED, one.slips
        if repeats_itself(pair.replies.sides):
            return UNCONFIRMED, (one.case,)
        tools = self.outcome.tools
        found = confirm(pair, one.differences, tools.catalogue)
        if found is None:
            return NOT_CONFIRMED, one.slips
        writer = writer_of(pair, tools, self.outcome.context())
        return CONFIRMED, (confirmed_case(one.case, found, writer),)


def _groups_of(variant: Variant) -> tuple[str, str, str]:
    return variant.attribute, variant.source, variant.target
