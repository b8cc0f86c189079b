"""Verbs that agree with a pronoun when "she" becomes "they", or "they" becomes "she"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from guard.counterfactual.english import inflection as verbs
from guard.counterfactual.english.words import adverb_in_ly, ends_as_plural
from guard.counterfactual.english.words import english as en
from guard.counterfactual.tokens import Words, is_word

_STOPS = frozenset(".!?\n;:…")
_DASHES = frozenset("-–—(,")
_CLOSING = {"(": ")", ",": ",", "-": "-", "–": "–", "—": "—"}
_FAR = 60  # words; no clause of its own is looked for beyond
_ASIDE = 20  # words; the longest phrase between commas that is looked over


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`. sure: False where grammar leaves two readings."""

    start: int
    end: int
    new: str
    why: str
    sure: bool = True


_Form = Callable[[str], "str | None"]


def agreeing(words: Words, subject: int, *, plural: bool) -> list[Edit]:
    """The changes of verbs when the pronoun at `subject` gets a plural, or a singular, partner."""
    form = verbs.plural_form if plural else verbs.singular_form
    clitic = _clitic(words, subject, plural=plural)
    if clitic is not None:
        return [*clitic, *_agree_coordinated(words, subject + 2, form)]
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
    while words.word(after) in en().adverbs - {"better", "well"} or _ly(words.word(after)):
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


def _find_inverted(words: Words, subject: int, form: _Form, *, plural: bool) -> list[Edit] | None:
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


def _finite(words: Words, subject: int, form: _Form) -> Iterator[Edit]:
    """The verb after the pronoun and those coordinated with it."""
    place = subject + 1
    if words.word(place) == "who":
        verb = _over_adverbs(words, place + 1)
        yield from _at(words, verb, form)
        yield from _after_clause(words, verb + 1, form)
        return
    if words.word(place) in _DASHES:
        if words.word(place + 1) == "who":
            yield from _at(words, _over_adverbs(words, place + 2), form)
        place = _after_aside(words, place)
    if place < 0:
        return
    verb = _over_adverbs(words, place)
    yield from _at(words, verb, form)
    yield from _agree_coordinated(words, verb + 1, form)


def _after_clause(words: Words, place: int, form: _Form) -> Iterator[Edit]:
    """The verb after "he who laughs last": the next one that is no noun after its article."""
    for at in range(place, place + _ASIDE):
        if words.word(at) in _STOPS:
            return
        owned = words.word(at - 1) in en().determiners | en().possessives
        if form(words.word(at)) is not None and not owned:
            yield from _at(words, at, form)
            yield from _agree_coordinated(words, at + 1, form)
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


def _over_adverbs(words: Words, place: int) -> int:
    for at in range(place, place + 8):
        word = words.word(at)
        phrase = word in en().prepositions and words.word(at + 1) in en().nouns_of_asides
        own = word in en().nouns_of_asides and words.word(at - 1) in en().prepositions
        over = word in en().adverbs or word in en().emphatic or _ly(word) or phrase or own
        if not (over or (word == "," and _ends_aside(words, at, place))):
            return at
    return place + 8


def _ends_aside(words: Words, at: int, place: int) -> bool:
    return at > place and (words.word(at - 1) in en().adverbs or _ly(words.word(at - 1)))


def _ly(word: str) -> bool:
    return adverb_in_ly(word) and len(word) > 4


def _at(words: Words, place: int, form: _Form) -> Iterator[Edit]:
    """The change of the verb at this place, if it has one."""
    verb = words.word(place)
    changed = form(verb) if is_word(verb) else None
    if changed:
        yield _change(words, place, changed, sure=verb not in en().same_in_past)


def _agree_coordinated(words: Words, start: int, form: _Form) -> Iterator[Edit]:
    """ "... and then jumps", "..., buys a paper and reads it": verbs of the same subject."""
    quoted = start
    for at in range(start, min(start + _FAR, len(words.lower))):
        quoted = max(quoted, _quote_end(words, at))
        word = words.word(at)
        if at < quoted:
            continue
        if _other_clause(words, at):
            return
        if word not in en().joining and word not in (",", "–", "—"):
            continue
        verb = _over_adverbs(words, at + 1)
        if words.word(verb) in ("and", "or", "but", "then"):
            continue
        if _same_subject(words, at, verb, form):
            yield from _at(words, verb, form)


def _quote_end(words: Words, at: int) -> int:
    """The number of the mark that closes a quotation which begins here, else this number."""
    closing = _QUOTES.get(words.word(at))
    if closing is None or words.joined(at) or not words.joined(at + 1):
        return at
    end = min(at + _FAR, len(words.lower))
    found = (place for place in range(at + 1, end) if words.word(place) == closing)
    return next(found, at)


_QUOTES = {'"': '"', "“": "”", "‘": "’"}


def _other_clause(words: Words, at: int) -> bool:
    """Where another subject, or the sentence's end, takes over."""
    word = words.word(at)
    if word in _STOPS or word in ("who", "which", "whose"):
        return True
    follow = words.word(at + 1)
    if word in ("i", "you", "he", "she", "it", "we", "they", "there"):
        return word not in ("it", "you") or _verblike(follow)
    if word in en().anyone and _verblike(follow):
        return True
    before = words.word(at - 1)
    own = before == "," or before in en().joining or before in en().adverbs or _ly(before)
    return word in ("is", "was", "are", "were", "'re") and not own


def _verblike(word: str) -> bool:
    return word in en().auxiliaries or word in en().only_verbs or verbs.in_past(word)


def _same_subject(words: Words, joining: int, verb: int, form: _Form) -> bool:
    """Whether a verb of the same subject, and no noun, follows "and"."""
    word, follow = words.word(verb), words.word(verb + 1)
    if form is verbs.singular_form:
        return word in ("are", "were", "have", "do") or _base_follows(words, joining, verb)
    if word in ("is", "was", "has", "does"):
        return words.word(joining) != "," or _closes_list(words, verb)
    if form(word) is None or not verbs.known_verb(form(word) or ""):
        return False
    if words.word(joining) == "," and not _closes_list(words, verb):
        return False
    if follow in en().openers or verb > joining + 1:
        return True
    return word in en().only_verbs or not _bare_plural(words, joining - 1)


def _base_follows(words: Words, joining: int, verb: int) -> bool:
    word = words.word(verb)
    return words.word(joining) == "and" and verbs.known_verb(word) and word not in en().nouns_first


def _closes_list(words: Words, verb: int) -> bool:
    """Whether "and" and another verb close the list: "buys, repairs and sells"."""
    for at in range(verb + 1, min(verb + 20, len(words.lower))):
        word = words.word(at)
        if word in _STOPS or word in en().plain_subjects - {"he", "she", "they"}:
            return False
        if word in ("and", "or", "but"):
            last = words.word(_over_adverbs(words, at + 1))
            base = verbs.plural_form(last)
            return base is not None and verbs.known_verb(base)
    return False


def _bare_plural(words: Words, place: int) -> bool:
    """ "songs" in "likes songs and dances": what follows is a noun as well."""
    word = words.word(place)
    verb = verbs.known_verb(verbs.plural_form(word) or "")
    if verb and words.word(place - 1) in en().plain_subjects | {","}:
        return False
    return (
        ends_as_plural(word)
        and words.word(place - 1) not in en().determiners | en().possessives | en().numbers
    )


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
