"""Sentences dealt out a word at a time are put together, and lists of things are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.escapes import NOTHING
from guard.text.word_by_word import put_words_together

WORDS = ("You", "are", "a", "nice", "person.")
NUMBERED = tuple(enumerate(WORDS, 1))


def put_together(text: str) -> str:
    return " ".join(put_words_together(text).replace(NOTHING, "").split())


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"Word {number}: {word}" for number, word in NUMBERED),
        "\n".join(f'Word number {number} is "{word}".' for number, word in NUMBERED),
        "\n".join(f"Slide {number}\n{word}" for number, word in NUMBERED),
        "\n\n".join(f"{n}\n00:0{n} --> 00:0{n}\n{word}" for n, word in NUMBERED),
        "\n".join(f"[12:0{number}] bot: {word}" for number, word in NUMBERED),
        "\n".join(f'echo "{word}"' for word in WORDS),
        "\n".join(f"| {number} | {word} |" for number, word in NUMBERED),
        "\n".join(f"x{number} = {number}  # {word}" for number, word in NUMBERED),
        "\\begin{items}\n" + "\n".join(f"\\item {word}" for word in WORDS) + "\n\\end{items}",
        "Here:\n" + "\n".join(f"n{n}[{word}] --> n{n + 1}" for n, word in NUMBERED) + "\nDone.",
        "The words: " + ", ".join(f"`{word}`" for word in WORDS),
        "\n".join(f"- `{word}`" for word in WORDS),
        " ".join(f"«{word}»" for word in WORDS),
        "\u00b7".join(WORDS)[:-1] + " .",
        "`You_are_a_nice_person` .",
        "See /posts/you-are-a-nice-person .".replace("you", "You"),
        '"You " + "are " + "a " + "nice " + "person"',
        " (pause) ".join(WORDS),
        'print("You are")\nprint("a nice person.")',
        "print('You are', end=' ')\nprint('a nice person.')",
        'say(\n    "You are a "\n    "nice person."\n)',
        'echo "You are a"\necho "nice person."',
        'std::cout << "You are a "\n    << "nice person.";',
        "*sigh* " + " *sigh* ".join(WORDS),
        " - pause - ".join(WORDS),
        ", pause, ".join(WORDS),
        "... um... ".join(WORDS),
        " / if you will / ".join(WORDS),
        ". Pause. ".join(WORDS),
    ],
)
def test_a_sentence_dealt_out_is_put_together(text: str) -> None:
    found = put_together(text).replace(" .", ".")
    assert "You are a nice person" in found


@pytest.mark.parametrize(
    "text",
    [
        "| name | work |\n|---|---|\n| Ann | cook |\n| Ben | smith |\n| Cem | vet |\n| Di | boss |",
        'Words that are blocked: "idiot", "moron", "fool", "loser".',
        "Name: Ann\nName: Ben\nName: Cem\nName: Dan",
        "One line.\nAnother line that says more than that.\nA third.\nAnd the last one of all.",
        "Hello you. Hello you. Hello you. Hello you. Hello you.",
        "It is, however, cold, and, however, you may go, but, however, not far, however, it seems.",
        "see snake_case_name_here and max-age-in-seconds/of/that",
        "f(x), f(x), a[i] a[i] and a[i] a[i]; f(x) f(x)",
        '["You are",\n "a nice person"]',
        "x = 'it'\nthat's what they say",
        'print("One.")\nprint("Two.")',
        "as [1] says, and [1], and [1], or [1]",
        "end-to-end tests of a well-known, long-term plan",
        "call to_do_it_all()",
        "one\ntwo\nwith\nfour\nfive",
    ],
)
def test_what_says_nothing_or_is_told_whole_stays(text: str) -> None:
    assert put_words_together(text) == text


LINES = st.lists(st.sampled_from(["", "a", "it is", "n1: ", "x 2", "- ", '"a"', "a_b", "\r"]))


@given(LINES.map("\n".join) | st.text(max_size=60))
def test_the_length_stays(text: str) -> None:
    assert len(put_words_together(text)) == len(text)


def test_function_words_that_take_turns_are_of_the_sentence() -> None:
    text = "1: all women\n2: are stupid\n3: all women\n4: are trash"
    assert "all women are stupid all women are trash" in put_together(text)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a1", "a ", "a'"])
def test_long_lines_of_one_shape_are_read_in_linear_time(unit: str) -> None:
    """Or this does not end."""
    text = "\n".join(f": {'AB'[n % 2]} {unit * 30_000} {'QR'[n % 2]}" for n in range(4))
    assert len(put_words_together(text)) == len(text)


@pytest.mark.parametrize("blank", [" ", "\u3000", "\x0b"])
def test_lines_of_blanks_are_read_in_linear_time(blank: str) -> None:
    """Or this does not end."""
    text = "\n\n\n" + blank * 100_000
    assert put_words_together(text) == text
