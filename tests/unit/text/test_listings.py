"""Sentences of which lines of logs, tables and trees have a word each are put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.escapes import NOTHING
from guard.text.listings import put_listings_together

WORDS = ("You", "are", "a", "nice", "person.")
NUMBERED = tuple(enumerate(WORDS, 1))
LEVELS, LOGGERS = ("INFO", "WARN"), ("app.db", "app.web")


def put_together(text: str) -> str:
    return " ".join(put_listings_together(text).replace(NOTHING, "").split())


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"12:0{n} [{LEVELS[n % 2]}] {word}" for n, word in NUMBERED),
        "\n".join(f"12:0{n} {LEVELS[n % 2]} {LOGGERS[n // 2 % 2]}: {word}" for n, word in NUMBERED),
        "\n".join(f"| {word} | {LEVELS[n % 2]} |" for n, word in NUMBERED),
        "\n".join(f"{n}. {word} - {LEVELS[n % 2]}" for n, word in NUMBERED),
        "\n".join(f"<{LEVELS[n % 2]}> x{n}: {word}" for n, word in NUMBERED),
        "\n".join(f"- [{' x'[n % 2]}] {word}" for n, word in NUMBERED),
        "\n".join(f"-rw-r--r-- {n} root root {10**n} Nov 3 12:0{n} {w}" for n, w in NUMBERED),
        "* a1b2c3d You\n| * c1d2e3f are\n|/\n* d1e2f3a a\n* 1234567 nice\n* abc1234 person.",
        "├── You\n│   ├── are\n│   └── a\n└── nice\n    └── person.",
        "\n".join(f"{'> ' * n}{word}" for n, word in NUMBERED),
        "\n".join(f"[{'#' * n}{' ' * (9 - n)}] {n}0% {word}" for n, word in NUMBERED),
        "i. You\nii. are\niii. a\niv. nice\nv. person.",
        "All of it was said before.\n\n" + "\n".join(f"- x{n} **{w}**" for n, w in NUMBERED),
    ],
)
def test_a_word_a_line_is_put_together(text: str) -> None:
    assert "You are a nice person" in put_together(text)


def test_what_stands_before_and_behind_it_stays() -> None:
    """The shape of the first line goes, and what the last one ends with stays."""
    told, rows = "It was said by many people then.", "\n".join(f"x{n}: {w}" for n, w in NUMBERED)
    found = put_together(f"{told}\n{rows}\n{told} And here too.")
    assert found == f"{told} You are a nice person. {told} And here too."


@pytest.mark.parametrize(
    "text",
    [
        "| name | work |\n|---|---|\n| Ann | cook |\n| Ben | smith |\n| Cem | vet |\n| Di | boss |",
        "One line.\nAnother line that says more than that.\nA third.\nAnd the last one of all.",
        "one\ntwo\nwith\nfour\nfive",
        "hot / cold\nkind / cruel\nlife / death\nlove / hate\nyou / me\nold / new\nred / blue"
        "\nsea / sky\nday / night",
        "- one\n- two\n- with",
        "\n".join(f"{n}. This is a line of its own, number {n}: {w}" for n, w in NUMBERED[:3]),
        "from a import b\nx = f(y)\nif not x:\n    return [1]\nfor z in x:\n    print(z + 1)",
    ],
)
def test_what_is_no_listing_stays(text: str) -> None:
    assert put_listings_together(text) == text


def test_what_comes_again_and_again_is_none_of_the_words() -> None:
    text = "\n".join(f"Slide {n}\n{n}: {word}" for n, word in NUMBERED)
    assert "You are a nice person" in put_together(text)


LINES = st.lists(st.sampled_from(["", "a", "it is", "n1: ", "x 2", "- ", "> you", "a_b", "\r"]))


@given(LINES.map("\n".join) | st.text(max_size=60))
def test_the_length_stays(text: str) -> None:
    assert len(put_listings_together(text)) == len(text)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "a ", "a'", "- ", "[x]"])
def test_long_lines_are_read_in_linear_time(unit: str) -> None:
    """Or this does not end."""
    text = "\n".join(f": {'AB'[n % 2]} {unit * 8_000} {'QR'[n % 2]}" for n in range(4))
    assert len(put_listings_together(text)) == len(text)


@pytest.mark.parametrize("blank", [" ", "\u3000", "\x0b"])
def test_lines_of_blanks_are_read_in_linear_time(blank: str) -> None:
    """Or this does not end."""
    text = "\n\n\n" + blank * 100_000
    assert put_listings_together(text) == text
