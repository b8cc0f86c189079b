"""Verbs of the same subject that follow the first: "she packs and then leaves"."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from guard.counterfactual.english import inflection as verbs
from guard.counterfactual.english.words import adverb_in_ly, ends_as_plural
from guard.counterfactual.english.words import english as en
from guard.counterfactual.tokens import Words

VerbForm = Callable[[str], "str | None"]
"""The form of a verb beside the new subject; None where it stays."""

_STOPS = frozenset(".!?\n;:…")
_FAR = 60  # words; no clause of its own is looked for beyond
_ASIDE = 20  # words; the longest relative clause that is looked over
_WHOM = frozenset(("me", "you", "him", "her", "it", "us", "them"))
_RELATIVE = frozenset(("that", "who", "which", "whose"))
_QUOTES = {'"': '"', "“": "”", "‘": "’"}


def coordinated(words: Words, first: int, form: VerbForm) -> Iterator[tuple[int, bool]]:
    """Where the verbs stand that share the subject of the verb at `first`, and whether surely.

    They go on to the next subject, or to the end of the sentence.
    """
    skipped = last = first
    clear = True  # whether no verb of a clause inside the sentence may be what is joined
    for at in range(first + 1, min(first + 1 + _FAR, len(words.lower))):
        skipped = max(skipped, _quote_end(words, at), _relative_end(words, at))
        if at < skipped:
            continue
        if _other_clause(words, at):
            return
        clear = clear and not _verb_inside(words, at)
        if words.word(at) not in en().joining and words.word(at) not in (",", "–", "—"):
            continue
        verb = over_adverbs(words, at + 1)
        if words.word(verb) in ("and", "or", "but", "then"):
            continue
        if _same_subject(words, at, verb, form, adjacent=_adjacent(words, last, at)):
            bare = form is verbs.singular_form and _stays_bare(words, first, at, verb)
            last = verb
            if bare is not True:
                yield verb, clear and bare is False


def _adjacent(words: Words, verb: int, joining: int) -> bool:
    """Whether nothing stands between the verb and what joins the next: "jumps in, swims"."""
    return all(words.word(at) in en().particles for at in range(verb + 1, joining))


def over_adverbs(words: Words, place: int) -> int:
    """The first word from here on that is no adverb and no aside: "she never, ever calls"."""
    for at in range(place, place + 8):
        word = words.word(at)
        phrase = word in en().prepositions and words.word(at + 1) in en().nouns_of_asides
        own = word in en().nouns_of_asides and words.word(at - 1) in en().prepositions
        over = word in en().adverbs or word in en().emphatic or in_ly(word) or phrase or own
        if not (over or (word == "," and _ends_aside(words, at, place))):
            return at
    return place + 8


def in_ly(word: str) -> bool:
    """Whether it is an adverb in -ly of some length."""
    return adverb_in_ly(word) and len(word) > 4


def _ends_aside(words: Words, at: int, place: int) -> bool:
    return at > place and (words.word(at - 1) in en().adverbs or in_ly(words.word(at - 1)))


def _quote_end(words: Words, at: int) -> int:
    """The number of the mark that closes a quotation which begins here, else this number."""
    closing = _QUOTES.get(words.word(at))
    if closing is None or words.joined(at) or not words.joined(at + 1):
        return at
    end = min(at + _FAR, len(words.lower))
    found = (place for place in range(at + 1, end) if words.word(place) == closing)
    return next(found, at)


def _relative_end(words: Words, at: int) -> int:
    """The comma after ", which leaks," from its "which"; else this number."""
    if words.word(at) not in ("which", "who") or words.word(at - 1) != ",":
        return at
    found = (place for place in range(at + 1, at + _ASIDE) if words.word(place) in (",", *_STOPS))
    end = next(found, at)
    return end if words.word(end) == "," else at


def _verb_inside(words: Words, at: int) -> bool:
    """ "is" in "says the bus is late": a verb with a subject of its own."""
    word, before = words.word(at), words.word(at - 1)
    own = before == "," or before in en().joining or before in en().adverbs or in_ly(before)
    known = word in ("is", "was", "are", "were", "'re") or word in en().only_verbs
    return known and not own


def _other_clause(words: Words, at: int) -> bool:
    """Where another subject, or the sentence's end, takes over."""
    word = words.word(at)
    if word in _STOPS or word in ("who", "which", "whose"):
        return True
    follow = words.word(at + 1)
    if word in ("i", "you", "he", "she", "it", "we", "they", "there"):
        acts = _verblike(follow) or (word == "you" and follow in en().base_verbs)
        return word not in ("it", "you") or acts
    return word in en().anyone and _verblike(follow)


