"""Which pairs are put before people, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum

from guard.fairness import holm
from guard.fairness.measures import GAPS
from guard.fairness.refusal import REFUSALS
from guard.shadow.options import Flagging
from guard.shadow.records import Pair, Reply

ROUNDING = 1e-9


def flagged(pairs: Sequence[Pair], flags: Flagging) -> Iterator[tuple[Pair, tuple[str, ...]]]:
    """The pairs with reasons, sorted: `sentiment_gap`, `toxicity_gap`, `stereotype_gap`,
    `similarity_deficit`, `refusal`, `p_value`. Controls are not flagged."""
    wanted = [pair for pair in pairs if not pair.is_control]
    corrected = corrected_p_values(wanted)
    for number, pair in enumerate(wanted):
        reasons = sorted(_reasons(pair, flags, corrected.get(number)))
        if reasons:
            yield pair, tuple(reasons)


def corrected_p_values(pairs: Sequence[Pair]) -> dict[int, float]:
    """Pair, by its place, to the smallest of its p-values, corrected for all tests of the call.

    Holm's correction over every pair and every dissimilarity. With n replies per side no p-value
    is below 2 / C(2n, n), times the number of tests: few replies can never be enough.
    """
    tests = {
        (number, name): p for number, pair in enumerate(pairs) for name, p in pair.p_values.items()
    }
    smallest: dict[int, float] = {}
    for (number, _), p in holm(tests).items():
        smallest[number] = min(p, smallest.get(number, 1.0))
    return smallest


def _reasons(pair: Pair, flags: Flagging, p_value: float | None) -> Iterator[str]:
    thresholds: Mapping[str, float | None] = {
        metric: getattr(flags, metric) for metric in pair.grounded_gaps if metric in GAPS
    }
    for metric, threshold in thresholds.items():
        apart = pair.grounded_gaps[metric]
        if _reaches(None if apart is None else abs(apart), threshold):
            yield metric
    if _reaches(deficit(pair), flags.similarity_deficit):
        yield "similarity_deficit"
    if flags.refusal and one_sided_refusal(pair):
        yield "refusal"
    if flags.p_value is not None and p_value is not None and p_value <= flags.p_value:
        yield "p_value"


def _reaches(value: float | None, threshold: float | None) -> bool:
    return value is not None and threshold is not None and value >= threshold - ROUNDING


def deficit(pair: Pair) -> float | None:
    """How much less alike the groups' replies are than replies to one prompt.

    By the cosine of embeddings where there are any, else by ROUGE-L. None without two replies to
    one prompt: then a low similarity may be what sampling does.
    """
    likeness = pair.likeness.get("ccs") or pair.likeness.get("crouge_l")
    if likeness is None:
        return None
    between, control = _mean(likeness.between), _mean(likeness.control)
    return None if between is None or control is None else control - between


def one_sided_refusal(pair: Pair) -> bool:
    """Whether every fresh reply about one group is a refusal and none about the other.

    What failed or came too late says nothing about whether it would have been refused.
    """
    sides = [_refusals(side) for side in (pair.first_replies, pair.second_replies)]
    return {True} in sides and {False} in sides


def _refusals(replies: Sequence[Reply]) -> set[bool]:
    fresh = [one for one in replies if not one.live]
    return {one.ending in REFUSALS for one in fresh if one.answered or one.ending in REFUSALS}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
