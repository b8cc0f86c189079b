"""One job from its payload to what it adds: planned, asked, measured, filed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from guard.fairness import Tally
from guard.fairness.results import RESULTS, result_tally
from guard.records import Generated, Job, Posting
from guard.shadow.cases import Filing, as_it_is, pair_cases
from guard.shadow.job import shadow_of
from guard.shadow.measure import measure, plan_results, unaware_sums
from guard.shadow.plan import Plan, plan
from guard.shadow.records import Instruments
from guard.shadow.watch import Watch
from guard.shadow.worker import Conclusion, Study

Results = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Studies:
    """Makes studies of jobs.

    tools: of a use case; None for one that is not shadowed any more. parameters: what goes along
    with the questions of a use case, besides what the job brings. kept_text: what cases keep of
    a text.
    """

    tools: Callable[[str], Instruments | None]
    parameters: Callable[[str], Mapping[str, object]]
    watch: Watch
    versions: Mapping[str, str]
    kept_text: Callable[[str], str] = as_it_is

    def study(self, job: Job) -> Study:
        """Raises UnreadableJobError. A use case that is not shadowed any more is counted so."""
        shadow, tools = shadow_of(job), self.tools(job.use_case)
        if tools is None:
            left = Conclusion(postings=(_not_shadowed(job),))
            return Study(asks=(), tokens=0, conclude=lambda _: left, skipped=lambda _: left)
        made = plan(
            job.call_id, shadow.turns, shadow.reply, lexicons=tools.lexicons, options=tools.options
        )
        parameters = {**shadow.parameters, **self.parameters(job.use_case)}
        one = _One(studies=self, job=job, plan=made, tools=tools)
        return Study(
            asks=tuple(ask for _, ask in made.asks(parameters)),
            tokens=made.tokens(parameters),
            conclude=one.concluded,
            skipped=one.skipped,
        )


def _not_shadowed(job: Job) -> Posting:
    counted = result_tally({("", "skipped_not_shadowed"): 1})
    return Posting(use_case=job.use_case, at_seconds=job.offered_at, evidence={RESULTS: counted})


@dataclass(frozen=True, slots=True, kw_only=True)
class _One:
    """A job that is being studied."""

    studies: Studies
    job: Job
    plan: Plan
    tools: Instruments = field(repr=False)

    def concluded(self, replies: Sequence[Generated]) -> Conclusion:
        """Everything that the replies tell."""
        found = measure(self.plan, replies, self.tools)
        evidence = self.studies.watch.filed(self.job.use_case, found.evidence)
        return Conclusion(
            postings=(self._posting(found.sums, evidence, found.results),),
            cases=pair_cases(found, self.tools, self._filing()),
        )

    def skipped(self, why: str) -> Conclusion:
        """What is known without asking, and that nobody was asked."""
        attributes = {side.attribute for side in self.plan.sides} or {""}
        skipped = {(attribute, f"skipped_{why}"): 1 for attribute in sorted(attributes)}
        results = {**plan_results(self.plan), **skipped}
        return Conclusion(postings=(self._posting(unaware_sums(self.plan), {}, results),))

    def _posting(self, sums: Tally, evidence: Mapping[str, Tally], results: Results) -> Posting:
        counts = result_tally(results)
        return Posting(
            use_case=self.job.use_case,
            at_seconds=self.job.offered_at,
            sums=sums,
            evidence={**evidence, **({RESULTS: counts} if counts else {})},
        )

    def _filing(self) -> Filing:
        return Filing(
            use_case=self.job.use_case,
            at_seconds=self.job.offered_at,
            versions=self.studies.versions,
            reviewers=self.tools.options.reviewers,
            kept_text=self.studies.kept_text,
        )
