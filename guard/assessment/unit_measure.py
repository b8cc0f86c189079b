"""One prompt from its rows to what it adds: its questions, its replies, its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from guard.assessment.agreement import agreement_tally
from guard.assessment.classes import ClassMetrics
from guard.assessment.generation import Enquiry, KeptReplies, enquiry
from guard.assessment.items import item_of
from guard.assessment.langfair_preset import pair_tally as langfair_pair_tally
from guard.assessment.lists import list_tally
from guard.assessment.options import AssessmentOptions, NumbersOf
from guard.assessment.pairs import PairedUnit, asked_pairs, given_pairs, measure_pairs
from guard.assessment.replies import (
    REPLIES,
    ReplyMetrics,
    attach_scores,
    measure_replies,
    read_endings,
)
from guard.assessment.totals import Counts, UnitMeasures, merge_counts
from guard.assessment.units import RowGroup
from guard.fairness import add
from guard.records import Assessment, Ending, Generated, Turn
from guard.shadow.comparison import Instruments, TextScores
from guard.shadow.plan import Plan, make_plan


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """The model under test. name: which, and where it is: a part of the key of each reply.
    as_messages: it takes messages and not one text."""

    name: str
    as_messages: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMeasure:
    """How prompts are measured. model, kept: None where nothing is asked. m: replies wanted for
    each prompt. worst: metrics whose largest differences are kept. classes, lists: of rows with a
    prediction or a ranked list."""

    options: AssessmentOptions
    tools: Instruments
    metrics: ReplyMetrics
    m: int = 1
    model: AskedModel | None = None
    kept: KeptReplies | None = None
    asks_pairs: bool = False
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
        missing = max(0, (1 if self.options.deterministic else self.m) - len(group.responses))
        return replace(plan, originals=max(plan.draws, missing))

    def prepare(self, group: RowGroup) -> PreparedPrompt:
        """The replies of a prompt, sent off to be scored."""
        if group.is_pair:
            compares = _has_replies(group) and not self._is_langfair
            given = _Gathered(pairs=given_pairs(group, self.tools) if compares else None)
        else:
            given = self._gather(group)
        texts = [text for text, _ in given.replies if text] if not group.scores else []
        if given.pairs is not None:
            texts += given.pairs.texts
        futures = {text: self.tools.scorer.submit(text) for text in dict.fromkeys(texts)}
        return PreparedPrompt(group=group, gathered=given, futures=futures)

    def finish(self, prepared: PreparedPrompt) -> UnitMeasures:
        """What the prompt adds. Waits for its scores."""
        group, gathered = prepared.group, prepared.gathered
        scores = prepared.scores(tuple(self.tools.scorer.heads))
        replies = attach_scores(gathered.replies, group.scores, scores)
        if not gathered.replies and group.scores and not group.is_pair:
            replies = attach_scores(_unnamed(group), group.scores, scores)
        single = measure_replies(group, replies, self.metrics)
        paired = UnitMeasures()
        if gathered.pairs is not None:
            paired = measure_pairs(gathered.pairs, scores, self.tools, self.worst)
        item = item_of(group, replies, paired.sums)
        return UnitMeasures(
            sums=add(
                single.sums,
                paired.sums,
                self._case_sums(group),
                agreement_tally(item.figures),
            ),
            counts=merge_counts(
                [single.counts, paired.counts, gathered.counts, prepared.unscored()]
            ),
            responses=single.responses,
            pairs=paired.pairs,
            items=(item,),
        )

    @property
    def _is_langfair(self) -> bool:
        return self.options.preset is NumbersOf.LANGFAIR

    def _gather(self, group: RowGroup) -> _Gathered:
        given = [Generated(text=text, ending=Ending.ANSWERED) for text in group.responses]
        counts: Counter[tuple[str, str]] = Counter({(REPLIES, "given"): len(given)})
        if self.model is None or self.kept is None or not _is_prompt(group):
            return _Gathered(replies=read_endings(given), counts=counts)
        plan = self.plan(group)
        sides: list[list[Generated]] = [[] for _ in range(len(plan.variants) + 1)]
        for side, one in self._asked(plan):
            reply = self.kept.get(one.key)
            counts[REPLIES, "missing" if reply is None else "generated"] += 1
            if reply is not None:
                sides[side].append(reply)
        wanted = max(0, self.m - len(given))
        own = sides[0][: plan.draws]
        return _Gathered(
            replies=read_endings([*given, *sides[0][:wanted]]),
            counts=counts,
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
        cases = (
            []
            if self.classes is None
            else [
                self.classes.tally(row)
                for row in group.rows
                if row.group and row.prediction is not None
            ]
        )
        lists = [list_tally(group, self.lists)] if self.lists and group.is_pair else []
        pairs = [langfair_pair_tally(group)] if self._is_langfair and group.is_pair else []
        return add(*cases, *lists, *pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gathered:
    """The replies to a prompt, with how they ended, and its pairs."""

    replies: Sequence[tuple[str, Ending]] = ()
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

    def unscored(self) -> Counts:
        """By reason, replies without a score."""
        counts: Counter[tuple[str, str]] = Counter()
        for text, _ in self.gathered.replies:
            future = self.futures.get(text)
            if future is not None and (reason := future.result().reason) is not None:
                counts["unscored", str(reason)] += 1
        return counts


def _is_prompt(group: RowGroup) -> bool:
    return bool(group.prompt) and not group.is_pair and group.rows[0].prediction is None


def _has_replies(group: RowGroup) -> bool:
    return bool(group.responses or group.scores)


def _unnamed(group: RowGroup) -> list[tuple[str, Ending]]:
    """Replies of which only scores were given."""
    count = max(map(len, group.scores.values()), default=0)
    return [("", Ending.ANSWERED)] * count
