"""Finding mentions: whole words, in context, and never where nothing may be touched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from guard.counterfactual import Found, bundled, find, free_of_groups
from guard.counterfactual.mentions.find import SURE, UNLIKELY
from tests.repeats import repeats

MARKED = Path(__file__).parent / "data" / "people_or_not.txt"
MARK = re.compile(r"((?:(?<=\s)|^)[+-](?=[A-Za-z]))")


def found(text: str, *attributes: str) -> Found:
    return find(text, bundled(), attributes=attributes or None)


def words(text: str, *attributes: str) -> list[str]:
    return [text[m.span.start : m.span.end] for m in found(text, *attributes).mentions]


def marked() -> list[tuple[str, int, bool]]:
    """Sentence, where a marked word begins, whether it means a person."""
    rows = []
    for line in MARKED.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        text, places = "", []
        for part in MARK.split(line):
            if part in ("+", "-"):
                places.append((len(text), part == "+"))
            else:
                text += part
        rows += [(text, start, person) for start, person in places]
    return rows


def test_people_are_told_from_things() -> None:
    rows = marked()
    wrong = [
        (text, text[start : start + 12], person)
        for text, start, person in rows
        if any(m.span.start <= start < m.span.end for m in found(text).mentions) != person
    ]
    assert len(rows) > 200
    assert 1 - len(wrong) / len(rows) >= 0.96, wrong


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She gave her actress's coat to Mr. Smith.", ["She", "her", "actress", "Mr."]),
        ("The actresses' roles and the ladies’ choice", ["actresses", "ladies"]),
        ("His father-in-law and ex-wife came.", ["His", "father-in-law", "ex-wife"]),
        ("HE TOLD HER NOTHING", ["HE", "HER"]),
        ("he's, she'll and she’d", ["he", "she", "she"]),
        ("(he) [she] “her” *him*", ["he", "she", "her", "him"]),
        ("Mrs. Robinson and Ms Lee", ["Mrs.", "Ms"]),
        ("African-American women", ["African-American", "women"]),
        ("African\nAmerican women", ["African\nAmerican", "women"]),
        ("José and Mary-Ann's aunt", ["José", "aunt"]),
        ("Emily met James; Mr. James left.", ["Emily", "James", "Mr."]),
        ("Mary Thomas and Henry James", ["Mary", "Henry"]),
    ],
)
def test_words_and_what_hangs_on_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "therapist shepherd Herzegovina usher mother_board hermit manual",
        "he_said shePos fe\u0301male",
        "man-made self-he non-Muslim Spanish-speaking one-man",
        "See https://he.com/women/she?her=him and www.black-women.org now",
        "mail james@women.com or mary.king@she.org",
        "open /usr/share/man/he.txt, C:\\Users\\james or ./she/her.py",
        "`her = she` and ``him``",
        "```python\nher = she\n```",
        "~~~\nfor he in women:\n~~~",
        "```\nnever closed: she and he",
        "<code>she</code> <pre>her king</pre> <a href='she'>",
        "read \"The Old Man and the Sea\", 'Little Women' or *Black Panther*",
        "the film “Carrie”, the novel 'Emma' and the song _Roxanne_",
        "@james #women $he s/he",
    ],
)
def test_nothing_is_found_inside_words_addresses_code_or_titles(text: str) -> None:
    assert words(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said, "she left early" and "Mom, come here!"', ["He", "she", "Mom"]),
        ('the word "she" and the "king"', ["she", "king"]),
        ("`x` she `y`", ["she"]),
        ("a < b, she said, c > d", ["she"]),
        ("it's 5 o'clock 'he said", ["he"]),
    ],
)
def test_what_only_looks_protected_is_found(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_untouchable_ranges_are_told() -> None:
    text = 'See https://x.org, "Little Women" and `she`.'
    spans = found(text).untouchable
    assert [text[s.start : s.end] for s in spans] == ["https://x.org,", "Little Women", "`she`"]


def test_one_attribute_is_not_misled_by_another() -> None:
    assert words("An African American and an American", "nationality") == ["American"]
    assert words("Latinas and Frenchmen", "gender") == ["Latinas", "Frenchmen"]
    assert words("Latinas and Frenchmen", "race") == ["Latinas"]
    assert words("Latinas and Frenchmen", "nationality") == ["Frenchmen"]
    assert words("Christian Bale met a Christian.", "religion") == ["Christian"]
    assert words("Christian Bale met a Christian.", "gender") == ["Christian"]


def test_words_for_anybody_are_listed_only_when_asked_for() -> None:
    text = "The parents said they like their server."
    listed = find(text, bundled(), generic=True).mentions
    assert words(text) == []
    assert [m.form.text for m in listed] == ["parents", "they", "their", "server"]


def test_sure_and_unsure_are_told_apart() -> None:
    result = found("Yours, Hope. She and May flowers.")
    assert all(m.sure and m.confidence >= SURE for m in result.mentions)
    assert all(not m.sure and UNLIKELY < m.confidence < SURE for m in result.unsure)
    assert [m.form.text for m in result.unsure] == ["Hope"]


def test_free_of_groups() -> None:
    assert free_of_groups("The nurse ordered a black coffee.", bundled(), "race")
    assert not free_of_groups("The Black nurse ordered a coffee.", bundled(), "race")
    assert free_of_groups("The Black nurse ordered a coffee.", bundled(), "gender")


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\ud800", "\u202e\u202d", "😀", "'", '"', "-", "`"]
)
def test_next_to_nothing_is_nothing(text: str) -> None:
    assert found(text).mentions == ()


def test_bidi_marks_nul_and_surrogates_do_not_shift_offsets() -> None:
    text = "\u202eshe\u202c \0 he \ud800 her \U0001f469 women\0"
    assert words(text) == ["she", "he", "her", "women"]


@pytest.mark.parametrize(
    "unit", ["she ", "a" * 60, '"', "'A ", "*A", "<a", "`", "a.", "a@", "/a", "https://"]
)
def test_a_long_text_of_anything_ends(unit: str) -> None:
    times = repeats(250_000, soak=1_000_000) // len(unit)
    assert len(found(unit * times).mentions) == (times if unit == "she " else 0)


def test_thousands_of_words_in_doubt_end() -> None:
    assert found("Black " * 30_000).mentions == ()
