"""Where a word is the value of a field that names its attribute: "Race: Black", "Sex: female"."""

from __future__ import annotations

from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.mentions.context import WordContext

FIELDS: Final = {
    "gender": word_set("sex gender"),
    "race": word_set("race ethnicity ethnic racial"),
    "religion": word_set("religion faith religious denomination"),
    "nationality": word_set("nationality citizenship national"),
    "orientation": word_set("orientation sexuality sexual"),
    "disability": word_set("disability disabilities impairment"),
    "age": word_set("age"),
}
"""The words of each attribute that a field is called by."""

_ENDINGS: Final = word_set(
    "group background origin identity status affiliation category orientation"
)
_ASIDE: Final = "("
_MARKS: Final = frozenset(":=|\t,-–—")
_LABEL_MARKS: Final = _MARKS | frozenset(" '\"“”*`[(\u00a0")
_STRICT: Final = frozenset(":=|\t")
_SAID: Final = _MARKS | {_ASIDE}


def is_value(form: Form, place: WordContext) -> bool:
    """Whether it is all that a field of its attribute says, or a field of a person."""
    if form.kind not in (Kind.ADJECTIVE, Kind.NOUN) or form.slot == "pl":
        return False
    gap = place.gap_before()
    if not _LABEL_MARKS.issuperset(gap) or _SAID.isdisjoint(gap) or not _is_all(place):
        return False
    label = place.tokens.word(place.first - 1)
    if _names(form.attribute, place):
        return True
    person = place.is_person(label) or (_ASIDE in gap and place.is_name(place.first - 1))
    return form.kind is Kind.ADJECTIVE and person and (":" in gap or _ASIDE in gap)


def _names(attribute: str, place: WordContext) -> bool:
    """Whether the field is called by the attribute: "ethnic group", "applicant_race"."""
    own = FIELDS.get(attribute, frozenset[str]())
    label, before = place.tokens.word(place.first - 1), place.tokens.word(place.first - 2)
    words = label.split("_")
    if _STRICT.isdisjoint(place.gap_before()):
        return label in own and attribute == "gender" and " " in place.gap_before()
    if label == "birth":  # "sex at birth"
        return place.tokens.word(place.first - 3) in own or before == "assigned"
    return not own.isdisjoint(words) or (label in _ENDINGS and before in own)


def _is_all(place: WordContext) -> bool:
    """Whether nothing follows that it would describe."""
    after = place.gap_after()
    ended = place.last + 1 >= len(place.tokens.lower) or not after.replace("\u00a0", " ").isspace()
    return ended or "\n" in after or place.after() in place.cues.function
