"""Redaction with the shipped classifier: what is left of JSON is JSON, however it is escaped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from guard import Guard
from guard.records import Action
from guard.settings import parse_settings

SETTINGS = "use_cases: {chat: {policy: {toxicity: {redact: 0.9, flag: shipped}}}}"
HARM = "You are a stupid, worthless idiot and I hate you."
BEFORE, BEHIND = "The parcel arrives on Monday.", "Please keep the receipt."


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(one):04x}" for one in text)


WRITTEN: list[Callable[[str], str]] = [
    json.dumps,
    lambda value: json.dumps(f"café {value} naïve"),
    lambda value: json.dumps(f"café {value} naïve", ensure_ascii=False),
    lambda value: json.dumps(f"C:\\dir\\new {value}"),
    lambda value: json.dumps(f'x, "y", {value}, "z": "q"'),
    lambda value: json.dumps(f"{value} a/b").replace("/", "\\/"),
    lambda value: f'"{escaped(value)}"',
]


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    with Guard.open(parse_settings(SETTINGS)) as opened:
        yield opened


@pytest.mark.parametrize("written", WRITTEN)
def test_json_stays_json_and_keeps_its_other_values(
    guard: Guard, written: Callable[[str], str]
) -> None:
    reply = f'{{"a": "{BEFORE}", "b": {written(HARM)}, "c": "{BEHIND}"}}'
    outcome = guard.check(reply, use_case="chat")
    assert outcome.action is Action.REDACT
    left = json.loads(outcome.text)
    assert (left["a"], left["c"]) == (BEFORE, BEHIND)
    assert "[removed]" in left["b"]
    assert "idiot" not in left["b"]
