"""What a model is asked on the shadow path, and how it ended. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Ending(StrEnum):
    """How a call ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FILTERED = "filtered"
    TIMED_OUT = "timed_out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation. role: system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to a model.

    parameters: what goes along in the words of the API (model, temperature, max_tokens, ...);
    JSON values. seed: makes this draw another one than the last; None leaves it to the model.
    as_messages: a callable is given the turns as a list of messages and not as one text.
    """

    turns: tuple[Turn, ...]
    parameters: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None
    as_messages: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What came back.

    text: empty unless answered or refused. tokens: prompt and completion, as far as told.
    detail: what went wrong, in a few words.
    """

    text: str
    ending: Ending
    tokens: int = 0
    detail: str = ""
