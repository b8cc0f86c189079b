"""What a word is where a sentence begins, if it is known to be somebody's first name.

"Mark exceeds all targets" speaks of the Mark who was named before; "Mark the date" does not, nor do
"Will you ..." and "Rose bushes are ...". What follows the word tells: a verb in the third person
makes a person of it, an object or a subject a word. Where either may be meant nothing is decided.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from enum import Enum, auto
from typing import Final

from guard.counterfactual.english.inflection import is_participle, known_verb, plural_form
from guard.counterfactual.english.words import adjective, word_set
from guard.counterfactual.english.words import english as en
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.thing_predicates import says_thing
from guard.counterfactual.tokens import Tokens, tokens_of, words_of

_AUXILIARIES: Final = word_set("will may")
_IMPERATIVES: Final = word_set(
    "mark bill sue rob chase pat grant hope jack don ward foster lance wade chuck chip pierce nick"
    " skip stew peg page dash link trace cash promise love ride bear frank tucker drew"
)
_UNCOUNTED: Final = word_set(
    "hope faith grace joy art destiny prudence charity patience mercy liberty justice unity verity"
    " harmony serenity glory felicity constance temperance bliss love essence honey sugar candy"
    " rain sunshine dawn melody trinity eden heaven genesis ruby crystal amity chance coral"
    " ginger sage ivory gay earnest true story winter bill grant case cash gene"
)
"""Nouns that stand without an article, also in notes, and names of programs: "Hope is fading"."""
_WORDLIKE: Final = 0.2  # names below this `person` are nouns or adjectives as well
_HELPING: Final = word_set(
    "is was has does did had can could will would should must might may isn wasn hasn doesn didn"
    " hadn couldn wouldn shouldn cannot"
)
_PLURAL: Final = word_set("are were have do aren weren haven don")
_MODALS: Final = word_set("can could will would should must might may cannot")
_SUBJECTS: Final = word_set("i you he she it we they this that these those there someone anyone")
_OBJECTS: Final = word_set("me you him her it us them this that these those as down up all each")
_NAMED: Final = word_set("i he she my his her who")
_LIKE_ADJECTIVES: Final = word_set("left lost read found sold paid cut set put hit known unread")
_PERSONAL: Final = word_set(
    "fired hired promoted born married divorced engaged employed arrested absent late"
)
_DAYS: Final = word_set("today tonight yesterday")
_NO_ADVERBS: Final = word_set(
    "as both all each either out outside inside upstairs half here there getting being born back"
)
_WITH_TWO_OBJECTS: Final = word_set("bill grant hope promise")
_PHRASES: Final = frozenset(
    (
        *("grant access", "grant permission", "grant permissions", "grant applications"),
        *("hope to", "hope so", "max length", "max size"),
    )
)
_CHECKED: Final = word_set("attendance time hours absences")
_WHEN: Final = _DAYS | word_set("daily weekly here below in on at by for every each when before")
_HEADS: Final = word_set("period periods tracing diving people folks")
_SCHOOLS: Final = word_set("college university hospital elementary")
_CLAUSE: Final = 8  # words among which the verb of a noun in the plural is looked for
_LABEL: Final = 8  # words among which "as" is looked for
_PRAYED_TO: Final = word_set("god allah heaven jesus")
_ALL: Final = word_set("all several every")
_BEING: Final = word_set("be been being not t")
_OF_WORK: Final = word_set(
    "exceeds excels mentors coaches manages leads demonstrates communicates collaborates resolved"
    " resolves contributes handles applies requests requested owes owed resigns resigned reports"
    " reported attends attended supervises trains trained joined achieves achieved delivers"
    " volunteers complains complained drinks smokes sleeps drives files speaks enrolled"
)
_FAR: Final = 4  # words among which a word for persons is looked for


class NameOrWord(Enum):
    """What such a word is. EITHER: the words around do not tell."""

    PERSON = auto()
    WORD = auto()
    EITHER = auto()


def names_left(text: str, names: Collection[str], lexicons: Lexicons) -> set[str]:
    """Those of the names, in small letters, that begin a sentence, but as a word ("Mark it")."""
    small = text.lower()
    if not any(name in small for name in names):
        return set()
    words, tokens = words_of(text), tokens_of(text)
    return {
        words.surface(at)
        for at in words.places(names)
        if words.surface(at)[0].isupper()
        and words.starts_sentence(at)
        and reading_at(tokens, words.starts[at], lexicons) is not NameOrWord.WORD
    }


def reading_at(tokens: Tokens, start: int, lexicons: Lexicons) -> NameOrWord | None:
    """As `reading`, of the word that begins at this character; None where no sentence begins."""
    at = bisect_left(tokens.starts, start)
    place = WordContext(tokens, at, at, lexicons)
    return reading(place) if place.starts_sentence() else None


def reading(place: WordContext) -> NameOrWord:
    """What a capitalised word is where a sentence begins, which is a person's name elsewhere."""
    if place.off_topic() or (len(place.surface) > 1 and place.surface.isupper()):
        return NameOrWord.EITHER  # an acronym may be written so
    if place.word in _AUXILIARIES and (_asks(place) or asks_about_name(place)):
        return NameOrWord.WORD
    if place.word in _IMPERATIVES and (_is_done_to(place) or _is_labelled(place)):
        return NameOrWord.WORD
    if place.gap_after() == " " and f"{place.word} {place.after()}" in _PHRASES:
        return NameOrWord.WORD
    if _is_school(place):
        return NameOrWord.WORD
    record = place.lexicons.people.first.record(place.word)
    if record is None or record.known_as:
        return NameOrWord.EITHER
    if _is_named(place):
        return NameOrWord.PERSON
    step = _past_adverbs(place)
    if not _is_verb(place, step):
        return NameOrWord.WORD if step == 1 and _describes(place) else NameOrWord.EITHER
    unclear = _is_uncounted(place) and not _is_personal(place, step)
    return NameOrWord.EITHER if unclear or says_thing(place, step) else NameOrWord.PERSON


