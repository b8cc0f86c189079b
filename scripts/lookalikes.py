"""Write `guard/text/lookalikes.txt`: which characters are read as which Latin letter.

    pip install confusable_homoglyphs==3.3.1
    python scripts/lookalikes.py > guard/text/lookalikes.txt

From Unicode's table of confusables (UTS #39, as the package `confusable_homoglyphs` carries it),
and from the names of the Unicode database, which know small capitals, letters with a stroke, and
squared ones that the table leaves out.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from string import ascii_letters, ascii_uppercase
from textwrap import wrap

HEADER = """\
# Characters that are read as a Latin letter, written by scripts/lookalikes.py; do not edit.
# From Unicode's confusables.txt (UTS #39, https://www.unicode.org/Public/security/) and names,
# Copyright Unicode, Inc., Unicode License v3, https://www.unicode.org/license.txt.
"""
OWN = dict(zip("ʉɄəʊŋðʃʒʌıƿɩкмтвнКІіανυκτεηω", "uUeundszaipikmtbhKIiavuktenw", strict=True))
"""Read as these by those who write with them, whatever the table of confusables says."""
OUTLINED = {chr(0x1CCD6 + at): letter for at, letter in enumerate(ascii_uppercase)}
"""Capitals that Unicode has since 16.0, which Python's database does not know yet."""
DRAWN = {
    "a": "₳ªΔ∆Λλ∂ДдЛл", "b": "฿ßБбЬьЪъ", "c": "¢₵©", "d": "Ð₫ᗫ", "e": "€∑ΣξЄєЭэЗз", "f": "₣Ғғ",
    "g": "₲", "h": "ЂђЋћ", "i": "¡łŁ╏┃", "k": "₭", "l": "£₤", "m": "₥", "n": "₦∩ИиЙйПпΠπηՈ",
    "o": "ðФфΦφΘθΩ¤◯○⊙◎☉⊕✺", "p": "₱₽þ℘", "r": "₹®ЯяГг", "s": "₴§∫", "t": "†‡₮₸", "u": "µЦц∪",
    "v": "√∨", "w": "₩ШшЩщЖж", "x": "×✗✕ⵋ", "y": "¥ЎўΨψЧчУу",
}  # fmt: skip
"""Signs and letters that are read as these in words that are drawn of many alphabets alone."""
CAPITAL_I = re.compile(r"IOTA|LETTER (BYELORUSSIAN-UKRAINIAN )?I$|ICHOUNSTI|PALOCHKA|ISAZ|-I$")
KINDS = frozenset({"Ll", "Lm", "Lo", "Lu", "Nl", "So"})
NAMED = re.compile(r"\b(?P<letter>[A-Z])(?: WITH [A-Z ]+)?$")
ORDINARY = "ªºℹßẞǅǈǋǲ"  # nobody writes English words with these


def main() -> None:
    latin, foreign = dict(named()) | OUTLINED, dict(confused())
    foreign = {mark: letter for mark, letter in foreign.items() if mark not in latin}
    for mark, letter in OWN.items():
        (latin if "LATIN" in unicodedata.name(mark) else foreign)[mark] = letter
    latin |= {mark: foreign.pop(mark) for mark in tuple(foreign) if is_latin(mark)}
    raised = {mark: latin.pop(mark) for mark in tuple(latin) if is_raised(mark)}
    drawn = {mark: letter for letter, marks in DRAWN.items() for mark in marks}
    tables = {"latin": latin, "raised": raised, "foreign": foreign, "drawn": drawn}
    sys.stdout.write(HEADER)
    for title, table in tables.items():
        sys.stdout.write(f"\n[{title}]\n")
        for letter in ascii_letters:
            marks = "".join(sorted(mark for mark, plain in table.items() if plain == letter))
            sys.stdout.writelines(f"{letter} {line}\n" for line in wrap(marks, 40))


def named() -> Iterator[tuple[str, str]]:
    """Letters, and symbols that stand for one, that are Latin by their name."""
    for code in range(0x80, sys.maxunicode + 1):
        mark = chr(code)
        if unicodedata.category(mark) not in KINDS or mark in ORDINARY:
            continue
        if (letter := letter_of(mark)) is not None:
            yield mark, letter


def letter_of(mark: str) -> str | None:
    """The letter by its name, or by that of the one it is a form of: a raised small capital."""
    plain = unicodedata.normalize("NFKC", mark)
    if len(plain) == 1 and plain != mark:
        found = plain if plain in ascii_letters else letter_of(plain)
        if found is not None:
            return found
    name = unicodedata.name(mark, "")
    if "LATIN" not in name or not (told := NAMED.search(name)) or is_accented(mark):
        return None
    return told["letter"].lower() if "SMALL" in name else told["letter"]


def is_accented(mark: str) -> bool:
    """Whether it is a plain letter with an accent, which tokenizers take off by themselves."""
    return unicodedata.normalize("NFD", mark)[0] in ascii_letters


def is_latin(mark: str) -> bool:
    return "LATIN" in unicodedata.name(mark, "")


def is_raised(mark: str) -> bool:
    """Whether it stands above or below the line, as formulas have it."""
    return unicodedata.category(mark) == "Lm"


def confused() -> Iterator[tuple[str, str]]:
    table = import_module("confusable_homoglyphs.confusables").confusables_data
    for letter in ascii_letters:
        for entry in table.get(letter, ()):
            mark = entry["c"].strip("\u200e\u200f")
            if mark.isascii() or len(mark) != 1 or mark in ORDINARY or not is_written_so(mark):
                continue
            capital_i = letter == "l" and CAPITAL_I.search(unicodedata.name(mark, ""))
            yield mark, "I" if capital_i else letter


def is_written_so(mark: str) -> bool:
    """A letter written from left to right, which is not made of a plain one by itself."""
    letter, to_left = unicodedata.category(mark)[0] == "L", unicodedata.bidirectional(mark) != "L"
    return letter and not to_left and not is_accented(mark)


if __name__ == "__main__":
    main()
