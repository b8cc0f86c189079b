"""What is said in the demo: the texts of `script.toml`, and the people that prompts are about."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
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


@cache
def texts() -> Texts:
    """The texts, read once."""
    data = tomllib.loads(files("guard.demo").joinpath("script.toml").read_text("utf-8"))
    topics = [Topic(**one) for one in data.pop("topics")]
    scenes = [Scene(**one) for one in data.pop("scenes")]
    return Texts(**data, topics=topics, scenes=scenes)


def with_slip(
    sentences: Sequence[str], luck: Random, *, toxic_share: float, stereotyped_share: float
) -> str:
    """The sentences as one reply, sometimes with a sentence among them that should be caught."""
    chance, place = luck.random(), luck.randint(0, len(sentences))
    if chance >= toxic_share + stereotyped_share:
        return " ".join(sentences)
    slip = luck.choice(texts().toxic if chance < toxic_share else texts().stereotyped)
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
        subj, obj, poss = ("I", "me", "my") if self.who == "I" else PRONOUNS[self.gender]
        return {"who": self.who, "name": self.name, "subj": subj, "obj": obj, "poss": poss}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PRONOUNS: Final[Mapping[Gender, tuple[str, str, str]]] = {
    Gender.FEMALE: ("she", "her", "her"),
    Gender.MALE: ("he", "him", "his"),
    Gender.UNKNOWN: ("they", "them", "their"),
}

NAMES: Final[Mapping[Gender, Sequence[str]]] = {
    Gender.FEMALE: _words(
        "Emma Olivia Sophia Grace Hannah Fatima Aisha Leila Maria Lucia Ana Carmen Mei Priya Anjali"
        " Yuki Chloe Ingrid Keisha Ebony Amara Zainab Rachel Miriam Svetlana Nadia Helen Margaret"
        " Ruth Claire"
    ),
    Gender.MALE: _words(
        "James Oliver William Henry Lucas Mohammed Ahmed Omar José Luis Carlos Diego Wei Raj Arjun"
        " Kenji Thomas Lars Jamal DeShawn Kwame Ibrahim David Samuel Dmitri Ivan George Peter Paul"
        " Martin"
    ),
}

RELATIONS: Final[Mapping[Gender, Sequence[str]]] = {
    Gender.FEMALE: ("sister", "mother", "daughter", "wife", "grandmother", "aunt", "niece"),
    Gender.MALE: ("brother", "father", "son", "husband", "grandfather", "uncle", "nephew"),
}

NOUNS: Final[Mapping[Gender, Sequence[str]]] = {
    Gender.FEMALE: ("woman", "lady"),
    Gender.MALE: ("man", "gentleman"),
}

TITLES: Final[Mapping[Gender, str]] = {Gender.FEMALE: "Ms.", Gender.MALE: "Mr."}

SURNAMES: Final = _words(
    "Okafor Nguyen Garcia Schmidt Kowalski Haddad Cohen Johansson Tanaka Patel Rossi Dubois Smith"
    " Ivanova Mensah Kim Silva Murphy Yilmaz Larsen"
)

GROUPS: Final = (
    *("Muslim", "Jewish", "Christian", "Hindu", "Buddhist", "Nigerian", "Mexican", "Chinese"),
    *("Polish", "Indian", "Turkish", "American", "Black", "white", "Asian", "Latin American"),
    *("gay", "deaf", "blind", "disabled", "Romani", "Sikh", "atheist", "Syrian"),
)

JOBS: Final = _words(
    "nurse teacher engineer driver student lawyer cleaner farmer accountant cook pilot carpenter"
    " librarian plumber scientist electrician"
)

_OTHERS: Final[Mapping[Gender, str]] = {
    Gender.FEMALE: "she her hers herself mrs ms miss madam women ladies girl girls mum mom female"
    " girlfriend",
    Gender.MALE: "he him his himself mr sir men gentlemen boy boys dad male boyfriend",
}
_WORD: Final = re.compile(r"[^\W\d_]+")
_AN: Final = re.compile(r"\b([Aa]) (?=[aeiouAEIOU8])")
_SHORTEST_TELLING_WORD: Final = 4
SHARE_OF_NOBODY: Final = 0.15


def _all_words(gender: Gender) -> frozenset[str]:
    others = _OTHERS[gender].split()
    known = (*NAMES[gender], *RELATIONS[gender], *NOUNS[gender], *others)
    return frozenset(word.lower() for word in known)


_TELLING: Final = {gender: _all_words(gender) for gender in (Gender.FEMALE, Gender.MALE)}
_GENDERED: Final = frozenset().union(*_TELLING.values())


def gender_of(text: str) -> Gender:
    """The gender most words of `text` speak of; unknown when they are even or there are none."""
    words = [word.lower() for word in _WORD.findall(text)]
    lead = sum(word in _TELLING[Gender.FEMALE] for word in words)
    lead -= sum(word in _TELLING[Gender.MALE] for word in words)
    if lead == 0:
        return Gender.UNKNOWN
    return Gender.FEMALE if lead > 0 else Gender.MALE


def without_people(text: str) -> str:
    """What is left of `text` when names, pronouns and short words are gone.

    The same for a prompt and its counterfactual, so that both meet the same luck.
    """
    words = [word for word in _WORD.findall(text) if word.islower() and word not in _GENDERED]
    return " ".join(word for word in words if len(word) >= _SHORTEST_TELLING_WORD)


def some_person(random: Random) -> Person:
    """A person as prompts mention them; now and then nobody in particular."""
    if random.random() < SHARE_OF_NOBODY:
        return Person(gender=Gender.UNKNOWN, name="", who="I")
    gender = random.choice((Gender.FEMALE, Gender.MALE))
    name = random.choice(NAMES[gender])
    who = random.choice(_introductions(random, gender, name))
    return Person(gender=gender, name=name, who=_AN.sub(r"\1n ", who))


def _introductions(random: Random, gender: Gender, name: str) -> tuple[str, ...]:
    relation = random.choice(RELATIONS[gender])
    noun = random.choice(NOUNS[gender])
    group, job = random.choice(GROUPS), random.choice(JOBS)
    surname = random.choice(SURNAMES)
    return (
        f"My {relation} {name}",
        f"My {relation}, a {group} {job},",
        f"{name}, a {group} {noun} who works as a {job},",
        f"{TITLES[gender]} {surname}",
        f"{TITLES[gender]} {surname}, a {random.randint(21, 88)}-year-old {job},",
        f"A {group} {noun} I look after",
        f"Our customer {name} {surname}",
    )
