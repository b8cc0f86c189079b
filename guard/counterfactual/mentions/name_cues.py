"""Whether a capitalised word is a first name: cues from its neighbours, as log-odds.

Weights as in `likelihood`, which adds them up.
"""

from __future__ import annotations

from math import log

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.homonym_cues import (
    DOUBT,
    THING,
    homonym_score,
    is_spoken_of,
    known_as,
    pronoun_follows,
)
from guard.counterfactual.mentions.named_places import may_name_place
from guard.counterfactual.mentions.named_things import is_told, names_thing
from guard.counterfactual.mentions.names_again import asks_about_name, may_be_verb
from guard.counterfactual.mentions.surname_cues import ASKING, is_second_given, is_surname
from guard.counterfactual.mentions.surnames import surname_after
from guard.counterfactual.mentions.thing_cues import is_thing, stands_as_thing
from guard.counterfactual.mentions.thing_predicates import says_thing
from guard.counterfactual.names import NAME_ALONE

NEVER = -9.0


def name_cues(form: Form, place: WordContext) -> float:
    """Log-odds for a first name: "Will said", not "Will you"."""
    if not place.capital():
        return NEVER
    kind = known_as(place)
    if all_capitals(place):
        return NEVER if kind else _in_capitals(form, place)
    if thing := _as_thing(form, place):
        return even(form.person) + thing
    if _after_title(place):
        return _behind_title(form, place)
    if other := _as_no_first_name(form, place):
        return other
    if (place.word in TOWNS and _is_inside(place)) or is_thing(place):
        return NEVER
    if kind:
        return even(form.person) + homonym_score(form, place, kind)
    stands = stands_as_thing(form, place)
    if stands or form.person >= NAME_ALONE:
        return -4.0 if stands else 1.0
    if _is_no_name(place):
        return NEVER
    return _spoken_of(place) + _written(place)


def _as_thing(form: Form, place: WordContext) -> float:
    """Log-odds of what else has the name; 0 where nothing says so."""
    if names_thing(form, place) or _is_off_topic(place):
        return DOUBT if is_spoken_of(form, place) else THING
    if may_name_place(place):
        return DOUBT if pronoun_follows(form, place) else THING
    return 0.0


def _as_no_first_name(form: Form, place: WordContext) -> float:
    """Log-odds of a surname and of a name behind "the"; 0 for any other."""
    surname = is_surname(place) and not (form.attribute == "gender" and is_second_given(place))
    if surname or place.before() in _BORN:
        return -5.0
    return -6.0 if place.before(place.past(1, place.cues.modifiers)) == "the" else 0.0


def _is_off_topic(place: WordContext) -> bool:
    """ "Is Julia faster than Python?"; not "Julia asked for the Python script"."""
    if not place.off_topic():
        return False
    cues, after = place.cues, place.after()
    acts = after in cues.speech or after in cues.persons or place.gap_after()[:1] in ("'", "’")
    surname = surname_after(place.tokens.text, place.tokens.ends[place.last], cues.function)
    return not (acts or is_told(place) or surname)


def _is_no_name(place: WordContext) -> bool:
    """ "In May", "Will Will get his deposit back?", "moved to Jordan"."""
    if place.word in place.cues.calendar and _is_date(place):
        return True
    billed = place.after() in _OBJECTS and place.gap_after() == " "
    if place.starts_sentence() and place.word in ASKING and (billed or place.word == place.after()):
        return True
    if place.starts_sentence() and asks_about_name(place):
        return True
    return place.word in place.cues.placenames and place.before() in place.cues.motion


_BORN = word_set("née nee né")  # "Sarah Miller, née Jones"
_OBJECTS = word_set("him her me us them it")  # "Bill him for it"


def _in_capitals(form: Form, place: WordContext) -> float:
    """As `name_cues`, of what may be an acronym: "My wife MARY", not "ISIS invaded".

    Elsewhere a pronoun of the group has to follow.
    """
    surname = _after_title(place) or is_surname(place) or place.is_name(place.first - 1)
    if form.person < NAME_ALONE or place.before() == "the" or surname:
        return NEVER
    if len(place.surface) < _NO_ACRONYM:
        return -4.0
    speaks = place.starts_sentence() and place.gap_after() == ": "
    sure = speaks or _is_labelled(place) or _is_called_so(place)
    return 1.0 if sure else even(form.person) - 1.0


def _is_called_so(place: WordContext) -> bool:
    """ "My wife MARY", "a user called MARY", "my name is MARY"."""
    before, two, cues = place.before(), place.before(2), place.cues
    if before in ("called", "named"):
        return place.is_person(two)
    if before in ("is", "s", "am", "m"):
        return two in ("name", "this", "i")
    owned = two in cues.determiners or two == "the"
    return before in cues.calling or (
        owned and place.is_person(before) and before not in cues.modifiers
    )


