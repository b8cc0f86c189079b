"""Verbs that agree with a pronoun when "she" becomes "they", or "they" becomes "she"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guard.counterfactual.english import inflection as verbs
from guard.counterfactual.english.coordination import VerbForm, coordinated, in_ly, over_adverbs
from guard.counterfactual.english.words import english as en
from guard.counterfactual.tokens import Words, is_word

_STOPS = frozenset(".!?\n;:…")
_DASHES = frozenset("-–—(,")
_CLOSING = {"(": ")", ",": ",", "-": "-", "–": "–", "—": "—"}
_ASIDE = 20  # words; the longest phrase between commas that is looked over


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`. sure: False where grammar leaves two readings."""

    start: int
    end: int
    new: str
    why: str
    sure: bool = True


def agreeing(words: Words, subject: int, *, plural: bool) -> list[Edit]:
    """The changes of verbs when the pronoun at `subject` gets a plural, or a singular, partner."""
    form = verbs.plural_form if plural else verbs.singular_form
    clitic = _clitic(words, subject, plural=plural)
    if clitic is not None:
        return [*clitic, *_agree_coordinated(words, subject + 1, form)]
    if words.word(subject + 1) in ("and", "or", "&") and _joined_subject(words, subject + 1):
        return []
    inverted = _find_inverted(words, subject, form, plural=plural)
    if inverted is not None:
        return inverted
    return list(_finite(words, subject, form))


def _clitic(words: Words, subject: int, *, plural: bool) -> list[Edit] | None:
    """ "she's" to "they're" or "they've"; None where no clitic follows."""
    place = subject + 1
    mark = words.word(place)
    if mark[:1] != "'" or not words.joined(place):
        return None
    if mark not in (("'s",) if plural else ("'re", "'ve")):
        return []
    new = ("'ve" if _has(words, place) else "'re") if plural else "'s"
    return [_change(words, place, new)]


def _has(words: Words, place: int) -> bool:
    """Whether this "'s" is short for "has"."""
    after, perfect = place + 1, False
    while words.word(after) in en().adverbs - {"better", "well"} or in_ly(words.word(after)):
        perfect = perfect or words.word(after) in ("never", "already", "just", "ever", "always")
        after += 1
    word, follow = words.word(after), words.word(after + 1)
    if word in en().have_participles or word == "better":
        return True
    if perfect and verbs.is_participle(word) and word not in en().state_participles:
        return True
    if follow in en().openers:
        return verbs.is_participle(word)
    return verbs.is_participle(word) and follow == "since" and word not in en().state_participles


def _joined_subject(words: Words, place: int) -> bool:
    """ "she and her brother are": the verb agrees with both; "she and only she" is one."""
    after = words.word(place + 1)
    return after not in ("only", "then", "so", "yet") and verbs.plural_form(after) is None


def _find_inverted(
    words: Words, subject: int, form: VerbForm, *, plural: bool
) -> list[Edit] | None:
    """ "does she know", "isn't she", "what's she like"; None where the verb does not come first."""
    place = subject - 1
    while words.word(place) in ("not", "n't", "even", "only"):
        place -= 1
    verb = words.word(place)
    if verb == "'s" and plural:
        return _inverted_clitic(words, place)
    if verb not in en().inverting or not _comes_first(words, place, subject):
        return None
    changed = form(verb)
    return [_change(words, place, changed)] if changed else []


def _inverted_clitic(words: Words, place: int) -> list[Edit] | None:
    if words.word(place - 1) not in en().wh:
        return None
    after = words.word(place + 2)
    new = " have" if verbs.is_participle(after) and after != "born" else " are"
    return [Edit(words.starts[place], words.ends[place], new, "agreement")]


def _comes_first(words: Words, place: int, subject: int) -> bool:
    """Whether a verb before the pronoun is its own, and not that of a clause before."""
    after = words.word(subject + 1)
    own_verb = after in en().leading_auxiliaries or after in en().only_verbs
    if own_verb and words.word(place) in ("is", "was", "are", "were"):
        return False
    before = place - 1
    if words.word(place) in ("says", "said") and is_word(words.word(before)):
        return False  # "who said she was"; after a mark it is '"No," says she'
    if _opens_clause(words, before):
        return True
    for at in range(before, max(before - 8, -1), -1):
        word = words.word(at)
        if word in _STOPS or word == ",":
            return False
        if word in en().wh - {"when"} or word in en().negatives:
            return not own_verb and not _has_subject(words, at + 1, place)
    return False


def _has_subject(words: Words, start: int, end: int) -> bool:
    return any(words.word(at) in en().plain_subjects for at in range(start, end))


def _opens_clause(words: Words, before: int) -> bool:
    word = words.word(before)
    if before < 0 or words.starts_sentence(before + 1) or not is_word(word):
        return True
    return word in en().wh | en().negatives | en().linking


def _finite(words: Words, subject: int, form: VerbForm) -> Iterator[Edit]:
    """The verb after the pronoun and those coordinated with it."""
    place = subject + 1
    if words.word(place) == "who":
        verb = over_adverbs(words, place + 1)
        yield from _at(words, verb, form)
        yield from _after_clause(words, verb + 1, form)
        return
    if words.word(place) in _DASHES:
        if words.word(place + 1) == "who":
            yield from _at(words, over_adverbs(words, place + 2), form)
        place = _after_aside(words, place)
    if place < 0:
        return
    verb = over_adverbs(words, place)
    yield from _at(words, verb, form)
    yield from _agree_coordinated(words, verb, form)


def _after_clause(words: Words, place: int, form: VerbForm) -> Iterator[Edit]:
    """The verb after "he who laughs last": the next one that is no noun after its article."""
    for at in range(place, place + _ASIDE):
        if words.word(at) in _STOPS:
            return
        owned = words.word(at - 1) in en().determiners | en().possessives
        if form(words.word(at)) is not None and not owned:
            yield from _at(words, at, form)
            yield from _agree_coordinated(words, at, form)
            return


def _after_aside(words: Words, place: int) -> int:
    """The word after ", on the other hand,"; -1 where nothing closes it."""
    closing = _CLOSING.get(words.word(place), "")
    for at in range(place + 1, place + _ASIDE):
        if words.word(at) == closing:
            return at + 1
        if words.word(at) in _STOPS:
            return -1
    return -1


def _at(words: Words, place: int, form: VerbForm) -> Iterator[Edit]:
    """The change of the verb at this place, if it has one."""
    verb = words.word(place)
    changed = form(verb) if is_word(verb) else None
    if changed:
        yield _change(words, place, changed, sure=verb not in en().same_in_past)


def _agree_coordinated(words: Words, verb: int, form: VerbForm) -> Iterator[Edit]:
    """The verbs that "and" or a comma joins to the one at this place."""
    for place, sure in coordinated(words, verb, form):
        for edit in _at(words, place, form):
            yield edit._replace(sure=edit.sure and sure)


def _change(words: Words, place: int, new: str, *, sure: bool = True) -> Edit:
    old = words.surface(place)
    if "’" in old:
        new = new.replace("'", "’")
    if old.isupper() and len(old.strip("'’")) > 1:
        new = new.upper()
    elif old[:1].isupper():
        new = new[:1].upper() + new[1:]
    elif old.isupper() and words.surface(place - 1).isupper() and len(words.surface(place - 1)) > 1:
        new = new.upper()
    return Edit(words.starts[place], words.ends[place], new, "agreement", sure)
