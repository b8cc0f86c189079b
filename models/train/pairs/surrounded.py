"""Premises of several sentences, since replies have several.

Others' premises stand around a premise, and the label is kept. In some rows that are added the
hypothesis itself stands among others' premises, from which it follows; in some nothing is said of
it, which is at least no entailment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from train.pairs.recipe import PairRecipe
from train.pairs.rows import POSSIBLE, PairRow

MARKS = (".", "!", "?", '"')


def sentence(text: str) -> str:
    """With a mark at its end."""
    text = text.strip()
    return text if text.endswith(MARKS) else f"{text}."


def among(text: str, others: Sequence[str], rng: Random) -> str:
    """A text somewhere between others."""
    parts = [sentence(other) for other in others]
    parts.insert(rng.randint(0, len(parts)), sentence(text))
    return " ".join(parts)


class Surroundings:
    """Draws sentences of other rows."""

    def __init__(self, rows: Sequence[PairRow], recipe: PairRecipe) -> None:
        self._rng = Random(f"{recipe.seed}/surroundings")
        self._recipe = recipe
        short = (row.premise for row in rows if row.premise.count(" ") < recipe.longest_other)
        self._pool = sorted(set(short))

    def surround(self, row: PairRow) -> PairRow:
        return replace(row, premise=among(row.premise, self._others(), self._rng))

    def quote(self, row: PairRow) -> PairRow:
        premise = among(row.hypothesis, self._others(), self._rng)
        return replace(row, premise=premise, possible=POSSIBLE["entailment"])

    def unrelate(self, row: PairRow) -> PairRow:
        premise = " ".join(sentence(other) for other in self._others())
        return replace(row, premise=premise, possible=POSSIBLE["not_entailment"])

    def rows(self, row: PairRow) -> Iterator[PairRow]:
        """The row, as it is or surrounded, and what is added for it."""
        recipe, draw = self._recipe, self._rng.random
        yield self.surround(row) if draw() < recipe.surrounded_share else row
        if draw() < recipe.quoted_share:
            yield self.quote(row)
        if draw() < recipe.unrelated_share:
            yield self.unrelate(row)

    def _others(self) -> list[str]:
        return self._rng.choices(self._pool, k=self._rng.randint(1, self._recipe.others))


def surrounded_rows(rows: Sequence[PairRow], recipe: PairRecipe) -> list[PairRow]:
    """Each row as often as its source is repeated, differently each time."""
    surroundings = Surroundings(rows, recipe)
    return [
        made
        for row in rows
        for _ in range(recipe.repeats.get(row.source, 1))
        for made in surroundings.rows(row)
    ]
