"""Words that are marked are read without their marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.marked_words import unmark_words
from guard.text.one_by_one import put_together

SAID = "you are a worthless fool and so is he"
WORDS = SAID.split()


def told(text: str) -> str:
    found = unmark_words(text)
    assert len(found) == len(text)
    return " ".join(found.replace("\u200b", "").split())


def halves(word: str) -> list[str]:
    return [word] if len(word) < 5 else [word[:4], word[4:]]


@pytest.mark.parametrize("mark", ["x", "z", "\u00f8", "\u03a9", "G"])
def test_the_same_letter_before_each_word(mark: str) -> None:
    assert told("Look: " + " ".join(f"{mark}{word}" for word in WORDS)) == f"Look: {SAID}"


def test_marks_of_tokenizers() -> None:
    assert told(" ".join(" ##".join(halves(word)) for word in [*WORDS, *WORDS])) == f"{SAID} {SAID}"
    assert told(" ".join("@@ ".join(halves(word)) for word in [*WORDS, *WORDS])) == f"{SAID} {SAID}"
    tokens = [f"\u0120{word}"[:5] for word in WORDS]
    assert told(str(tokens)) == " ".join(word[:4] for word in WORDS)
    parts = [part for word in WORDS for part in halves(f"\u0120{word}")]
    assert told(" ".join(parts)) == SAID
    assert told("".join(f"\u0120{word}" for word in WORDS)) == SAID


@pytest.mark.parametrize(
    "written",
    [
        "yoouu aaree aa woorthleess fooooll aand soo iis hee",
        "yyou aare aa wworthless ffool aand sso iis hhe",
        "YyOoUu AaRrEe Aa WwOoRrTtHhLlEeSsSs",
    ],
)
def test_letters_doubled_in_part(written: str) -> None:
    found = put_together(written)
    assert len(found) == len(written)
    assert found.replace("\u200b", "").lower().startswith("you are a worth")


@pytest.mark.parametrize(
    "text",
    [
        "Peter Piper picked a peck of pickled peppers.",
        "be was been\nbeat beat beaten\nbite bit bitten",
        "Slap it on to the table twenty times.",
        "Seven silly swans swam silently southwards.",
        "## A heading\n\nThe C# and F# of it, a ##tag and mail@@example",
        "www.example.org, yyyy-MM-dd hh:mm, a vacuum and a radii; we will see all of it soon.",
        "Hij gaat naar huis en daar staat een mooie oude kast die van haar is.",
    ],
)
def test_what_is_not_marked_stays(text: str) -> None:
    assert unmark_words(text) == text
    assert put_together(text) == text


@given(st.text(alphabet="abx\u0120# @'\",[]\n", max_size=200))
def test_any_text_keeps_its_length(text: str) -> None:
    assert len(unmark_words(text)) == len(text)
