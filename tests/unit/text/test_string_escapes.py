"""Strings of JSON and of programs are read as those read them who parse the string."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span
from guard.text import readings
from guard.text.clean import clean
from guard.text.escapes import NOTHING
from guard.text.string_escapes import unescaped


def read(text: str) -> list[str]:
    """What is read of it, with one blank for any and none before a full stop."""
    return [
        " ".join(clean(one.text).replace(NOTHING, "").split()).replace(" .", ".")
        for one in readings(text)
    ]


def escaped(text: str) -> str:
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


@pytest.mark.parametrize(
    "text",
    [
        escaped(json.dumps({"reply": "Y<wbr>o<wbr>u are k<b>i</b>nd."})),
        json.dumps({"reply": "\n".join("You are kind.")}),
        json.dumps({"reply": "\x1b[31mYou\x1b[0m \x1b[31mare\x1b[0m \x1b[31mkind.\x1b[0m"}),
        json.dumps({"reply": json.dumps({"text": "You are kind."})}),
        json.dumps({"reply": json.dumps({"text": json.dumps({"a": "You are kind."})})}),
        "text = " + repr("\n".join("You are kind.")),
    ],
)
def test_what_a_string_says_is_read(text: str) -> None:
    assert any("You are kind." in one for one in read(text))


@pytest.mark.parametrize("text", ["You are kind.\\n", 'He said "You\\nare".', "C:\\new\\table"])
def test_prose_has_no_strings(text: str) -> None:
    assert not any(one.within for one in readings(text))


def test_a_string_whose_escapes_are_blanks_is_read_once() -> None:
    assert not any(one.within for one in readings(json.dumps({"a": "You are kind.\nI am, too."})))


def test_a_place_in_a_string_is_one_in_what_is_written() -> None:
    text = escaped(json.dumps({"reply": "Fine. <b>You</b> are <i>kind</i>."}))
    placed = 0
    for one in readings(text):
        start = one.text.find("kind")
        if one.within is not None and start >= 0:
            span = one.place(Span(start=start, end=start + 4))
            placed += text[span.start : span.end] == "kind"
    assert placed


PIECES = ["a", " ", "\\n", "\\u003c", "\\ud83d\\ude00", "\\\\", '\\"', "\\x1b", "\\", "\\u00", "é"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_places_are_those_of_what_is_written(text: str) -> None:
    found = unescaped(text)
    if found is None:
        return
    plain, shortened = found
    assert len(plain) + shortened[-1][1] == len(text)
    assert [place for place, _ in shortened] == sorted({place for place, _ in shortened})
    for at, sign in enumerate(plain):
        if sign in "aé ":
            before = sum(1 for place, _ in shortened if place <= at)
            assert text[at + (shortened[before - 1][1] if before else 0)] == sign


def test_strings_in_strings_without_end_are_read_in_time() -> None:
    text = json.dumps({"a": "You are kind. \\" + "\\" * 3000 + "n" + '"' * 500})
    assert len(readings(text)) < 40
