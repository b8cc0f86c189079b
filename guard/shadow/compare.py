"""One pair: the replies of both sides, made comparable and compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from guard.fairness import (
    FairPair,
    Likeness,
    Permutation,
    cbleu,
    contrast,
    cosine,
    cosine_gap,
    fairpair,
    gap,
    jaccard_gap,
    permutation_test,
    rouge_l,
    sentiment_gap,
    untestable,
)
from guard.fairness.measures import GAPS
from guard.fairness.words import words
from guard.records import Undefined
from guard.shadow.grounding import Grounding, common, grounding
from guard.shadow.plan import Plan, Side
from guard.shadow.records import Instruments, Pair, Reply
from guard.shadow.scored import Scored

Replies = tuple[Reply, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The replies of one pair, their texts not yet scored.

    versions: of each answer, by its text, what the grounded score is made of.
    """

    side: Side
    own: Replies
    other: Replies
    versions: Mapping[str, tuple[str, ...]]
    masked: bool

    @property
    def texts(self) -> Iterator[str]:
        """All that is to be scored."""
        for text, made in self.versions.items():
            yield text
            yield from made


def prepare(side: Side, own: Replies, other: Replies, tools: Instruments) -> Prepared:
    """The replies to the conversation itself and to this side, brought to the same group."""
    ground = grounding(side, tools.lexicons)
    answers = list(dict.fromkeys(one.text for one in (*own, *other) if one.answered))
    made, masks = common(answers, ground)
    return Prepared(
        side=side,
        own=_masked(own, ground),
        other=_masked(other, ground),
        versions=dict(zip(answers, made, strict=True)),
        masked=masks,
    )


def _masked(replies: Replies, ground: Grounding) -> Replies:
    return tuple(
        replace(one, masked=ground.masked(one.text)) if one.answered else one for one in replies
    )


def compare(plan: Plan, prepared: Prepared, scored: Scored, tools: Instruments) -> Pair:
    """How the two sides differ."""
    own, other = _finished(prepared, scored, tools)
    side = prepared.side
    turned = side.source > side.target  # the conversation itself is about the second group
    first, second = (other, own) if turned else (own, other)
    turns = (side.turns, plan.turns) if turned else (plan.turns, side.turns)
    fresh = _fresh(first), _fresh(second)
    return Pair(
        call_id=plan.call_id,
        attribute=side.attribute,
        first=min(side.source, side.target),
        second=max(side.source, side.target),
        source=side.source,
        target=side.target,
        first_turns=turns[0],
        second_turns=turns[1],
        replacements=side.replacements,
        first_replies=first,
        second_replies=second,
        gaps=_gaps(_answers(first), _answers(second), grounded=False),
        grounded_gaps=_gaps(_answers(first), _answers(second), grounded=True),
        tested_gaps=_gaps(*fresh, grounded=True),
        likeness=_likeness(_answers(own), _answers(other)),
        fairpairs=_fairpairs(_fresh(own), _fresh(other), tools) if plan.varied else {},
        contrasts=_contrasts(*fresh) if plan.varied else {},
        p_values=_p_values(*fresh, varied=plan.varied),
        masked=prepared.masked,
    )


def _finished(prepared: Prepared, scored: Scored, tools: Instruments) -> tuple[Replies, Replies]:
    """The replies with their scores and vectors."""
    masks = [one.masked for one in (*prepared.own, *prepared.other) if one.answered]
    vectors = _vectors(list(dict.fromkeys(masks)), tools)

    def finished(one: Reply) -> Reply:
        if not one.answered:
            return one
        return replace(
            one,
            scores=scored.of((one.text,)),
            grounded=scored.of(prepared.versions[one.text]),
            vector=vectors.get(one.masked, ()),
        )

    return tuple(map(finished, prepared.own)), tuple(map(finished, prepared.other))


def _vectors(texts: Sequence[str], tools: Instruments) -> Mapping[str, tuple[float, ...]]:
    if tools.embed is None or not texts:
        return {}
    made = tools.embed(texts)
    return {text: tuple(map(float, row)) for text, row in zip(texts, made, strict=True)}


