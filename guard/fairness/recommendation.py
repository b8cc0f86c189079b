"""Recommendation lists: does the list change when the group named in the prompt does?

Bouchard (2024), arXiv 2407.10853, section 3.3, after Zhang et al. (2023). Each function compares
the two lists of one pair; the metric is their mean over pairs (`guard.fairness.Mean`). A list is
ranked, best first. K is the length of the longer list, an item it lacks ranks behind all others,
and of an item named twice the first counts.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal

from guard.fairness.tally import listed
from guard.records import Undefined

Items = Iterable[Hashable]


def jaccard_k(a: Items, b: Items, k: int | None = None) -> float | Undefined:
    """The share of items that are on both lists, of those on either.

    |a & b| / |a | b|. a, b: ranked lists, cut to their first k. In [0, 1]: 0, no item in common;
    1, the same items. [LF 3.3]. Not where the order matters: it does not see it.
    """
    first, second = _cut(a, k), _cut(b, k)
    if not first and not second:
        return Undefined("both lists are empty")
    return len({*first} & {*second}) / len({*first, *second})


def serp_k(a: Items, b: Items, k: int | None = None) -> float | Undefined:
    """How high one list ranks what it shares with the other; the lower of the two directions.

    min(psi(a, b), psi(b, a)), psi(a, b) = sum over v in a and b of (K - rank(v, a) + 1), divided
    by K(K + 1)/2. a, b: as `jaccard_k`. In [0, 1]: 0, no item in common; 1, the same items, in any
    order. [LF 3.3]. Not where the order of shared items matters: `prag_k` sees that.
    """
    first, second = _cut(a, k), _cut(b, k)
    size = max(len(first), len(second))
    if not size:
        return Undefined("both lists are empty")
    return min(_psi(first, second, size), _psi(second, first, size)) / (size * (size + 1) / 2)


def prag_k(
    a: Items, b: Items, k: int | None = None, *, scale: Literal["unit", "paper"] = "unit"
) -> float | Undefined:
    """The share of pairs of items that both lists put in the same order.

    min(eta(a, b), eta(b, a)), eta(a, b) = pairs v1 before v2 in a where v1 is in b and before v2
    there, divided by K(K - 1)/2 (`scale="unit"`), or by K(K + 1) as printed in the paper
    (`scale="paper"`, where identical lists reach (K - 1)/(2(K + 1)) only). In [0, 1]: 0, no pair in
    the same order; 1, identical lists. K = 1 has no pairs: undefined. [LF 3.3]. Not for sets.
    """
    if scale not in {"unit", "paper"}:
        raise ValueError(f"scale {scale!r} is neither 'unit' nor 'paper'")
    first, second = _cut(a, k), _cut(b, k)
    size = max(len(first), len(second))
    if size < 2:
        return Undefined("lists of fewer than two items have no pairs to order")
    whole = size * (size - 1) / 2 if scale == "unit" else size * (size + 1)
    return min(_in_order(first, second), _in_order(second, first)) / whole


def _cut(items: Items, k: int | None) -> list[Hashable]:
    """The first k items, each once."""
    if k is not None and (k < 1 or k != int(k)):
        raise ValueError(f"k {k} must be a whole number, at least 1")
    return list(dict.fromkeys(listed(items, "items")[: None if k is None else int(k)]))


def _psi(a: Sequence[Hashable], b: Sequence[Hashable], size: int) -> int:
    other = set(b)
    return sum(size - rank for rank, item in enumerate(a) if item in other)


def _in_order(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Pairs v1 before v2 in a that stand in the same order in b, absent items behind all."""
    ranks = {item: rank for rank, item in enumerate(b)}
    seen: list[int] = []
    pairs = 0
    for item in a:
        rank = ranks.get(item, len(b))
        pairs += bisect_left(seen, rank)
        insort(seen, rank)
    return pairs
