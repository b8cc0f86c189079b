"""Talks between people of both sexes: one named speaker changes, all others stay.

The talks stand in `data/dialogues.txt`. After "##" stands the group wanted, or "decline", and what
the talk is about; "---" divides messages. {she|he} is what changes, and <Mary> any other name of
that group, everywhere the same. Everything else stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from guard.counterfactual import bundled, rewrite_all

TALKS = Path(__file__).parent / "data" / "dialogues.txt"
MARKED = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}|<(\w+)>")


class Talk(NamedTuple):
    to: str
    name: str
    messages: list[str]


def talks() -> list[Talk]:
    found = []
    for part in TALKS.read_text(encoding="utf-8").split("## ")[1:]:
        head, _, body = part.partition("\n")
        to, _, name = head.partition(" ")
        found.append(Talk(to, name, body.strip().split("\n---\n")))
    return found


def original(message: str) -> str:
    return MARKED.sub(lambda found: found[1] or found[3], message)


def expected(messages: list[str]) -> re.Pattern[str]:
    """What matches the messages, joined by a null; a name is one word, always the same."""
    pieces, end, named = [], 0, False
    joined = "\0".join(messages)
    for found in MARKED.finditer(joined):
        pieces.append(re.escape(joined[end : found.start()]))
        if found[3]:
            pieces.append("(?P=name)" if named else rf"(?P<name>(?!{found[3]}\b)[^\W\d_]+)")
            named = True
        else:
            pieces.append(re.escape(found[2]))
        end = found.end()
    return re.compile("".join([*pieces, re.escape(joined[end:])]))


def outcome(talk: Talk) -> tuple[bool, str]:
    """Whether the talk became what is expected, and what it became."""
    texts = [original(message) for message in talk.messages]
    to = "male" if talk.to == "decline" else talk.to
    made = rewrite_all(texts, bundled(), attribute="gender", to=to)
    if made[0].text is None:
        return talk.to == "decline", f"{made[0].declined} {made[0].detail}"
    got = "\0".join(one.text or "" for one in made)
    return talk.to != "decline" and expected(talk.messages).fullmatch(got) is not None, got


@pytest.mark.parametrize("talk", talks(), ids=lambda talk: talk.name.replace(" ", "-"))
def test_one_speaker_changes(talk: Talk) -> None:
    right, got = outcome(talk)
    assert right, got


def test_there_are_sixty_talks() -> None:
    assert len(talks()) >= 60
