"""Calls measured through the real path: the shipped classifier, the real rewriter, all of it.

A finite pool makes its own mean the truth, so that the pool must hold the null exactly, and not
only nearly. With one generation it has every ordered pair of replies to a prompt, (j, k) beside
(k, j) with the same live reply: each reply stands as often on one side as on the other. With two
it has four replies in all orders that come of swapping the sides, and of swapping one reply of
each. With a control it has every reply to the prompt with every two to its rewrites. So the mean of
a gap is 0 in the pool if, and only if, measuring treats the two sides alike, which is what is put
to the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from guard.fairness import CATALOGUE, Measured, Tally
from guard.records import Ending, Generated
from guard.shadow.comparison import Instruments
from guard.shadow.measurement import Measurements, measure
from guard.shadow.options import ShadowOptions
from guard.shadow.plan import Draw, Plan, make_plan
from tests.simulation.shadow.speaker import COLD, Prompt

_SWAPS = (
    *((0, 1, 2, 3), (3, 1, 2, 0), (0, 2, 1, 3), (3, 2, 1, 0)),
    *((1, 0, 3, 2), (2, 0, 3, 1), (1, 3, 0, 2), (2, 3, 0, 1)),
)
"""The first two are one side's replies, the last two the other's."""
Deal = tuple[int, ...]
"""Numbers of replies: the live one, those to the prompt itself, to its variants, to its control."""
_CONTROL = 3
"""The side of the control in a deal, behind two variants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What each call of the pool adds to each test.

    values: (calls, tests), NaN where a call is no observation of a test. raw: the same for the
    gaps of replies as they are, which nothing decides by. prompt: (calls,), which prompt a call
    is about. own, other: (calls,), the first reply of each side; masked: whether it was compared
    masked. tests: those of groups, in the order of columns.
    """

    tests: tuple[str, ...]
    values: NDArray[np.float64]
    raw: NDArray[np.float64]
    prompt: NDArray[np.intp]
    own: NDArray[np.intp]
    other: NDArray[np.intp]
    masked: NDArray[np.bool_]
    groups: tuple[str, ...]


def pool(
    prompts: Sequence[Prompt], tools: Instruments, *, replies: int, seed: int, quadruples: int = 10
) -> Pool:
    """Every deal of `replies` replies to each prompt: some harsh ones, the others drawn."""
    rng = np.random.default_rng(seed)
    tests = tuple(
        test.of_group(group).name
        for test in tools.options.family(embeddings=tools.embed is not None)
        for group in tools.options.groups[test.attribute]
    )
    rows = []
    for number, prompt in enumerate(prompts):
        drawn = rng.permutation(len(prompt.replies)).tolist()
        chosen = [*COLD[:2], *(one for one in drawn if one not in COLD[:2])][:replies]
        deals = _deals(chosen, quadruples, rng, tools.options)
        rows += [(number, deal, _observed(prompt, deal, tools, tests)) for deal in deals]
    return Pool(
        tests=tests,
        values=np.array([values for _, _, (values, _, _) in rows]),
        raw=np.array([raw for _, _, (_, raw, _) in rows]),
        prompt=np.array([number for number, _, _ in rows]),
        own=np.array([deal[1] for _, deal, _ in rows]),
        other=np.array([deal[1 + tools.options.draws] for _, deal, _ in rows]),
        masked=np.array([masked for _, _, (_, _, masked) in rows]),
        groups=tuple(prompt.group for prompt in prompts),
    )


def _deals(
    chosen: Sequence[int], quadruples: int, rng: np.random.Generator, options: ShadowOptions
) -> Iterator[Deal]:
    if options.control:
        return _swapped_rewrites(chosen)
    if options.draws == 1:
        return _ordered_pairs(chosen)
    return _swapped_fours(chosen, quadruples, rng)


def _swapped_rewrites(chosen: Sequence[int]) -> Iterator[Deal]:
    for own, other, same in product(map(int, chosen), repeat=3):
        yield own, own, other, other, same


def _ordered_pairs(chosen: Sequence[int]) -> Iterator[Deal]:
    """The live reply is the same for (j, k) and for (k, j); a second variant gets another one."""
    size = len(chosen)
    for one, two in product(range(size), repeat=2):
        yield tuple(int(chosen[at % size]) for at in (one + two, one, two, two + 1))


def _swapped_fours(
    chosen: Sequence[int], quadruples: int, rng: np.random.Generator
) -> Iterator[Deal]:
    for _ in range(quadruples):
        four = [int(one) for one in rng.choice(chosen, 4)]
        live = int(rng.choice(chosen))
        for dealt in _SWAPS:
            replies = [four[at] for at in dealt]
            yield (live, *replies, *replies[2:])


def _observed(
    prompt: Prompt, deal: Deal, tools: Instruments, tests: Sequence[str]
) -> tuple[list[float], list[float], bool]:
    made = make_plan(
        "call",
        prompt.turns,
        prompt.reply(prompt.text, deal[0]),
        lexicons=tools.lexicons,
        options=tools.options,
    )
    assert made.variants, prompt.text
    found = measure(made, _answers(prompt, made, deal, tools.options.draws), tools)
    values = [_single(found.evidence.get(test, {}), test) for test in tests]
    raw = [_raw(found, test) for test in tests]
    gaps = tuple(one.name for one in CATALOGUE.metrics if one.is_signed)
    return (
        values,
        [x if test.startswith(gaps) else float("nan") for x, test in zip(raw, tests, strict=True)],
        any(pair.masked for pair in found.pairs),
    )


def _raw(found: Measurements, test: str) -> float:
    """What the same test would see of the replies as they are."""
    measured = Measured.parse(test)
    gaps = [
        pair.seen.observed.get(measured.metric.replace("_grounded", ""))
        * (1 if pair.replies.first == measured.groups else -1)
        for pair in found.pairs
        if measured.groups in (pair.replies.first, pair.replies.second)
        and isinstance(pair.seen.observed.get(measured.metric.replace("_grounded", "")), float)
    ]
    return gaps[0] if gaps else float("nan")


def _answers(prompt: Prompt, made: Plan, deal: Deal, draws: int) -> list[Generated]:
    """Each side's replies, in the words of its own prompt."""
    return [
        Generated(
            text=prompt.reply(
                ask.turns[-1].content, deal[1 + _side(made, draw) * draws + draw.number]
            ),
            ending=Ending.ANSWERED,
        )
        for draw, ask in made.asks({})
    ]


def _side(made: Plan, draw: Draw) -> int:
    is_control = draw.side > 0 and made.variants[draw.side - 1].is_control
    return _CONTROL if is_control else draw.side


def _single(tally: Tally, name: str) -> float:
    n = tally.get(f"{name}|n", 0.0)
    return tally.get(f"{name}|sum", 0.0) / n if n else float("nan")
