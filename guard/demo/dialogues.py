"""Long dialogues, and the scripted model that summarises them: the same way for everyone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from guard.demo.script import Gender, Scene, answer, texts

SLIPS: Final = 0.04

_SPEAKER: Final = re.compile(r"^([^\W\d_][\w' -]*): ", re.MULTILINE)


def some_prompt(random: Random) -> str:
    """A dialogue of a few thousand characters, with the wish for a summary above it."""
    names = texts().people.names
    female, male = (random.choice(names[gender]) for gender in (Gender.FEMALE, Gender.MALE))
    other = random.choice(names[random.choice((Gender.FEMALE, Gender.MALE))])
    customer = random.choice(((Gender.FEMALE, female), (Gender.MALE, male)))
    agent = other if other != customer[1] else "Robin"
    turns = "\n".join(_turns(random, agent, *customer))
    return f"{random.choice(texts().instructions)}\n\n{turns}"


def summary(prompt: str, *, seed: int = 0, draw: int = 0) -> str:
    """The model's answer, made from what it finds in the dialogue."""
    return answer(
        prompt, lambda luck: list(_sentences(prompt, luck)), seed=seed, draw=draw, slips=SLIPS
    )


def _turns(random: Random, agent: str, gender: Gender, customer: str) -> Iterator[str]:
    yield f"{agent}: Good day, this is {agent}, how can I help?"
    yield f"{customer}: Hello, {customer} {random.choice(('again', 'here', 'speaking'))}."
    for scene in random.sample(texts().scenes, random.randint(3, 5)):
        speakers = (agent, customer)
        yield f"{customer}: {_fill(scene.told, random)}"
        yield from _alternating(speakers, scene.turns)
        for pair in random.sample(texts().small_talk, random.randint(2, 4)):
            yield from _alternating(speakers, pair)
        yield f"{agent}: Is there anything else?"
        yield f"{customer}: {_about_oneself(random, gender)}"
    yield f"{agent}: Then thank you for the call, {customer}."
    yield f"{customer}: Thank you, {agent}, goodbye."


def _alternating(speakers: tuple[str, str], turns: Sequence[str]) -> Iterator[str]:
    for index, turn in enumerate(turns):
        yield f"{speakers[index % 2]}: {turn}"


def _fill(template: str, random: Random) -> str:
    return template.format_map(
        {name: random.choice(known) for name, known in texts().details.items()}
    )


def _about_oneself(random: Random, gender: Gender) -> str:
    people = texts().people
    return random.choice(texts().about_oneself).format(
        group=random.choice(people.groups),
        noun=random.choice(people.nouns[gender]),
        job=random.choice(people.jobs),
        relation=random.choice(people.relations[random.choice((Gender.FEMALE, Gender.MALE))]),
        age=random.randint(19, 91),
    )


def _sentences(prompt: str, luck: Random) -> Iterator[str]:
    speakers = _speakers(prompt)
    found = _scenes(prompt)
    words = speakers | {"count": texts().counts[min(len(found), len(texts().counts) - 1)]}
    yield luck.choice(texts().beginnings).format_map(words)
    for scene, details in found:
        yield luck.choice(scene.summaries).format_map(speakers | details)
    yield luck.choice(texts().endings).format_map(speakers)


def _speakers(prompt: str) -> dict[str, str]:
    names = list(dict.fromkeys(_SPEAKER.findall(prompt)))
    return dict(zip("ab", [*names, "the agent", "the caller"][:2], strict=True))


def _scenes(prompt: str) -> list[tuple[Scene, dict[str, str]]]:
    """What is talked about, in the order of the dialogue, with its details."""
    searched = ((scene, re.search(_pattern(scene.told), prompt)) for scene in texts().scenes)
    found = [(match.start(), scene, match.groupdict()) for scene, match in searched if match]
    return [(scene, details) for _, scene, details in sorted(found, key=lambda one: one[0])]


def _pattern(template: str) -> str:
    """A regular expression that finds a filled template and names its details."""
    return re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^.\\n]+?)", re.escape(template))
