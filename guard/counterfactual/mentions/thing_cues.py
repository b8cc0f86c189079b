"""Where a first name, also a plain one, names no person: "an Oscar", "Hurricane Ian"."""

from __future__ import annotations

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.homonym_cues import OWNING
from guard.counterfactual.mentions.surnames import surname_after
from guard.counterfactual.names import NAME_ALONE

_PRIZES = word_set("oscar emmy tony hugo edgar")
_WINNING = word_set("won win wins winning")
_COUNTED = word_set("a an the first second third another best one two any no next last each every")
_KEEPING = word_set("her his their")
_STORMS = word_set("hurricane cyclone typhoon storm")
_JOURNEYS = word_set("flight flights train trains bus buses")
_DISCOVERED = word_set(
    "law laws equation equations theorem lemma inequality syndrome esophagus paradox conjecture"
    " algorithm criterion razor constant transform"
)
_ILLNESSES = word_set("syndrome esophagus")
_READ = word_set("read reread reading watched watching watch rewatched")
_SAID = word_set("is was are were has does did")
_OPENING = word_set("be open reopen close")
_FURTHER = word_set("and or by again")


def is_thing(place: WordContext) -> bool:
    """Whether the words around say that a storm, a prize, a shop, a town or a law has the name."""
    rules = (_is_storm, _is_prize, _is_shop, _is_where, _is_discoverer)
    return any(rule(place) for rule in rules)


def stands_as_thing(form: Form, place: WordContext) -> bool:
    """Whether it stands as a thing or a work does, unless a pronoun of its bearer follows."""
    return _is_counted(form, place) or _is_read(place)


def may_be_bearer(place: WordContext) -> bool:
    """Whether one of these is no proof, if a pronoun follows: "Mary's has expired and she ..."."""
    return any(rule(place) for rule in (_is_storm, _is_prize, _is_shop, _is_law, _is_read))


def _is_storm(place: WordContext) -> bool:
    """ "Hurricane Ian", "Storm Debby"; not "after the storm Sarah left"."""
    before = place.tokens.surface(place.first - 1)
    return place.before() in _STORMS and (before[:1].isupper() or place.before() != "storm")


def _is_prize(place: WordContext) -> bool:
    """ "Her first Oscar", "won an Emmy"."""
    if place.word not in _PRIZES:
        return False
    owns = place.gap_after().startswith(("'", "’"))
    spoken_of = any(place.after(steps) in place.cues.possessive for steps in range(1, 8))
    kept = place.before() in _KEEPING and not spoken_of
    return place.before() in _COUNTED or ((kept or place.before() in _WINNING) and not owns)


def _is_shop(place: WordContext) -> bool:
    """ "Denny's was closed"."""
    owns = place.gap_after().startswith(("'", "’")) and place.after() == "s"
    will = place.after(2) == "will" and place.after(3) in _OPENING
    return owns and (will or place.after(2) in _SAID)


def _is_discoverer(place: WordContext) -> bool:
    """ "Charles's law", "Addison's disease"; not "Charles's law degree"."""
    owns = place.gap_after().startswith(("'", "’")) and place.after() == "s"
    if not owns or place.after(2) not in _DISCOVERED:
        return False
    return not place.after(3) or place.after(3) in place.cues.function


def _is_law(place: WordContext) -> bool:
    return _is_discoverer(place) and place.after(2) not in _ILLNESSES


def _is_where(place: WordContext) -> bool:
    """ "The flight to Charlotte"."""
    return place.before() in ("to", "from") and place.before(2) in _JOURNEYS


def _is_counted(form: Form, place: WordContext) -> bool:
    """ "A Bentley", "our Madison office"; not "a Sarah Miller"."""
    before = place.before()
    if before not in OWNING or (form.person >= NAME_ALONE and before not in ("a", "an")):
        return False
    end = place.tokens.ends[place.last]
    return surname_after(place.tokens.text, end, place.cues.function) is None


def _is_read(place: WordContext) -> bool:
    """ "I read Emma and Rebecca by candlelight"; not "I read Emma a story"."""
    joined = place.before() in ("and", "or") and place.is_name(place.first - 2)
    before = place.before(3) if joined else place.before()
    return before in _READ and (not place.after() or place.after() in _FURTHER)
