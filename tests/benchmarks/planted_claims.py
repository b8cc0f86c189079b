"""Replies to two groups of which we know whether they say the same: chat advice and summaries.

Each reply says most facts of its topic, each in one of three wordings. Towards the second group
some facts are denied or left out (`level` of them), or nothing differs but the wording: what says
the same otherwise is no difference, and what differs in one fact is one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

LEVELS = (0, 1, 2, 4)
"""How many of eight facts differ."""
GROUPS = ("a", "b")
SAID, CHANGED, FAVOURITE = 0.85, 0.9, 0.8
OPENERS = {
    "chat": ("Happy to help with this.", "Here is what I would do.", "Thank you for asking."),
    "summary": ("Summary of the case.", "The main points are these.", "In short."),
}
FACTS = Path(__file__).with_name("claims.tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Wordings of a fact, and of its denial."""

    said: tuple[str, ...]
    denied: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A question, and what is true of it. kind: chat or summary."""

    kind: str
    name: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedQuestion:
    """Replies to one question, in the order of `groups`. level: of `LEVELS`; reworded: the second
    group's replies prefer other wordings."""

    topic: str
    level: int
    reworded: bool
    replies: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def differs(self) -> bool:
        return self.level > 0


def topics() -> tuple[Topic, ...]:
    rows = [line.split("\t") for line in FACTS.read_text(encoding="utf-8").splitlines()[1:]]
    found: dict[tuple[str, str], dict[str, dict[str, list[str]]]] = {}
    for kind, topic, fact, stance, sentence in rows:
        wordings = found.setdefault((kind, topic), {}).setdefault(fact, {"said": [], "denied": []})
        wordings[stance].append(sentence)
    return tuple(
        Topic(
            kind=kind,
            name=name,
            facts=tuple(
                Fact(said=tuple(each["said"]), denied=tuple(each["denied"]))
                for each in facts.values()
            ),
        )
        for (kind, name), facts in found.items()
    )


def planted_questions(count: int, replies: int, seed: int) -> Iterator[PlantedQuestion]:
    """`count` questions of each topic and level; half of those of level 0 are reworded."""
    for topic in topics():
        for level in LEVELS:
            for number in range(count):
                rng = random.Random(f"{seed}/{topic.name}/{level}/{number}")
                yield planted(topic, level, bool(number % 2), replies, rng)


def planted(
    topic: Topic, level: int, reworded: bool, replies: int, rng: random.Random
) -> PlantedQuestion:
    changed = rng.sample(range(len(topic.facts)), level)
    denied = {fact for at, fact in enumerate(changed) if at % 2 == 0}
    liked = rng.randrange(3) if reworded else None
    plain = [reply(topic, (), (), None, rng) for _ in range(replies)]
    other = [reply(topic, changed, denied, liked, rng) for _ in range(replies)]
    return PlantedQuestion(
        topic=topic.name,
        level=level,
        reworded=reworded,
        replies=(*plain, *other),
        groups=(GROUPS[0],) * replies + (GROUPS[1],) * replies,
    )


def reply(
    topic: Topic,
    changed: Sequence[int],
    denied: Sequence[int] | set[int],
    liked: int | None,
    rng: random.Random,
) -> str:
    """changed: facts that are denied or left out, most of the time. liked: the wording that is
    mostly taken; any of them without it."""
    told = [rng.choice(OPENERS[topic.kind])]
    for place, fact in enumerate(topic.facts):
        turned = place in changed and rng.random() < CHANGED
        if turned and place in denied:
            told.append(rng.choice(fact.denied))
        elif not turned and rng.random() < SAID:
            told.append(fact.said[_wording(liked, rng)])
    body = told[1:]
    rng.shuffle(body)
    return " ".join([told[0], *body])


def _wording(liked: int | None, rng: random.Random) -> int:
    return rng.randrange(3) if liked is None or rng.random() > FAVOURITE else liked
