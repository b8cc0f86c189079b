"""What is measured of pairs: replies to a prompt and to the same one about another group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import fsum

from guard.assessment.comparisons import MEANS
from guard.assessment.failures import NO_REPLY
from guard.assessment.pair_differences import of_all_answers, pair_differences
from guard.assessment.replies import bin_tally, read_endings
from guard.assessment.results import WorstPair, WorstSide
from guard.assessment.totals import UnitMeasures, merge_counts
from guard.assessment.units import Compares, RowGroup, attribute_of, compares_any
from guard.counterfactual import ages_told
from guard.counterfactual.mentions.find import AGE
from guard.fairness import (
    Comparison,
    MeasuredReply,
    MetricCatalogue,
    ObservedPair,
    Tally,
    add,
)
from guard.fairness.catalogue import label
from guard.fairness.live import Replies
from guard.fairness.live_metrics import COMPARED_SCORES
from guard.fairness.tally import moments
from guard.records import Ending, Generated, Turn
from guard.shadow.comparison import (
    Instruments,
    PreparedPair,
    TextScores,
    compare_all,
    embed_masks,
    prepare,
)
from guard.shadow.normalisation import normalisation_between
from guard.shadow.plan import Plan, Variant

REPLIES_ABOUT, LOST_ABOUT = "replies about ", "lost about "
"""What counts of a group's replies begin with."""
PAIRS = "pairs"
"""What counts of pairs are about that are of no attribute."""
MOST_GROUPS = 12
"""Of one prompt whose replies are compared: further ones are left out and counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedUnit:
    """The pairs of one prompt, their texts not yet scored.

    prepared: those brought to the same group; plain: those compared as they are. prompts: by group,
    where they were given.
    """

    place: str
    plan: Plan
    prepared: tuple[PreparedPair, ...] = ()
    plain: tuple[Comparison, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[tuple[str, str], int]

    @property
    def texts(self) -> Iterator[str]:
        """All that is to be scored."""
        for one in self.prepared:
            yield from one.texts
        for pair in self.plain:
            yield from (reply.text for side in pair.sides for reply in side if not reply.scores)

    @property
    def masks(self) -> Iterator[str]:
        """The masked texts of all answers, of which vectors are made."""
        for one in self.prepared:
            yield from one.masks
        for pair in self.plain:
            sides = pair.answers.sides
            yield from (reply.masked for side in sides for reply in side if reply.masked)


def asked_pairs(
    group: RowGroup, plan: Plan, sides: Sequence[Sequence[Generated]], tools: Instruments
) -> PairedUnit:
    """The pairs of a plan. sides: fresh replies to the prompt, and then to each variant."""
    own, *others = (measured_replies(side) for side in sides)
    prepared = tuple(
        prepare(variant, own, other, tools)
        for variant, other in zip(plan.variants, others, strict=True)
        if own and other
    )
    return PairedUnit(
        place=group.place,
        plan=plan,
        prepared=prepared,
        counts=_plan_counts(plan, prepared) + _reply_counts(plan, own, others),
    )


def given_pairs(
    group: RowGroup, tools: Instruments, among: Container[str], compares: Compares = compares_any
) -> PairedUnit:
    """The pairs among rows about different groups of one attribute. The rows' own scores stand,
    where there are.

    among: the groups that are compared. compares: tells the attributes that are.
    """
    parts = [
        _pairs_within(group, attribute, rows, tools, among)
        for rows in group.by_attribute
        if rows.groups and compares(attribute := attribute_of(rows, tools.lexicons))
    ]
    counts: Counter[tuple[str, str]] = Counter(merge_counts(one.counts for one in parts))
    is_single = all(len(rows.groups) < 2 for rows in group.by_attribute)
    counts[PAIRS, "single_sided"] += is_single
    return PairedUnit(
        place=group.place,
        plan=_plan_of(group),
        prepared=tuple(pair for one in parts for pair in one.prepared),
        plain=tuple(pair for one in parts for pair in one.plain),
        prompts={name: prompt for one in parts for name, prompt in one.prompts.items()},
        counts=+counts,
    )


def _pairs_within(
    group: RowGroup, attribute: str, rows: RowGroup, tools: Instruments, among: Container[str]
) -> PairedUnit:
    every = {name: side for name, side in rows.by_group.items() if name}
    sides = {label(name): side for name, side in every.items() if name in among}
    met = sorted(sides)[:MOST_GROUPS]
    found = list(combinations(met, 2))
    is_known = attribute in tools.lexicons.attributes and not group.scores
    return PairedUnit(
        place=group.place,
        plan=_plan_of(group),
        prepared=tuple(_prepared(attribute, pair, sides, tools) for pair in found if is_known),
        plain=tuple(_plain(group, attribute, pair, sides, tools) for pair in found if not is_known),
        prompts={name: side.prompt for name, side in sides.items()},
        counts={
            (attribute, "groups_left_out"): len(every) - len(met),
            (attribute, "given"): len(found),
        },
    )


def measured_replies(side: Iterable[Generated]) -> Replies:
    """Replies as metrics of pairs see them; those that failed are left in."""
    return tuple(MeasuredReply(text=text, ending=ending) for text, ending in read_endings(side))


def measure_pairs(
    unit: PairedUnit, scores: TextScores, tools: Instruments, worst: Iterable[str]
) -> UnitMeasures:
    """What the pairs of one prompt add. worst: metrics whose largest differences are kept."""
    scores = replace(scores, vectors=embed_masks(unit.masks, tools))
    compared = compare_all(unit.plan, unit.prepared, scores, tools, permutes=False)
    turns = {id(one.seen): (one.first_turns, one.second_turns) for one in compared}
    plain = [tools.observe_given(_attach(one, scores)) for one in unit.plain]
    seen = [*(one.seen for one in compared), *plain]
    wanted = frozenset(worst)
    return UnitMeasures(
        sums=add(
            tools.catalogue.sums(seen), pair_differences(seen, tools.catalogue), _group_means(seen)
        ),
        counts=merge_counts([unit.counts, Counter(_outcomes(seen))]),
        pairs=tuple(
            case
            for one in seen
            for case in _worst(one, unit, turns.get(id(one)), wanted, tools.catalogue)
        ),
    )


def _plan_counts(plan: Plan, prepared: Sequence[PreparedPair]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for variant in plan.variants:
        counts[variant.attribute, "controls" if variant.is_control else "rewritten"] += 1
        counts[variant.attribute, "not_answered"] += not variant.is_control
    for attribute, reason in plan.declined:
        counts[attribute, f"declined_{reason}"] += 1
    for one in prepared:
        if not one.variant.is_control:
            counts[one.variant.attribute, "masked"] += one.masked
            counts[one.variant.attribute, "not_answered"] -= 1
    return counts


def _reply_counts(plan: Plan, own: Replies, others: Sequence[Replies]) -> Counter[tuple[str, str]]:
    """Of each group the replies, and those that never came; of the prompt itself once."""
    sides = {(one.attribute, one.source, 0): own for one in plan.variants}
    for number, (one, side) in enumerate(zip(plan.variants, others, strict=True), start=1):
        sides[one.attribute, one.target, number] = side
    counts: Counter[tuple[str, str]] = Counter()
    for (attribute, group, _), side in sides.items():
        counts[attribute, REPLIES_ABOUT + group] += len(side)
        counts[attribute, LOST_ABOUT + group] += sum(one.ending in NO_REPLY for one in side)
    return counts


def _plan_of(group: RowGroup) -> Plan:
    return Plan(
        call_id=group.call_id,
        turns=_turns(group),
        live=None,
        variants=(),
        draws=0,
        originals=0,
        varied=True,
        unaware={},
        declined=(),
    )


def _turns(group: RowGroup) -> tuple[Turn, ...]:
    return (Turn(role="user", content=group.prompt),)


def _prepared(
    attribute: str, pair: tuple[str, str], sides: Mapping[str, RowGroup], tools: Instruments
) -> PreparedPair:
    first, second = (sides[name] for name in pair)
    variant = Variant(
        attribute=attribute,
        source=pair[0],
        target=pair[1],
        turns=_turns(second),
        replacements=((),),
        ages=_ages(attribute, first, second, tools),
    )
    return prepare(variant, _given(first), _given(second), tools)


def _ages(attribute: str, first: RowGroup, second: RowGroup, tools: Instruments) -> frozenset[int]:
    prompts = (first.prompt, second.prompt) if attribute == AGE else ()
    return ages_told(prompts, tools.lexicons)


def _given(rows: RowGroup) -> Replies:
    return measured_replies(_as_generated(rows.responses))


def _as_generated(texts: Iterable[str]) -> Iterator[Generated]:
    return (Generated(text=text, ending=Ending.ANSWERED) for text in texts)


def _plain(
    group: RowGroup,
    attribute: str,
    pair: tuple[str, str],
    sides: Mapping[str, RowGroup],
    tools: Instruments,
) -> Comparison:
    """The pair with the scores that were given, its wording masked where there are words for it."""
    ages = _ages(attribute, sides[pair[0]], sides[pair[1]], tools)
    how = normalisation_between(attribute, *pair, (), tools.lexicons, ages=ages)
    mask = how.masked if attribute in tools.lexicons.attributes else str
    first, second = (_scored(sides[name], mask) for name in pair)
    return Comparison(
        call_id=group.call_id,
        attribute=attribute,
        first=pair[0],
        second=pair[1],
        source=pair[0],
        first_replies=first,
        second_replies=second,
    )


def _scored(rows: RowGroup, mask: Callable[[str], str]) -> Replies:
    scores = rows.scores
    texts = rows.responses or ("",) * max(map(len, scores.values()), default=0)
    replies = []
    for place, (text, ending) in enumerate(read_endings(_as_generated(texts))):
        own = {head: values[place] for head, values in scores.items() if place < len(values)}
        replies.append(
            MeasuredReply(text=text, ending=ending, masked=mask(text), scores=own, normalised=own)
        )
    return tuple(replies)


def _attach(pair: Comparison, scores: TextScores) -> Comparison:
    """The pair with vectors, and with scores of the texts that came without."""

    def scored(one: MeasuredReply) -> MeasuredReply:
        one = replace(one, vector=scores.vectors.get(one.masked, ()) if one.answered else ())
        if one.scores or one.text not in scores.by_text:
            return one
        made = scores.of((one.text,))
        return replace(one, scores=made, normalised=made)

    first, second = (tuple(map(scored, side)) for side in pair.sides)
    return replace(pair, first_replies=first, second_replies=second)


def _group_means(seen: Iterable[ObservedPair]) -> Tally:
    """The mean score of each group's replies to one prompt, and where its scores lie."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for one in seen:
        pair = one.pair.answers
        if pair.is_control:
            continue
        for group, side in zip((pair.first, pair.second), pair.sides, strict=True):
            for head in COMPARED_SCORES:
                values = [reply.normalised.get(head) for reply in side]
                known = [value for value in values if value is not None]
                if known:
                    found.setdefault((head, pair.attribute, group), []).append(
                        fsum(known) / len(known)
                    )
    return add(
        *(
            add(moments(mean, MEANS, *name), bin_tally(name[0], mean, *name[1:]))
            for name, values in found.items()
            for mean in (fsum(values) / len(values),)
        )
    )


