"""E-mail addresses, phone and card numbers made unreadable, character for character.

The text keeps its length, so that spans found in it stay true. What takes the place of a number
holds neither a digit nor an @, so that doing it twice does nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from guard.text.card_numbers import (
    CARD_BESIDE_NUMBERS,
    LONE_CARD,
    PARTED_CARD,
    PARTED_CARD_BESIDE_NUMBERS,
    pays,
    pays_in_a_row,
    pays_in_groups,
)
from guard.text.phone_numbers import (
    CHINESE_MOBILE,
    PARTED_PHONE,
    PHONE,
    PHONES_WITH_SLASHES,
    SPACELESS,
    TABBED_PHONE,
    calls,
    calls_parted,
    has_digits_enough,
    has_no_date,
)
from guard.text.plain_signs import plain_signs

_FILL = "•"
_NUMBER_SIGN = re.compile(r"[\d@]")
MOST_PASSES = 16
"""Over a text; a line in which more would be found is hidden by its digits and signs."""

# The last part of a domain in ASCII ends where other scripts write on without a blank.
_TOP = rf"(?:[A-Za-z]{{2,24}}(?![^\W_{SPACELESS}])|[^\W\d_]{{2,24}}(?![^\W_]))"
_EMAIL = re.compile(
    rf"(?:(?<![\w.+-])|(?<=[{SPACELESS}])(?=[A-Za-z0-9]))"
    rf"[\w.+-]{{1,64}}@(?:[\w-]{{1,63}}[.\uff0e]){{1,8}}{_TOP}"
)

_Place = tuple[int, int]
"""Where something begins and ends."""


class _Kind(NamedTuple):
    """What is looked for: the name of its mark, its form, and whether what has it counts.

    overlaps: where something does not count, what counts may begin within it.
    """

    mark: str
    form: re.Pattern[str]
    counts: Callable[[re.Match[str]], bool]
    overlaps: bool = False


def redacted_contacts(text: str) -> str:
    """`text` with what leads to a person or an account replaced; of the same length.

    A card number has 13 to 19 digits with the right check digit (Luhn, ISO/IEC 7812-1). A phone
    number has 7 to 15 digits and, unless it is written with a + or in groups, a leading zero or
    ten digits: other long numbers, dates and amounts stay as they are. Digits, blanks and dashes
    may be those of any script; what shows nothing is passed over.
    """
    for _ in range(MOST_PASSES):  # what was hidden behind one may be found once that is gone
        before, text = text, _once(text)
        if text == before:
            return text
    return "\n".join(map(_settled, text.split("\n")))


def _settled(line: str) -> str:
    if _once(line) == line:
        return line
    plain = plain_signs(line)
    signs = [plain.written(*found.span()) for found in _NUMBER_SIGN.finditer(plain.text)]
    return _replaced(line, [(place, _FILL * _length(place)) for place in signs])


def _once(text: str) -> str:
    plain = plain_signs(text)
    read = plain.text
    marks: list[tuple[_Place, str]] = []
    for kind in _KINDS:
        places = list(_places(kind, read))
        read = _replaced(read, [(place, _mark(kind, place)) for place in places])
        written = [plain.written(*place) for place in places]
        marks += [(place, _mark(kind, place)) for place in written]
    return _replaced(text, sorted(marks))


def _places(kind: _Kind, text: str) -> Iterator[_Place]:
    at = 0
    while found := kind.form.search(text, at):
        counts = kind.counts(found)
        if counts:
            yield found.span()
        at = found.start() + 1 if kind.overlaps and not counts else found.end()


def _mark(kind: _Kind, place: _Place) -> str:
    return f"[{kind.mark}{_FILL * (_length(place) - len(kind.mark) - 2)}]"


def _length(place: _Place) -> int:
    start, end = place
    return end - start


def _replaced(text: str, parts: Iterable[tuple[_Place, str]]) -> str:
    """`text` with other words in these places, which are in order."""
    pieces: list[str] = []
    at = 0
    for (start, end), other in parts:
        pieces += (text[at:start], other)
        at = end
    return "".join([*pieces, text[at:]])


_KINDS: Final = (
    _Kind("mail", _EMAIL, bool),
    _Kind("card", LONE_CARD, pays),
    _Kind("card", PARTED_CARD, pays),
    _Kind("card", CARD_BESIDE_NUMBERS, pays_in_a_row),
    _Kind("card", PARTED_CARD_BESIDE_NUMBERS, pays_in_groups, overlaps=True),
    _Kind("phone", PHONES_WITH_SLASHES, has_no_date),
    _Kind("phone", CHINESE_MOBILE, bool),
    _Kind("phone", PARTED_PHONE, calls_parted),
    _Kind("phone", TABBED_PHONE, has_digits_enough),
    _Kind("phone", PHONE, calls),
)
