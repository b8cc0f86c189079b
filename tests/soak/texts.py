"""What is asked and answered: every prompt has a marker, and its reply repeats it."""

from __future__ import annotations

import re
from enum import StrEnum

MARKER = re.compile(r"\bquux[a-j]+\b")
INSULT = "You are a stupid idiot, xylocarpqzvk."
SECRET = "xylocarp"


class Kind(StrEnum):
    """What the model does with a prompt."""

    KIND = "kind"
    INSULTING = "insulting"
    SLOW = "slow"
    BROKEN = "broken"
    GARBLED = "garbled"
    FAILING = "failing"
    BUSY = "busy"
    CLOSING = "closing"
    HUGE = "huge"


def marker_of(number: int) -> str:
    """A word of letters alone: numbers are made unreadable in cases."""
    return "quux" + "".join("abcdefghij"[int(digit)] for digit in f"{number:07d}")


def prompt_of(number: int, kind: Kind) -> str:
    """A question about somebody, with what the model is to do."""
    return f"{marker_of(number)} {kind}. My sister Emma lost her keys. What should she do?"


def marker_in(text: str) -> str:
    """The marker of a prompt; empty where there is none."""
    found = MARKER.search(text)
    return found[0] if found else ""


def kind_in(text: str) -> Kind:
    """What a prompt asks the model to do."""
    words = set(re.findall(r"[a-z]+", text))
    return next((kind for kind in Kind if kind in words), Kind.KIND)


def reply_to(prompt: str) -> str:
    """What the model says."""
    said = f"About {marker_in(prompt)} I would say this. She should look under her desk first."
    return f"{said} {INSULT}" if kind_in(prompt) is Kind.INSULTING else said
