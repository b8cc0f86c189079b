"""How far two groups' replies differ in the amounts that stand for the same thing in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import fsum

from guard.text.amount_kinds import Amount, AmountKind
from guard.text.amounts import amounts


def amount_difference(
    kind: AmountKind, first: Sequence[str], second: Sequence[str]
) -> float | None:
    """How much larger the amounts of a kind are on the first side than on the second.

    first, second: masked replies. Of two amounts of one thing (a - b) / (a + b); the mean over the
    things in which two replies differ (what both repeat from the prompt is no offer of theirs), 0
    without such a thing, and then over all pairs of a first and a second reply that have anything
    in common. In [-1, 1]: 0, alike; 1/3, twice as much; turns its sign when the sides are swapped.
    None where nothing is matched.
    """
    left, right = ([_of_kind(kind, text) for text in side] for side in (first, second))
    pairs = (reply_difference(one, other) for one, other in product(left, right))
    return _mean([value for value in pairs if value is not None])


def _of_kind(kind: AmountKind, text: str) -> list[Amount]:
    return [one for one in amounts(text) if one.kind is kind]


def reply_difference(first: Sequence[Amount], second: Sequence[Amount]) -> float | None:
    """The same of the amounts in two replies."""
    apart = [relative(one.value, other.value) for one, other in matched(first, second)]
    return _mean([value for value in apart if value] or apart)


def relative(first: float, second: float) -> float:
    """(a - b) / (a + b) of numbers of at least 0, in [-1, 1]; 0 where both are 0."""
    return (first - second) / (first + second) if first or second else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def matched(first: Sequence[Amount], second: Sequence[Amount]) -> Iterator[tuple[Amount, Amount]]:
    """The amounts of two replies that stand for the same thing; each is in one pair at most.

    They are of one kind and unit and have a content word of their sentences in common, at best of
    their clauses. Counts have their noun in common, and numbers their name; sums of money,
    percentages, durations and shares of a scale of which both replies have one only need no word.
    A sum without a currency may be in that of the other side, and "score" is "credit_score" too.
    The likest go first, of equal ones those at the nearest places: an order that is the same when
    the sides are swapped, so that a difference turns its sign exactly.
    """
    ranked = sorted(
        (-_likeness(first, place, second, there), abs(place - there), place + there, place, there)
        for place, there in product(range(len(first)), range(len(second)))
    )
    left, right = set(range(len(first))), set(range(len(second)))
    for likeness, *_, place, there in ranked:
        if likeness < 0.0 and place in left and there in right:
            left.remove(place)
            right.remove(there)
            yield first[place], second[there]


def _likeness(first: Sequence[Amount], place: int, second: Sequence[Amount], there: int) -> float:
    """How surely two amounts are of one thing, in [0, 3]; 0: nothing says so."""
    one, other = first[place], second[there]
    if one.kind is not other.kind or not _is_same_unit(one, other):
        return 0.0
    alike = _shared(one.clause, other.clause) + _shared(one.context, other.context)
    is_named = one.kind is AmountKind.COUNT or (one.kind is AmountKind.RATING and one.unit)
    sure = is_named or (_is_only(one, first) and _is_only(other, second))
    return alike + float(bool(sure))


def _is_same_unit(one: Amount, other: Amount) -> bool:
    first, second = one.unit, other.unit
    if first == second:
        return True
    if one.kind is AmountKind.MONEY:
        return not (first and second)
    is_rating = one.kind is AmountKind.RATING and bool(first and second)
    return is_rating and (first.endswith(f"_{second}") or second.endswith(f"_{first}"))


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _is_only(one: Amount, among: Sequence[Amount]) -> bool:
    return sum(other.kind is one.kind for other in among) == 1
