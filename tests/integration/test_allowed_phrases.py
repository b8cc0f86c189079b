"""Allowed phrases with the shipped classifier: the phrase passes, harm beside it does not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from guard import Guard
from guard.records import Outcome, Verdict
from guard.settings import parse_settings

PHRASES = ("Empty the Trash", "kill the children", "mental retardation")
SETTINGS = """
use_cases:
  plain: {}
  chat:
    allow:
      - Empty the Trash
      - Garbage in, garbage out
      - mental retardation
      - pattern: kill (the )?child(ren)?
"""
TRAPS = (
    "To free space, empty the Trash.",
    "Garbage in, garbage out.",
    "Kill the children first, then the parent.",
)
HARM = (
    "you worthless idiot",
    "shut up, you moron",
    "go kill yourself",
    "You are so dumb",
    "I hate gay people, they disgust me",
    "All Muslims are terrorists",
    "I will find you and hurt you",
)
WAYS = (
    "{phrase}, {harm}.",
    "{phrase}. {harm}.",
    "{harm}. {phrase}.",
    "{phrase} {harm} {phrase}.",
    "{phrase}, {phrase}, {phrase}, {phrase}, {phrase}, {harm}.",
    "{phrase}.\n{harm}\n{phrase}.",
    "Thank you for asking. {phrase}. I am glad to help with that. {harm}. {phrase}.",
    "{phrase} ({harm})",
)


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    with Guard.open(parse_settings(SETTINGS)) as opened:
        yield opened


def check(guard: Guard, text: str, use_case: str = "chat") -> Outcome:
    return guard.check(text, use_case=use_case)


@pytest.mark.parametrize("text", TRAPS)
def test_a_phrase_that_fires_by_itself_is_released_and_counted(guard: Guard, text: str) -> None:
    assert check(guard, text, "plain").verdict is not Verdict.RELEASED
    outcome = check(guard, text)
    assert outcome.verdict is Verdict.RELEASED
    assert outcome.text == text
    assert len(outcome.allowed) == 1
    labels = {"use_case": "chat", "entry": outcome.allowed[0]}
    assert (guard.metrics.registry.get_sample_value("guard_allow_total", labels) or 0) >= 1


def test_harm_beside_a_phrase_fires_as_ever(guard: Guard) -> None:
    """Whatever fires without the list fires with it, wherever the phrases stand around it."""
    texts = [way.format(phrase=p, harm=harm) for way in WAYS for harm in HARM for p in PHRASES]
    fires = [each for each in texts if check(guard, each, "plain").verdict is not Verdict.RELEASED]
    assert len(fires) > 0.9 * len(texts)
    assert [each for each in fires if check(guard, each).verdict is Verdict.RELEASED] == []


def test_a_stream_goes_on_over_a_phrase_and_stops_before_an_insult(guard: Guard) -> None:
    def model(prompt: str) -> Iterator[str]:
        yield from (word + " " for word in prompt.split(" "))

    stream = guard.wrap(model, use_case="chat")
    assert "".join(stream(TRAPS[0])) == TRAPS[0] + " "
    said = "".join(stream(f"{TRAPS[0]} Empty the Trash, you worthless idiot. Goodbye."))
    assert said.startswith(TRAPS[0])
    assert "idiot" not in said
    assert said.endswith("I am not able to share that answer.")
