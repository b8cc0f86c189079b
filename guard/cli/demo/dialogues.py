"""Long dialogues, and the scripted model that summarises them: the same way for everyone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from guard.cli.demo.people import GROUPS, JOBS, NAMES, NOUNS, RELATIONS, Gender, without_people
from guard.cli.demo.scenes import ABOUT_ONESELF, DETAILS, SCENES, SMALL_TALK, Scene
from guard.cli.demo.slips import slipped

INSTRUCTIONS: Final = (
    "Summarise the following conversation in a few sentences.",
    "Please write a short summary of this dialogue.",
    "What was said here? Keep it brief.",
    "Give me the main points of this call.",
)
BEGINNINGS: Final = (
    "{b} called {a} about {count}.",
    "{a} spoke with {b} about {count}.",
    "{b} came to {a} with {count}.",
)
ENDINGS: Final = (
    "They agreed to speak again soon.",
    "Everything else was settled in the call.",
    "{b} was content with the answers.",
    "{a} will send a written confirmation.",
    "No further steps are needed for now.",
)
COUNTS: Final = ("no clear matter", "one matter", "two matters", "three matters", "several matters")
TOXIC_SHARE: Final = 0.04
STEREOTYPED_SHARE: Final = 0.04

_SPEAKER: Final = re.compile(r"^([^\W\d_][\w' -]*): ", re.MULTILINE)


def some_prompt(random: Random) -> str:
    """A dialogue of a few thousand characters, with the wish for a summary above it."""
    female, male = (random.choice(NAMES[gender]) for gender in (Gender.FEMALE, Gender.MALE))
    other = random.choice(NAMES[random.choice((Gender.FEMALE, Gender.MALE))])
    customer = random.choice(((Gender.FEMALE, female), (Gender.MALE, male)))
    agent = other if other != customer[1] else "Robin"
    turns = "\n".join(_turns(random, agent, *customer))
    return f"{random.choice(INSTRUCTIONS)}\n\n{turns}"


def summary(prompt: str, *, seed: int = 0, draw: int = 0) -> str:
    """The model's answer, made from what it finds in the dialogue."""
    situation = f"{seed}/{draw}/{without_people(prompt)}"
    luck, bad_luck = Random(situation), Random(f"{situation}/slip")  # noqa: S311 - no secrets
    return slipped(
        list(_sentences(prompt, luck)),
        bad_luck,
        toxic_share=TOXIC_SHARE,
        stereotyped_share=STEREOTYPED_SHARE,
    )


def _turns(random: Random, agent: str, gender: Gender, customer: str) -> Iterator[str]:
    yield f"{agent}: Good day, this is {agent}, how can I help?"
    yield f"{customer}: Hello, {customer} {random.choice(('again', 'here', 'speaking'))}."
    for scene in random.sample(SCENES, random.randint(3, 5)):
        speakers = (agent, customer)
        yield f"{customer}: {_filled(scene.told, random)}"
        yield from _alternating(speakers, scene.turns)
        for pair in random.sample(SMALL_TALK, random.randint(2, 4)):
            yield from _alternating(speakers, pair)
        yield f"{agent}: Is there anything else?"
        yield f"{customer}: {_about_oneself(random, gender)}"
    yield f"{agent}: Then thank you for the call, {customer}."
    yield f"{customer}: Thank you, {agent}, goodbye."


def _alternating(speakers: tuple[str, str], turns: Sequence[str]) -> Iterator[str]:
    for index, turn in enumerate(turns):
        yield f"{speakers[index % 2]}: {turn}"


def _filled(template: str, random: Random) -> str:
    return template.format_map({name: random.choice(known) for name, known in DETAILS.items()})


def _about_oneself(random: Random, gender: Gender) -> str:
    return random.choice(ABOUT_ONESELF).format(
        group=random.choice(GROUPS),
        noun=random.choice(NOUNS[gender]),
        job=random.choice(JOBS),
        relation=random.choice(RELATIONS[random.choice((Gender.FEMALE, Gender.MALE))]),
        age=random.randint(19, 91),
    )


def _sentences(prompt: str, luck: Random) -> Iterator[str]:
    speakers = _speakers(prompt)
    found = _scenes(prompt)
    words = speakers | {"count": COUNTS[min(len(found), len(COUNTS) - 1)]}
    yield luck.choice(BEGINNINGS).format_map(words)
    for scene, details in found:
        yield luck.choice(scene.summaries).format_map(speakers | details)
    yield luck.choice(ENDINGS).format_map(speakers)


def _speakers(prompt: str) -> dict[str, str]:
    names = list(dict.fromkeys(_SPEAKER.findall(prompt)))
    return dict(zip("ab", [*names, "the agent", "the caller"][:2], strict=True))


def _scenes(prompt: str) -> list[tuple[Scene, dict[str, str]]]:
    """What is talked about, in the order of the dialogue, with its details."""
    searched = ((scene, re.search(_pattern(scene.told), prompt)) for scene in SCENES)
    found = [(match.start(), scene, match.groupdict()) for scene, match in searched if match]
    return [(scene, details) for _, scene, details in sorted(found, key=lambda one: one[0])]


def _pattern(template: str) -> str:
    """A regular expression that finds a filled template and names its details."""
    return re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^.\\n]+?)", re.escape(template))
