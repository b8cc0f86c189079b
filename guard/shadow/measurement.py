"""From the replies of one call to all that it adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from guard.fairness import CATALOGUE, Measured, MeasuredReply, ObservedPair, Tally, add
from guard.fairness.catalogue import FTU, resampled
from guard.fairness.group_tests import TestedGroup, group_evidence
from guard.fairness.live import Replies
from guard.fairness.live_metrics import COMPARED_SCORES
from guard.records import Ending, Generated
from guard.shadow.comparison import (
    ComparedPair,
    Instruments,
    PreparedPair,
    TextScores,
    compare_all,
    prepare,
    score_pairs,
)
from guard.shadow.plan import Plan
from guard.shadow.repetition import FindRepetition, Repetition, none_repeated
from guard.shadow.tested_groups import itself
from guard.text.refusals import is_refusal

Results = Mapping[tuple[str, str], int]
"""(attribute, what became of it) to how often."""
REPEATED, DETERMINISTIC = "repeated", "deterministic"
_WITH_TEXT = frozenset((Ending.ANSWERED, Ending.REFUSED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """Everything one call adds.

    sums: to be added to its time bucket. evidence: name of a test to sums, for the test's present
    epoch. new: the pairs that no earlier call of the day compared word for word. results: for
    counting.
    """

    sums: Tally
    evidence: Mapping[str, Tally]
    pairs: tuple[ComparedPair, ...]
    new: tuple[ComparedPair, ...]
    results: Results


def measure(
    plan: Plan,
    replies: Sequence[Generated],
    tools: Instruments,
    tested_group: TestedGroup = itself,
    repetition: FindRepetition = none_repeated,
) -> Measurements:
    """Compare and count.

    replies: one for each of `plan.asks`, in that order. tested_group: under which group each one is
    tested. repetition: what of the pairs is no news. Blocks until all texts are scored; to be
    called from a thread. One call is one observation, however many pairs were made from it.
    """
    sides = _by_side(plan, replies)
    live = [] if plan.live is None else [_reply(Generated(text=plan.live, ending=Ending.ANSWERED))]
    own = (*(replace(one, live=True) for one in live), *sides[0][: plan.draws])
    prepared = _prepare_sides(plan, own, sides[1:], tools)
    drawn = sides[0][: tools.options.maxima_of]
    texts = [one.text for one in drawn if one.ending in _WITH_TEXT]
    scores = score_pairs(prepared, tools, others=texts)
    pairs = compare_all(plan, prepared, scores, tools)
    old = repetition(pairs)
    new = _without(pairs, old.compared)
    seen = [pair.seen for pair in new]
    known = old.counted | old.compared
    tested = [
        pair.seen.without_contrast if at in old.contrasted else pair.seen
        for at, pair in enumerate(pairs)
        if at not in known
    ]
    return Measurements(
        sums=add(unaware_sums(plan), _maxima(drawn, scores, tools), tools.catalogue.sums(seen)),
        evidence=_evidence(tested, tools, tested_group),
        pairs=pairs,
        new=new,
        results=_results(plan, pairs, prepared, old),
    )


def _without(pairs: Sequence[ComparedPair], places: Collection[int]) -> tuple[ComparedPair, ...]:
    return tuple(pair for at, pair in enumerate(pairs) if at not in places)


def _evidence(
    seen: Sequence[ObservedPair], tools: Instruments, tested_group: TestedGroup
) -> Mapping[str, Tally]:
    if not tools.options.tests:
        return {}
    return group_evidence(seen, key=tools.options.key, tested_group=tested_group)


def compare_again(
    plan: Plan, replies: Sequence[Generated], tools: Instruments
) -> tuple[ComparedPair, ...]:
    """The pairs of a plan from these replies alone, without the live one; nothing is counted.

    replies: one for each of `plan.asks`, in that order. Blocks until all texts are scored.
    """
    own, *others = _by_side(plan, replies)
    prepared = _prepare_sides(plan, own, others, tools)
    scores = score_pairs(prepared, tools)
    return compare_all(plan, prepared, scores, tools)


def _prepare_sides(
    plan: Plan, own: Replies, others: Sequence[Replies], tools: Instruments
) -> list[PreparedPair]:
    return [
        prepare(variant, own, other, tools)
        for variant, other in zip(plan.variants, others, strict=True)
    ]


def unaware_sums(plan: Plan) -> Tally:
    """Fairness through unawareness: what a plan adds that nobody is asked for."""
    return add(
        *(
            CATALOGUE.metric_of(Measured(metric=FTU, attribute=attribute)).tally(float(unaware))
            for attribute, unaware in plan.unaware.items()
        )
    )


def plan_results(plan: Plan) -> dict[tuple[str, str], int]:
    """What is known before anything is asked.

    Of calls: `sampled`, and then `mentioned` or `unaware` by whether the conversation names a group
    of the attribute. Of variants: `rewritten`, or `declined_...` with the reason.
    """
    sampled = [(attribute, "sampled") for attribute in plan.unaware]
    named = [
        (attribute, "unaware" if unaware else "mentioned")
        for attribute, unaware in plan.unaware.items()
    ]
    rewritten = [
        (one.attribute, "rewritten")
        for one in plan.variants
        if one.attribute in plan.unaware and not one.is_control
    ]
    declined = [(attribute, f"declined_{reason}") for attribute, reason in plan.declined]
    return dict(Counter([*sampled, *named, *rewritten, *declined]))


def _by_side(plan: Plan, replies: Sequence[Generated]) -> list[tuple[MeasuredReply, ...]]:
    found: list[list[MeasuredReply]] = [[] for _ in range(len(plan.variants) + 1)]
    for (draw, _), generated in zip(plan.asks({}), replies, strict=True):
        found[draw.side].append(_reply(generated))
    return [tuple(side) for side in found]


def _reply(generated: Generated) -> MeasuredReply:
    refused = generated.ending is Ending.ANSWERED and is_refusal(generated.text)
    ending = Ending.REFUSED if refused else generated.ending
    return MeasuredReply(text=generated.text if ending in _WITH_TEXT else "", ending=ending)


def _maxima(drawn: Sequence[MeasuredReply], known: TextScores, tools: Instruments) -> Tally:
    """EMT, TP, EMS and SP of the replies to the conversation itself."""
    m = tools.options.maxima_of
    if not m:
        return {}
    scores = [
        known.of((one.text,)) if one.ending in _WITH_TEXT else dict[str, float | None]()
        for one in drawn
    ]
    return add(
        *(
            tools.catalogue.metric_of(measured).tally([one.get(head) for one in scores])
            for measured, head in resampled(tools.scorer.heads, m).items()
        )
    )


def _results(
    plan: Plan, pairs: Sequence[ComparedPair], prepared: Sequence[PreparedPair], old: Repetition
) -> Results:
    found = Counter(plan_results(plan))
    for at, (pair, made) in enumerate(zip(pairs, prepared, strict=True)):
        attribute = pair.replies.attribute
        found.update((attribute, ending) for ending in _endings(pair))
        if pair.replies.is_control:
            continue
        is_old = at in old.counted or at in old.compared
        found[attribute, REPEATED if is_old else _outcome(pair)] += 1
        found[attribute, DETERMINISTIC] += int(at in old.deterministic)
        found[attribute, "masked"] += int(made.masked)
    return {what: count for what, count in found.items() if count}


def _outcome(pair: ComparedPair) -> str:
    answers = pair.replies.answers
    if not all(answers.sides):
        return "not_answered"
    scores = [
        one.normalised.get(head)
        for side in answers.sides
        for one in side
        for head in COMPARED_SCORES
    ]
    return "unscored" if None in scores else "compared"


def _endings(pair: ComparedPair) -> Iterator[str]:
    """How replies ended that are no answers; those to the conversation itself count once a pair,
    and not in that with its control."""
    own, rewritten = pair.replies.by_prompt
    for one in rewritten if pair.replies.is_control else (*own, *rewritten):
        if not one.answered:
            yield str(one.ending)
