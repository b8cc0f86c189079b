"""Paragraphs that go from right to left, worked by hand from HTML and UAX #9."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.readings import readings
from guard.text.right_to_left import from_right_to_left

SAID = "You are kind."
TURNED, WORDS = SAID[::-1], ["You", "are", "kind"][::-1]
RLM, ALM = "\u200f", "\u061c"


def each(form: str, parts: str | list[str] = TURNED, between: str = "") -> str:
    return between.join(form.format(part) for part in parts)


IN_HTML = [
    f'<p dir="rtl">{each("<bdi>{}</bdi>")}</p>',
    f"<P DIR='RTL'>{each('<SPAN DIR=ltr>{}</SPAN>')}</P>",
    f'<p style="direction: rtl">{each("<b><bdi>{}</bdi></b>")}</p>',
    f"<div dir=rtl>\n\n{each('{}', between='&rlm;')}\n\n</div>",
    f"<div dir=rtl><p>No.</p><div>{each('{}', between='&#8207;')}</div></div>",
    f'<span dir="rtl">{each("<bdi>{}</bdi>")}</span>',
    f'<i style="unicode-bidi: bidi-override; direction: rtl">{TURNED}</i>',
    f'<bdo dir="rtl">{each("<bdi>{}</bdi>")}</bdo>',
    f'<table dir="rtl">\n<tr>\n{each("<td>{}</td>", WORDS, chr(10))}\n</tr>\n</table>',
    f'<table dir="rtl"><tr>{each("<td>{}", WORDS)}</table>',
    f'<p dir="rtl">{each("<span dir=ltr>{}</span>", WORDS, " ")}</p>',
    f'<div dir="rtl">\n\n| {each("{}", WORDS, " | ")} |\n|---|---|---|\n\n</div>',
]
IN_MARKS = [
    RLM + each("{}", between=RLM),
    ALM + each("{}", between=ALM),
    RLM + each("\u2066{}\u2069"),
    RLM + each("{}", WORDS, f" {RLM}"),
    each("{}", between="&rlm;"),
    f"&#8295;{each('{}', between='&rlm;')}&#8297;",
    f"\\u200f{each('{}', between=chr(92) + 'u200f')}",
    "\u05e9\u05dc\u05d5\u05dd: " + each("{}", between=RLM),
]


def shown_lines(text: str) -> list[str]:
    found = [one for one, _ in from_right_to_left(text)]
    assert all(len(one) == len(text) for one in found)
    lines = [line for one in found for line in one.replace("\u200b", "").split("\n")]
    return [" ".join(line.split()).rstrip(".") for line in lines]


@pytest.mark.parametrize("text", [*IN_HTML, *IN_MARKS])
def test_it_is_read_in_the_order_in_which_it_is_shown(text: str) -> None:
    assert any("You are kind" in line for line in shown_lines(text))


def test_letters_in_cells_are_put_together() -> None:
    text = f'<table dir="rtl"><tr>{each("<td>{}</td>")}</tr></table>'
    assert any("You are kind" in one.text.replace("\u200b", "") for one in readings(text))


def test_a_range_of_a_turned_paragraph_is_all_of_it() -> None:
    text = f"Hello.\n{RLM}{each('{}', between=RLM)}\nBye."
    [one] = [one for one in readings(text) if SAID in one.text]
    start = one.text.index("kind")
    place = one.place(type(one.turned[0])(start=start, end=start + 4))
    assert text[place.start : place.end] == text.split("\n")[1]


@pytest.mark.parametrize(
    "text",
    [
        "You are kind, dir and all: &amp; so on.",
        "You have \u20685\u2069 mails of \u2068Ann\u2069 and \u2068Bob\u2069.",
        "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
        '<p dir="ltr">You are kind.</p>',
        '<bdo dir="rtl">.dnik era uoY</bdo>',
    ],
)
def test_what_goes_from_left_to_right_is_not_read_again(text: str) -> None:
    assert list(from_right_to_left(text)) == []


PIECES = [
    "<p dir=rtl>",
    "</p>",
    "<bdi>",
    "</bdi>",
    "<td>",
    "</td>",
    "|",
    "\n",
    "&rlm;",
    RLM,
    "a ",
    "\u05d0",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_texts_keep_their_length(text: str) -> None:
    assert all(len(shown) == len(text) for shown, _ in from_right_to_left(text))