def _asks(place: WordContext) -> bool:
    """ "Will you ...", "May the ...", "Will my loan ...", "Will applicants hear today?"."""
    after = place.after()
    if after in _SUBJECTS or after in en().determiners | en().possessives:
        return True
    verb = _is_past(after) or after in en().only_verbs or _is_only_verb(plural_form(after) or "")
    plain = after not in _HELPING | place.cues.adverbs | {"", "and", "or"}
    return plain and not verb and _is_question(place)


def asks_about_name(place: WordContext) -> bool:
    """ "Will Sarah approve it?", "May God bless him"; "Will Thomas?" is a surname."""
    if place.word not in _AUXILIARIES or place.gap_after() != " ":
        return False
    named = place.is_name(place.last + 1) and bool(place.after(2)) and _is_question(place)
    return named or (place.word == "may" and place.after() in _PRAYED_TO)


def _is_question(place: WordContext) -> bool:
    text, start = place.tokens.text, place.tokens.ends[place.last]
    ends = [at for mark in ".!?\n" if (at := text.find(mark, start)) >= 0]
    return bool(ends) and text[min(ends)] == "?"


def _is_done_to(place: WordContext) -> bool:
    """Whether an object follows: "Mark the date", "Bill me", "Mark it", "Grant each ..."."""
    after = place.after()
    if place.gap_after() != " " or not after:
        return False
    if after in _CHECKED:
        return place.after(2) in _WHEN  # "Mark attendance daily"
    if after == "as" and (place.is_person(place.after(2)) or place.is_person(place.after(3))):
        return False  # "Mark as a manager"
    return after in _OBJECTS | en().determiners | en().possessives


