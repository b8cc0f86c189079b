"""Plans and replies for tests of the shadow path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from guard.counterfactual import bundled
from guard.records import Ask, Ending, Generated, Turn
from guard.scoring.claims import ClaimChecker
from guard.shadow.comparison import Instruments
from guard.shadow.measurement import Measurements, measure
from guard.shadow.options import ShadowOptions
from guard.shadow.plan import Plan, make_plan
from guard.testing import WordScorer
from tests.pair_models import pair_classifier

LEXICONS = bundled()
GENDER: Mapping[str, tuple[str, ...]] = {"gender": ("female", "male")}
WORDS: Mapping[str, Mapping[str, float]] = {
    "sentiment": {"great": 0.9, "awful": 0.1, "fine": 0.5, "she": 0.8},
    "toxicity": {"awful": 0.9, "he": 0.3},
    "stereotype": {"emotional": 0.9},
}
CLAIMED = ("rest", "call", "plan", "fee", "great", "awful", "fine", "idea", "late", "boss")
"""What the classifier of pairs knows, beside "not"."""
SHE = "She is late. What do I tell her?"


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Letters counted: alike texts have alike vectors."""
    return [[1.0, *(float(text.lower().count(letter)) for letter in "aeiou")] for text in texts]


def options(**changes: Any) -> ShadowOptions:
    return ShadowOptions(**{"groups": GENDER, "generations": 1, "control": False, **changes})


def tools(embeds: bool = True, **changes: Any) -> Instruments:
    return Instruments(
        lexicons=LEXICONS,
        scorer=WordScorer(WORDS),
        options=options(**changes),
        embed=embed if embeds else None,
        check_claims=checker().check_all if changes.get("claims") else None,
    )


@cache
def checker() -> ClaimChecker:
    return ClaimChecker(pair_classifier(CLAIMED))


def planned(text: str = SHE, *, live: str | None = None, call: str = "c1", **changes: Any) -> Plan:
    turns = (Turn(role="user", content=text),)
    return make_plan(call, turns, live, lexicons=LEXICONS, options=options(**changes))


def answered(text: str, ending: Ending = Ending.ANSWERED) -> Generated:
    return Generated(text=text, ending=ending, tokens=10)


def measured(
    reply: Callable[[str, int, int], str | Generated],
    *,
    text: str = SHE,
    live: str | None = None,
    call: str = "c1",
    **changes: Any,
) -> Measurements:
    """reply: from the prompt, its side and the number of the draw."""
    embeds = changes.pop("embeds", True)
    made = planned(text, live=live, call=call, **changes)

    def generated(side: int, number: int, ask: Ask) -> Generated:
        said = reply(ask.turns[-1].content, side, number)
        return answered(said) if isinstance(said, str) else said

    replies = [generated(draw.side, draw.number, ask) for draw, ask in made.asks({})]
    return measure(made, replies, tools(embeds, **changes))


def speaks(prompt: str, hers: str, his: str) -> str:
    """What a model says that repeats the pronoun it was given."""
    return hers if "She" in prompt or " her" in prompt else his
