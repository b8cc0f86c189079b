"""Cleaning keeps every character at its place."""

import pytest

from guard.text import clean


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("plain text\n", "plain text\n"),
        ("a\0b", "a\ufffdb"),
        ("a\ud83db", "a\ufffdb"),
        ("\ud835\udcf2\ud835\udced", "i\u200bd\u200b"),
        ("\ud83d\ude00", "\U0001f600\u200b"),
        ("you\x0bidiot\x85now", "you idiot now"),
        ("a s\x1ft\x0bu\x85p\x1ci\x0cd x", "a s\u200bt\u200bu\u200bp\u200bi\u200bd x"),
        ("you\x1fa\x1fman\x1f \x1fno", "you a man   no"),
        ("\uff53\uff54\uff55\uff50\uff49\uff44", "stupid"),
        ("\U0001d4f2\U0001d4ed\U0001d4f2\U0001d4f8\U0001d4fd", "idiot"),
        ("\u4f60\u597d \U0001f600 e\u0301", "\u4f60\u597d \U0001f600 e\u0301"),
        (
            "e\u0301t\u0301e i\u0489d\u1ac0i\ufff0o\U000e0fff\u0301t\u0489",
            "e\u0301t\u0301e i\u200bd\u200bi\u200bo\u200b\u0301t\u0489",
        ),
        ("don\u2019t, na\u00efve\u2014yes", "don\u2019t, na\u00efve\u2014yes"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"),
    ],
)
def test_what_tokenizers_trip_over_is_replaced_one_for_one(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned
    assert len(cleaned) == len(raw)
