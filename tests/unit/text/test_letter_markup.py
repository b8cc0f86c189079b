"""Letters each in markup, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.letter_markup import without_letter_markup

SAID = "You are so kind, my friend."


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("[", "]{.red}"),
        ("[.red]#", "#"),
        (":sup:`", "`\\ "),
        ("{color:red}", "{color}"),
        ("#text(red)[", "]"),
        ("@strong{", "}"),
        ("{{color|red|", "}}"),
        ("[red]", "[/]"),
        ("$(tput setaf 3)", "$(tput sgr0)"),
        ("B<", ">"),
        ("%F{1}", "%f"),
        ("{\\k20}", ""),
    ],
)
def test_letters_in_the_same_markup_are_words(before: str, behind: str) -> None:
    written = "".join(f"{before}{one}{behind}" if one.isalpha() else one for one in SAID)
    found = without_letter_markup(f"So: {written}")
    assert found.replace("\u200b", "").split() == ["So:", *SAID.replace(",", "").split()]
    assert len(found) == len(written) + 4


def test_blanks_may_stand_in_the_markup_too() -> None:
    written = "".join(f"${{RED}}{one}${{NC}}" for one in SAID if one != ",")
    found = without_letter_markup(written).replace("\u200b", "")
    assert " ".join(found.split()).startswith("You are so kind my friend")


@pytest.mark.parametrize(
    "text",
    [
        "a | b | c | d | e | f | g | h | i | j | k",
        r"\frac{a}{b} + \frac{c}{d} + \frac{e}{f} + \frac{g}{h}",
        "x[a][b][c][d][e][f][g][h][i]",
        "<li>a</li><li>b</li><li>c</li><li>d</li><li>e</li><li>f</li><li>g</li><li>h</li>",
    ],
)
def test_lists_of_letters_stay(text: str) -> None:
    assert without_letter_markup(text) == text


@given(st.text(st.sampled_from("[]{}#. youarein1"), max_size=120))
def test_the_length_stays(text: str) -> None:
    assert len(without_letter_markup(text)) == len(text)


@pytest.mark.parametrize("piece", ["a[", "[a]", "[y] [o]{u}", "a ", "a" + "[" * 59])
def test_much_bait_is_read_in_linear_time(piece: str) -> None:
    text = piece * (60_000 // len(piece)) + "!"
    assert len(without_letter_markup(text)) == len(text)
