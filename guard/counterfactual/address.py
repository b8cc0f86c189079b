"""Nouns and names of whoever speaks or is spoken to: "I am a woman", "Hi Tom", "Oh man"."""

from __future__ import annotations

from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.speakers import is_vocative
from guard.counterfactual.tokens import Words, is_word

_SPEAKING = word_set("i my we our you your")
_BEING = (("i", "am"), ("i", "'m"), ("you", "are"), ("you", "'re"), ("are", "you"), ("am", "i"))
_NAMES = (("name", "is"), ("name", "'s"))
_BESIDES = word_set("not n't just also only still really actually now both")
_ARTICLES = word_set("a an the one no my your his her its our their")
_GREETINGS = word_set(
    "hi hello hey dear thanks thank sorry oh ok okay yes no goodbye bye morning afternoon evening"
)
_ASKED = word_set(
    "please can could would will do did does have is are what where when how why who i he she it we"
)
_FAR = 6  # words before a noun, or behind it, that may say who it is
_OPEN = ("", "\n")


def is_self(page: AnnotatedText, mention: Mention) -> bool:
    """Whether the text says it of "I" or "you": "I'm a single mother", "I, her only son,"."""
    words, at = page.words, page.words.at(mention.span.start)
    if words.word(words.at(mention.span.end)) == "'s":
        return False
    if mention.form.kind in (Kind.NAME, Kind.TITLE):
        return _is_introduced(words, at)
    for place in range(at - 1, max(-1, at - 1 - _FAR), -1):
        word = words.word(place)
        if word in _ARTICLES:
            return _is_said_of_speaker(words, place, words.at(mention.span.end))
        if not is_word(word) or word in english().closed:
            return False
    return False


def _is_introduced(words: Words, at: int) -> bool:
    """ "I am Tom", "my name is Tom", "Tom here.", "Tom Baker speaking"; not "his name is Tom"."""
    own = _pair(words, at) in _NAMES and words.word(at - 3) in _SPEAKING
    if own or _pair(words, at) in _BEING:
        return True
    here = next((step for step in (1, 2) if words.word(at + step) in ("here", "speaking")), 0)
    return bool(here) and words.starts_sentence(at) and not is_word(words.word(at + here + 1))


def _pair(words: Words, at: int) -> tuple[str, str]:
    return words.word(at - 2), words.word(at - 1)


def _is_said_of_speaker(words: Words, article: int, after: int) -> bool:
    """Whether a noun phrase from this article on is said of the one who speaks."""
    at = article
    while words.word(at - 1) in _BESIDES:
        at -= 1
    beside = _pair(words, at) == ("i", ",") and words.word(article) not in ("my", "our")
    if _pair(words, at) in _BEING or beside:
        return True
    if words.word(at - 1) != "as" or not words.starts_sentence(at - 1):
        return False
    comma = next((place for place in range(after, after + _FAR) if words.word(place) == ","), after)
    begin = comma + (words.word(comma) == ",")
    return any(words.word(place) in _SPEAKING for place in (begin, begin + 1))  # "can I"


def is_spoken_to(page: AnnotatedText, mention: Mention, lexicons: Lexicons) -> bool:
    """Whether somebody is called or greeted, or signs: "Oh man!", "Hi Tom,", "Regards, Tom"."""
    if mention.form.kind is Kind.NOUN and is_vocative(mention):
        return True
    words = page.words
    at, after = words.at(mention.span.start), words.at(mention.span.end)
    before = words.word(at - 1)
    if is_word(before) and before not in _GREETINGS:
        return False
    if mention.form.kind is Kind.NOUN:
        return not is_word(words.word(after)) and words.word(after) not in ("'s", ":")
    follow = words.word(_name_end(words, after))
    if before in _GREETINGS:
        return not is_word(follow)
    if follow in _OPEN:
        return before == "," or before in _OPEN
    if follow == "," and words.starts_sentence(at):
        return words.word(_name_end(words, after) + 1) in _ASKED
    return before == "," and follow in (".", "?", "!") and not _is_listed(page, at - 1, lexicons)


def _name_end(words: Words, after: int) -> int:
    """Behind the rest of a name whose first part ends there."""
    places = range(after, after + _FAR)
    return next((place for place in places if not _is_of_name(words, place)), after + _FAR)


def _is_of_name(words: Words, at: int) -> bool:
    return words.surface(at)[:1].isupper() and words.word(at) not in english().closed


def _is_listed(page: AnnotatedText, comma: int, lexicons: Lexicons) -> bool:
    """Whether a person stands before the comma: "my boss, Tom.", "Emma, Ben, Tom."."""
    words = page.words
    end = words.ends[comma - 1]
    named = any(one.span.end == end for one in (*page.people, *page.both))
    return named or lexicons.cues.is_person(words.word(comma - 1))
