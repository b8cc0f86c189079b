"""Cues for first names: whether the capitalised word is a person here."""

from __future__ import annotations

from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.mentions.place import Place

_NEVER = -9.0


def name_cues(form: Form, place: Place) -> float:
    """Log-odds for a first name: "Will said", not "Will you"."""
    if not place.capital() or _all_capitals(place) or _is_place(place):
        return _NEVER
    if _after_title(place) or _is_surname(place):
        return -5.0
    if form.person >= 0.7:
        return 1.0
    return _word_like(place)


def _after_title(place: Place) -> bool:
    known = place.tokens.word(place.first - 1) in place.cues.titles
    return known and place.gap_before().strip() in ("", ".")


def _all_capitals(place: Place) -> bool:
    word = place.surface
    return len(word) > 1 and word.isupper() and not place.shouting()


def _is_place(place: Place) -> bool:
    if place.before() in place.cues.geographic:
        return True
    follows = place.tokens.surface(place.last + 1)
    in_name = place.gap_after().strip(" ") == "" or place.gap_after() == "'"
    return in_name and place.after() in place.cues.places and follows[:1].isupper()


def _is_surname(place: Place) -> bool:
    """A capitalised word directly before it, within a sentence, is the first name."""
    before = place.tokens.surface(place.first - 1)
    if place.gap_before() != " " or not before[:1].isupper() or before == "I":
        return False
    word = place.before()
    known = word in place.cues.calling or word in place.cues.function or word in place.cues.verbs
    return not known and not place.cues.is_person(word)


def _word_like(place: Place) -> float:
    """The word is in the dictionary, too: it has to be said that a person is meant."""
    before, after = place.before(), place.after()
    if place.word in place.cues.calendar and (
        before in place.cues.times or after[:1].isdigit() or after == "of"
    ):
        return _NEVER
    score = 0.0
    if before in place.cues.calling or (
        before in ("is", "s", "am", "m") and place.before(2) in place.cues.naming
    ):
        score += 4.0
    if after in place.cues.speech:
        score += 4.0
    if before in place.cues.company and not place.starts_sentence():
        score += 1.5
    if place.gap_after().startswith("'") and after == "s":
        score += 1.5
    return score + _capital_cues(place, after)


def _is_date(place: Place, before: str, after: str) -> bool:
    near = before in place.cues.times or after[:1].isdigit() or before.isdigit() or after == "of"
    return place.word in place.cues.calendar and near


def _capital_cues(place: Place, after: str) -> float:
    follows = place.tokens.surface(place.last + 1)
    surname = place.gap_after() == " " and follows[:1].isupper() and len(follows) > 1
    if surname and after not in place.cues.function:
        return 3.5
    if place.starts_sentence():
        return -3.0 if after in place.cues.openers else 0.0
    return 2.0
