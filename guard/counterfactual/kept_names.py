"""First names that would stay while the pronouns of their bearer change.

"Grace ... her kitchen" must not become "Grace ... his kitchen": where a name is a word as well, and
nobody else is there whom the pronouns can stand for, nothing is rewritten. Names that no list has
are found by `unknown_names`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.mentions.homonym_cues import IN_DOUBT
from guard.counterfactual.mentions.name_cues import TOWNS
from guard.counterfactual.names import NAME_ALONE
from guard.counterfactual.people import AnnotatedText, sentence_numbers
from guard.counterfactual.tokens import Words

_WHERE = frozenset(("from", "at", "in", "near"))
MOVING = word_set(
    "go goes going went gone come comes coming came move moves moving moved travel travels"
    " traveling travelling traveled travelled"
    " fly flies flying flew flown flight drive drives driving drove"
    " driven ride rides riding rode walk walks walking walked run runs running ran return returns"
    " returning returned relocate relocates relocating relocated trip way back journey train bus"
)
_FAR = 5  # words before "to" among which a verb of motion is looked for


def kept_names(pages: Sequence[AnnotatedText], source: str) -> tuple[str, ...]:
    """First names of the group that are no sure mentions, but whose pronouns would change."""
    found: list[str] = []
    known = False  # whether somebody was named before, whom a pronoun may stand for
    for page in pages:
        changing = [one for one in page.people if one.form.group == source]
        if any(one.form.kind is Kind.PRONOUN for one in changing):
            found += _whose_pronouns(page, changing, source, known=known)
        elif not known and pronoun_comes(pages, page, source):
            found += [one.form.text for one in _doubtful(page, source)]
        known |= any(one.form.kind is not Kind.PRONOUN for one in changing)
    return tuple(dict.fromkeys(found))


def pronoun_comes(pages: Sequence[AnnotatedText], page: AnnotatedText, source: str) -> bool:
    """Whether the first that is said of the group after this text is a pronoun."""
    after = pages[[one is page for one in pages].index(True) + 1 :]
    changing = (one for later in after for one in later.people if one.form.group == source)
    first = next(changing, None)
    return first is not None and first.form.kind is Kind.PRONOUN


def _doubtful(page: AnnotatedText, source: str) -> Iterator[Mention]:
    """Names that are words or acronyms as well; others that are no mention are surnames."""
    people = {one.span.start for one in page.people}
    for one in (*page.unsure, *page.found.unlikely):
        named = one.form.kind is Kind.NAME and _may_stay(page, one)
        if named and one.form.group == source and one.span.start not in people:
            yield one


def _may_stay(page: AnnotatedText, name: Mention) -> bool:
    """Whether it is a word as well, may be an acronym, or be another's: "MARY is ill", not "the
    ADA"; "Install Julia. She ..."."""
    if name.form.person < NAME_ALONE:
        return True
    capitals = page.text[name.span.start : name.span.end].isupper()
    doubtful = capitals or isclose(name.confidence, IN_DOUBT, abs_tol=1e-4)
    return doubtful and page.words.word(page.words.at(name.span.start) - 1) != "the"


def places_alike(page: AnnotatedText, changing: Sequence[Mention]) -> tuple[str, ...]:
    """Names of towns that stand once more in their sentence as a town does: "Charlotte from
    Charlotte", "Nancy went to Nancy"; not "Nancy and I wrote to Nancy"."""
    sentences = sentence_numbers(page.words)
    seen = set[tuple[int, str]]()
    found: list[str] = []
    for one in changing:
        at = page.words.at(one.span.start)
        key = (sentences[at], one.form.text)
        town = one.form.kind is Kind.NAME and one.form.text.lower() in TOWNS
        if town and key in seen and _is_where(page.words, at):
            found.append(one.form.text)
        seen.add(key)
    return tuple(found)


def _is_where(words: Words, at: int) -> bool:
    """Whether the word says where or where to, as far as the words before it tell."""
    if words.word(at + 1) == "'s":
        return False
    moving = (words.word(before) in MOVING for before in range(at - 1 - _FAR, at - 1))
    return words.word(at - 1) in _WHERE or (words.word(at - 1) == "to" and any(moving))


def _whose_pronouns(
    page: AnnotatedText, changing: Sequence[Mention], source: str, *, known: bool
) -> Iterator[str]:
    """The doubtful names for which the pronouns of the text may stand."""
    sentences = sentence_numbers(page.words)

    def sentence(mention: Mention) -> int:
        return sentences[page.words.at(mention.span.start)]

    pronouns = [one for one in changing if one.form.kind is Kind.PRONOUN]
    others = [one for one in changing if one.form.kind is not Kind.PRONOUN]
    last_pronoun = {sentence(one): one.span.start for one in pronouns}
    first_other = {sentence(one): one.span.start for one in reversed(others)}
    known |= bool(others) and others[0].span.start < pronouns[0].span.start
    for name in _doubtful(page, source):
        start = name.span.start
        follows = last_pronoun.get(sentence(name), -1) > start
        named = first_other.get(sentence(name), start) < start
        if name.form.person >= NAME_ALONE and pronouns[-1].span.start < start:
            continue  # an acronym, where nobody is spoken of afterwards
        if not known or (follows and not named):
            yield name.form.text
