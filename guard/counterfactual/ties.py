"""Words that tie a text to a group: a rewrite beside them would no longer be true."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import NEUTRAL, Page, ethnicity
from guard.counterfactual.words import Words, words_of
from guard.records import Span

_NEAR = 40  # words between a tie and the person it is taken to speak of
_OF_ONE = (Kind.PRONOUN, Kind.NAME, Kind.TITLE)

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A word or term that fits one group only.

    known: it is somebody whom everybody knows, and who would be another person in any other group.
    """

    attribute: str
    group: str
    words: Phrase
    known: bool = False


@lru_cache(maxsize=1)
def bundled_ties() -> Mapping[str, tuple[Tie, ...]]:
    """The shipped ties by their first word. Reads a file, once."""
    file = resources.files("guard.counterfactual") / "data" / "ties.tsv"
    return by_first_word(read_ties(file.read_text(encoding="utf-8")))


def read_ties(table: str) -> Iterator[Tie]:
    """The ties of a table with the columns attribute, group and words (commas between).

    A plus behind the group marks a row of people whom everybody knows.
    """
    for line in table.splitlines()[1:]:
        if not line or line.startswith("#"):
            continue
        attribute, group, terms = line.split("\t")
        for term in terms.split(","):
            phrase = tuple(words_of(term).lower)
            known = group.endswith("+")
            yield Tie(attribute=attribute, group=group.rstrip("+"), words=phrase, known=known)


def by_first_word(ties: Iterator[Tie]) -> Mapping[str, tuple[Tie, ...]]:
    """The ties by the first of their words."""
    found: dict[str, list[Tie]] = {}
    for tie in ties:
        found.setdefault(tie.words[0], []).append(tie)
    return {first: tuple(same) for first, same in found.items()}


def tied_words(
    words: Words, changing: Sequence[Mention], attribute: str, source: str, target: str
) -> tuple[str, ...]:
    """Words of the source group near somebody who is to change; none for a neutral target.

    "They are pregnant" is true of a neutral person as it is of a woman.
    """
    if not changing:
        return ()
    named = any(one.form.kind in _OF_ONE for one in changing)
    places = [words.at(one.span.start) for one in changing]
    covered = _Covered(changing, ())
    ties, found = bundled_ties(), dict[str, None]()
    for at, word in enumerate(words.lower):
        for tie in ties.get(word, ()):
            if not _fits(words, at, tie, attribute, source) or not _near(places, at):
                continue
            if named if tie.known else target != NEUTRAL and not covered.at(words.starts[at]):
                found[_written(words, at, len(tie.words))] = None
    return tuple(found)


def _written(words: Words, at: int, length: int) -> str:
    return words.text[words.starts[at] : words.ends[at + length - 1]]


def _fits(words: Words, at: int, tie: Tie, attribute: str, source: str) -> bool:
    ours = tie.attribute == attribute and tie.group == source
    ours = ours and (not tie.known or words.surface(at)[:1].isupper())
    return ours and tuple(words.lower[at : at + len(tie.words)]) == tie.words


def _near(places: Sequence[int], at: int, reach: int = _NEAR) -> bool:
    index = bisect_left(places, at)
    return any(abs(place - at) <= reach for place in places[max(0, index - 1) : index + 1])


def own_words(
    page: Page, changing: Sequence[Mention], lexicons: Lexicons, source: str
) -> tuple[str, ...]:
    """Words of the group that speak of no person, near one who changes: "in Muslim culture".

    Everyday words ("black coffee", "an old house") tie nobody and are left out.
    """
    if not changing:
        return ()
    attribute = changing[0].form.attribute
    words, gender = page.words, attribute == _GENDER
    places = [words.at(one.span.start) for one in changing]
    covered = _Covered((*page.people, *page.both), page.found.untouchable)
    found: dict[str, None] = {}
    for at, word in enumerate(words.lower):
        if not _near(places, at, _SAME_SENTENCE if gender else _NEAR):
            continue
        if _tells_ethnicity(words, at, lexicons, source) and not covered.at(words.starts[at]):
            found[words.surface(at)] = None
        for form in lexicons.forms(word):
            ours = form.group == source and form.attribute == attribute
            telling = ours and (_compound(words, at, form) if gender else _telling(form))
            if telling and _stands(words, at, form) and not covered.at(words.starts[at]):
                found[form.text] = None
    return tuple(found)


def _tells_ethnicity(words: Words, at: int, lexicons: Lexicons, source: str) -> bool:
    """A first name that most often belongs to the group: "Jamal" in a text about a Black man."""
    capital = words.surface(at)[:1].isupper()
    return (
        capital and not words.starts_sentence(at) and ethnicity(words.word(at), lexicons) == source
    )


_GENDER = "gender"
_SAME_SENTENCE = 12  # words


def _telling(form: Form) -> bool:
    """Whether the bare word brings the group to mind: no name, and no everyday word."""
    if form.kind not in (Kind.NOUN, Kind.ADJECTIVE):
        return False
    return form.person >= _OFTEN_A_PERSON or form.text[:1].isupper()


def _compound(words: Words, at: int, form: Form) -> bool:
    """As `_telling`, for gender: "queen-size" speaks of no one, "Frank-Walter" of a man."""
    if not words.hyphened(at):
        return _telling(form)
    capitals = words.surface(at)[:1].isupper() and words.surface(at + 2)[:1].isupper()
    return form.kind is Kind.NAME and capitals


_OFTEN_A_PERSON = 0.6


def _stands(words: Words, at: int, form: Form) -> bool:
    """Whether the whole form stands here, as whole words."""
    start = words.starts[at]
    end = start + len(form.text)
    whole = not words.text[end : end + 1].isalnum()
    same = words.text[start:end].lower() == form.text.lower()
    cased = form.text[:1].islower() or words.text[start].isupper()
    return same and whole and cased


class _Covered:
    """Ranges of a text, to ask whether a place lies in one."""

    def __init__(self, mentions: Sequence[Mention], spans: Sequence[Span]) -> None:
        ranges = sorted(
            [(one.span.start, one.span.end) for one in mentions]
            + [(span.start, span.end) for span in spans]
        )
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def at(self, place: int) -> bool:
        """Whether this character lies in a range."""
        index = bisect_right(self._starts, place) - 1
        return index >= 0 and place < self._ends[index]
