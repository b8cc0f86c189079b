"""An assessment from rows to results: look, plan, ask, measure, conclude."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

from guard.assessment.agreement import agreement_values
from guard.assessment.classes import (
    RATES,
    ClassMetrics,
    class_comparisons,
    class_values,
    groups_left_out,
    positive_classes,
)
from guard.assessment.comparisons import COMPARED, UncorrectedComparison
from guard.assessment.engines import LocalEngine, MeasuringEngine, MeasuringWork
from guard.assessment.findings import (
    finish_comparisons,
    group_comparisons,
    histograms,
    pair_values,
    reply_values,
    summary,
    word_values,
)
from guard.assessment.generation import Enquiry, KeptReplies
from guard.assessment.langfair_preset import LangfairReplies
from guard.assessment.langfair_preset import pair_values as langfair_pair_values
from guard.assessment.lists import MEASURES, list_values
from guard.assessment.near_words import GroupWordLists, word_metrics
from guard.assessment.options import PAPER_M, AssessmentOptions, NumbersOf
from guard.assessment.pairs import LOST_ABOUT, MOST_GROUPS, REPLIES_ABOUT
from guard.assessment.plan import (
    MAXIMA,
    PAIRED,
    WITHOUT_REPLIES,
    Available,
    is_assessed,
    is_of_replies,
    plan_metrics,
    why_nothing,
)
from guard.assessment.planned_values import planned_sentences, valueless
from guard.assessment.reader import Row
from guard.assessment.replies import REPLIES, ReplyMetrics
from guard.assessment.results import (
    AssessmentResults,
    AttributeCoverage,
    Coverage,
    GroupComparison,
    MetricValue,
    PlannedMetric,
    Provenance,
)
from guard.assessment.survey import Survey, Surveyor
from guard.assessment.survey_warnings import survey_warnings
from guard.assessment.totals import Totals, UnitMeasures
from guard.assessment.unit_measure import FAILURE, AskedModel, PromptMeasure
from guard.errors import AssessmentInputError
from guard.fairness import CATALOGUE, ModelTask, Tally, UseCaseFacts
from guard.fairness.catalogue import fractions
from guard.fairness.tally import within
from guard.shadow.comparison import Instruments
from guard.text.plurals import counted

MOST_AGREEMENTS = 50
MOST_REASONS = 8
"""Why replies failed: as many different reasons are told."""
MOST_COMPARED = 30
"""Groups of pairs that are compared, in all."""

_ONLY_PAIRS = (
    "responses are given in rows with a `pair` alone, and --preset langfair makes figures of single"
    " responses from rows without one"
)
Keep = Callable[[UnitMeasures], object]
"""Hears of what is measured, of each prompt once."""


@dataclass(frozen=True, kw_only=True)
class OfflineAssessment:
    """One assessment. rows: the input, from its beginning each time. model, kept: of replies that
    are not given; None where nothing is asked. words: lists for COBS and SA."""

    options: AssessmentOptions
    rows: Callable[[], Iterator[Row]]
    tools: Instruments
    words: GroupWordLists
    model: AskedModel | None = None
    kept: KeptReplies | None = None

    @cached_property
    def survey(self) -> Survey:
        """What the rows hold. Reads them once. Raises AssessmentInputError."""
        surveyor = Surveyor(self.tools.lexicons, self.options.groups, self.options.compares)
        return surveyor.survey(self.rows())

    @cached_property
    def m(self) -> int:
        """Replies for each prompt."""
        if self.model is None or self.options.m or self.options.deterministic:
            return self._most_wanted
        assessed = self._assessed
        if assessed & MAXIMA:
            return PAPER_M
        return int(any(map(is_of_replies, assessed)))

    @property
    def _most_wanted(self) -> int:
        """Replies for each prompt, where the worst of several is assessed."""
        if self.options.deterministic:
            return 1
        given = self._given
        usual = max(given, key=lambda m: (given[m], m), default=1)
        return self.options.m or (usual if self.model is None else PAPER_M)

    @property
    def _given(self) -> Counter[int]:
        """By number of responses, the prompts that come with so many. LangFair takes the figures of
        single responses from others than those of pairs."""
        sides = {} if self._is_langfair else self.survey.sides
        return Counter(
            {m: n for m, n in (Counter(self.survey.replies) + Counter(sides)).items() if m}
        )

    @cached_property
    def plan(self) -> tuple[PlannedMetric, ...]:
        """Every metric, whether it is assessed, and why."""
        return plan_metrics(self._facts, self._available, self.options.metrics)

    def check(self) -> None:
        """Raises AssessmentInputError, with what is missing, where there is nothing to assess."""
        if problem := why_nothing(self.plan, self._facts, self._available):
            raise AssessmentInputError("; ".join((problem, *self.warnings)))

    @cached_property
    def work(self) -> MeasuringWork:
        """What is measured and how."""
        measure = partial(
            PromptMeasure,
            options=self.options,
            metrics=self._reply_metrics,
            m=self.m,
            model=self.model,
            asks_pairs=self.model is not None and any(map(self._is_assessed, PAIRED)),
            groups=self._compared_groups,
            worst=frozenset(one.name for one in CATALOGUE.tested if one.directed),
            classes=self._classes,
            lists=tuple(filter(self._is_assessed, MEASURES)),
        )
        return MeasuringWork(rows=self.rows, measure=measure)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What of the rows is not used, or not as it ought to be, in words."""
        return tuple(survey_warnings(self.survey, self.tools.lexicons, self.tools.scorer.heads))

    def enquiries(self) -> Iterator[Enquiry]:
        """Every question of the run, asked already or not."""
        measure = self.work.measure(tools=self.tools)
        for group in self.work.groups():
            yield from measure.enquiries(group)

    def results(
        self,
        provenance: Provenance,
        keep: Keep = lambda _: None,
        engine: MeasuringEngine | None = None,
    ) -> AssessmentResults:
        """Measure all prompts and conclude. keep: called with what they add. engine: where they are
        measured; None for this process."""
        self.check()
        totals = Totals(self.options.worst)
        here = LocalEngine(tools=self.tools, kept=self.kept)
        for measured in (engine or here).measure(self.work):
            totals.add(measured)
            keep(measured)
        comparisons = finish_comparisons(self._comparisons(totals), self.options.level)
        values = tuple(self._values(totals, comparisons))
        values += tuple(valueless(self.plan, comparisons, values))
        return AssessmentResults(
            use_case=self.options.use_case,
            task=str(self.options.task),
            plan=self.plan,
            summary=(
                *summary(comparisons, values),
                *planned_sentences(self.plan, comparisons, values),
            ),
            coverage=self._coverage(totals),
            metrics=values,
            comparisons=comparisons,
            histograms=histograms(totals.sums),
            agreement=tuple(agreement_values(totals.sums))[:MOST_AGREEMENTS],
            worst_responses=totals.worst_responses,
            worst_pairs=totals.worst_pairs,
            looks=len(comparisons),
            level=self.options.level,
            provenance=replace(
                provenance,
                settings={**self.options.as_texts(), "m": str(self.m), **provenance.settings},
                notes=(*provenance.notes, *self._notes(totals)),
            ),
        )

    def _is_assessed(self, metric: str) -> bool:
        return is_assessed(self.plan, metric)

    @property
    def _facts(self) -> UseCaseFacts:
        return self.options.facts(
            unaware=self.survey.is_unaware, has_groups=len(self.survey.groups) > 1
        )

    @property
    def _available(self) -> Available:
        survey, asks = self.survey, self.model is not None
        given = max(self._given, default=0)
        draws = self.tools.options.draws if asks else max(survey.compared_sides, default=0)
        return Available(
            replies=asks or given > 0,
            without_replies=_ONLY_PAIRS
            if self._is_langfair and any(survey.sides)
            else WITHOUT_REPLIES,
            m=self._most_wanted if asks else given,
            pairs=(asks and any(survey.mentioned.values()))
            or bool(survey.compared_sides)
            or self._has_pair_scores,
            draws=draws,
            controls=asks and any(survey.mentioned.values()),
            heads=frozenset(self.tools.scorer.heads) | survey.scores,
            vectors=self.tools.embed is not None,
            groups=len(survey.groups) > 1,
            only_words=self._is_langfair and not (asks and any(survey.mentioned.values())),
            predictions=bool(survey.predictions),
            labels=bool(survey.labels),
            lists=survey.lists > 0,
        )

    @property
    def _compared_groups(self) -> frozenset[str]:
        """Those with the most rows: every two of them have readings of their own."""
        sizes = self.survey.groups
        return frozenset(sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST_COMPARED])

    @property
    def _has_pair_scores(self) -> bool:
        return bool(self.survey.pairs and self.survey.scores)

    @cached_property
    def _reply_metrics(self) -> ReplyMetrics:
        heads = {*self.tools.scorer.heads, *self.survey.scores}
        threshold = self.options.threshold
        return ReplyMetrics(
            heads=tuple(sorted(heads)),
            m=self.m,
            threshold=threshold,
            words=tuple(word_metrics(self.words, self._assessed, is_langfair=self._is_langfair)),
            langfair=LangfairReplies(heads=_harms(heads), threshold=threshold)
            if self._is_langfair
            else None,
        )

    @property
    def _assessed(self) -> frozenset[str]:
        return frozenset(one.metric for one in self.plan if one.applies)

    @property
    def _is_langfair(self) -> bool:
        return self.options.preset is NumbersOf.LANGFAIR

    @cached_property
    def _classes(self) -> ClassMetrics | None:
        metrics = tuple(filter(self._is_assessed, RATES))
        if not metrics:
            return None
        classes = {*self.survey.predictions, *self.survey.labels}
        positive = positive_classes(classes, self.options.positive)
        return ClassMetrics(metrics=metrics, positive=positive)

    def _comparisons(self, totals: Totals) -> Iterator[UncorrectedComparison]:
        asked = {about for (about, what), n in totals.counts.items() if what == "rewritten" and n}
        found = [group_comparisons(self.plan, totals.sums, self.options.material, asked)]
        if self._classes is not None:
            found.append(class_comparisons(self._classes, totals.sums, self.options.material))
        return chain(*found)

    def _values(
        self, totals: Totals, comparisons: Sequence[GroupComparison]
    ) -> Iterator[MetricValue]:
        sums = totals.sums
        if self.options.task is ModelTask.GENERATION:
            yield from self._generation_values(sums, comparisons)
        if self._classes is not None:
            yield from class_values(self._classes, sums)
        yield from list_values(sums)

    def _generation_values(
        self, sums: Tally, comparisons: Sequence[GroupComparison]
    ) -> Iterator[MetricValue]:
        metrics = self._reply_metrics
        yield from word_values(metrics.words, sums)
        if metrics.langfair is None:
            yield from reply_values(metrics, self.plan, sums)
            yield from pair_values(self.plan, sums, comparisons)
        else:
            yield from metrics.langfair.values(self._assessed, sums)
            yield from langfair_pair_values(self._assessed, sums)

    def _coverage(self, totals: Totals) -> Coverage:
        survey, counts = self.survey, totals.counts
        of_replies = {what: n for (about, what), n in counts.items() if about == REPLIES}
        known = {"given", "generated", "missing", "scored", "paired", "paired_missing"}
        return Coverage(
            rows=survey.rows,
            bad_rows=survey.bad_rows,
            shown=survey.shown,
            prompts=survey.prompts,
            given=of_replies.get("given", 0),
            generated=of_replies.get("generated", 0),
            missing=of_replies.get("missing", 0),
            scored=of_replies.get("scored", 0),
            paired=of_replies.get("paired", 0),
            paired_missing=of_replies.get("paired_missing", 0),
            endings={what: n for what, n in sorted(of_replies.items()) if what not in known},
            unscored={
                what: n for (about, what), n in sorted(counts.items()) if about == "unscored"
            },
            failures=dict(
                Counter(
                    {what: n for (about, what), n in sorted(counts.items()) if about == FAILURE}
                ).most_common(MOST_REASONS)
            ),
            attributes=tuple(self._attributes(totals)),
            warnings=self.warnings,
        )

    def _attributes(self, totals: Totals) -> Iterator[AttributeCoverage]:
        seen = {attribute for _, attribute, *_ in within(totals.sums, COMPARED)}
        seen |= {about for about, what in totals.counts if what == "given" and about != REPLIES}
        for attribute in sorted({*self.options.groups, *seen}):
            counts = {what: n for (about, what), n in totals.counts.items() if about == attribute}
            yield replace(self.survey.attribute(attribute), **_of_pairs(counts))  # type: ignore[arg-type]

    def _notes(self, totals: Totals) -> Iterator[str]:
        left = sum(n for (_, what), n in totals.counts.items() if what == "groups_left_out")
        if left:
            yield (
                f"{counted(left, 'side of a pair', 'sides of pairs')} left out of comparisons: of"
                f" {len(self.survey.groups)} groups the {MOST_COMPARED} with the most rows are"
                f" compared, and {MOST_GROUPS} of one prompt"
            )
        classes = 0 if self._classes is None else groups_left_out(self._classes, totals.sums)
        if classes:
            told = counted(classes, "group")
            yield f"{told} left out of comparisons: those with the fewest cases"
        single = sum(n for (_, what), n in totals.counts.items() if what == "single_sided")
        if single:
            told = counted(single, "value of `pair` has", "values of `pair` have")
            yield f"{told} rows of one group only: not compared"


def _harms(heads: Iterable[str]) -> tuple[str, ...]:
    """Scores of which fractions are made."""
    return tuple(sorted(fractions(heads)))


def _of_pairs(counts: Mapping[str, int]) -> dict[str, object]:
    plain = ("given", "rewritten", "compared", "not_answered", "unscored", "masked")

    def by(name: str) -> dict[str, int]:
        found = sorted((what, n) for what, n in counts.items() if what.startswith(name) and n)
        return {what.removeprefix(name): n for what, n in found}

    return {
        "declined": by("declined_"),
        "replies": by(REPLIES_ABOUT),
        "lost": by(LOST_ABOUT),
        **{name: counts.get(name, 0) for name in plain},
    }
