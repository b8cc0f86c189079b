"""Words that name a group where nothing around says that somebody is meant: tags, keywords, quotes,
"of Mexican origin", "the Deaf Association".

`mentions` looks for persons, and leaves these out. A rewrite would leave them too, so that the text
tells the old group beside the new one; and a mask has to take them, or two replies that repeat the
group of their prompt would differ by it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.mentions.protected import inside
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.tokens import Tokens, tokens_of
from guard.records import Span

_GROUP: Final = (Kind.ADJECTIVE, Kind.NOUN)
_OPENING: Final = re.compile(r"(?:\A|[\n\"'“‘\[(,;:|>#*•]|(?:\A|\n)\s*[-–•*]|\d[.)])\s*\Z")
_CLOSING: Final = re.compile(r"\s*(?:\Z|[\n\"'”’\]),;:|<#]|\.(?!\w))")
_PREFIXES: Final = word_set("non anti pro ex")
_KINDS: Final = word_set(
    "background heritage origin origins descent roots ancestry status community identity faith"
    " culture history customs traditions studies"
)
_FAR: Final = 3  # characters before a word that are looked at, and behind it


def group_words(
    text: str,
    lexicons: Lexicons,
    attributes: Collection[str],
    untouchable: Sequence[Span] = (),
    *,
    things: bool = True,
) -> Iterator[Mention]:
    """Words of groups with a capital, or alone in their place, whoever is meant; in order.

    Fixed expressions ("Black Friday") name nobody. untouchable: ranges, in order, to be left out.
    things: also those that describe a thing ("Muslim art").
    """
    tokens, starts, free = tokens_of(text), [span.start for span in untouchable], 0
    for at, word in enumerate(tokens.lower):
        form, last = _longest(tokens, at, word, lexicons, attributes) if at >= free else (None, at)
        if form is None:
            continue
        span = Span(start=tokens.starts[at], end=tokens.ends[last])
        place = WordContext(tokens, at, last, lexicons)
        alone = (things or span.start > 0) and _stands_alone(text, span)  # an answer: "Black"
        named = alone or _is_of_group(place)
        named = named or (_is_named(form, place) and (things or _is_in_name(place)))
        if named and _is_free(span, untouchable, starts) and not place.in_expression():
            free = last + 1
            yield Mention(span=span, form=form, confidence=0.0, sure=False)


def words_left(
    page: AnnotatedText, changing: Sequence[Mention], lexicons: Lexicons
) -> tuple[str, ...]:
    """Words of the group of those who change that would stay, or are of an organisation's name.

    changing: mentions of one group, at least one.
    """
    form, text = changing[0].form, page.words.text
    taken = sorted((one.span for one in (*page.people, *page.both)), key=lambda span: span.start)
    starts = [span.start for span in taken]
    words = group_words(text, lexicons, (form.attribute,), page.found.untouchable, things=False)
    tokens = tokens_of(text)
    left = [
        one.span
        for one in words
        if one.form.group == form.group and not inside(taken, starts, one.span.start, one.span.end)
    ]
    renamed = (one for one in changing if one.form.kind in _GROUP)
    left += [one.span for one in renamed if _is_of_body(tokens, one, lexicons)]
    return tuple(text[span.start : span.end] for span in left)


def _is_of_body(tokens: Tokens, one: Mention, lexicons: Lexicons) -> bool:
    """ "The National Society of Black Engineers", "the Federation of the Blind"."""
    first = bisect_left(tokens.starts, one.span.start)
    place = WordContext(tokens, first, bisect_left(tokens.ends, one.span.end), lexicons)
    if place.before() not in ("of", "the", "for") or not place.capital():
        return False
    return _is_in_name(place) or (one.form.text.islower() and not place.shouting())


def _is_in_name(place: WordContext) -> bool:
    """Whether a word with a capital follows: "the Deaf Association"."""
    following = place.tokens.surface(place.last + 1)
    return place.gap_after() == " " and following[:1].isupper() and not place.shouting()


def _longest(
    tokens: Tokens, at: int, word: str, lexicons: Lexicons, attributes: Collection[str]
) -> tuple[Form | None, int]:
    """The longest form of a group that begins at a word, and the number of its last word."""
    for term in lexicons.terms(word):
        form, size = term.form, len(term.words)
        known = form.attribute in attributes and form.kind in _GROUP and form.person > 0
        if known and tuple(tokens.lower[at : at + size]) == term.words:
            return form, at + size - 1
    return None, at


def _is_named(form: Form, place: WordContext) -> bool:
    """Whether its capital says that the group is meant: "Mexican", "the Deaf Association"."""
    if not place.capital():
        return False
    return form.text[:1].isupper() or not (place.starts_sentence() or place.shouting())


def _is_of_group(place: WordContext) -> bool:
    """ "Anti-gay", "your deaf community", "because of elderly status"."""
    opened = place.gap_before() == "-" and place.tokens.word(place.first - 1) in _PREFIXES
    return opened or place.after() in _KINDS


def _is_free(span: Span, untouchable: Sequence[Span], starts: list[int]) -> bool:
    """Whether it is in none of the ranges, or all that one of them holds: a hashtag, or a word in
    quotation marks, which is no title."""
    for other in untouchable[max(0, bisect_right(starts, span.start) - 1) :]:
        if other.start >= span.end:
            break
        alone = other.start >= span.start - 1 and other.end <= span.end + 1
        if other.end > span.start and not alone:
            return False
    return True


def _stands_alone(text: str, span: Span) -> bool:
    """Whether it is a whole field, a tag, an item of a list or a quoted word."""
    opened = _OPENING.search(text[max(0, span.start - _FAR) : span.start]) is not None
    return opened and _CLOSING.match(text[span.end : span.end + _FAR]) is not None
