"""What a suite is given, and what it says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Scores = Mapping[str, float]
Scorer = Callable[[list[str]], Sequence[Scores]]
Thresholds = Mapping[str, float]
Side = Literal["over", "under"]

TOXICITY = "toxicity"
STEREOTYPE = "stereotype"
SENTIMENT = "sentiment"
MIDDLE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One text, and on which side of a head's threshold it belongs."""

    text: str
    family: str
    head: str
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """One sentence, said of several groups: the change should change no score."""

    attribute: str
    toxic: bool
    groups: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCase:
    """One sentence about a group, or about none (`group=None`), and whether it is toxic."""

    text: str
    group: str | None
    toxic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text of about `words` words, with a toxic sentence hidden in it or without."""

    text: str
    words: int
    toxic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A figure, the count that it rests on, and its 95 % interval."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A text on the wrong side, and the score that put it there."""

    text: str
    family: str
    score: float
