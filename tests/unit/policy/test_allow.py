"""Where allowed phrases stand in a text, and the text without them."""

from __future__ import annotations

import pytest

from guard.policy import AllowEntry, allow_pattern, allow_phrase
from guard.policy.allow import (
    MOST_SEARCHED_CHARACTERS,
    find_allowed,
    take_out,
    without_brackets,
)
from guard.records import Span
from guard.text import merged


def found(entry: AllowEntry, text: str) -> list[str]:
    spans = [one.span for one in find_allowed([entry], text)]
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("phrase", "text", "parts"),
    [
        ("Empty the Trash", "empty the TRASH, then Empty  the\nTrash.", 2),
        ("trash", "Trashy trash-can untrash trash_2", 1),
        ("straße", "STRASSE, Straße, Strasse", 3),
        ("Müller", "Mu\u0308ller and MÜLLER but not Muller", 2),
        ("cafe", "cafe\u0301 is another word, cafe is not", 1),
        ("Trash", "Ｔｒａｓｈ", 1),
        ("C++", "C++ or c++, not C+", 2),
        ("Dick's", "Dick's, dick\u2019s", 1),
        ("ﬁre", "fire", 1),
    ],
)
def test_a_phrase_is_found_as_whole_words_however_it_is_written(
    phrase: str, text: str, parts: int
) -> None:
    assert len(found(allow_phrase(phrase), text)) == parts


def test_the_range_of_a_phrase_is_that_of_the_text_as_it_is() -> None:
    text = "İ ﬀ Straße — Mu\u0308ller!"
    assert found(allow_phrase("müller"), text) == ["Mu\u0308ller"]
    assert found(allow_phrase("STRASSE"), text) == ["Straße"]


@pytest.mark.parametrize("text", ["", " ", "x", "…", "y" * 201, "\u0301"])
def test_a_phrase_needs_letters(text: str) -> None:
    with pytest.raises(ValueError, match="a phrase has"):
        allow_phrase(text)


def test_what_a_wildcard_matches_is_not_allowed_with_the_pattern() -> None:
    entry = allow_pattern(r"kill (?:the )?\w{1,20} process(?:es)?")
    assert found(entry, "Kill the worthless process!") == ["Kill the", "process"]
    assert found(allow_pattern(r"он [а-я]{2,20}"), "он глупец") == ["он"]
    assert found(allow_pattern(r"これは[一-龥]{1,5}"), "これは馬鹿") == ["これは"]
    assert found(allow_pattern(r"he is [ａ-ｚ]{1,20}"), "he is ｉｄｉｏｔ") == ["he is"]
    assert found(allow_pattern(r"stra[sß]{1,2}e"), "Strasse") == ["Strasse"]


@pytest.mark.parametrize(
    ("pattern", "text", "parts"),
    [
        (
            r"kill (the )?(child|parent) process",
            "KILL THE CHILD PROCESS",
            ["KILL THE CHILD PROCESS"],
        ),
        (r"version \d{1,3}", "Version 12, version 1234", ["Version 12"]),
        (r"[Kk]ill[- ]switch", "skill-switch kill switch", ["kill switch"]),
        (r"\bkill\b -9", "kill -9 42", ["kill -9"]),
        (r"a\.b\x41\u0042", "a.bAB", ["a.bAB"]),
    ],
)
def test_a_pattern_is_found_as_whole_words_in_any_case(
    pattern: str, text: str, parts: list[str]
) -> None:
    assert found(allow_pattern(pattern), text) == parts


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(ab", r"not a regular expression: missing \)"),
        (r"\N{BULLET}ab", "BULLET}' at character 1: a group is"),
        ("ab{99999999999}", "not a regular expression: the repetition number is too large"),
        ("[[:alpha:]]ab", "not a regular expression: Possible nested set at position 1"),
        ("[a&&b]cd", "not a regular expression: Possible set intersection at position 2"),
        ("(" * 21 + "ab" + ")" * 21, "at most 20 groups may be in each other"),
        ("(" * 5000 + "ab" + ")" * 5000, "at most 20 groups may be in each other"),
        (r"(a+)+b", r"'\+\)\+b' at character 3: a repetition needs an end, as in \{0,20\}"),
        (r"kill .* now", r"'\* now' at character 7: a repetition needs an end"),
        (r"kill \w{3,} now", "a repetition needs an end"),
        (r"(kill|stop){1,9}", "a group may be optional, with \\?, and not repeated"),
        (
            r"(?=kill)kill",
            r"'\(\?=kill\)ki' at character 1: a group is \(\.\.\.\) or \(\?:\.\.\.\)",
        ),
        (r"(?P<a>kill)(?P=a)", "a group is"),
        (r"(kill)\1", r"a group is"),
        (r"\w{1,20}", "must hold 2 letters or digits of its own"),
        (r"(?:kill|.)", "must hold 2 letters or digits of its own"),
        (r"(?:kill)?", "must hold 2 letters or digits of its own"),
        (r"kill[^x]{0,99}", "can match 103 characters, at most 100"),
        (r"kill \w{1,20}\w{1,20}", "can match in 400 ways at one place, at most 200"),
        (r"(a|ab|abc|abcd)?(a|ab|abc|abcd)?(a|ab|abc|abcd)?(a|ab|abc|abcd)?ab", "in 625 ways"),
    ],
)
def test_a_pattern_that_could_run_long_or_cover_much_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        allow_pattern(pattern)


def test_the_slowest_patterns_that_are_taken_end_on_the_texts_that_are_worst_for_them() -> None:
    entries = [
        allow_pattern(r"(a?a?a?a?a?a?a?)ab"),
        allow_pattern(r"a{1,14}a{1,14}b"),
        allow_pattern(r"aa\w{1,97}!"),
    ]
    assert find_allowed(entries, "a" * MOST_SEARCHED_CHARACTERS) == ()


def test_in_a_very_long_text_nothing_is_allowed() -> None:
    phrase = allow_phrase("Empty the Trash")
    assert find_allowed([phrase], "Empty the Trash. " + "x" * MOST_SEARCHED_CHARACTERS) == ()


def test_a_range_of_a_shortened_text_leads_back_to_its_source() -> None:
    text = "Now empty the trash, please."
    shorter = take_out(text, merged([Span(start=4, end=19)]))
    assert shorter.text == "Now , please."
    assert shorter.source(Span(start=4, end=6)) == Span(start=19, end=21)
    assert shorter.source(Span(start=0, end=len(shorter.text))) == Span(start=0, end=len(text))


@pytest.mark.parametrize(
    ("left", "read"),
    [
        (" (go away)", "  go away "),
        (" [go away].", "  go away ."),
        ("Now (go away)", "Now (go away)"),
        ("(a) and (b)", "(a) and (b)"),
        ("", ""),
    ],
)
def test_brackets_around_all_that_is_left_are_not_read(left: str, read: str) -> None:
    assert without_brackets(left) == read
    assert len(read) == len(left)
