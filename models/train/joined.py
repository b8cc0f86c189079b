"""Several rows in one text, as long texts hold sentences of many kinds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from train.heads import index_of
from train.keys import text_key
from train.recipe import Recipe
from train.rows import Row, Target, Targets
from train.written.hard import Side, source_of

TOXICITY, STEREOTYPE, SENTIMENT = map(index_of, ("toxicity", "stereotype", "sentiment"))
LONGEST_PART = 400
CUT_SHARE = 0.5
GAPS = (" ", " ", " ", "\n", "\n\n")


def usable(rows: Sequence[Row], noisy: Sequence[str], toxic: bool) -> list[Row]:
    """Rows that are certainly toxic, or certainly not."""
    wanted = 1.0 if toxic else 0.0
    return [
        row
        for row in rows
        if row.targets[TOXICITY] == wanted
        and len(row.text) <= LONGEST_PART
        and (toxic or row.source not in noisy)
    ]


def together(found: Sequence[Target]) -> Target:
    """Of a text what is so of any part; unknown where an unknown part could decide."""
    if 1.0 in found:
        return 1.0
    return None if None in found else max(t for t in found if t is not None)


def targets_together(parts: Sequence[Row]) -> Targets:
    """Sentiment is left open: it is of the whole."""
    columns = zip(*(part.targets for part in parts), strict=True)
    joined = [together(column) for column in columns]
    joined[SENTIMENT] = None
    return tuple(joined)


def picked(pool: Sequence[Row], room: int, rng: Random) -> list[Row]:
    parts: list[Row] = []
    while room > 0:
        parts.append(rng.choice(pool))
        room -= len(parts[-1].text)
    return parts


def cut(text: str, rng: Random) -> str:
    """Now and then without its first words, as a window begins where the one before ended."""
    words = text.split(" ")
    return " ".join(words[rng.randrange(min(12, len(words))) :])


def joined_rows(rows: Sequence[Row], recipe: Recipe) -> Iterator[Row]:
    """`recipe.joined` texts; in a share of them one part is toxic.

    Of most toxicity data nobody has said whether it holds a stereotype, so that long texts made of
    it teach what one looks like and never what none does. `recipe.joined_settled` of the texts are
    made of parts that are known to be neither. At least `recipe.joined_hard` of the toxic
    parts are hard texts, which are harmful without a slur.
    """
    harsh, calm = (usable(rows, recipe.noisy_zeros, toxic) for toxic in (True, False))
    settled = [row for row in calm if row.targets[STEREOTYPE] == 0.0] or calm
    hard = [row for row in harsh if row.source == source_of(Side.HARMFUL)] or harsh
    rng = Random(f"{recipe.seed}/joined")
    for _ in range(recipe.joined if harsh and calm else 0):
        pool = settled if recipe.joined_settled and rng.random() < recipe.joined_settled else calm
        parts = picked(pool, rng.randint(*recipe.joined_room), rng)
        if rng.random() < CUT_SHARE:
            parts[0] = replace(parts[0], text=cut(parts[0].text, rng))
        if rng.random() < recipe.joined_toxic:
            wanted = hard if recipe.joined_hard and rng.random() < recipe.joined_hard else harsh
            parts.insert(rng.randrange(len(parts)), rng.choice(wanted))
        text = rng.choice(GAPS).join(part.text for part in parts)
        yield replace(
            parts[0],
            text=text,
            key=text_key(text),
            source="joined",
            targets=targets_together(parts),
            weight=1.0,
            bundle="",
        )