_NO_ACRONYM = 4
TOWNS = word_set("charlotte nancy gary irving")


def _is_inside(place: WordContext) -> bool:
    """ "Lives in Charlotte", not "in Charlotte's name"."""
    return place.before() in ("in", "near", "into") and not place.gap_after().startswith("'")


def is_place(place: WordContext) -> bool:
    """Whether the word belongs to the name of a place or an institution: "King Street"."""
    if place.before() in place.cues.geographic and place.capital():
        return True
    if _is_saint(place):
        return True
    at = place.last
    while at < place.last + 2 and _continues(place, at):
        at += 1
    at += place.tokens.word(at + 1) == "s" and place.tokens.surface(at + 2)[:1].isupper()
    if place.tokens.word(at + 1) not in place.cues.places or not _tight(place, at):
        return False
    street = at > place.last and place.tokens.word(at + 1) in _STREETS
    return street or place.tokens.surface(at + 1)[:1].isupper() or place.before() == "the"


_STREETS = word_set("street avenue road boulevard")


def as_place(form: Form, place: WordContext) -> float:
    """Log-odds where `is_place` says that it is a place: "Mary Hill" may be a person as well."""
    surname, before = place.tokens.surface(place.last + 1), place.before()
    if form.kind is not Kind.NAME or surname.lower() not in place.cues.places:
        return NEVER
    capital, titled = surname[:1].isupper(), _after_title(place)
    known = bool(place.lexicons.people.surnames.background(surname))
    of_anybody = place.tokens.word(_title_before(place)) in _OF_ANYBODY
    alone = form.person >= NAME_ALONE
    if capital and titled and ((known and alone) or of_anybody):
        return _behind_title(form, place)
    where = any(before in one for one in (place.cues.motion, place.cues.geographic, _BEFORE_PLACES))
    numbered = before.isdigit() or place.after(2).isdigit()
    if not (capital and known) or where or numbered:
        return NEVER
    return even(form.person) - (0.0 if alone else _of_word(place, surname))


def _of_word(place: WordContext, surname: str) -> float:
    """How much less likely a word than a plain name is a person before a word for a place: "Jack
    Hill lost his card" may be one, "he likes Rose Hill" leaves it in doubt."""
    if surname.lower() in _STREETS or known_as(place) or _after_title(place):
        return -NEVER
    return 0.0 if place.starts_sentence() else _IN_DOUBT


_IN_DOUBT = 1.5
_BEFORE_PLACES = word_set("on the king queen prince princess saint")


def _is_saint(place: WordContext) -> bool:
    """ "St. Mary's" and "in St. Louis", not "in Main St. Mary's card"."""
    street = place.tokens.surface(place.first - 2)[:1]
    saint = place.tokens.word(place.first - 1) == "st" and place.gap_before() in (". ", " ")
    return saint and not (street.isupper() or street.isdigit())


def _continues(place: WordContext, at: int) -> bool:
    """Whether a further capitalised word of the same name follows: "King William Street"."""
    following = place.tokens.surface(at + 1)
    place_noun = following.lower() in place.cues.places
    return following[:1].isupper() and not place_noun and _tight(place, at)


def _tight(place: WordContext, at: int) -> bool:
    return place.tokens.gap(at) in (" ", "'", "'s ") or place.tokens.word(at) == "s"


def _after_title(place: WordContext) -> bool:
    return place.tokens.word(_title_before(place)) in place.cues.titles


def _title_before(place: WordContext) -> int:
    """The number of the word that a title would be: "Mr. Smith", "Mr. J. Smith"; -1: none."""
    at = place.first - 1
    if len(place.tokens.surface(at)) == 1 and _follows(place, at):
        at -= 1
    return at if at >= 0 and _follows(place, at) else -1


def _follows(place: WordContext, at: int) -> bool:
    """Whether only a blank and a full stop divide this word and the next."""
    return place.tokens.gap(at).strip() in ("", ".")


_OF_ANYBODY = word_set("mr mrs ms mx")
_DEGREES = word_set("md phd rn esq dds jr sr ii iii iv")


def _behind_title(form: Form, place: WordContext) -> float:
    """ "Mr. John Smith" has a first name, "Mr. Smith" and "Dr. Grace" have none.

    "Dr. Emily" may be either: nobody is known to have that surname. So may "Captain Morgan Rum", of
    which nobody knows whether it is a person.
    """
    known = place.lexicons.people.surnames.background
    titled = place.tokens.word(_title_before(place)) in _OF_ANYBODY
    surname, common = _surname_behind(place), form.person < NAME_ALONE
    if not surname:
        if common or known(form.text):
            return -5.0
        return 8.0 if titled else even(form.person)
    return 8.0 if titled or not common or known(surname) else even(form.person) - 1.5


