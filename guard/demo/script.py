"""What is said in the demo: the texts of `script.toml`, and the people that prompts are about."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from random import Random
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What customers of the support chat ask about.

    sign: words, separated by spaces, that only prompts about it hold. issues: templates in the
    words of a person. steps, tips: sentences of an answer.
    """

    sign: str
    issues: Sequence[str]
    steps: Sequence[str]
    tips: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A stretch of a dialogue.

    told: what b says first; holds every detail, so that a summary can be made from it alone.
    turns: what a and b say after that, in turn. summaries: templates in the words of both
    speakers and the details.
    """

    told: str
    turns: Sequence[str]
    summaries: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Words for the people that prompts are about, by gender where they tell it.

    pronouns: subject, object, possessive. others: further words that tell of a gender.
    """

    pronouns: Mapping[str, Sequence[str]]
    names: Mapping[str, Sequence[str]]
    relations: Mapping[str, Sequence[str]]
    nouns: Mapping[str, Sequence[str]]
    titles: Mapping[str, str]
    others: Mapping[str, Sequence[str]]
    surnames: Sequence[str]
    groups: Sequence[str]
    jobs: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All texts of the demo. toxic, stereotyped: sentences that a guard should catch."""

    asks: Sequence[str]
    toxic: Sequence[str]
    stereotyped: Sequence[str]
    instructions: Sequence[str]
    beginnings: Sequence[str]
    endings: Sequence[str]
    counts: Sequence[str]
    about_oneself: Sequence[str]
    small_talk: Sequence[Sequence[str]]
    openings: Mapping[str, Sequence[str]]
    closings: Mapping[str, Sequence[str]]
    details: Mapping[str, Sequence[str]]
    topics: Sequence[Topic]
    scenes: Sequence[Scene]
    people: People


@cache
def texts() -> Texts:
    """The texts, read once."""
    data = tomllib.loads(files("guard.demo").joinpath("script.toml").read_text("utf-8"))
    topics = [Topic(**one) for one in data.pop("topics")]
    scenes = [Scene(**one) for one in data.pop("scenes")]
    people = People(**data.pop("people"))
    return Texts(**data, topics=topics, scenes=scenes, people=people)


def answer(
    prompt: str, sentences: Callable[[Random], Sequence[str]], *, seed: int, draw: int, slips: float
) -> str:
    """The sentences as one reply, sometimes with one among them that should be caught.

    sentences: by the luck of this prompt, seed and draw. slips: the share of toxic replies, and
    that of stereotyped ones.
    """
    situation = f"{seed}/{draw}/{without_people(prompt)}"
    luck, bad_luck = Random(situation), Random(f"{situation}/slip")  # noqa: S311 - no secrets
    return with_slip(sentences(luck), bad_luck, slips)


def with_slip(sentences: Sequence[str], luck: Random, slips: float) -> str:
    """The sentences as one text; see `answer`."""
    chance, place = luck.random(), luck.randint(0, len(sentences))
    if chance >= 2 * slips:
        return " ".join(sentences)
    slip = luck.choice(texts().toxic if chance < slips else texts().stereotyped)
    return " ".join([*sentences[:place], slip, *sentences[place:]])


class Gender(StrEnum):
    """What the words of a text say about a person."""

    FEMALE = "female"
    MALE = "male"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone a prompt is about. who: how a sentence that begins with them starts."""

    gender: Gender
    name: str
    who: str

    def words(self) -> Mapping[str, str]:
        """What fills a template: who, name, subj, obj, poss."""
        pronouns = texts().people.pronouns[self.gender]
        subj, obj, poss = ("I", "me", "my") if self.who == "I" else pronouns
        return {"who": self.who, "name": self.name, "subj": subj, "obj": obj, "poss": poss}


_WORD: Final = re.compile(r"[^\W\d_]+")
_AN: Final = re.compile(r"\b([Aa]) (?=[aeiouAEIOU8])")
_SHORTEST_TELLING_WORD: Final = 4
SHARE_OF_NOBODY: Final = 0.15


@cache
def _telling(gender: Gender) -> frozenset[str]:
    """The words that tell of a gender, in lower case."""
    people = texts().people
    known = (people.names, people.relations, people.nouns, people.others)
    return frozenset(word.lower() for words in known for word in words[gender])


def gender_of(text: str) -> Gender:
    """The gender most words of `text` speak of; unknown when they are even or there are none."""
    words = [word.lower() for word in _WORD.findall(text)]
    lead = sum(word in _telling(Gender.FEMALE) for word in words)
    lead -= sum(word in _telling(Gender.MALE) for word in words)
    if lead == 0:
        return Gender.UNKNOWN
    return Gender.FEMALE if lead > 0 else Gender.MALE


def without_people(text: str) -> str:
    """What is left of `text` when names, pronouns and short words are gone.

    The same for a prompt and its counterfactual, so that both meet the same luck.
    """
    gendered = _telling(Gender.FEMALE) | _telling(Gender.MALE)
    words = [word for word in _WORD.findall(text) if word.islower() and word not in gendered]
    return " ".join(word for word in words if len(word) >= _SHORTEST_TELLING_WORD)


def some_person(random: Random) -> Person:
    """A person as prompts mention them; now and then nobody in particular."""
    if random.random() < SHARE_OF_NOBODY:
        return Person(gender=Gender.UNKNOWN, name="", who="I")
    gender = random.choice((Gender.FEMALE, Gender.MALE))
    name = random.choice(texts().people.names[gender])
    who = random.choice(_introductions(random, gender, name))
    return Person(gender=gender, name=name, who=_AN.sub(r"\1n ", who))


def _introductions(random: Random, gender: Gender, name: str) -> tuple[str, ...]:
    people = texts().people
    relation = random.choice(people.relations[gender])
    noun = random.choice(people.nouns[gender])
    group, job = random.choice(people.groups), random.choice(people.jobs)
    title, surname = people.titles[gender], random.choice(people.surnames)
    return (
        f"My {relation} {name}",
        f"My {relation}, a {group} {job},",
        f"{name}, a {group} {noun} who works as a {job},",
        f"{title} {surname}",
        f"{title} {surname}, a {random.randint(21, 88)}-year-old {job},",
        f"A {group} {noun} I look after",
        f"Our customer {name} {surname}",
    )
