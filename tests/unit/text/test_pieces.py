"""Words in pieces are read whole, in whatever stands between the pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.pieces import put_pieces_together

SAID = "You are a worthless fool and so is he"
WORDS = SAID.split()


def told(text: str) -> str:
    found = put_pieces_together(text)
    assert len(found) == len(text)
    return " ".join(found.replace("\u200b", "").split())


def twos(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(0, len(word), 2)]


def box(word: str) -> str:
    rules = ["─"] * len(word)
    return f"┌{'┬'.join(rules)}┐\n│{'│'.join(word)}│\n└{'┴'.join(rules)}┘"


def table(word: str) -> str:
    return f"| {' | '.join(word)} |\n|{'---|' * len(word)}"


def behind_each(sign: str) -> str:
    return "".join(letter + sign if letter.isalpha() else letter for letter in SAID)


@pytest.mark.parametrize(
    "sign",
    [
        "\u2081",
        "\u00b2",
        "7",
        "12",
        "\u2090",
        "\u03c0",
        "_{3}",
        "<sub>1</sub>",
        "<sup>x</sup>",
        "^{n}",
    ],
)
def test_a_sign_behind_each_letter(sign: str) -> None:
    assert told(behind_each(sign)) == SAID


@pytest.mark.parametrize(
    "written",
    [
        "\n".join(map(box, WORDS)),
        "\n\n".join(map(table, WORDS)),
        "\n".join(f"| {' | '.join(word)} |" for word in WORDS),
        "\n>\n".join("\n".join(f"> {letter}" for letter in word) for word in WORDS),
        "   ".join(" ".join(f"`{letter}`" for letter in word) for word in WORDS),
        " ".join("".join(f"({part})" for part in twos(word)) for word in WORDS),
        "   ".join(" ".join(f"[{part}]" for part in twos(word)) for word in WORDS),
        "\n".join(f"| {' | '.join(twos(word))} |" for word in WORDS),
        ' + " " + '.join(" + ".join(f'"{part}"' for part in twos(word)) for word in WORDS),
        str([list(word) for word in WORDS]).replace(" ", ""),
        *(" ".join(sign.join(twos(word)) for word in WORDS) for sign in ("-", ".", "/", "_", "~")),
    ],
)
def test_pieces_in_signs(written: str) -> None:
    found = told(f"Look at this picture:\n\n{written}")
    assert SAID in found
    assert found.startswith("Look at this picture:")


def test_sentences_end_where_they_did() -> None:
    said = "I see you. Is it so? Go on"
    written = " ".join("".join(f"({part})" for part in word) for word in said.split())
    assert told(written.replace("(.)", ".").replace("(?)", "?")).startswith(
        "I see you. Is it so? Go on"
    )


def test_one_word_alone() -> None:
    assert told("He is (wo)(rt)(hl)(es)(s), they say") == "He is worthless, they say"


def test_what_stands_between_whole_words_stays() -> None:
    assert (
        told("So: (k)(i)(ll), (h)(i)(ll), (sh)(i)(p), (f)(oo)(l)") == "So: kill, hill, ship, fool"
    )
    assert told("K.I.S.S. (keep it simple, sir), A.S.A.P., F.A.Q. and D.I.Y.") == (
        "KISS (keep it simple, sir), ASAP, FAQ and DIY."
    )


@pytest.mark.parametrize(
    "text",
    [
        "use `a` and `b`, then `c` or `d`",
        "for (i = 0; i < n; i++) { a[i] = b[i] + c; }",
        "<td class='x'>Go home.</td><td>5</td>",
        "(a) (b) (c) (d) (e) (f)",
        "I/O and w/o, R/W, a.m. and p.m.",
        "It isn't so, I'm told; they're in it, he'd say.",
        "NY, CA, TX, FL, WA, OR and AZ",
        "one-to-one, up-to-date and so on",
        "CO2 and H2O",
        "A: 1, B: 2, C: 3, D: 4, E: 5",
    ],
)
def test_what_is_in_no_pieces_stays(text: str) -> None:
    assert put_pieces_together(text) == text


@given(st.text(alphabet="abI (|)\n_^{}1.\u200b<>/supb\u0301", max_size=200))
def test_any_text_keeps_its_length(text: str) -> None:
    assert len(put_pieces_together(text)) == len(text)