def even(person: float) -> float:
    """What makes somebody as likely meant as not."""
    person = min(0.99, max(0.01, person))
    return log((1 - person) / person)


def _surname_behind(place: WordContext) -> str:
    """The surname that follows, empty where there is none; no day, firm or degree is one."""
    text, cues = place.tokens.text, place.cues
    span = surname_after(text, place.tokens.ends[place.last], cues.function)
    name = "" if span is None else text[span.start : span.end]
    others = (cues.organisations, cues.firms, cues.desks, _DEGREES)
    day = name.lower() in cues.dates and not place.lexicons.people.surnames.background(name)
    return "" if day or any(name.lower() in one for one in others) else name


def all_capitals(place: WordContext) -> bool:
    """Whether the word is an acronym, or the like, among small letters."""
    word = place.surface
    return len(word) > 1 and word.isupper() and not place.shouting()


_OF_DATES = frozenset(("is", "was", "will", "isn", "wasn"))


def _is_date(place: WordContext) -> bool:
    before, after = place.before(), place.after()
    if before in ("to", "for") or after in _OF_DATES:
        return place.cues.possessive.isdisjoint(place.after(step) for step in range(2, 8))
    return before in place.cues.times or (after + before)[:1].isdigit() or after == "of"


def _spoken_of(place: WordContext) -> float:
    """The words around a name that is in the dictionary, too, say whether a person is meant."""
    before, cues = place.before(), place.cues
    named = before in ("is", "s", "am", "m") and place.before(2) in cues.naming
    named |= _is_labelled(place)
    score = 4.0 if before in cues.calling or named else 0.0
    if place.gap_after().startswith("'") and place.after() == "s":
        score += 1.5
    if place.word not in cues.placenames and before in cues.company:
        score += 0.0 if place.starts_sentence() else 1.5
    return score + _company(place) + _does(place) + _referred_to(place)


def _is_labelled(place: WordContext) -> bool:
    """ "Customer: Grace": the label says that a person follows."""
    labelled = place.gap_before() == ": " and place.is_person(place.tokens.word(place.first - 1))
    return labelled and not place.gap_after().startswith(" ")


def _does(place: WordContext) -> float:
    """What follows the name: "Bill paid", "Penny waters the plants", "Carol is my manager"."""
    after, cues = place.after(), place.cues
    if may_be_verb(place):
        return 0.0
    if says_thing(place, 1):
        return -4.0
    if after in cues.speech or (after.endswith("ed") and len(after) > 4):
        return 4.0
    if after in cues.weak:
        if any(place.after(steps) in cues.places for steps in (3, 4)):
            return -4.0
        said = any(place.is_person(place.after(steps)) for steps in (3, 4))
        return 4.0 if said else float(place.word not in cues.placenames)
    acts = after.endswith("s") and place.gap_after() == " "
    return 3.0 if acts and place.after(2) in cues.determiners | {"the"} else 0.0


def _referred_to(place: WordContext) -> float:
    """A pronoun of the same sentence speaks of a person; "its" does not."""
    near = [place.after(steps) for steps in range(1, 8)]
    if "its" in near:
        return -4.0
    return 2.5 if not place.cues.possessive.isdisjoint(near) else 0.0


def _company(place: WordContext) -> float:
    """Another first name, joined by "and"."""
    before = place.before() == "and" and place.is_name(place.first - 2)
    after = place.after() == "and" and place.is_name(place.last + 2)
    return 2.5 if before or after else 0.0


def _written(place: WordContext) -> float:
    """Capitals: a surname after it, or a capital where none is due."""
    follows = place.tokens.surface(place.last + 1)
    after = place.after()
    surname = place.gap_after() == " " and follows[:1].isupper() and len(follows) > 1
    if surname and after not in place.cues.function:
        return 3.5
    if place.starts_sentence():
        if _is_called(place):
            return 2.5
        return -3.0 if after in place.cues.openers else 0.0
    return 0.0 if place.word in place.cues.placenames or place.is_group() else 2.0


def _is_called(place: WordContext) -> bool:
    """ "Grace, please help", "Will, can you come?"; not "Hope, faith and love"."""
    after, cues = place.after(), place.cues
    asked = any(after in words for words in (cues.auxiliaries, cues.copulas, _ASKED))
    return asked and place.gap_after() == ", "


_ASKED = word_set(
    "please can could will would do did what when where why how who i we you your here thanks thank"
    " let be just if as"
)
