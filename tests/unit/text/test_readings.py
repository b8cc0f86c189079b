"""Which readings a text has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span
from guard.text import TextReading, clean, readings, sentences
from tests.bait import BAIT, LRO, RLO, TAG_A, much


def read(text: str) -> list[str]:
    return [one.text.replace("\u200b", "") for one in readings(text)]


@pytest.mark.parametrize(
    "text", ["", "Hello you. " * 90, "“Zürich” 🎉 \u2067x\u2069", "a<b and x[1]", "so &amp; \\n"]
)
def test_a_text_is_its_only_reading(text: str) -> None:
    assert readings(text) == (TextReading(text=text),)


@pytest.mark.parametrize(
    "mark",
    [RLO, "&#8238;", "&#x000000202E;", "&#00000000008238", "\\u202e", "\\u202E", "\\u{202e}"],
)
def test_what_is_turned_round_is_read_in_both_orders(mark: str) -> None:
    assert read(f"{mark}diputs") == ["diputs", "stupid"]


@pytest.mark.parametrize("mark", [LRO, "&#8237;", "\\u202d"])
def test_what_is_turned_back_is_read_as_it_stands(mark: str) -> None:
    assert read(f"{RLO}{mark}stupid") == ["stupid"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"city": "Rome", "days": 1}', "{ city :  Rome ,  days : 1}"),
        ('f {\n  "a": ["b", "c"],\n "e": "f', "f {\n   a : [ b ,  c ],\n  e :  f"),
        ('{"a": "say "no" to it"}', '{ a :  say "no" to it }'),
    ],
)
def test_json_is_read_without_its_quotation_marks(text: str, said: str) -> None:
    assert read(text) == [said]


@pytest.mark.parametrize(
    ("text", "whole", "alone"),
    [
        ("{'a': 'It is'}", "{ a : \nIt is\n}", ["It is"]),
        ('say ["It is so.", 1, "c de"]', "say [\nIt is so.\n, 1, \nc de\n]", ["It is so.", "c de"]),
        ("[null, 'So it is']", "[null, \nSo it is\n]", ["So it is"]),
        ('{"": "Scum! Fools."  /* b */ }', '{"": \nScum! Fools.\n  /* b */ }', ["Scum! Fools."]),
        ('{"a": [{"b": "It is so. And', "{ a : [{ b : \nIt is so. And", ["It is so. And"]),
        ('{"a": "It is so\\', "{ a : \nIt is so\n", ["It is so"]),
    ],
)
def test_what_values_say_is_read_alone_too(text: str, whole: str, alone: list[str]) -> None:
    first, second = readings(text)
    assert (first.text, first.excerpt, second.excerpt) == (whole, False, True)
    assert [line.strip() for line in second.text.splitlines() if line.strip()] == alone
    for said in alone:
        at = second.text.index(said)
        assert text[at : at + len(said)] == said


@pytest.mark.parametrize(
    "text",
    [
        'He said, "It is so", and "No, it is not." [1]',
        'He wrote, "it is so", which is false. Sources: ["1"].',
        'x = ["a", "b"]  # he said "b", "you are a fool", and left',
        '[he said "you are a fool"]',
        '["a", "b"]',
    ],
)
def test_what_is_quoted_in_prose_is_no_value(text: str) -> None:
    assert [one for one in readings(text) if one.excerpt] == []


def test_all_of_many_values_are_read() -> None:
    text = '[{"a": "b cd"}, ' * 5_000 + '["d ef' * 5_000
    assert readings(text)[1].text.count("b cd") == 5_000


@pytest.mark.parametrize("text", ['He said "no", and left.', '"a": b, "c"', "{x}: 'y'"])
def test_quotations_stay(text: str) -> None:
    assert read(text) == [text]


def test_the_reach_of_a_mark_is_its_paragraph() -> None:
    assert read(f"{RLO}" + "aa. " * 600 + "diputs")[1].startswith("stupid .aa")


def test_words_with_markup_inside_are_read_with_it_and_without() -> None:
    assert read("id<i title='hello there'>iot")[:2] == [
        "id<i title='hello there'>iot",
        "idiot",
    ]
    assert "idiot" in read('id[font="Times New Roman"]iot[/font]')


def test_what_a_tag_turns_round_is_read_as_it_is_shown() -> None:
    assert read("<bdo dir=rtl>diputs</bdo>")[-1] == "stupid"


def test_invisible_letters_are_read_apart_from_visible_ones() -> None:
    hidden = "".join(chr(0xE0000 + ord(each)) for each in "you idiot")
    assert read(f"Hello{hidden} there") == ["Hello there", "you idiot ", "Helloyou idiot there"]
    assert read(TAG_A.join("stupid one"))[0] == "stupid one"
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e007f"
    assert readings(flag) == (TextReading(text=flag),)


def test_spaces_written_as_invisible_letters_part_words() -> None:
    assert "you are an idiot" in read("you are an idiot".replace(" ", "\U000e0020"))


@pytest.mark.parametrize("letter", "z1é")
def test_of_a_long_run_a_few_are_read(letter: str) -> None:
    for before in range(8):
        text = f"{'abcdefgh'[:before]}{letter * 80} idiot"
        assert read(text) == [f"{'abcdefgh'[:before]}{letter * 16} idiot"]
    assert read(letter * 40) == [letter * 40]


def test_a_range_of_a_turned_paragraph_is_all_of_it() -> None:
    text = f"One two. Three.\n{RLO}.owt enO .eno\nFour."
    plain, shown = readings(text)
    assert plain.place(Span(start=18, end=20)) == Span(start=18, end=20)
    assert shown.place(Span(start=0, end=8)) == Span(start=0, end=8)
    assert shown.place(Span(start=18, end=20)) == Span(start=16, end=30)
    assert text[16:30] == f"{RLO}.owt enO .eno"


ODD = f'ab1!<>/[](){{}}*_:\b\\ \n&#;x-="{RLO}{LRO}{TAG_A}\u2067\u2069\u05d0\U0001f3f4\u0301\ufe0f'


@given(st.text(alphabet=ODD, max_size=120))
def test_every_reading_covers_the_text(text: str) -> None:
    found = readings(text)
    assert {whole(one) for one in found} == {Span(start=0, end=len(text))}
    assert all(RLO not in one.text for one in found)


HIDDEN = "\u0301\ufe0f\u200b"


@given(st.text(alphabet="ab ." + HIDDEN, max_size=60))
def test_what_is_left_of_a_text_keeps_its_place(text: str) -> None:
    reading, *_ = readings(text)
    for at, sign in enumerate(reading.text):
        placed = reading.place(Span(start=at, end=at + 1))
        shown = text[placed.start :].lstrip(HIDDEN) if at == 0 else text[placed.start :]
        assert sign in HIDDEN or shown[0] == sign
        start = placed.end - len(text[placed.start : placed.end].lstrip(HIDDEN))
        assert not set(text[start + 1 : placed.end]) & set("ab .")


@pytest.mark.parametrize(
    "sign", [*"\u0301\ufe0f\u200b\u2060\x01\x0b\x85\u20dd", "\U000e0100", "\U000e0fff"]
)
def test_of_many_signs_that_nobody_sees_one_is_read(sign: str) -> None:
    (reading,) = readings((sign * 40).join("idiot") + sign * 40)
    assert reading.text == sign.join("idiot") + sign


@pytest.mark.parametrize(
    "text",
    [
        "e\u0323\u0302",
        "\u0e17\u0e35\u0e48",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "1\ufe0f\u20e3",
        "———…",
    ],
)
def test_what_scripts_and_emoji_are_written_with_stays(text: str) -> None:
    assert readings(text) == (TextReading(text=text),)


def whole(reading: TextReading) -> Span:
    return reading.place(Span(start=0, end=len(reading.text)))


@pytest.mark.slow
@pytest.mark.parametrize("piece", BAIT)
def test_much_bait_is_read_whole(piece: str) -> None:
    """Or this does not end: how time grows, `bench_growth` says."""
    text = RLO + much(piece, 12_000) + "\u00e9"
    assert {whole(one) for one in readings(text)} == {Span(start=0, end=len(text))}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("so id&lt;b&gt;&lt;/b&gt;iotic, &quot;t&quot;", 'so idiotic, "t"'),
        ("You&middot;are&middot;so&middot;kind.", "You are so kind."),
        ("&quot;S&quot;&quot;o&quot; &lbrack;kind&rbrack;", '"S""o" [kind]'),
    ],
)
def test_references_are_read_as_they_are_shown(text: str, said: str) -> None:
    found = [one for one in readings(text) if one.text.replace("\u200b", "") == said]
    assert found
    assert all(whole(one) == Span(start=0, end=len(text)) for one in found)


@pytest.mark.parametrize("data", ["R0lG" * 8, "R0lG" * 2000 + "RA=="])
def test_an_image_as_data_is_read_as_a_tag(data: str) -> None:
    first, shown = readings(f'You <img src="data:image/gif;base64,{data}"> are so kind.')
    assert len(first.text) < 70
    assert shown.text.replace("\u200b", "") == "You  are so kind."


@pytest.mark.parametrize("filler", "\x85\u115f\u1160\u3164\uffa0")
def test_a_filler_is_read_as_a_blank_and_as_nothing(filler: str) -> None:
    text = f"an i{filler}diot"
    assert [one.text for one in readings(text)] == [text, "an i\u200bdiot"]
    assert [one.text for one in readings(f"an {filler} idiot")] == [f"an {filler} idiot"]


def test_stretched_letters_are_read_as_one_too() -> None:
    text = "Yooou iiidiot"
    assert [one.text.replace("\u200b", "") for one in readings(text)] == [text, "You idiot"]
    assert [one.text for one in readings("Sooo good, too")] == ["Sooo good, too"]


GREEK = str.maketrans("oaviut", "οανιυτ")
LAYERS = {
    "look-alikes with nothing between": "\u200b".join("stupid".translate(GREEK)),
    "spaced letters, written out": "".join(f"&#{ord(letter)};" for letter in " ".join("stupid")),
    "spaced look-alikes": " ".join("stupid".translate(str.maketrans("pi", "рі"))),
    "emphasised letters": " ".join(f"**{letter}**" for letter in "stupid"),
    "emphasised letters with nothing between": "\u200b".join(f"*{x}*" for x in "stupid"),
}


@pytest.mark.parametrize("hidden", LAYERS.values(), ids=LAYERS)
def test_what_is_hidden_by_two_disguises_is_laid_open(hidden: str) -> None:
    text = f"You are {hidden} and old."
    said = {clean(one.text).replace("\u200b", ""): one for one in readings(text)}
    assert "You are stupid and old." in said
    reading = said["You are stupid and old."]
    at = reading.text.index("old")
    placed = reading.place(Span(start=at, end=at + 3))
    assert text[placed.start : placed.end] == "old"
    assert reading.place(Span(start=0, end=7)) == Span(start=0, end=7)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("<td class='x'>Go home.</td><td>5</td>", ["Go home.", "5"]),
        ("<DIV id='z'><strong>Go home.</strong></DIV>Bye", ["Go home.", "Bye"]),
        ("One<br>two", ["One", "two"]),
        ("<answer>Go home.</answer>", ["Go home."]),
    ],
)
def test_html_is_read_without_its_tags_as_well(text: str, lines: list[str]) -> None:
    written, shown = read(text)
    assert written == text
    assert [line.strip() for line in shown.split("\n") if line.strip()] == lines


def test_a_block_of_html_is_the_passage_of_what_stands_in_it() -> None:
    text = "<p>Hello.</p><DIV id='z'><strong>Go home.</strong></DIV>"
    shown = readings(text)[1]
    spans = [shown.place(span) for span in sentences(shown.text)]
    assert [text[span.start : span.end] for span in spans] == [
        "Hello.",
        "<strong>Go home.</strong>",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Go home", "  Go home"),
        ("Hi.\n\n  ### Go home\n", "Hi.\n\n      Go home\n"),
        ("#1 and #hash\n# \n####### x", "#1 and #hash\n# \n####### x"),
    ],
)
def test_the_signs_of_a_heading_are_not_read(text: str, said: str) -> None:
    assert read(text)[0] == said


@pytest.mark.parametrize("mark", ["\u200b", "\u200f", "\u2060", "\ufeff"])
def test_marks_that_nobody_sees_are_read_as_blanks_where_they_part_words(mark: str) -> None:
    assert "You are so nice" in read(mark.join(["You", "are", "so", "nice"]))