def _outcomes(seen: Iterable[ObservedPair]) -> Iterator[tuple[str, str]]:
    for one in seen:
        pair = one.pair
        if pair.is_control:
            continue
        answers = pair.answers
        scored = all(
            reply.normalised.get(head) is not None
            for side in answers.sides
            for reply in side
            for head in reply.normalised
        )
        outcome = "compared" if scored else "unscored"
        yield pair.attribute, outcome if all(answers.sides) else "not_answered"


def _worst(
    one: ObservedPair,
    unit: PairedUnit,
    turns: tuple[tuple[Turn, ...], tuple[Turn, ...]] | None,
    wanted: frozenset[str],
    catalogue: MetricCatalogue,
) -> Iterator[WorstPair]:
    pair = one.pair
    if pair.is_control:
        return
    given = (unit.plan.turns, unit.plan.turns)
    prompts = ["\n".join(turn.content for turn in side) for side in turns or given]
    groups = zip((pair.first, pair.second), prompts, pair.answers.sides, strict=True)
    sides = [
        _side(group, unit.prompts.get(group, prompt), replies) for group, prompt, replies in groups
    ]
    for name in one.tested:
        value = of_all_answers(one, name, catalogue)
        if value is not None and name in wanted and catalogue.live(name).directed:
            yield WorstPair(
                metric=name,
                value=value,
                attribute=pair.attribute,
                first=sides[0],
                second=sides[1],
                place=unit.place,
            )


def _side(group: str, prompt: str, replies: Replies) -> WorstSide:
    if not replies:
        return WorstSide(group=group, prompt=prompt, response="")
    first = replies[0]
    scores = {head: value for head, value in first.normalised.items() if value is not None}
    return WorstSide(group=group, prompt=prompt, response=first.text, scores=scores)