def _verblike(word: str) -> bool:
    return word in en().auxiliaries or word in en().only_verbs or verbs.in_past(word)


def _same_subject(words: Words, joining: int, verb: int, form: VerbForm, *, adjacent: bool) -> bool:
    """Whether a verb of the same subject, and no noun, follows "and".

    adjacent: nothing stands between the verb before and what joins them.
    """
    if form is verbs.singular_form:
        return _bare_verb_joined(words, joining, verb, adjacent=adjacent)
    word, follow = words.word(verb), words.word(verb + 1)
    if word in ("is", "was", "has", "does"):
        return words.word(joining) != "," or _closes_list(words, verb, form)
    if form(word) is None:
        return False
    if not verbs.known_verb(form(word) or ""):
        return ends_as_plural(word) and follow in en().openers and follow not in _RELATIVE
    if words.word(joining) == "," and not _closes_list(words, verb, form):
        return False
    if adjacent or follow in en().openers or verb > joining + 1:
        return True
    return word in en().only_verbs or not _bare_plural(words, joining - 1)


def _bare_verb_joined(words: Words, joining: int, verb: int, *, adjacent: bool) -> bool:
    """Whether the base form after "and" is a verb: "they pack and leave"."""
    word, follow = words.word(verb), words.word(verb + 1)
    if word in ("are", "were", "have", "do"):
        return True
    if not verbs.known_verb(word):
        return False
    if words.word(joining) == "," and not _closes_list(words, verb, verbs.singular_form):
        return False
    clear = word not in en().nouns_first or adjacent or verb > joining + 1
    clear = clear or words.word(joining) in ("but", "then") or words.word(joining - 1) in _WHOM
    goes_on = follow == "to" or follow in en().openers or follow in en().particles
    listed = words.word(joining - 2) in en().determiners | en().possessives
    return clear or goes_on or (listed and ends_as_plural(follow))


def _stays_bare(words: Words, first: int, joining: int, verb: int) -> bool | None:
    """Whether the verb stays in its base form, as "get" in "she might cry and get up".

    None where both are English: "she goes there to rest and read(s)".
    """
    word, follow = words.word(verb), words.word(verb + 1)
    if word in ("are", "were") or (word == "have" and verbs.is_participle(follow)):
        return False
    if words.word(joining) != "but" and _takes_base(words, first):
        return True
    opened = _infinitive(words, first, joining)
    if opened < 0:
        return _caused(words, first, joining)
    if follow == "to" or words.word(joining) == "but" or verb > joining + 1:
        return False
    before = words.word(opened - 1)
    return True if before in en().before_infinitives or before in _WHOM else None


def _takes_base(words: Words, first: int) -> bool:
    """ "might", "did not", "'ll": an auxiliary that the base form follows."""
    word = words.word(first)
    if word in en().modals:
        return True
    after = over_adverbs(words, first + 1)
    helped = words.word(first + 1) == "n't" or words.word(after) in en().base_verbs
    return word in ("do", "does", "did") and helped


def _infinitive(words: Words, first: int, end: int) -> int:
    """The place of the last "to" before a verb; -1 where there is none."""
    found = (
        at
        for at in range(end - 2, first, -1)
        if words.word(at) == "to" and verbs.known_verb(words.word(over_adverbs(words, at + 1)))
    )
    return next(found, -1)


def _caused(words: Words, first: int, end: int) -> bool:
    """ "they help me cook and clean": what somebody else does."""
    whom = words.word(first + 1) in _WHOM
    does = first + 2 < end and verbs.known_verb(words.word(first + 2))
    return whom and does and words.word(first) in en().causatives


def _closes_list(words: Words, verb: int, form: VerbForm) -> bool:
    """Whether "and" and another verb close the list: "buys, repairs and sells"."""
    for at in range(verb + 1, min(verb + 20, len(words.lower))):
        word = words.word(at)
        if word in _STOPS or word in en().plain_subjects - {"he", "she", "they"}:
            return False
        if word in ("and", "or", "but"):
            last = words.word(over_adverbs(words, at + 1))
            base = last if form is verbs.singular_form else verbs.plural_form(last)
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