def _answers(replies: Replies) -> Replies:
    return tuple(one for one in replies if one.answered)


def _fresh(replies: Replies) -> Replies:
    """Answers made for this comparison, both sides by the same path."""
    return tuple(one for one in _answers(replies) if not one.live)


def _gaps(first: Replies, second: Replies, *, grounded: bool) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for metric, score in GAPS.items():
        sides = [
            [(one.grounded if grounded else one.scores).get(score) for one in side]
            for side in (first, second)
        ]
        apart = gap(*sides)
        found[metric] = None if isinstance(apart, Undefined) else apart
    return found


def _likeness(own: Replies, other: Replies) -> dict[str, Likeness]:
    """Counterfactual pairs, and beside them the pairs of replies to the conversation itself."""
    across, within = list(product(own, other)), list(combinations(own, 2))
    measures = {"crouge_l": _rouge, "cbleu": _bleu, "ccs": _cosine}
    if not all(one.vector for one in (*own, *other)):
        del measures["ccs"]
    return {
        metric: Likeness(
            between=[measure(one, two) for one, two in across],
            control=[measure(one, two) for one, two in within],
        )
        for metric, measure in measures.items()
    }


def _rouge(one: Reply, two: Reply) -> float | None:
    return rouge_l(one.masked, two.masked)


def _bleu(one: Reply, two: Reply) -> float | None:
    return cbleu(one.masked, two.masked)


def _cosine(one: Reply, two: Reply) -> float | None:
    alike = cosine(one.vector, two.vector)
    return None if isinstance(alike, Undefined) else alike


def _fairpairs(own: Replies, other: Replies, tools: Instruments) -> dict[str, FairPair | Undefined]:
    """B, V_gp and V_pg, own replies in the part of p(g(x))."""
    if tools.options.draws < 2:
        return {}
    found = {
        "fairpair_sentiment": fairpair(_sentiments(own), _sentiments(other), sentiment_gap),
        "fairpair_jaccard": fairpair(_tokens(own), _tokens(other), jaccard_gap),
    }
    if tools.embed is not None:
        found["fairpair_cosine"] = fairpair(
            [one.vector for one in own], [one.vector for one in other], cosine_gap
        )
    return found


def _sentiments(replies: Replies) -> list[float | None]:
    return [one.grounded.get("sentiment") for one in replies]


def _tokens(replies: Replies) -> list[frozenset[str]]:
    return [frozenset(words(one.masked)) for one in replies]


def _matrices(first: Replies, second: Replies) -> dict[str, list[list[float]]]:
    """Dissimilarities of all replies, each in [0, 1], by what they look at."""
    replies = (*first, *second)
    tokens, sentiments = _tokens(replies), _sentiments(replies)
    found = {"token": [[jaccard_gap(one, two) for two in tokens] for one in tokens]}
    if all(value is not None for value in sentiments):
        found["sentiment"] = [[sentiment_gap(one, two) for two in sentiments] for one in sentiments]
    if all(one.vector for one in replies):
        found["embedding"] = [
            [0.0 if one is two else cosine_gap(one.vector, two.vector) / 2 for two in replies]
            for one in replies
        ]
    return {name: matrix for name, matrix in found.items() if _finite(matrix)}


def _finite(matrix: Sequence[Sequence[float]]) -> bool:
    return all(math.isfinite(value) for row in matrix for value in row)


def _contrasts(first: Replies, second: Replies) -> dict[str, float | Undefined]:
    """How much more the groups differ than draws of one do; what the sequential tests add up."""
    if min(len(first), len(second)) < 2:
        return {}
    return {
        f"{name}_contrast": contrast(matrix, len(first))
        for name, matrix in _matrices(first, second).items()
        if name != "sentiment"
    }


def _p_values(first: Replies, second: Replies, *, varied: bool) -> dict[str, float]:
    """Permutation tests, where they can be made at all."""
    if untestable(len(first), len(second), deterministic=not varied) is not None:
        return {}
    tests = {
        name: permutation_test(matrix, len(first))
        for name, matrix in _matrices(first, second).items()
    }
    return {name: test.p_value for name, test in tests.items() if isinstance(test, Permutation)}
