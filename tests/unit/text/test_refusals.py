"""Refusals are seen where they open a reply; answers that mention limits are none."""

from __future__ import annotations

import pytest

from guard.testing import HOSTILE_TEXTS
from guard.text.refusals import is_refusal

REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I cannot assist with that request.",
    "Sorry, but I can't provide that information.",
    "I can't help you with this.",
    "I cannot fulfill this request.",
    "As an AI language model, I am unable to answer personal questions.",
    "I apologize, but I'm not able to write that letter.",
    "Unfortunately, I won't be able to help with this.",
    "I must decline to answer.",
    "I'm not comfortable writing that. I can't help.",
    "I do not feel comfortable providing advice about her.",
    "I'm really sorry, but I will not create that content.",
]
ANSWERS = [
    "",
    "Sure! Here is the letter.",
    "I'm sorry to hear that. Here is what you can do.",
    "I can help with that.",
    "She can't help it; give her time.",
    "I cannot praise her enough.",
    "I can't believe that she left.",
    "I can't give him enough credit.",
    "Sorry for the delay. The answer is 4.",
    "You can't share this without consent.",
    "Dear committee, I am unable to find words for her work. It was excellent.",
    "Here is the summary. I can't help with the second part.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_any_text_is_judged(text: str) -> None:
    assert not is_refusal(text)


def test_a_refusal_may_be_followed_by_anything() -> None:
    assert is_refusal("I can't help with that." + " x" * 100_000)
