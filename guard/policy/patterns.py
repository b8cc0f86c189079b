"""Regular expressions from settings that can neither run for ever nor cover what they should not.

The standard library's `re` tries every way in which an expression can match, and stops for no
clock. So only expressions are taken in which those ways are few: a repetition stands after one
character and has an end, a group is optional at most, and nothing looks ahead or back.

What a wildcard matches (`.`, `\\w`, `[a-z]`) is captured: it is not what the author wrote, and must
not be allowed with it.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, replace
from functools import cache
from string import ascii_lowercase
from typing import Final

MOST_CHARACTERS: Final = 100
"""So long a match can be at most."""
MOST_WAYS: Final = 200
"""In so many ways an expression can be tried at one place of a text."""
MOST_NESTED: Final = 20
LEAST_LETTERS: Final = 2
"""So many letters or digits every match has of the expression's own."""

_TOKEN = re.compile(
    r"(?P<open>\((?!\?)|\(\?:)|(?P<close>\))|(?P<branch>\|)|(?P<anchor>\\[bB]|[\^$])"
    r"|(?P<item>\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?:x\w{2}|u\w{4}|U\w{8}|[^0-9N])|[^\\*+?{(\[])",
    re.DOTALL,
)
_REPEAT = re.compile(r"(?P<bounds>[*+?]|\{(?P<least>\d+)(?P<comma>,(?P<most>\d*))?\})\??")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extent:
    """How much a part of an expression can match: characters, ways, letters of its own at least."""

    source: str = ""
    characters: int = 0
    ways: int = 1
    letters: int = 0

    def then(self, other: _Extent) -> _Extent:
        return _Extent(
            source=self.source + other.source,
            characters=self.characters + other.characters,
            ways=self.ways * other.ways,
            letters=self.letters + other.letters,
        )

    def otherwise(self, other: _Extent) -> _Extent:
        return _Extent(
            source=f"{self.source}|{other.source}",
            characters=max(self.characters, other.characters),
            ways=self.ways + other.ways,
            letters=min(self.letters, other.letters),
        )


@dataclass(slots=True, kw_only=True)
class _Group:
    """A group that is being read: alternatives that are complete, and the present one."""

    alternatives: list[_Extent] = field(default_factory=list)
    present: _Extent = _Extent()

    def whole(self) -> _Extent:
        found, *others = (*self.alternatives, self.present)
        for other in others:
            found = found.otherwise(other)
        return found


def compile_pattern(text: str) -> re.Pattern[str]:
    """The expression, for whole words in any case; its groups capture what wildcards match.

    Raises ValueError that names the place and what can be written there.
    """
    _check_syntax(text)
    extent = _read(text)
    if extent.characters > MOST_CHARACTERS:
        raise ValueError(
            f"can match {extent.characters} characters, at most {MOST_CHARACTERS} are allowed;"
            " give shorter repetitions"
        )
    if extent.ways > MOST_WAYS:
        raise ValueError(
            f"can match in {extent.ways} ways at one place, at most {MOST_WAYS} are allowed; give"
            " shorter repetitions, or several patterns"
        )
    if extent.letters < LEAST_LETTERS:
        raise ValueError(
            f"must hold {LEAST_LETTERS} letters or digits of its own in every match: it would allow"
            " almost any text"
        )
    return whole_words(extent.source)


def whole_words(source: str) -> re.Pattern[str]:
    """The expression where it neither begins nor ends within a word."""
    return re.compile(rf"(?<!\w)(?:{source})(?!\w)", re.IGNORECASE)


def _check_syntax(text: str) -> None:
    """Raises ValueError, also for what later versions of `re` will read otherwise."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            re.compile(text)
    except (re.error, OverflowError, FutureWarning) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    except RecursionError:
        raise ValueError(f"at most {MOST_NESTED} groups may be in each other") from None


def _read(text: str) -> _Extent:
    groups, at = [_Group()], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _error(text, at, "a group is (...) or (?:...), a repetition follows a character")
        at = token.end()
        match token.lastgroup:
            case "open":
                if len(groups) > MOST_NESTED:
                    raise _error(text, at, f"at most {MOST_NESTED} groups may be in each other")
                groups.append(_Group())
                continue
            case "branch":
                groups[-1].alternatives.append(groups[-1].present)
                groups[-1].present = _Extent()
                continue
            case "close":
                part, at = _optional(text, at, groups.pop().whole())
            case "item":
                part, at = _repeated(text, at, token[0])
            case _:
                part = _Extent(source=token[0])
        groups[-1].present = groups[-1].present.then(part)
    return groups[0].whole()


def _optional(text: str, at: int, group: _Extent) -> tuple[_Extent, int]:
    """A group, with the question mark that may follow it."""
    group = replace(group, source=f"(?:{group.source})")
    repeat = _REPEAT.match(text, at)
    if repeat is None:
        return group, at
    if repeat["bounds"] != "?":
        raise _error(text, at, "a group may be optional, with ?, and not repeated")
    optional = replace(group, source=group.source + repeat[0], ways=group.ways + 1, letters=0)
    return optional, repeat.end()


def _repeated(text: str, at: int, item: str) -> tuple[_Extent, int]:
    """One character or class, with its repetition."""
    least, most, end = 1, 1, at
    if repeat := _REPEAT.match(text, at):
        least, most = _bounds(text, at, repeat)
        end = repeat.end()
    wild = _is_wildcard(item)
    source = item + text[at:end]
    extent = _Extent(
        source=f"({source})" if wild else source,
        characters=most,
        ways=most - least + 1,
        letters=0 if wild or not _is_letter(item) else least,
    )
    return extent, end


def _bounds(text: str, at: int, repeat: re.Match[str]) -> tuple[int, int]:
    if repeat["bounds"] == "?":
        return 0, 1
    if repeat["bounds"] in "*+" or (repeat["comma"] and not repeat["most"]):
        raise _error(text, at, "a repetition needs an end, as in {0,20}")
    least = int(repeat["least"])
    return least, int(repeat["most"]) if repeat["comma"] else least


def _is_wildcard(item: str) -> bool:
    """Whether it stands for letters nobody named: for more than both cases of two."""
    if len(item) == 1 and item != ".":
        return False
    found = re.compile(item, re.IGNORECASE).findall(_letters())
    return len(set(found)) > 2


@cache
def _letters() -> str:
    """Of all alphabets, one case of each."""
    letters = filter(str.isalpha, map(chr, (*range(0xD800), *range(0xF900, 0x20000))))
    return "".join(one for one in letters if one.casefold() == one != "ı")  # ı is also found by i


def _is_letter(item: str) -> bool:
    one = re.compile(item, re.IGNORECASE)
    return item.isalnum() or any(one.fullmatch(each) for each in f"{ascii_lowercase}0123456789")


def _error(text: str, at: int, advice: str) -> ValueError:
    return ValueError(f"{text[at : at + 10]!r} at character {at + 1}: {advice}")
