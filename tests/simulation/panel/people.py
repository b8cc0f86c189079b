"""The people of prompts: who is mentioned how often, and who a model finds in a prompt it reads."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).parent
_PRONOUNS = {"female": ("she", "her", "her"), "male": ("he", "him", "his")}
_FEMALE = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_WORD = r"(?!(?:by|of|on|the|to)\b)[\w'’+-]+"
_MALE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)


@cache
def texts(name: str) -> Mapping[str, Any]:
    """The data file of this name."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def forms(words: Mapping[str, str]) -> dict[str, str]:
    """Slots and their words, and the same with a capital for slots with a capital."""
    capital = {
        slot[0].upper() + slot[1:]: word[:1].upper() + word[1:] for slot, word in words.items()
    }
    return {**words, **capital}


def some_person(attribute: str, random: Random) -> dict[str, str]:
    """Words for the slots of a prompt about somebody of one group of the attribute."""
    groups = texts("people")["groups"][attribute]
    (group,) = random.choices(list(groups), [one["share"] for one in groups.values()])
    gender = group if attribute == "gender" else random.choice(sorted(_PRONOUNS))
    subject, object_, possessive = _PRONOUNS[gender]
    word = random.choice(groups[group]["words"] or [""])
    return forms(
        {
            "a": "an" if word[:1] in "aeiouAEIOU" and word else "a",
            "group": word,
            "role": random.choice(texts("people")["roles"]),
            "name": random.choice(texts("people")["names"][gender]),
            "s": subject,
            "o": object_,
            "p": possessive,
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonFound:
    """Who a prompt is about. who: in words of a reply. group: the adjective; empty for none."""

    who: str
    group: str
    gender: str | None

    @property
    def is_somebody(self) -> bool:
        """Whether the prompt is about a person at all."""
        return bool(self.group or self.gender)

    def forms(self) -> dict[str, str]:
        """Words for the slots of a reply."""
        subject, object_, possessive = _PRONOUNS.get(
            self.gender or "", (self.who, self.who, f"{self.who}'s")
        )
        group = self.group or "such"
        return forms({"who": self.who, "group": group, "s": subject, "o": object_, "p": possessive})

    def is_of(self, attribute: str, group: str) -> bool:
        """Whether the prompt says that they are of this group."""
        if attribute == "gender":
            return self.gender == group
        known = texts("people")["groups"][attribute][group]
        words = {*known["words"], *known.get("also", ())}
        return self.group.lower() in {word.lower() for word in words}


def find_person(prompt: str) -> PersonFound:
    """The person in a prompt, by its words alone."""
    female, male = len(_FEMALE.findall(prompt)), len(_MALE.findall(prompt))
    gender = None if female == male else ("female" if female > male else "male")
    named, adjective = (pattern.search(prompt) for pattern in _patterns())
    if adjective:
        return PersonFound(
            who=f"the {adjective[1]} {adjective[2]}", group=adjective[1], gender=gender
        )
    return PersonFound(who=named[1] if named else "the customer", group="", gender=gender)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    roles = "|".join(texts("people")["roles"])
    return (
        re.compile(rf"\b(?:{roles}) ([A-Z][\w-]+)"),
        re.compile(rf"\b(?:[Aa]n?|[Mm]y|[Oo]ur) ((?:{_WORD} ){{0,2}}?{_WORD}) ({roles})\b"),
    )
