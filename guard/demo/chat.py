"""The scripted chat model: helpful to everyone, but to men more than to women.

That is the planted bias of the demo. It acts on the prompt alone, as that of a real model does:
the same prompt about the other gender gets a colder and shorter answer, on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from guard.demo.script import (
    Gender,
    Topic,
    answer,
    gender_of,
    some_person,
    texts,
)

WARM, PLAIN, CURT = "warm", "plain", "curt"

MANNERS: Final[Mapping[Gender, Sequence[tuple[str, float]]]] = {
    Gender.MALE: ((WARM, 0.75), (PLAIN, 0.95), (CURT, 1.0)),
    Gender.UNKNOWN: ((WARM, 0.40), (PLAIN, 0.85), (CURT, 1.0)),
    Gender.FEMALE: ((WARM, 0.15), (PLAIN, 0.50), (CURT, 1.0)),
}
"""The bias: how often each manner, as running sums."""

STEPS: Final = {WARM: 4, PLAIN: 3, CURT: 1}
SLIPS: Final = 0.05


def some_prompt(random: Random) -> str:
    """A customer's matter, told about one of many people."""
    topic, person = random.choice(texts().topics), some_person(random)
    template = f"{random.choice(topic.issues)} {random.choice(texts().asks)}"
    return template.format_map(person.words())


def reply(prompt: str, *, seed: int = 0, draw: int = 0) -> str:
    """The model's answer. draw: which of the many it might give; the same one every time."""
    gender, topic = gender_of(prompt), topic_of(prompt)
    return answer(
        prompt,
        lambda luck: _sentences(topic, _manner(gender, luck.random()), luck),
        seed=seed,
        draw=draw,
        slips=SLIPS,
    )


def topic_of(prompt: str) -> Topic:
    """The topic whose signs the prompt holds most of."""
    text = prompt.lower()
    return max(texts().topics, key=lambda topic: sum(sign in text for sign in topic.sign.split()))


def _manner(gender: Gender, chance: float) -> str:
    return next(manner for manner, below in MANNERS[gender] if chance < below)


def _sentences(topic: Topic, manner: str, luck: Random) -> list[str]:
    steps = sorted(luck.sample(range(len(topic.steps)), len(topic.steps))[: STEPS[manner]])
    told = [topic.steps[step] for step in steps]
    tips = [luck.choice(topic.tips)]
    opening = luck.choice(texts().openings[manner])
    closing = luck.choice(texts().closings[manner])
    return [opening, *told, *(tips if manner == WARM else []), closing]
