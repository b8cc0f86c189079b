"""Cues for first names: whether the capitalised word is a person here."""

from __future__ import annotations

from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.mentions.place import Place

_NEVER = -9.0
_AFTER_NICKNAME = {") ": "(", '" ': '"', "” ": "“"}
_NAME = 0.7  # from this `person` on a capitalised word is a name unless something speaks against it


def name_cues(form: Form, place: Place) -> float:
    """Log-odds for a first name: "Will said", not "Will you"."""
    if not place.capital() or _all_capitals(place) or is_place(place):
        return _NEVER
    if _after_title(place) or _is_surname(place):
        return -5.0
    if place.before(place.past(1, place.cues.modifiers)) == "the":
        return -6.0
    if form.person >= _NAME:
        return 1.0
    if place.word in place.cues.calendar and _is_date(place):
        return _NEVER
    if place.word in place.cues.placenames and place.before() in place.cues.motion:
        return _NEVER
    return _spoken_of(place) + _written(place)


def is_place(place: Place) -> bool:
    """Whether the word belongs to the name of a place or an institution: "King Street"."""
    if place.before() in place.cues.geographic and place.capital():
        return True
    at = place.last
    while at < place.last + 2 and _continues(place, at):
        at += 1
    if place.tokens.word(at + 1) not in place.cues.places or not _tight(place, at):
        return False
    return place.tokens.surface(at + 1)[:1].isupper() or place.before() == "the"


def _continues(place: Place, at: int) -> bool:
    """Whether a further capitalised word of the same name follows: "King William Street"."""
    following = place.tokens.surface(at + 1)
    place_noun = following.lower() in place.cues.places
    return following[:1].isupper() and not place_noun and _tight(place, at)


def _tight(place: Place, at: int) -> bool:
    return place.tokens.gap(at) in (" ", "'", "'s ") or place.tokens.word(at) == "s"


def _after_title(place: Place) -> bool:
    known = place.tokens.word(place.first - 1) in place.cues.titles
    return known and place.gap_before().strip() in ("", ".")


def _all_capitals(place: Place) -> bool:
    word = place.surface
    return len(word) > 1 and word.isupper() and not place.shouting()


def _is_surname(place: Place) -> bool:
    """A capitalised word directly before it, within a sentence, is the first name."""
    before = place.tokens.surface(place.first - 1)
    gap = place.gap_before()
    if gap in _AFTER_NICKNAME:  # "Robert (Bob) Smith"
        return place.tokens.gap(place.first - 2) == f" {_AFTER_NICKNAME[gap]}"
    if gap != " " or not before[:1].isupper() or before == "I":
        return False
    word = place.before()
    cues = place.cues
    known = word in cues.calling or word in cues.function or word in cues.verbs
    starts = Place(place.tokens, place.first - 1, place.first - 1, place.lexicons)
    if starts.starts_sentence() and not place.is_name(place.first - 1):
        return False
    return not known and not place.is_person(word)


def _is_date(place: Place) -> bool:
    before, after = place.before(), place.after()
    if before in ("to", "for") or after in place.cues.weak:
        return place.cues.possessive.isdisjoint(place.after(step) for step in range(2, 8))
    return before in place.cues.times or (after + before)[:1].isdigit() or after == "of"


def _spoken_of(place: Place) -> float:
    """The words around a name that is in the dictionary, too, say whether a person is meant."""
    before, cues = place.before(), place.cues
    named = before in ("is", "s", "am", "m") and place.before(2) in cues.naming
    score = 4.0 if before in cues.calling or named else 0.0
    if place.gap_after().startswith("'") and place.after() == "s":
        score += 1.5
    if place.word not in cues.placenames and before in cues.company:
        score += 0.0 if place.starts_sentence() else 1.5
    return score + _company(place) + _does(place) + _referred_to(place)


def _does(place: Place) -> float:
    """What follows the name: "Bill paid", "Penny waters the plants", "Carol is my manager"."""
    after, cues = place.after(), place.cues
    if after in cues.speech or (after.endswith("ed") and len(after) > 4):
        return 4.0
    if after in cues.weak:
        if any(place.after(steps) in cues.places for steps in (3, 4)):
            return -4.0
        said = any(place.is_person(place.after(steps)) for steps in (3, 4))
        return 4.0 if said else float(place.word not in cues.placenames)
    acts = after.endswith("s") and place.gap_after() == " "
    return 3.0 if acts and place.after(2) in cues.determiners | {"the"} else 0.0


def _referred_to(place: Place) -> float:
    """A pronoun of the same sentence speaks of a person; "its" does not."""
    near = [place.after(steps) for steps in range(1, 8)]
    if "its" in near:
        return -4.0
    return 2.5 if not place.cues.possessive.isdisjoint(near) else 0.0


def _company(place: Place) -> float:
    """Another first name, joined by "and"."""
    before = place.before() == "and" and place.is_name(place.first - 2)
    after = place.after() == "and" and place.is_name(place.last + 2)
    return 2.5 if before or after else 0.0


def _written(place: Place) -> float:
    """Capitals: a surname after it, or a capital where none is due."""
    follows = place.tokens.surface(place.last + 1)
    after = place.after()
    surname = place.gap_after() == " " and follows[:1].isupper() and len(follows) > 1
    if surname and after not in place.cues.function:
        return 3.5
    if place.starts_sentence():
        return -3.0 if after in place.cues.openers else 0.0
    return 0.0 if place.word in place.cues.placenames or place.is_group() else 2.0
