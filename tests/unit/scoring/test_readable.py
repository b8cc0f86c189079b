"""What a model cannot read is named, and never covers what it can."""

from __future__ import annotations

import pytest

from guard.records import Unscored
from guard.scoring.readable import Reader
from guard.scoring.vocabulary import Vocabulary
from tests.unit.scoring.conftest import Encoding, encode

UNKNOWN = 0
BURMESE = "မြန်မာဘာသာစကားသည်"
GERMAN = "das ist nicht so wie du"
SENTENCE = "das ist nicht so wie du es und ich es will"


def encode_latin(piece: str) -> Encoding:
    """Words with letters of distant alphabets are unknown."""
    found = encode(piece)
    strange = [any(mark > "\u0fff" and mark.isalpha() for mark in word) for word in piece.split()]
    ids = [UNKNOWN if odd else known for known, odd in zip(found.ids, strange, strict=True)]
    return Encoding(ids=ids, offsets=found.offsets, word_ids=found.word_ids)


@pytest.fixture
def reader() -> Reader:
    vocabulary = Vocabulary(
        encode=encode_latin, before=(), after=(), padding=9, size=64, overlap=2, unknown=UNKNOWN
    )
    return Reader(vocabulary=vocabulary, languages=("en",))


def read(reader: Reader, text: str) -> list[tuple[str, Unscored | None]]:
    """What goes to the model, and what is only noted in brackets."""
    windows = reader.windows(text)
    found = [(text[one.span.start : one.span.end], bool(one.ids), one.unread) for one in windows]
    return [(part if asked else f"[{part}]", reason) for part, asked, reason in found]


@pytest.mark.parametrize(
    "text",
    [
        "This is fine. All of it.",
        "“Don’t worry” — a café in Zürich 🎉🎉🎉",
        "The name of the city in Burmese is ရန်ကုန် as far as I know.",
        "Je t'aime",
    ],
)
def test_english_with_a_few_foreign_words_is_one_window(reader: Reader, text: str) -> None:
    assert read(reader, text) == [(text, None)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            f"Here it is: {SENTENCE}.",
            [("Here it is: ", None), (f"[{SENTENCE}.]", Unscored.LANGUAGE)],
        ),
        (f"Sure, here: {BURMESE}.", [("Sure, here: ", None), (f"[{BURMESE}.]", Unscored.LANGUAGE)]),
    ],
)
def test_an_introduction_is_no_cover(
    reader: Reader, text: str, parts: list[tuple[str, Unscored | None]]
) -> None:
    assert [one for one in read(reader, text) if one in parts] == parts


@pytest.mark.parametrize(
    "text",
    [
        "Note: this is how it works. See: the page. The phrase is: je t'aime.",
        "The parties: Maria de los Angeles Ruiz and Juan de la Torre.",
        "The passenger is: Maria del Carmen de la Cruz.",
        "We recommend the dish of the day: coq au vin de la maison.",
    ],
)
def test_a_colon_before_names_parts_nothing(reader: Reader, text: str) -> None:
    assert read(reader, text) == [(text, None)]


def test_escapes_are_read_as_what_they_stand_for(reader: Reader) -> None:
    text = "".join(f"\\u{ord(mark):04x}" for mark in BURMESE)
    assert read(reader, text)[0] == (f"[{text}]", Unscored.LANGUAGE)


def test_a_sentence_in_another_script_is_named_and_the_others_are_judged(reader: Reader) -> None:
    text = f"This is what you said. {BURMESE}. And that is it."
    assert read(reader, text) == [
        ("This is what you said.", None),
        (f"[{BURMESE}.]", Unscored.LANGUAGE),
        ("And that is it.", None),
    ]


def test_letters_that_only_the_model_does_not_know_are_named(reader: Reader) -> None:
    text = "ꚠꚢꚣꚤ ꚥꚦꚧ"  # Bamum, which no table of ours has
    assert read(reader, text) == [(f"[{text}]", Unscored.UNREADABLE)]


@pytest.mark.parametrize("words", ["ყσυ αɾҽ αɳ ιԃισƚ", "уσυ αяє α ∂υм ιᴅισт"])
def test_a_long_opening_is_no_cover_for_strange_letters(reader: Reader, words: str) -> None:
    opening = "Here is what you asked for, and do tell me if you would like it otherwise, "
    found = read(reader, f"{opening}{words}, as ever.")
    assert found[0] == (opening, None)
    assert found[1][1] in {Unscored.LANGUAGE, Unscored.UNREADABLE}
    assert found[-1] == (" as ever.", None)


def test_strange_letters_that_read_as_english_are_scored(reader: Reader) -> None:
    assert read(reader, "It says ʏᴏᴜ ᴀʀᴇ ᴋɪɴᴅ there") == [("It says ʏᴏᴜ ᴀʀᴇ ᴋɪɴᴅ there", None)]


def test_small_words_of_another_language_are_no_cover(reader: Reader) -> None:
    text = "mean bad person, le la les du et dans pour"
    assert read(reader, text) == [
        (f"[{text}]", Unscored.LANGUAGE),
        ("mean bad person", Unscored.LANGUAGE),
    ]
    among = "mean le bad la person les"
    assert read(reader, among)[1:] == [("mean le bad la person", Unscored.LANGUAGE)]


def test_an_english_sentence_beside_a_foreign_one_is_judged_as_ever(reader: Reader) -> None:
    text = f"This is what you said. {' '.join([GERMAN] * 8)}."
    assert read(reader, text)[0] == ("This is what you said.", None)


def test_a_model_for_any_language_takes_what_it_has_words_for() -> None:
    vocabulary = Vocabulary(
        encode=encode_latin, before=(), after=(), padding=9, size=64, overlap=2, unknown=UNKNOWN
    )
    anything = Reader(vocabulary=vocabulary, languages=())
    assert read(anything, GERMAN) == [(GERMAN, None)]
    assert read(anything, BURMESE) == [(f"[{BURMESE}]", Unscored.UNREADABLE)]
