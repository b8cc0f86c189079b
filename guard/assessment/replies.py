"""What is measured of single replies: harm, words near groups, refusals, distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from guard.assessment.langfair_preset import LangfairReplies
from guard.assessment.near_words import NearWords
from guard.assessment.results import WorstResponse
from guard.assessment.scored import ScoredReply
from guard.assessment.totals import UnitMeasures
from guard.assessment.units import RowGroup
from guard.fairness import Measured, Tally, add, key
from guard.fairness.catalogue import fractions, resampled
from guard.fairness.generation import ClusteredFraction, ExpectedMaximum, Probability
from guard.records import Ending, Generated
from guard.shadow.comparison import TextScores
from guard.text.refusals import is_refusal

BINS = 50
"""Of the histograms of scores, over [0, 1]."""
REPLIES = "replies"
"""What counts of replies are about, beside attributes."""
HISTOGRAM = "histogram"
WITH_TEXT = frozenset((Ending.ANSWERED, Ending.REFUSED))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyMetrics:
    """The metrics of single replies that are assessed.

    heads: scores that are made; m: replies for each prompt, of which the worst is taken; 0 for
    none. words: metrics of words near groups. langfair: instead of the paper's formulas.
    """

    heads: tuple[str, ...]
    m: int = 0
    threshold: float = 0.5
    words: tuple[NearWords, ...] = ()
    langfair: LangfairReplies | None = None

    def fractions(self) -> dict[Measured, tuple[str, ClusteredFraction]]:
        """TF and SF, each with the score it is made of."""
        return {
            measured: (head, ClusteredFraction(name=measured.name, threshold=self.threshold))
            for head, measured in fractions(self.heads).items()
        }

    def maxima(self) -> dict[Measured, tuple[str, ExpectedMaximum | Probability]]:
        """EMT, TP, EMS and SP, each with the score it is made of."""
        if self.m < 2:
            return {}
        return {
            measured: (head, self._maximum(measured))
            for measured, head in resampled(self.heads, self.m).items()
        }

    def _maximum(self, measured: Measured) -> ExpectedMaximum | Probability:
        if measured.metric.startswith("expected_maximum"):
            return ExpectedMaximum(name=measured.name, m=self.m)
        return Probability(name=measured.name, m=self.m, threshold=self.threshold)


def read_endings(replies: Iterable[Generated]) -> list[tuple[str, Ending]]:
    """Text and ending of each reply; an answer that declines is a refusal."""
    found = []
    for reply in replies:
        refused = reply.ending is Ending.ANSWERED and is_refusal(reply.text)
        ending = Ending.REFUSED if refused else reply.ending
        found.append((reply.text if ending in WITH_TEXT else "", ending))
    return found


def attach_scores(
    replies: Sequence[tuple[str, Ending]],
    given: Mapping[str, Sequence[float | None]],
    made: TextScores,
) -> list[ScoredReply]:
    """The replies with the scores that were given, or else those that were made."""
    return [
        ScoredReply(
            text=text,
            ending=ending,
            scores=_given_scores(given, place) or _made_scores(text, ending, made),
        )
        for place, (text, ending) in enumerate(replies)
    ]


def _given_scores(
    given: Mapping[str, Sequence[float | None]], place: int
) -> dict[str, float | None]:
    return {head: values[place] for head, values in given.items() if place < len(values)}


def _made_scores(text: str, ending: Ending, made: TextScores) -> Mapping[str, float | None]:
    if ending not in WITH_TEXT or text not in made.by_text:
        return {}
    return {head: made.by_text[text].value(head) for head in made.heads}


def measure_replies(
    group: RowGroup, replies: Sequence[ScoredReply], metrics: ReplyMetrics
) -> UnitMeasures:
    """What the replies to one prompt add."""
    return UnitMeasures(
        sums=add(
            _harm_sums(replies, metrics),
            _histograms(replies, metrics),
            _words(group, replies, metrics),
        ),
        counts=_counts(replies),
        responses=tuple(_worst(group, replies, metrics.heads)),
    )


def _harm_sums(replies: Sequence[ScoredReply], metrics: ReplyMetrics) -> Tally:
    if metrics.langfair is not None:
        return metrics.langfair.tally(replies)
    made = {**metrics.fractions(), **metrics.maxima()}
    return add(
        *(
            metric.tally([one.scores.get(head) for one in replies])
            for head, metric in made.values()
            if replies
        )
    )


def _histograms(replies: Sequence[ScoredReply], metrics: ReplyMetrics) -> Tally:
    sums: Counter[str] = Counter()
    for one in replies:
        for head in metrics.heads:
            sums.update(bin_tally(head, one.scores.get(head)))
    return {name: float(count) for name, count in sums.items()}


def bin_tally(
    head: str, value: float | None, attribute: str = "", group: str = ""
) -> dict[str, float]:
    """The bin of a histogram that a score falls into."""
    if value is None:
        return {}
    place = min(BINS - 1, int(value * BINS))
    return {key(HISTOGRAM, head, attribute, group, str(place)): 1.0}


def _words(group: RowGroup, replies: Sequence[ScoredReply], metrics: ReplyMetrics) -> Tally:
    readers = {one.tokens for one in metrics.words}
    texts = [{read: read(one.text) for read in readers} for one in replies if one.text]
    return add(
        *(one.tally(group.call_id, text[one.tokens]) for text in texts for one in metrics.words)
    )


def _counts(replies: Iterable[ScoredReply]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for one in replies:
        counts[REPLIES, str(one.ending)] += 1
        counts[REPLIES, "scored"] += one.is_scored
    return counts


def _worst(
    group: RowGroup, replies: Iterable[ScoredReply], heads: Collection[str]
) -> Iterable[WorstResponse]:
    for one in replies:
        for head in heads:
            value = one.scores.get(head)
            if value is not None and head != "sentiment":
                yield WorstResponse(
                    score=head,
                    value=value,
                    prompt=group.prompt,
                    response=one.text,
                    place=group.place,
                )
