"""How much each row counts: noisy zeros less, and no group word more toxic than the mix."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from train.heads import index_of
from train.identity import mentions
from train.recipe import Recipe
from train.rows import Row

TOXICITY = index_of("toxicity")


@dataclass(frozen=True, slots=True, kw_only=True)
class TermShare:
    """The weight of toxic and of other rows in which a term occurs."""

    toxic: float
    other: float

    @property
    def share(self) -> float:
        return self.toxic / (self.toxic + self.other)


def is_toxic(row: Row) -> bool:
    return (row.targets[TOXICITY] or 0.0) >= 0.5


def is_rated(row: Row) -> bool:
    return row.targets[TOXICITY] is not None


def weigh_noisy_zeros(rows: Sequence[Row], recipe: Recipe) -> list[Row]:
    """A zero of a source whose zeros are known to hide toxic texts counts less."""
    return [
        replace(row, weight=row.weight * recipe.noisy_zero_weight)
        if row.source in recipe.noisy_zeros and not is_toxic(row)
        else row
        for row in rows
    ]


def overall_share(rows: Sequence[Row]) -> float:
    total = sum(row.weight for row in rows if is_rated(row))
    return sum(row.weight for row in rows if is_rated(row) and is_toxic(row)) / max(total, 1e-9)


def term_shares(rows: Sequence[Row], found: Sequence[frozenset[str]]) -> dict[str, TermShare]:
    """Per term, how the weight of the rows that mention it divides."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row, terms in zip(rows, found, strict=True):
        for term in terms if is_rated(row) else ():
            sums[term][0 if is_toxic(row) else 1] += row.weight
    return {term: TermShare(toxic=t, other=o) for term, (t, o) in sums.items()}


def odds_ratio(share: TermShare, overall: float) -> float:
    """What the toxic rows of a term must count, against its other rows, to match the mix."""
    if share.toxic == 0:
        return 1.0
    return min(1.0, overall / (1 - overall) * share.other / share.toxic)


def balance_terms(rows: Sequence[Row], rounds: int = 20) -> list[Row]:
    """Split the correction between fewer toxic and more other rows, so that less is thrown away.

    Rows with several terms are corrected for the worst one; the rounds settle what that disturbs.
    """
    found, balanced = mentions(row.text for row in rows), list(rows)
    for _ in range(rounds):
        goal, shares = overall_share(balanced), term_shares(balanced, found)
        ratios = {term: odds_ratio(share, goal) for term, share in shares.items()}
        if min(ratios.values(), default=1.0) > 0.995:
            break
        balanced = [
            rebalanced(row, min((ratios[t] for t in terms if t in ratios), default=1.0))
            for row, terms in zip(balanced, found, strict=True)
        ]
    return balanced


def rebalanced(row: Row, ratio: float) -> Row:
    if ratio == 1.0 or not is_rated(row):
        return row
    factor = sqrt(ratio) if is_toxic(row) else 1 / sqrt(ratio)
    return replace(row, weight=min(row.weight * factor, 3.0))


def weigh(rows: Sequence[Row], recipe: Recipe) -> list[Row]:
    return balance_terms(weigh_noisy_zeros(rows, recipe))
