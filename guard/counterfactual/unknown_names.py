"""Names that no list has: capitalised words that stand where only a person's name stands.

"Please tell Tadhg that his loan is approved" must not become "... that her loan": a first name
that is not known stays as it is, and so nothing is rewritten that changes its pronouns. Companies,
products and places stand in some of these positions too; those that are known, or look like one,
are passed over, unless nobody else is there whom the pronoun can stand for ("India asked for her
money", "May is a nurse. She ..."). What is left may be none all the same, and then a rewrite is
lost, not wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum
from typing import Final

from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.kept_names import pronoun_comes
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import AnnotatedText, sentence_numbers
from guard.counterfactual.tokens import Words

_GREETED: Final = word_set("dear hi hello hey thanks")  # who is greeted is "you"
_BEFORE_SURNAMES: Final = word_set("sir lady dame lord miss king queen prince princess saint")
_NAMING: Final = word_set("is 's am 'm")
_OWNERS: Final = word_set("my our his her their your the")
_JOINING: Final = word_set("that because and but if when whether while so since")
_ASKING: Final = word_set("did does has had is was can could will would should")
_BETWEEN: Final = word_set("never also still just already really now only")
_KIN: Final = word_set("husband wife mother father mum mom dad sister brother son daughter")
_MET: Final = word_set("met married")
_SPOKE: Final = word_set("spoke speak spoken speaking talk talked talking married")
_BEING: Final = word_set("is was feels felt 's")
_TELLING_WHEN: Final = word_set("in on by until since last next this early late")
_ABOUT: Final = word_set("for about from with")
_SUBJECTS: Final = word_set("she he i you we they it")
_LOSING: Final = word_set("got lost sold")
_WILLING: Final = _LOSING | word_set("will would has had")
_CLOSING: Final = word_set(
    "signed regards sincerely yours best cheers faithfully truly love thanks"
)
_NOUN_ENDINGS: Final = (
    *(
        "less",
        "ing",
        "tion",
        "sion",
        "ment",
        "ness",
        "ity",
        "ship",
        "ance",
        "ence",
        "ism",
        "ics",
        "ly",
    ),
)
_PAUSES: Final = frozenset(",;:\n")
_SHORTEST: Final = 3


class NamePlace(Enum):
    """Where an unknown name stands."""

    TITLED = "after a title: a surname"
    SIGNED = "at the end, as that of who writes"
    SPOKEN_OF = "as that of who does something, or to whom something is done"


def unknown_names(page: AnnotatedText, lexicons: Lexicons, source: str) -> tuple[str, ...]:
    """First names that are not known, and would stay while what is said of their bearer changes.

    A pronoun of the group follows in the same sentence or the next one, or it is the name of who
    writes and says to be of the group ("I am a mother of two"). Words that are known as surnames
    stay anyway.
    """
    words = page.words
    changing = [one for one in page.people if one.form.group == source]
    if not changing:
        return ()
    found = tuple(notice_names(words, lexicons))
    first = min(changing, key=_start)
    as_well = (
        tuple(at for at in _words_as_names(page, lexicons) if words.starts[at] < _start(first))
        if first.form.kind is Kind.PRONOUN
        else ()
    )
    beside = tuple(_beside_nouns(words, changing, lexicons))
    small = tuple(_in_small_letters(words, lexicons, source))
    if not (found or as_well or beside or small):
        return ()
    pronouns = [words.at(one.span.start) for one in changing if one.form.kind is Kind.PRONOUN]
    follows = _followed_by(words, pronouns)
    written = any(_is_said_of_writer(words, words.at(one.span.start)) for one in changing)
    unknown = (
        at
        for at, place in found
        if (place is NamePlace.SPOKEN_OF and (follows(at) or _is_name_of(words, at, pronouns)))
        or (place is NamePlace.SIGNED and written)
        if not lexicons.people.surnames.background(words.word(at))
    )
    more = (*beside, *filter(follows, (*as_well, *small)))
    return tuple(map(words.surface, dict.fromkeys((*unknown, *more))))


def names_to_come(
    pages: Sequence[AnnotatedText], lexicons: Lexicons, source: str
) -> tuple[str, ...]:
    """First names whose pronouns only a later text has: "emily clark", "tell Tadhg", and "she"."""
    found: list[str] = []
    for page in pages:
        if any(one.form.group == source for one in page.people):
            break
        if pronoun_comes(pages, page, source):
            unknown = _spoken_of(page.words, lexicons)
            small = _in_small_letters(page.words, lexicons, source)
            found += map(page.words.surface, (*unknown, *small))
    return tuple(dict.fromkeys(found))


def _spoken_of(words: Words, lexicons: Lexicons) -> Iterator[int]:
    """Names that are in no list, of those of whom something is said."""
    surnames = lexicons.people.surnames
    for at, place in notice_names(words, lexicons):
        if place is NamePlace.SPOKEN_OF and not surnames.background(words.word(at)):
            yield at


def _is_name_of(words: Words, at: int, pronouns: Collection[int]) -> bool:
    """ "Her name is Niamh", "his name's Tadhg"."""
    return words.word(at - 2) == "name" and words.word(at - 1) in _NAMING and at - 3 in pronouns


def _in_small_letters(words: Words, lexicons: Lexicons, source: str) -> Iterator[int]:
    """First names of the group in small letters, where a person's name may stand: "invite emma",
    "emma's parcel", and where a sentence or the value of a field begins."""
    begin = (at for at in _names_in_small_letters(words, lexicons) if words.starts_sentence(at))
    behind = (at + 1 for at in words.places(words.vocabulary & _BEFORE_NAMES))
    owners = (at - 1 for at in words.places(words.vocabulary & {"'s"}) if at)
    for at in (*begin, *behind, *owners):
        if is_small_name(words, at, lexicons, source):
            yield at


def is_small_name(words: Words, at: int, lexicons: Lexicons, source: str) -> bool:
    """Whether it is a first name of the group in small letters, and no other word."""
    name = words.surface(at)
    record = lexicons.people.first.record(name) if name.islower() else None
    known = record is not None and record.is_no_word and record.gender == source
    return known and len(name) >= _LONG and name not in _WORDS_TOO


def _names_in_small_letters(words: Words, lexicons: Lexicons) -> list[int]:
    record = lexicons.people.first.record
    return words.places([one for one in words.vocabulary if record(one) is not None])


_LONG = 4
_WORDS_TOO: Final = word_set(
    "beau brandy cherish dolly dusty garland griffin lacy linden meadow missy nelly nash palmer"
    " paisley rowdy sherry tate terry viola jersey drake cole gray grey fletcher clement cassidy"
    " oakley hayden denim avion carmel gentry presley sloan trey jules holden everett"
    " abbey aria aura blanche booker flora gage garret grover marina maxim norman scarlet scot"
    " sonny starr tiara"
)
_BEFORE_NAMES: Final = word_set(
    "to with for from about invite invited call called met meet tell told ask asked email emailed"
    " text texted is does did has was marry married love loves loved help helped hire hired fire"
    " fired visit visited remind and that because if when should can will thank"
)


def _beside_nouns(words: Words, changing: Sequence[Mention], lexicons: Lexicons) -> Iterator[int]:
    """Names in small letters of those who change: "my sister emily", "a man called james"."""
    for one in changing:
        at = words.at(one.span.end)
        at += words.word(at) in ("called", "named", ",")
        record = lexicons.people.first.record(words.word(at))
        named = record is not None and record.is_no_word and words.surface(at).islower()
        if one.form.kind is Kind.NOUN and named:
            yield at


def notice_names(words: Words, lexicons: Lexicons) -> Iterator[tuple[int, NamePlace]]:
    """The numbers of words that must be persons' names and are no known first name."""
    capitals = [at for at, start in enumerate(words.starts) if words.text[start].isupper()]
    unknown = [at for at in capitals if not is_listed(words.lower[at], lexicons)]
    found = {at: place for at in unknown if (place := _place(words, at, lexicons)) is not None}
    written = frozenset(map(words.surface, range(len(words.lower)))) if found else frozenset[str]()
    for at, place in found.items():
        if words.lower[at] not in written:
            yield at, place


