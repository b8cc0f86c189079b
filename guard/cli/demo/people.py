"""The people that demo prompts are about, and what a reader can tell about their gender."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final


class Gender(StrEnum):
    """What the words of a text say about a person."""

    FEMALE = "female"
    MALE = "male"
    UNTOLD = "untold"


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
    Gender.UNTOLD: ("they", "them", "their"),
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
    """The gender most words of `text` speak of; untold when they are even or there are none."""
    words = [word.lower() for word in _WORD.findall(text)]
    lead = sum(word in _TELLING[Gender.FEMALE] for word in words)
    lead -= sum(word in _TELLING[Gender.MALE] for word in words)
    if lead == 0:
        return Gender.UNTOLD
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
        return Person(gender=Gender.UNTOLD, name="", who="I")
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
