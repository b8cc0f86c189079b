"""One prompt from its rows to what it adds: its questions, its replies, its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import combinations

from guard.assessment.agreement import agreement_tally
from guard.assessment.classes import ClassMetrics
from guard.assessment.failures import NO_REPLY, reason_of
from guard.assessment.generation import Enquiry, ReplySource, enquiry
from guard.assessment.items import item_of
from guard.assessment.langfair_preset import pair_tally as langfair_pair_tally
from guard.assessment.lists import AS_PRINTED, MEASURES, list_counts, list_figures, list_tally
from guard.assessment.options import AssessmentOptions, NumbersOf
from guard.assessment.pairs import PairedUnit, asked_pairs, given_pairs, measure_pairs
from guard.assessment.replies import (
    REPLIES,
    WITH_TEXT,
    ReplyMetrics,
    attach_scores,
    measure_replies,
    read_endings,
)
from guard.assessment.scored import ScoredReply
from guard.assessment.totals import Counts, UnitMeasures, merge_counts
from guard.assessment.units import RowGroup, attribute_of, row_attribute
from guard.fairness import add
from guard.records import Assessment, Ending, Generated, Turn
from guard.shadow.comparison import Instruments, TextScores
from guard.shadow.plan import Plan, make_plan

FAILURE = "failure"
"""What counts of reasons for missing replies are about."""
_OF_PAIRS = "in pairs, of which --preset langfair compares words and sentiment alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """The model under test. name: which, and where it is: a part of the key of each reply.
    as_messages: it takes messages and not one text."""

    name: str
    as_messages: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMeasure:
    """How prompts are measured. model, kept: None where nothing is asked. m: replies wanted for
    each prompt. groups: those of rows that are compared. worst: metrics whose largest differences
    are kept. classes, lists: of rows with a prediction or a ranked list."""

    options: AssessmentOptions
    tools: Instruments
    metrics: ReplyMetrics
    m: int = 1
    model: AskedModel | None = None
    kept: ReplySource | None = None
    asks_pairs: bool = False
    groups: frozenset[str] = frozenset()
    worst: frozenset[str] = frozenset()
    classes: ClassMetrics | None = None
    lists: tuple[str, ...] = ()

    def enquiries(self, group: RowGroup) -> Iterator[Enquiry]:
        """Every question about a prompt, asked already or not."""
        if self.model is not None and _is_prompt(group):
            for _, one in self._asked(self.plan(group)):
                yield one

    def plan(self, group: RowGroup) -> Plan:
        """What is asked about a prompt."""
        seed = self.options.seed
        plan = make_plan(
            f"{seed}:{group.call_id}" if seed else group.call_id,
            (Turn(role="user", content=group.prompt),),
            None,
            lexicons=self.tools.lexicons,
            options=self.tools.options
            if self.asks_pairs
            else replace(self.tools.options, groups={}),
        )
        missing = max(0, (1 if self.options.deterministic else self.m) - group.given)
        return replace(plan, originals=max(plan.draws, missing))

    def prepare(self, group: RowGroup) -> PreparedPrompt:
        """The replies of a prompt, sent off to be scored."""
        given = self._gather_pair(group) if group.is_pair else self._gather(group)
        texts = [text for _, side in given.replies for text, _ in side if text]
        texts = [] if group.scores else texts
        if given.pairs is not None:
            texts += given.pairs.texts
        futures = {text: self.tools.scorer.submit(text) for text in dict.fromkeys(texts)}
        return PreparedPrompt(group=group, gathered=given, futures=futures)

    def finish(self, prepared: PreparedPrompt) -> UnitMeasures:
        """What the prompt adds. Waits for its scores."""
        group, gathered = prepared.group, prepared.gathered
        scores = prepared.scores(tuple(self.tools.scorer.heads))
        sides = [
            (side, attach_scores(replies, side.scores, scores))
            for side, replies in gathered.replies
        ]
        single = [measure_replies(side, replies, self.metrics) for side, replies in sides]
        replies = [reply for _, side in sides for reply in side]
        paired = UnitMeasures()
        if gathered.pairs is not None:
            paired = measure_pairs(gathered.pairs, scores, self.tools, self.worst)
        item = item_of(group, replies, paired.sums)
        cases = self._case_sums(group)
        return UnitMeasures(
            sums=add(
                *(one.sums for one in single),
                paired.sums,
                cases,
                agreement_tally(item.figures),
            ),
            counts=merge_counts(
                [
                    *(one.counts for one in single),
                    paired.counts,
                    gathered.counts,
                    prepared.unscored(replies),
                    list_counts(cases),
                ]
            ),
            responses=tuple(case for one in single for case in one.responses),
            pairs=paired.pairs,
            items=(replace(item, figures={**item.figures, **list_figures(cases)}),),
        )

    @property
    def _is_langfair(self) -> bool:
        return self.options.preset is NumbersOf.LANGFAIR

    def _gather_pair(self, group: RowGroup) -> _Gathered:
        """Replies about different groups: each side is a prompt with replies of its own."""
        if not _has_replies(group):
            return _Gathered()
        if self._is_langfair:
            return _Gathered(counts=self._langfair_counts(group))
        sides = [(side, _given_replies(side)) for side in group.by_group.values()]
        given = sum(len(replies) for _, replies in sides)
        return _Gathered(
            replies=sides,
            counts={(REPLIES, "given"): given},
            pairs=given_pairs(group, self.tools, self.groups, self.options.compares),
        )

    def _langfair_counts(self, group: RowGroup) -> Counts:
        """What becomes of replies about different groups in LangFair's numbers."""
        replies = _given_replies(group)
        counts = Counter((REPLIES, str(ending)) for _, ending in replies)
        counts.update({(REPLIES, "given"): len(replies), ("unscored", _OF_PAIRS): len(replies)})
        for rows in group.by_attribute:
            attribute = attribute_of(rows, self.tools.lexicons)
            if self.options.compares(attribute):
                for pair in combinations(rows.groups, 2):
                    answered = all(rows.by_group[name].responses for name in pair)
                    counts[attribute, "given"] += 1
                    counts[attribute, "compared" if answered else "not_answered"] += 1
        return counts

    def _gather(self, group: RowGroup) -> _Gathered:
        given = _given_replies(group)
        if self.model is None or self.kept is None or not _is_prompt(group):
            return _Gathered(replies=[(group, given)], counts={(REPLIES, "given"): len(given)})
        plan = self.plan(group)
        sides: list[list[Generated]] = [[] for _ in range(len(plan.variants) + 1)]
        lacking, failures = 0, Counter[tuple[str, str]]()
        for side, one in self._asked(plan):
            reply = self.kept.get(one.key)
            if reply is None:
                lacking += 1
                continue
            sides[side].append(reply)
            if reply.ending in NO_REPLY:
                failures[FAILURE, reason_of(reply)] += 1
        wanted = max(0, self.m - len(given))
        own, single = sides[0][: plan.draws], sides[0][:wanted]
        missing = wanted - len(single)
        return _Gathered(
            replies=[(group, [*given, *read_endings(single)])],
            counts={
                **failures,
                (REPLIES, "given"): len(given),
                (REPLIES, "generated"): len(single),
                (REPLIES, "missing"): missing,
                (REPLIES, "paired"): sum(map(len, sides)) - len(single),
                (REPLIES, "paired_missing"): lacking - missing,
            },
            pairs=asked_pairs(group, plan, [own, *sides[1:]], self.tools)
            if plan.variants
            else None,
        )

    def _asked(self, plan: Plan) -> Iterator[tuple[int, Enquiry]]:
        if self.model is None:
            return
        asks = plan.asks(self.options.parameters, as_messages=self.model.as_messages)
        for draw, ask in asks:
            yield draw.side, enquiry(self.model.name, ask, draw.number)

    def _case_sums(self, group: RowGroup) -> Mapping[str, float]:
        classes, compares = self.classes, self.options.compares
        cases = [
            classes.tally(row)
            for row in group.rows
            if classes is not None
            and row.group
            and row.prediction is not None
            and compares(row_attribute(row))
        ]
        return add(*cases, *self._side_sums(group))

    def _side_sums(self, group: RowGroup) -> Iterator[Mapping[str, float]]:
        """What lists, and pairs in LangFair's numbers, add."""
        measures = AS_PRINTED if self._is_langfair else MEASURES
        for rows in group.by_attribute if group.is_pair else ():
            attribute = attribute_of(rows, self.tools.lexicons)
            if not self.options.compares(attribute):
                continue
            if self.lists:
                yield list_tally(rows, attribute, self.lists, measures, self.groups)
            if self._is_langfair:
                yield langfair_pair_tally(rows, attribute, self.options.sentiment_threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gathered:
    """The replies to a prompt, with how they ended, or to each side of a pair; and its pairs."""

    replies: Sequence[tuple[RowGroup, Sequence[tuple[str, Ending]]]] = ()
    counts: Counts = field(default_factory=dict)
    pairs: PairedUnit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedPrompt:
    """A prompt whose texts are being scored."""

    group: RowGroup
    gathered: _Gathered
    futures: Mapping[str, Future[Assessment]]

    @property
    def characters(self) -> int:
        """Of the texts that are being scored."""
        return sum(map(len, self.futures))

    def scores(self, heads: tuple[str, ...]) -> TextScores:
        """All scores, waited for."""
        found = {text: future.result() for text, future in self.futures.items()}
        return TextScores(heads=heads, by_text=found)

    def unscored(self, replies: Sequence[ScoredReply]) -> Counts:
        """By reason, replies without a score."""
        return Counter(("unscored", self._reason(one)) for one in replies if not one.is_scored)

    def _reason(self, one: ScoredReply) -> str:
        if one.ending not in WITH_TEXT:
            return f"no text: {one.ending}"
        future = self.futures.get(one.text)
        reason = None if future is None else future.result().reason
        return "no score" if reason is None else str(reason)


def _is_prompt(group: RowGroup) -> bool:
    return bool(group.prompt) and not group.is_pair and group.rows[0].prediction is None


def _has_replies(group: RowGroup) -> bool:
    return bool(group.responses or group.scores)


def _given_replies(group: RowGroup) -> list[tuple[str, Ending]]:
    """The replies of the rows; without a text those of which only scores were given."""
    given = read_endings(Generated(text=one, ending=Ending.ANSWERED) for one in group.responses)
    return given or [("", Ending.ANSWERED)] * group.given
