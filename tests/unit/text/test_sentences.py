"""Where sentences end."""

import pytest

from guard.text import sentences, settled_end


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["One.", "Two!", "Three?", "Four"],
        ["Mr. Smith met Dr. Jones vs. Co. Ltd. in court.", "It rained."],
        ["It cost 3.14 dollars.", "Version 2.0 came later."],
        ["He paused... and went on.", "Then he left."],
        ["See No. 5 of Fig. 2.", "No.", "Never."],
        ["I don't.", "It is somebody else's.", "'A. Smith' came."],
        ["The U.S. Army came at 5 p.m. today.", "J. R. Tolkien wrote."],
        ['He said "Stop."', "She left."],
        ['"Really?" she asked.', "(Yes.)", "Go."],
        ["i hate you.", "you are dumb.", "go"],
        ["\u4f60\u597d\u3002", "\u6211\u5f88\u597d\uff01", "\u518d\u89c1"],
        ["\u0623\u0647\u0644\u0627\u061f", "\u0646\u0639\u0645."],
        ["Great!\U0001f600", "Next \U0001f600 one."],
        ["1. First of all", "2. Second", "- third", "End."],
        ["A heading", "A paragraph\nthat is wrapped.", "Next."],
        ["one", "two"],
        ["**Bold.**", "Plain."],
        ["What?!", "Yes."],
        ["Read www.example.com/a.html?b=c now.", "Thanks."],
        ["Fine <b>that.</b>", "Bye."],
        ["<i><b>One.</b></i>", "Two.", "<em>Three.</em>", "Four."],
        ["<b>One.</b> </i>", "Two."],
        ["One.\u200b", "Two."],
    ],
)
def test_sentences(parts: list[str]) -> None:
    joint = "\n\n" if parts[0][-1].isalnum() else " "
    text = joint.join(parts)
    if parts[0].startswith("1."):
        text = "\n".join(parts)
    assert split(text) == parts


def test_cjk_needs_no_space() -> None:
    assert split("\u4f60\u597d\u3002\u6211\u5f88\u597d\u3002") == [
        "\u4f60\u597d\u3002",
        "\u6211\u5f88\u597d\u3002",
    ]


@pytest.mark.parametrize(
    "parts",
    [
        ["<p>Fine weather.</p>", '<p class="a">Go home.</p>', "<p>See you.</p>"],
        ["<html><head><title>One</title></head>", "<body><h1>Two</h1>", "<p>Three</p></body>"],
        ["<tr><td>name</td>", "<td>Ann</td>", "<td>5</td> </tr>"],
        ["One", "<br>two", "<br/>three"],
        ["<UL><LI>One</LI>", "<LI>two</LI></UL>"],
        ["Read <em>this</em> <a href='x'>page</a> and <b>that</b> Bye"],
        ["<p>Fine</p>", "<!-- go home -->", "<p>See you</p>"],
        ["a <b and c> d", "<pre>x</pre>"],
    ],
)
def test_blocks_of_html_are_sentences_of_their_own(parts: list[str]) -> None:
    assert split("".join(parts)) == parts


def test_a_block_is_settled_when_no_further_tag_can_close_it() -> None:
    begun = "<ul><li>One</li>"
    assert settled_end(begun, 0) == 0
    assert settled_end(begun + "<", 0) == 0
    assert settled_end(begun + " </u", 0) == 0
    assert settled_end(begun + "<l", 0) == len(begun)
    assert settled_end(begun + "</ul><p", 0) == len(begun + "</ul>")


@pytest.mark.parametrize("text", ["", " \n\t", "\u2028"])
def test_blank_text_has_none(text: str) -> None:
    assert sentences(text) == []
    assert settled_end(text, 0) == 0


def test_white_space_around_is_left_out() -> None:
    assert split("  One.  \n Two. \n") == ["One.", "Two."]


def test_a_sentence_without_end_is_cut_at_a_space() -> None:
    found = split("word " * 400)
    assert len(found) == 4
    assert all(part.startswith("word") and part.endswith("word") for part in found)


def test_a_word_without_end_is_cut_too() -> None:
    assert [len(part) for part in split("x" * 1500)] == [600, 600, 300]


def test_hostile_runs_take_linear_time() -> None:
    for unit in (".", '."', "\n", " \n", "a\n", "etc. ", "!\U0001f600", ". ", "1."):
        text = unit * (60_000 // len(unit)) + "x"
        assert sum(end - start for start, end in _ends(text)) <= len(text)


def _ends(text: str) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("One.", 0),
        ("One. ", 0),
        ("One. T", 4),
        ("One... ", 0),
        ("One... t", 0),
        ("Hello Mr. ", 0),
        ("Hello Mr. S", 0),
        ("\u4f60\u597d\u3002", 0),
        ("\u4f60\u597d\u3002\u6211", 3),
        ("<b>One.</b", 0),
        ("<b>One.</b> ", 0),
        ("<b>One.</b> <", 0),
        ("<b>One.</b> T", 11),
        ("A line\n", 0),
        ("A line\nN", 6),
        ("A line\nn", 0),
        ("One. Two. T", 9),
        ("x" * 600, 0),
        ("x" * 601, 600),
    ],
)
def test_only_what_more_text_cannot_change_is_settled(text: str, settled: int) -> None:
    assert settled_end(text, 0) == settled


def test_settling_goes_on_from_where_it_was() -> None:
    text = "One. Two. Three. F"
    assert settled_end(text, 4) == settled_end(text, 9) == 16
    assert settled_end("One. Two", 4) == 4
