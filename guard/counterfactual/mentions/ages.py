"""Ages of persons in a text: "72-year-old", "I'm 19", "in his seventies", "aged 34", "at 65, she".

Each pattern finds a number; whether it is somebody's age is asked of the words around: what is
described ("a 10-year-old car" is no person), and of whom it is said ("it is 72").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from guard.counterfactual.english.ages import DECADE, NUMBER, age_in
from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.tokens import Tokens
from guard.text.age_names import has_other_unit, is_of_other

_LIKELY, _DOUBTFUL = 0.95, 0.5
_LEAST = 10  # years; "he is 5" may be of anything
_LONGEST_NAME = 24  # characters beside an age that tell whose it is and what it measures
_GROWN = 18  # years; "at 10, we" is a time of day
_BEFORE = r"(?<![\w.,$€£#/+-])"
_WHOSE = r"\b(?:my|your|his|her|their)\s{1,3}"
_END = (
    r"(?=\s*(?:[;:!?)\]\n\"”]|[.,](?!\d)|\Z|\b(?:and|but|so|now|or|who|because|when|yet|though"
    r"|today|with|this|next|last|if|while|\w+ed|soon|tomorrow|i|he|she|my|we"
    r"|in (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)\b))"
)


class AgeFound(NamedTuple):
    """`text[start:end]` names an age; how likely that of a person, in [0, 1]."""

    start: int
    end: int
    confidence: float


def find_ages(tokens: Tokens, lexicons: Lexicons) -> Iterator[AgeFound]:
    """The ages of persons, in no order; those that are surely none are left out."""
    small = tokens.text.lower()
    for hints, pattern, judge in _RULES:
        found = pattern.finditer(tokens.text) if any(map(small.__contains__, hints)) else ()
        for match in found:
            start, end = match.span("age")
            first = bisect_left(tokens.starts, start)
            last = max(first, bisect_left(tokens.starts, end) - 1)
            sureness = judge(WordContext(tokens, first, last, lexicons))
            if sureness > 0:
                yield AgeFound(start, end, sureness)


def _described(place: WordContext) -> float:
    """ "72-year-old man", "the 72-year-old"; "she is 72 years old"."""
    if place.tokens.word(place.last) == "olds":
        return _LIKELY
    for at in place.following():
        word = place.tokens.word(at)
        if word in _NO_PERSONS:
            return 0.0
        if place.is_person(word) or place.is_name(at) or word in ("male", "female"):
            return _LIKELY
        if word in place.cues.function or place.tokens.gap(at - 1) != " ":
            break
        if word not in place.cues.modifiers and word not in place.cues.nounlike:
            return _described_by(place, at, word)
    return _alone(place)


def _described_by(place: WordContext, at: int, word: str) -> float:
    """What an unknown word after it says: "72-year-old bank clerk", "10-year-old car"."""
    follow = place.tokens.word(at + 1)
    if place.tokens.gap(at) == " " and place.is_person(follow):
        return _LIKELY
    if place.before() in _ARTICLES and (word in place.cues.verbs or word.endswith("ed")):
        return _LIKELY
    return _DOUBTFUL if word.endswith(_TRADES) else 0.0


def _alone(place: WordContext) -> float:
    if place.tokens.gap(place.last - 1) == "-" and place.before() in _ARTICLES:
        return _LIKELY
    if place.gap_before() == ", " and place.is_person(place.before()):
        return _LIKELY
    if place.before() in place.cues.copulas or place.before(2) in place.cues.copulas:
        return _said_of(place)
    return _DOUBTFUL


def _said_of(place: WordContext) -> float:
    """ "I'm 19", "my mother is 72", "Mary Smith turned 65"; not "it is 72", "they are 20"."""
    if place.first == place.last and (age_in(place.word) or 0) < _LEAST:
        return 0.0  # "he is one"
    at = place.past(1, place.cues.adverbs | _NEARLY)
    while place.before(at) in place.cues.copulas or place.before(at) in _HELPING:
        at += 1
    word, number = place.before(at), place.first - at
    if word in _COUNTED or not word:
        return 0.0
    if word in place.cues.personal or place.is_person(word) or place.is_name(number):
        return _LIKELY
    surname = place.tokens.surface(number)[:1].isupper() and place.tokens.gap(number - 1) == " "
    known = place.is_name(number - 1) or place.tokens.word(number - 1) in place.cues.titles
    return _LIKELY if surname and known else 0.0


def _given(place: WordContext) -> float:
    """ "aged 34", "at the age of 34"; not "the retirement age of 67", "over the age of 65"."""
    at = place.past(1, _DETERMINERS)
    return 0.0 if place.before(at) in _LIMITS else _LIKELY


def _owned(_: WordContext) -> float:
    return _LIKELY


def _grown(place: WordContext) -> float:
    """ "At 72, you can", "Being 72, you"; "at 10, we" is rather a time."""
    return _LIKELY if (age_in(_written(place)) or 0) >= _GROWN else 0.0


def _remarked(place: WordContext) -> float:
    """ "72 is no age", "people over 70 like you"; a rewrite leaves these as they are."""
    return _DOUBTFUL if _grown(place) else 0.0


def _field(place: WordContext) -> float:
    """ "Age: 72", "at your age (72)"; not "minimum age: 72", "vehicle age: 8", "Age: 30 points"."""
    limited = any(place.tokens.word(place.first - steps) in _LIMITS for steps in (2, 3))
    text, start = place.tokens.text, place.tokens.starts[place.first - 1]
    end = place.tokens.ends[place.last]
    behind = text[end : end + _LONGEST_NAME].lower()
    before = text[max(start - _LONGEST_NAME, 0) : start].lower()
    is_other = is_of_other(before) or has_other_unit(behind, 0)
    return 0.0 if limited or is_other else _LIKELY


def _written(place: WordContext) -> str:
    starts, ends = place.tokens.starts, place.tokens.ends
    return place.tokens.text[starts[place.first] : ends[place.last]].lower()


def _doubtful(_: WordContext) -> float:
    """ "aged 18 to 25", "65 and over": rather everybody of some age."""
    return _DOUBTFUL


def _birthday(place: WordContext) -> float:
    """ "her 65th birthday", "my dad's 60th birthday"; not "the club's"."""
    whose = place.before(2)
    own = place.before() != "s" or place.is_person(whose) or place.is_name(place.first - 2)
    return _LIKELY if own else 0.0


def _person_of(place: WordContext) -> float:
    """ "a man of 80"; not "a family of five"."""
    who = place.before(2)
    one = any(place.before(steps) in ("a", "an") for steps in (3, 4, 5))
    return _LIKELY if one and place.is_person(who) and who not in _GATHERED else 0.0


def _beside_name(place: WordContext) -> float:
    """ "Mary Smith, 72, said", "our tenant (72)"."""
    at = place.first
    named = place.is_name(at - 1) or place.is_name(at - 2) or place.tokens.word(at - 1) in _PERSONAL
    return _LIKELY if named or place.is_person(place.tokens.word(at - 1)) else 0.0


_ARTICLES = word_set("a an the this that another my our his her their one some every each")
_DETERMINERS = word_set("the an a")
_NEARLY = word_set("about around roughly only almost nearly just now still")
_HELPING = word_set("to about will ll have has had d just recently finally turn turning turns")
_COUNTED = word_set("we they those these us them here there")
_LIMITS = word_set(
    "over under until above below from by before after minimum maximum retirement legal drinking"
    " voting pension average median mean school working driving to between than target"
)
_PERSONAL = word_set("i me you he him she her")
_GATHERED = word_set("family team group crowd class staff crew people audience")
_NO_PERSONS = word_set("company firm business band team club group family party union whisky wine")
_TRADES = ("er", "or", "ist", "ian", "eer", "ee", "ic", "ant")

_YEARS_OLD = rf"{_BEFORE}(?P<age>{NUMBER}(?:[- ]ye?a?rs?[- ](?:olds?|young|of age)|[- ]?y/?o)\b)"
_AGED = (
    rf"\b(?P<age>(?:aged|age of|age) {NUMBER})"
    r"(?![\w%+-]|[.,]\d| (?:years|months|weeks|days)\b|(?: ?[-–] ?| to | and | or )"
    r"(?:\d|over|older|above|under|younger|up))"
)
_RANGE = (
    rf"\b(?P<age>(?:aged|ages?) (?:between )?{NUMBER}(?:(?: ?[-–] ?| to | and | or )"
    rf"(?:{NUMBER}|over|older|above|under|younger|up)\b|\+))"
)
_CLAUSE = (
    r"(?:\A|[.!?,;:\n(\"“*>—–]\s{0,3}|\b(?:and|but|so|even|that|because|since|yes|now|ok|okay"
    r"|sure|if|when|while|only|just|then|or) )"
)
_SOMEBODY = r"(?:you|he|she|i|we|my|your|his|her|one|someone|somebody|it too|it)\b"
_ASKED = r"(?:is|am|are|was|can|could|should|will|would|do|does|did|may|might|must|have|has)"
_AT = rf"\bat (?P<age>{NUMBER})(?=, (?:he|she|I|my|his|her)\b)"
_AT_BEGINNING = rf"{_CLAUSE}at (?P<age>{NUMBER})(?=,? (?:{_SOMEBODY}|there\b|{_ASKED} {_SOMEBODY}))"
_TOO_LATE = (
    r"\btoo (?:late|old|early|young)\b[^.?!\n]{0,60}? at "
    rf"(?P<age>{NUMBER})(?=[,;?!]|\.(?!\d)|\Z)"
)
_BEING = (
    rf"{_CLAUSE}(?:being|turning) (?P<age>{NUMBER})"
    r"(?=, |\s(?:is|was|means|feels|can|should|you|i|he|she)\b)"
)
_LABELLED = (
    rf"(?:\bage(?:[\"']?\s?[:=]\s{{0,3}}[\"']?| \()|{_WHOSE}age(?:,| is| was) )(?P<age>{NUMBER})"
    r"(?![\w%+-]|[.,]\d|\s?[-–]\s?\d|\s(?:to|and|or)\s(?:\d|over|older|above|under|up))"
)
_NO_AGE = (
    rf"{_BEFORE}\b(?P<age>{NUMBER})"
    r"(?=(?: is| isn['’]t) (?:\w+ ){0,3}?(?:age|old|young|late|early)\b)"
)
_TOO_OLD = rf"\bis (?P<age>{NUMBER})(?= (?:too|very|so|that|really) (?:old|young|late|early)\b)"
_OVER = (
    rf"\b(?:over|under|above|past|around|near) (?P<age>{NUMBER})"
    r"(?=,? (?:like|such as) (?:you|yourself|me|him|her)\b)"
)
_DECADE = (
    rf"{_WHOSE}(?:(?:very )?(?:early|mid|late)[- ])?(?P<age>{DECADE})"
    r"(?!\w| (?:hits?|songs?|music|films?|style|clothes))"
)
_IS = (
    r"(?:['’](?:m|s|re)|\b(?:am|is|was|are|be|being|turn(?:s|ed|ing)?))\s{1,3}(?:\w+\s{1,3})?"
    rf"{_BEFORE}(?P<age>{NUMBER}){_END}"
)
_BIRTHDAY = (
    r"(?:\b(?:my|your|his|her|their)|\w['’]s)\s{1,3}"
    r"(?P<age>1[89]|[2-9]\d)(?=(?:st|nd|rd|th) birthday)"
)
_OF = (
    rf"\bof (?P<age>{NUMBER})"
    r"(?![\w%-]|[.,]\d| (?:years|kilos|kg|pounds|stone|words|items|pages|nations)\b)"
)
_IN_COMMAS = r"(?<=[a-z]), (?P<age>1[89]|[2-9]\d)(?=,)"
_IN_BRACKETS = r"(?<=[a-z]) \((?P<age>1[89]|[2-9]\d)(?=\))"


class _Rule(NamedTuple):
    """A pattern, looked for only where one of the hints stands in the text; and its judge."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Callable[[WordContext], float]


_RULES = tuple(
    _Rule(hints, re.compile(pattern, re.IGNORECASE), judge)
    for hints, pattern, judge in (
        (("old", "y/o", "yo ", "yo,", "yo.", "young", "of age"), _YEARS_OLD, _described),
        (("age",), _AGED, _given),
        (("age",), _RANGE, _doubtful),
        (("at ",), _AT, _owned),
        (("at ",), _AT_BEGINNING, _grown),
        (("too ",), _TOO_LATE, _grown),
        (("being ", "turning "), _BEING, _grown),
        (("age",), _LABELLED, _field),
        (("age", "old", "young", "late", "early"), _NO_AGE, _remarked),
        (("is ",), _TOO_OLD, _remarked),
        (("like ", "such as "), _OVER, _remarked),
        (("teens", "ties", "0s", "0's", "0’s"), _DECADE, _owned),
        (("",), _IS, _said_of),
        (("birthday",), _BIRTHDAY, _birthday),
        (("of ",), _OF, _person_of),
        ((",",), _IN_COMMAS, _beside_name),
        (("(",), _IN_BRACKETS, _beside_name),
    )
)