def _is_labelled(place: WordContext) -> bool:
    """ "Mark messages as read"; not "Mark described them as late"."""
    word = place.after()
    base = None if word in place.cues.speech | place.cues.persons else plural_form(word)
    return base is not None and not _is_only_verb(base) and _has_label(place)


def _has_label(place: WordContext) -> bool:
    """Whether a word for a state follows, behind "as"."""
    steps = (step for step in range(2, _LABEL) if place.after(step) == "as")
    step = next(steps, 0)
    label = place.after(step + 1) if step else ""
    return adjective(label) or is_participle(label) or label in _LIKE_ADJECTIVES


def may_be_verb(place: WordContext) -> bool:
    """Whether the name may be the verb of a sentence that seems to speak of a person: "Grant users
    the right", "Mark completed tasks as done", "Will lost keys be returned?"."""
    if not place.starts_sentence() or not _may_be_verb(place, 1):
        return False
    after, following = place.after(), place.after(2)
    base = plural_form(after)
    if base is None:
        told = _is_question(place) if place.word in _AUXILIARIES else _has_label(place)
        return _is_past(after) and _may_describe(place, 1) and told
    nouns = following in _PLURAL or (following == "as" and _has_label(place))
    return nouns or place.is_person(after) or not known_verb(base)


def _is_named(place: WordContext) -> bool:
    """ "Mark's boss", "Mark, who ...", "Mark and I", "Name: Mark", or a signature."""
    gap, after = place.gap_after(), place.after()
    if gap.startswith(("'", "’")):
        return after in ("s", "ll", "d")
    if after == "who" or _is_signed(place) or _fills_field(place):
        return True
    joined = after in ("and", "or") and gap == " "
    return joined and (place.after(2) in _NAMED or place.is_name(place.last + 2))


def _is_signed(place: WordContext) -> bool:
    """Alone on a line, below one that ends with a comma: "Regards," and "Mark"."""
    before, after = place.gap_before(), place.gap_after()
    return before[:1] == "," and "\n" in before and after.strip(" .")[:1] in ("", "\n")


def _fills_field(place: WordContext) -> bool:
    """ "Name: Mark", "Patient: Mark"; not "Priority: Max"."""
    label, ends = place.tokens.word(place.first - 1), place.gap_after().lstrip(" ")[:1]
    named = label in ("name", "names") or place.is_person(label)
    return named and place.gap_before() == ": " and ends in ("", "\n", ",", ";", "|")


def _past_adverbs(place: WordContext) -> int:
    """The number of steps to the first word behind that is no adverb."""
    step = 1
    while _is_adverb(place, place.after(step)):
        step += 1
    return step


def _is_adverb(place: WordContext, word: str) -> bool:
    known = word in place.cues.adverbs | en().adverbs | _DAYS
    plain = word not in _NO_ADVERBS
    in_ly = word.endswith("ly") and word not in en().not_adverbs_in_ly
    return bool(word) and ((known and plain) or in_ly)


def acts_alone(place: WordContext) -> bool:
    """Whether a verb in the third person follows: "Mark Baker is late", not "Sue Baker for it"."""
    return _is_verb(place, _past_adverbs(place))


def _is_verb(place: WordContext, step: int) -> bool:
    """Whether a verb stands there that a single person may be the subject of."""
    word, gap = place.after(step), place.tokens.gap(place.last + step - 1)
    if not word or gap not in (" ", ", ") or "," in place.gap_after():
        return False
    if word in _HELPING:
        return True
    if _is_past(word):
        return not (_may_be_verb(place, step) and _may_describe(place, step))
    if plural_form(word) is None:
        return word in place.cues.speech - {"who", "let", "say"}
    return _in_third_person(place, step)


def _is_past(word: str) -> bool:
    return word in en().past_forms or (word.endswith("ed") and len(word) > len("need"))


def _may_be_verb(place: WordContext, step: int) -> bool:
    """Whether the name itself may be the verb of the sentence."""
    return place.word in _IMPERATIVES | _AUXILIARIES and step == 1


