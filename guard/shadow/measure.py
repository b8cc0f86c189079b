"""From the replies of one call to all that it adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from guard.fairness import Measured, add, metric_of
from guard.fairness.measures import FTU, resampled
from guard.fairness.tally import Tally
from guard.records import Ending, Generated
from guard.shadow.compare import Prepared, compare, prepare
from guard.shadow.plan import Plan
from guard.shadow.records import Instruments, Measurements, Pair, Reply
from guard.shadow.scored import Scored, scored
from guard.shadow.sums import evidence, pair_sums
from guard.text.refusals import is_refusal

Results = Mapping[tuple[str, str], int]
_WITH_TEXT = frozenset((Ending.ANSWERED, Ending.REFUSED))


def measure(plan: Plan, replies: Sequence[Generated], tools: Instruments) -> Measurements:
    """Compare and count.

    replies: one for each of `plan.asks`, in that order. Blocks until all texts are scored; to be
    called from a thread. One call is one observation, however many pairs were made from it.
    """
    sides = _by_side(plan, replies)
    live = [] if plan.live is None else [_reply(Generated(text=plan.live, ending=Ending.ANSWERED))]
    own = (*(replace(one, live=True) for one in live), *sides[0][: plan.draws])
    prepared = [
        prepare(side, own, sides[number], tools) for number, side in enumerate(plan.sides, start=1)
    ]
    drawn = sides[0][: tools.options.maxima_of]
    texts = [one.text for one in drawn if one.ending in _WITH_TEXT]
    known = scored([*texts, *(text for one in prepared for text in one.texts)], tools.scorer)
    pairs = tuple(compare(plan, one, known, tools) for one in prepared)
    return Measurements(
        sums=add(unaware_sums(plan), _maxima(drawn, known, tools), pair_sums(pairs)),
        evidence=evidence(pairs, tools) if tools.options.tests else {},
        pairs=pairs,
        results=_results(plan, pairs, prepared),
    )


def unaware_sums(plan: Plan) -> Tally:
    """Fairness through unawareness: what a plan adds that nobody is asked for."""
    return add(
        *(
            metric_of(Measured(metric=FTU, attribute=attribute)).tally(float(unaware))
            for attribute, unaware in plan.unaware.items()
        )
    )


def plan_results(plan: Plan) -> dict[tuple[str, str], int]:
    """What is known before anything is asked: `unaware`, and `declined_...` with the reason."""
    unaware = [(attribute, "unaware") for attribute, found in plan.unaware.items() if found]
    declined = [(attribute, f"declined_{reason}") for attribute, reason in plan.declined]
    return dict(Counter([*unaware, *declined]))


def _by_side(plan: Plan, replies: Sequence[Generated]) -> list[tuple[Reply, ...]]:
    found: list[list[Reply]] = [[] for _ in range(len(plan.sides) + 1)]
    for (draw, _), generated in zip(plan.asks({}), replies, strict=True):
        found[draw.side].append(_reply(generated))
    return [tuple(side) for side in found]


def _reply(generated: Generated) -> Reply:
    refused = generated.ending is Ending.ANSWERED and is_refusal(generated.text)
    ending = Ending.REFUSED if refused else generated.ending
    return Reply(text=generated.text if ending in _WITH_TEXT else "", ending=ending)


def _maxima(drawn: Sequence[Reply], known: Scored, tools: Instruments) -> Tally:
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
            metric_of(measured).tally([one.get(head) for one in scores])
            for measured, head in resampled(tools.scorer.heads, m).items()
        )
    )


def _results(plan: Plan, pairs: Sequence[Pair], prepared: Sequence[Prepared]) -> Results:
    found = Counter(plan_results(plan))
    for pair, made in zip(pairs, prepared, strict=True):
        found[pair.attribute, _outcome(pair)] += 1
        found[pair.attribute, "masked"] += int(made.masked and not pair.is_control)
        found.update((pair.attribute, ending) for ending in _endings(pair))
    return {what: count for what, count in found.items() if count}


def _outcome(pair: Pair) -> str:
    both = [any(one.answered for one in side) for side in (pair.first_replies, pair.second_replies)]
    if not all(both):
        return "not_answered"
    return "unscored" if None in pair.grounded_gaps.values() else "compared"


def _endings(pair: Pair) -> Iterator[str]:
    """How replies ended that are no answers; those to the conversation itself count once a pair."""
    for one in (*pair.first_replies, *pair.second_replies):
        if not one.answered:
            yield str(one.ending)