def _words_as_names(page: AnnotatedText, lexicons: Lexicons) -> Iterator[int]:
    """The numbers of words that are no mention, are names as well, and stand as names do."""
    words, found = page.words, page.found
    mentions = {one.span.start for one in (*found.mentions, *found.unsure, *found.unlikely)}
    for at, start in enumerate(words.starts):
        if start in mentions:
            continue
        if not words.text[start].isupper():
            if _is_named_in_small_letters(words, at, lexicons):
                yield at
            continue
        named = _may_be_name(words.lower[at], lexicons) and looks_like_name(words, at)
        if named and _is_person_there(words, at, lexicons):
            yield at


def _is_named_in_small_letters(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "mary lost her card", "please tell james that", as people write in chats."""
    if words.surface(at) != words.lower[at] or not _is_first_name(words.lower[at], lexicons):
        return False
    surname = bool(lexicons.people.surnames.background(words.word(at + 1)))
    after, then = (words.word(at + surname + step) for step in (1, 2))
    if (after in _LOSING and then not in _SUBJECTS) or (surname and after in lexicons.cues.persons):
        return True
    rules = (_is_called, _is_told, _does_what_persons_do, _is_asked_about, _has_family)
    return any(rule(words, at, lexicons) for rule in rules)


def _may_be_name(lower: str, lexicons: Lexicons) -> bool:
    """Whether it is a word and a first name, or the name of a place."""
    return _is_first_name(lower, lexicons) or _is_place(lower, lexicons)


def _is_first_name(lower: str, lexicons: Lexicons) -> bool:
    return any(one.kind is Kind.NAME for one in lexicons.forms(lower))


def _is_place(lower: str, lexicons: Lexicons) -> bool:
    cues = lexicons.cues
    return any(lower in one for one in (cues.lands, cues.placenames, cues.geographic))


def _is_person_there(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "May is a nurse", "India asked for", "Will will have", "a reference for May."."""
    before, after, then = (words.word(at + step) for step in (-1, 1, 2))
    if before in _TELLING_WHEN or before in lexicons.cues.titles or before == ".":
        return False
    if after in ("is", "was") and then in ("a", "an"):
        return lexicons.cues.is_person(words.word(at + 3))
    named = _is_first_name(words.lower[at], lexicons)
    if named and before in _ABOUT and after in (".", ";"):
        return True
    verbs = _WILLING if named else _LOSING
    does = after in verbs and then not in _SUBJECTS
    return does or _does_what_persons_do(words, at, lexicons)


def _start(mention: Mention) -> int:
    return mention.span.start


def _followed_by(words: Words, pronouns: Sequence[int]) -> Callable[[int], bool]:
    """Whether one of the pronouns follows a word in its sentence or in the next."""
    sentences = sentence_numbers(words)

    def follows(at: int) -> bool:
        return any(at < one and sentences[one] - sentences[at] <= 1 for one in pronouns)

    return follows


def _is_said_of_writer(words: Words, at: int) -> bool:
    """ "I am a single mother", "as a woman"."""
    before = [words.word(at - step) for step in range(1, 5)]
    return "as" in before[:3] or ("i" in before and not {"am", "'m"}.isdisjoint(before))


def is_listed(lower: str, lexicons: Lexicons) -> bool:
    """Whether it is in a list: of first names, groups, places, companies or function words."""
    cues = lexicons.cues
    listed = (
        *(cues.function, cues.organisations, cues.lands, cues.placenames, cues.dates),
        *(cues.places, cues.geographic, cues.titles, cues.cased),
    )
    return any(lower in one for one in listed) or bool(lexicons.terms(lower))


def _place(words: Words, at: int, lexicons: Lexicons) -> NamePlace | None:
    """Where it stands, if it looks like a name and only a person's name stands there."""
    if not looks_like_name(words, at):
        return None
    before = words.word(at - 2) if words.word(at - 1) == "." else words.word(at - 1)
    if before in lexicons.cues.titles:
        return NamePlace.TITLED
    signed = _is_signed(words, at)
    begins = signed or words.starts_sentence(at)
    if len(words.lower[at]) < _SHORTEST or (begins and _may_be_noun(words.lower[at], lexicons)):
        return None
    if signed:
        return NamePlace.SIGNED
    rules = (_is_called, _is_told, _does_what_persons_do, _is_asked_about, _has_family)
    return NamePlace.SPOKEN_OF if any(rule(words, at, lexicons) for rule in rules) else None


def looks_like_name(words: Words, at: int) -> bool:
    """One capital, the first, in a word that is no part of another."""
    surface = words.surface(at)
    if not (surface.isalpha() and surface[0].isupper() and surface[1:].islower()):
        return False
    return not words.hyphened(at) and words.word(at - 1) not in ("-", "‑", "@", "#", "/")


def _may_be_noun(lower: str, lexicons: Lexicons) -> bool:
    """Whether a sentence may begin with it as a common word: "Support says", "Billing told"."""
    cues = lexicons.cues
    common = lower in cues.desks or lower in cues.verbs or cues.is_person(lower)
    return common or lower in english().closed or lower.endswith(_NOUN_ENDINGS)


def _is_called(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "my friend Xiulan", "her name is Aroha", "our tenant Oyelaran"."""
    cues, before = lexicons.cues, words.word(at - 1)
    if before in cues.calling - _GREETED - _BEFORE_SURNAMES:
        return True
    if before in _NAMING and words.word(at - 2) in cues.naming:
        return True
    owned = words.word(at - 2) in _OWNERS
    return owned and cues.is_person(before) and before not in cues.firms


def _is_told(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "Please tell Tadhg that", "let Bheki know", "spoke to Tormod", "met Bheki"."""
    cues, before = lexicons.cues, words.word(at - 1)
    if before in cues.told and words.word(at + 1) in cues.hearing:
        return True
    return before in _MET or (before in ("to", "with") and words.word(at - 2) in _SPOKE)


def _does_what_persons_do(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "Oyelaran says", "because Tadhg never got", "Bheki and I", "Tadhg, who"."""
    before, after = words.word(at - 1), words.word(at + 1)
    if after == "who" or (after == "," and words.word(at + 2) == "who"):
        return before not in lexicons.cues.determiners and before != "the"
    if not (words.starts_sentence(at) or before in _JOINING or before in _PAUSES):
        return False
    if after == "and" and words.word(at + 2) in ("i", "my"):
        return True
    does, then = lexicons.cues.persons, words.word(at + 2)
    if after in _BEING and then in lexicons.cues.feelings:
        return True
    return after in does or (after in _BETWEEN and then in does)


def _is_asked_about(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "Did Tadhg get", "Has Bheki been told"."""
    asks = words.word(at - 1) in _ASKING and words.starts_sentence(at - 1)
    what = words.word(at + 2) if words.word(at + 1) == "been" else words.word(at + 1)
    return asks and what in lexicons.cues.asked


def _has_family(words: Words, at: int, _: Lexicons) -> bool:
    """ "Tadhg's wife"."""
    return words.word(at + 1) == "'s" and words.word(at + 2) in _KIN


def _is_signed(words: Words, at: int) -> bool:
    """ "signed, Bheki" and "Kind regards,\nBheki", at the end of the text or of a line."""
    after = at + 1
    while words.word(after) in ("\n", "."):
        after += 1
    surname = words.word(after + 1) == "" and words.surface(after)[:1].isupper()
    if words.word(after) and not surname:
        return False
    before = at - 1
    while words.word(before) in _PAUSES and words.word(before):
        before -= 1
    return before < at - 1 and words.word(before) in _CLOSING
