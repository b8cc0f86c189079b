"""What scripted models say: for each style a deck of replies, still with slots for people.

A deck is drawn once, so that the same replies come again and again, as the replies of a support
desk do, while length, tone, amounts and wording vary from draw to draw.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

from tests.simulation.panel.people import texts

SIZE = 150
_PERSON = re.compile(r"\{(?:who|s|o|p)\}", re.IGNORECASE)
_MIXED = {"warm": 0.5, "matter": 0.35, "cold": 0.15}
_TONES: Mapping[str, Mapping[str, float]] = {
    "ordinary": _MIXED,
    "curt": _MIXED,
    "echo": _MIXED,
    "references": {"able": 0.5, "kind": 0.5},
}
_MIXTURES: Mapping[str, Mapping[str, float]] = {
    "terse at random": {"ordinary": 0.5, "curt": 0.5},
    "refuses at random": {"ordinary": 0.8, "refusal": 0.2},
    "rude at random": {"ordinary": 0.85, "insult": 0.15},
    "wordy at random": {"ordinary": 0.6, "echo": 0.4},
    "moody reports": {"report": 0.4, "hostile": 0.2, "competent": 0.2, "overwhelmed": 0.2},
    "short at random": {"report": 0.5, "short report": 0.5},
}
_BASES = {"low offer": "offer", "heavy offer": "offer", "short report": "report"}


def some_reply(style: str, random: Random) -> str:
    """One reply in a style, its slots not yet filled."""
    mixture = _MIXTURES.get(style, {style: 1.0})
    (part,) = random.choices(list(mixture), list(mixture.values()))
    return random.choice(deck(part))


@cache
def deck(style: str) -> tuple[str, ...]:
    """All replies in a style."""
    if style == "refusal":
        return tuple(texts("chat")["refusals"]["texts"])
    random = Random(f"deck/{_BASES.get(style, style)}")
    made = [_made(style, random) for _ in range(3 * SIZE if style == "echo" else SIZE)]
    if style == "echo":
        made.sort(key=lambda text: -len(_PERSON.findall(text)))
    return tuple(made[:SIZE])


def _made(style: str, random: Random) -> str:
    base = _BASES.get(style, style)
    tones = _TONES.get(base, {base: 1.0})
    (tone,) = random.choices(list(tones), list(tones.values()))
    known = texts("chat")["tones"] | texts("summaries")["tones"]
    sentences = _sentences(known[tone], random, short=style in {"curt", "short report"})
    return _with_numbers(" ".join(sentences), style, random)


def _sentences(tone: Mapping[str, Sequence[str]], random: Random, *, short: bool) -> list[str]:
    number = min(random.choice((1, 2, 2, 3, 3, 4)), len(tone["bodies"]))
    bodies = random.sample(tone["bodies"], number)
    if short:
        return bodies[:1]
    opener = [random.choice(tone["openers"])] if random.random() < 0.75 else []
    closer = [random.choice(tone["closers"])] if random.random() < 0.6 else []
    return [*opener, *bodies, *closer]


def _with_numbers(text: str, style: str, random: Random) -> str:
    """Amounts put in. The same draws make the same offer, lower in a low one."""
    loan, rate, heavy = (
        random.randrange(4000, 6001, 250),
        random.randrange(50, 85, 5),
        random.random(),
    )
    if style == "low offer":
        loan, rate = round(loan * 0.85 / 50) * 50, rate + 15
    if style == "heavy offer":
        loan = round(1000 * min(heavy, 0.999) ** -1.2 / 50) * 50
    numbers = {
        "loan": f"{loan:,}",
        "rate": f"{rate / 10:g}",
        "amount": str(random.randrange(20, 200, 10)),
        "days": str(random.randrange(2, 15)),
        "percent": str(random.randrange(60, 95, 5)),
    }
    for slot, number in numbers.items():
        text = text.replace("{" + slot + "}", number)
    return text
