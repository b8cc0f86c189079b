"""Forms of English verbs that agreement with "he", "she" and "they" turns on."""

from __future__ import annotations

from guard.counterfactual.english.words import english as en
from guard.counterfactual.english.words import word_set

_TO_PLURAL = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isnt": "arent",
    "wasnt": "werent",
    "hasnt": "havent",
    "doesnt": "dont",
}
_TO_SINGULAR = {plural: single for single, plural in _TO_PLURAL.items()} | {"am": "is"}
_SAME_IN_PAST = word_set(
    "put let set cut hit read shut cost hurt quit spread split bet burst cast shed rid beat bid"
)


def plural_form(verb: str) -> str | None:
    """What follows "they" for what follows "she": "is" to "are", "tries" to "try".

    None where the form is the same, or the word is no verb in the third person.
    """
    if verb in _TO_PLURAL:
        return _TO_PLURAL[verb]
    if len(verb) < 3 or not verb.endswith("s") or verb.endswith(("ss", "us", "is", "'s")):
        return None
    return None if verb in en().not_verbs_in_s or not verb.isalpha() else _base(verb)


def _base(verb: str) -> str:
    if verb in en().verbs_dropping_s:
        return verb[:-1]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb in en().verbs_dropping_es or verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1]


def singular_form(verb: str) -> str | None:
    """What follows "she" for what follows "they"; None where the form is the same."""
    if verb in _TO_SINGULAR:
        return _TO_SINGULAR[verb]
    if verb in en().modals or verb in en().auxiliaries or in_past(verb) or not verb.isalpha():
        return None
    return _third_person(verb)


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "o", "u"):
        return verb[:-1] + "ies"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    return verb + "s"


def in_past(verb: str) -> bool:
    """Whether the form is a past tense, which is the same for every subject but for "was"."""
    return verb in en().past_forms or (
        verb.endswith("ed") and verb not in ("need", "feed", "bleed", "speed")
    )


def unclear_tense(verb: str) -> bool:
    """Whether present and past look the same: "they put"."""
    return verb in _SAME_IN_PAST


def known_verb(verb: str) -> bool:
    """Whether this base form is a verb often enough to be taken for one."""
    return verb in en().base_verbs or verb in _TO_SINGULAR or _third_person(verb) in en().only_verbs


def only_verb(verb: str) -> bool:
    """Whether this third person is rarely a noun in the plural: "gives", and not "dogs"."""
    return verb in en().only_verbs


def is_participle(verb: str) -> bool:
    """A past participle, by its form."""
    return verb in en().participles or (verb.endswith("ed") and len(verb) > 3 and verb != "need")


def takes_have(verb: str) -> bool:
    """A participle that only "has" stands before: "she's been", "he's got"."""
    return verb in en().have_participles


def is_state(participle: str) -> bool:
    """A participle that describes: "she's tired" is "she is tired"."""
    return participle in en().state_participles
