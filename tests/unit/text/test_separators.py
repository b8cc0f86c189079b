"""Signs that stand between all words or letters are left out, and lists stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.escapes import NOTHING
from guard.text.separators import without_separators

SAID = "you are so dull"
PAIRS = ["“”", "‘’", "„“", "«»", "‹›", "「」", "『』", "⟨⟩", "（）", "()", "[]", '""', "''"]
MARKS = [*map(tuple, PAIRS), ("||", "||"), ("[\u0332\u0305", "]")]


def told(text: str) -> str:
    return " ".join(without_separators(text).replace(NOTHING, "").split())


@pytest.mark.parametrize(("before", "after"), MARKS)
def test_marks_around_each_word(before: str, after: str) -> None:
    assert told(" ".join(f"{before}{word}{after}" for word in SAID.split())) == SAID


@pytest.mark.parametrize(("before", "after"), MARKS)
def test_marks_around_each_letter(before: str, after: str) -> None:
    words = ("".join(f"{before}{letter}{after}" for letter in word) for word in SAID.split())
    assert told(" ".join(words)) == SAID


EACH = [
    *("{}?", "{} ?", "{}??", "{}?!", "¿{}?", "{}...", "{} /", "{} ::", "{} |", "{} ★", "{}!"),
    *("_{}_", "__{}__", "___{}___", "**_{}_**"),
    *("{}¹", "{}7", "{} 999", "{} (1)", "1. {}", "(2) {}"),
]


@pytest.mark.parametrize("form", EACH)
def test_signs_and_numbers_beside_each_word(form: str) -> None:
    written = " ".join(form.format(word) for word in SAID.split())
    found = told(written)
    inside = found[found.index("you") :]
    assert inside.startswith(SAID)
    assert told(f"{written} Good night.").endswith("Good night.")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("||y0u|| ||are|| ||s0|| ||dull||", "y0u are s0 dull"),
        ("||d|| ||u|| ||1|| ||l||", "d u 1 l"),
        ("(you) (are) (2) (dull)", "you are 2 dull"),
        ("(f)(1)(v)(e)", "f1ve"),
    ],
)
def test_digits_in_place_of_letters(written: str, said: str) -> None:
    assert told(written) == said


@pytest.mark.parametrize("sign", ["/", "::", "+", "?", "&"])
def test_a_path_of_words(sign: str) -> None:
    assert told(sign.join(SAID.split())) == SAID


def test_what_stands_around_stays() -> None:
    text = "Hm: (you) (are) (so) (dull), (not)! [see below]"
    assert told(text) == "Hm: you are so dull, not! [see below]"


@pytest.mark.parametrize(
    "text",
    [
        "(a)(b)(c)(d)(e)",
        "“red”, “green”, “blue”, “yellow”",
        "He said “no” and “yes” and then “maybe”.",
        "a, b, c, d and e",
        "2 + 3 + 4 + 5",
        "one – two – three",
        "you-are-so-dull",
        "snake_case_is_the_name",
        "Is it? It is. So? Well, yes.",
        "3a 4b 5c 6d",
        "red? green? blue? yellow?",
    ],
)
def test_lists_and_quotations_stay(text: str) -> None:
    assert without_separators(text) == text


@given(st.text(alphabet="aYou \n()[]“”.,'|_?1¹/\u200b", max_size=80))
def test_the_length_and_all_letters_stay(text: str) -> None:
    found = without_separators(text)
    assert len(found) == len(text)
    assert [one for one in found if one.isalpha()] == [one for one in text if one.isalpha()]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a? ", "a'", "'a", "_a_ ", "a1 ", "a¹", "a (1) ", "? ", "a,"])
def test_much_of_it_is_read_in_linear_time(unit: str) -> None:
    """Or this does not end: a hundred thousand in quadratic time take minutes."""
    text = unit * (300_000 // len(unit))
    assert len(without_separators(text)) == len(text)
