"""Code stays as it is: a text whose code names who is to change is declined."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, rewrite, rewrite_all

BLOCK = '```json\n{"name": "Mary", "pronoun": "she"}\n```'


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"{BLOCK}\nWhat should she do?", "Mary"),
        ("`Mary` lost her card.", "Mary"),
        ("~~~\nMary\n~~~\nShe lost her card.", "Mary"),
        ('<code>user = "Mary"</code> She lost her card.', "Mary"),
        ("<pre>Customer: Ms. Smith</pre> She lost her card.", "Ms."),
        ("Mary asks for help:\n```python\n# Emily said it is slow\n```", "Emily"),
    ],
)
def test_somebody_named_in_code_ties_the_text(text: str, named: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert (made.declined, made.detail) == (Declined.TIED, named)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does `she` mean in her book?", "What does `she` mean in his book?"),
        ("Is `x.mark(1)` right in her code?", "Is `x.mark(1)` right in his code?"),
        ("```\nJohn\n```\nShe lost her card.", "```\nJohn\n```\nHe lost his card."),
        ("```\nprint(she)\n```\nShe is here.", "```\nprint(she)\n```\nHe is here."),
    ],
)
def test_code_that_names_nobody_of_the_group_ties_nothing(text: str, expected: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text == expected


def test_code_of_another_message_counts_too() -> None:
    texts = [BLOCK, "What should she do?"]
    made = rewrite_all(texts, bundled(), attribute="gender", to="male")
    assert {one.declined for one in made} == {Declined.TIED}


def test_a_name_that_tells_a_race_counts_too() -> None:
    text = "DeShawn Jackson asks:\n```\nname: DeShawn\n```"
    made = rewrite(text, bundled(), attribute="race_by_name", to="white")
    assert (made.declined, made.detail) == (Declined.TIED, "DeShawn")