def _may_describe(place: WordContext, step: int) -> bool:
    """Whether a participle may describe what follows: "Mark left luggage as found"."""
    word = place.after(step)
    adjective = word in _LIKE_ADJECTIVES or word.endswith("ed")
    return adjective and not _begins_phrase(place, step + 1)


def _begins_phrase(place: WordContext, step: int) -> bool:
    """Whether no noun stands there that the word before may belong to: "resolved 40", "left."."""
    word = place.after(step)
    return not word or word in en().closed or word.isdigit() or word in en().numbers


def _in_third_person(place: WordContext, step: int) -> bool:
    """ "Exceeds all targets", "mentors two juniors"; not "bushes are", "items 3 and 4"."""
    word, following = place.after(step), place.after(step + 1)
    base = plural_form(word)
    if base is None or following in _PLURAL | _MODALS:
        return False
    if (word, following) == ("reports", "to"):
        return True
    command, people = place.word in _IMPERATIVES and step == 1, place.is_person(word)
    if command and following == "as":
        return False  # "Mark returns as received"
    only = word in en().only_verbs | place.cues.speech and base not in en().verbs_and_nouns
    if only or _is_only_verb(base, people=people):
        return True
    if command:
        twice = place.word in _WITH_TWO_OBJECTS
        return known_verb(base) and _is_object(following) and not twice
    if known_verb(base) and not people:
        return not _is_wordlike(place) or not _verb_follows(place, step + 1)
    return _is_object(following)


def _verb_follows(place: WordContext, step: int) -> bool:
    """Whether a further verb stands in the clause, whose subject the words before may be."""
    near = range(step, step + _CLAUSE)
    return any(known_verb(word) or word in en().past_forms for word in map(place.after, near))


def _is_only_verb(base: str, *, people: bool = False) -> bool:
    """Whether the word is hardly ever a noun: "exceed", not "report" or "mentor"."""
    nouns = en().nouns_first | en().verbs_and_nouns
    return known_verb(base) and base not in nouns and not people


def _is_object(word: str) -> bool:
    """Whether a word begins an object, which no plural noun has: "all targets", "two", "her"."""
    opens = word in en().determiners | en().possessives | _ALL
    return opens or word.isdigit() or word in en().numbers


def _is_wordlike(place: WordContext) -> bool:
    record = place.lexicons.people.first.record(place.word)
    return record is None or record.person < _WORDLIKE


def _describes(place: WordContext) -> bool:
    """ "Rose bushes are", "Rich people have", "Olive oil is"."""
    if place.word in _AUXILIARIES or not _is_wordlike(place):
        return False
    small = place.tokens.surface(place.last + 1).islower() and place.gap_after() == " "
    headed = place.after(2) in _PLURAL or place.after() in _HEADS or place.before_noun()
    return small and place.after() not in en().closed and headed


def _is_school(place: WordContext) -> bool:
    """ "Grace College is near"."""
    school = place.after() in _SCHOOLS and place.tokens.surface(place.last + 1)[:1].isupper()
    return school and _is_wordlike(place)


def _is_uncounted(place: WordContext) -> bool:
    cues = place.cues
    return place.word in _UNCOUNTED or place.word in cues.placenames | cues.calendar


def _is_personal(place: WordContext, step: int) -> bool:
    """Whether what is said is said of persons: "Hope lost her job", "Grace was fired"."""
    while place.after(step) in _HELPING | _BEING | place.cues.adverbs:
        step += 1
    word, cues = place.after(step), place.cues
    forms = {word, *(word + ending for ending in ("s", "es", "d", "ed"))}
    said = (cues.persons | cues.speech | _OF_WORK) - cues.copulas
    if not forms.isdisjoint(said) or word in cues.feelings | _PERSONAL:
        return True
    near = [place.after(step + far) for far in range(_FAR)]
    return near[1].isdigit() or any(place.is_person(one) for one in near)
