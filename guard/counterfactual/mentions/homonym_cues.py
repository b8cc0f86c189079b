"""First names that are better known as something else: "Chase", "German", "Alberta", "Mac".

Their capital says nothing, for the other thing has one as well. So such a name counts as a person
only where the text says so; where only a pronoun might be that one's, it stays in doubt, and
everywhere else it is no mention. Weights as in `likelihood`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.surnames import surname_after

IN_FULL = "firms"
"""What a name is taken for that is part of a company's full name: "Edward Jones"."""
PERSON, DOUBT, THING = 4.0, -2.0, -9.0
IN_DOUBT = 1 / (1 + exp(-DOUBT))
"""The confidence of a name that is rather a thing's, where a pronoun may be its bearer's."""

OWNING = word_set("a an the my our your his her their another each every")
"""What stands before a thing that has such a name: "a Mac", "my Mercedes"."""
_UNNAMED = frozenset(("tongues",))  # "German" is hardly ever a name
_NOBODY = frozenset(("gods",))  # nobody is called so
_WORDLIKE = frozenset(("tongues", "words"))
_SPOKEN_TO = frozenset(("assistants",))
_ACTING = frozenset(("firms", "assistants", "places"))  # these say, want and lose things as well
_WHERE_PEOPLE_ARE = frozenset(("places", "firms", "products"))
_GREETING = word_set("dear hi hello hey thanks called")
_RANKS = word_set("king queen prince princess saint lord sir lady dame miss")
_NAMES = word_set("name names")
_JOINING = word_set("that because and but if when whether while so since")
_ASKING = word_set("did does has had is was can could will would should do")
_HUMAN = word_set(
    "laughed cried smiled married divorced died slept graduated retired woke feels felt thinks"
    " thought hopes hoped worries worried wonders wondered loves loved forgot remembers remembered"
    " studied apologised apologized"
)
_KIN = word_set(
    "husband wife mother father mum mom dad sister brother son daughter girlfriend boyfriend"
    " parents kids children birthday wedding"
)
_WITH_OTHERS = word_set("i my his her")
_BODILY = word_set(
    "broke hurt injured speaks spoke eats ate drinks drank sleeps sings sang dances danced swims"
    " cooks cooked walked ran sat stood wears wore"
)
_OF_FIRMS = word_set("company companies city cities site sites ship")
_MET = word_set("met married hugged kissed dated divorced")
_WORKS = word_set("work works worked")
_CLOSING = word_set("signed regards sincerely yours best cheers faithfully truly love thanks")
_BEFORE = word_set("to with from for by about told tell met called call ask asked")
_SHE, _HE = word_set("she her hers herself"), word_set("he him his himself")
_PRONOUNS = {"female": _SHE, "male": _HE}
_SUBJECTS = word_set("he she himself herself")
_ENDS = frozenset(".!?\n}")
_REACH = 11  # words after the name among which a pronoun is looked for
_BACK = 8  # words before the name among which somebody else is looked for


def known_as(place: WordContext) -> str:
    """What the name is better known as here; empty where it is known as a name alone."""
    if place.in_full_name():
        return IN_FULL
    record = place.lexicons.people.first.record(place.word)
    return record.known_as if record is not None else ""


def homonym_score(form: Form, place: WordContext, kind: str) -> float:
    """Log-odds that the name means a person here, whatever is known of the bare word."""
    if place.in_full_name():
        return PERSON if _is_introduced(place, kind) or is_spoken_of(form, place) else THING
    if _has_surname(place, kind):
        return PERSON
    if _is_owned(place) or kind in _NOBODY:
        return THING
    if _is_introduced(place, kind) or (kind not in _UNNAMED and _is_person(form, place, kind)):
        return PERSON
    return DOUBT if _may_be_referred_to(form, place, kind) else THING


def _has_surname(place: WordContext, kind: str) -> bool:
    """ "Chase Miller", not "German Bishop" or "Halo White"."""
    span = surname_after(place.tokens.text, place.tokens.ends[place.last], place.cues.function)
    name = "" if span is None else place.tokens.text[span.start : span.end].lower()
    cues = place.cues
    words = [cues.people, cues.modifiers, cues.places, cues.organisations, cues.lands]
    words += [] if kind in ("firms", "places") else [cues.colors]
    known = bool(name) and bool(place.lexicons.people.surnames.background(name))
    return known and not any(name in one for one in words)


def _is_owned(place: WordContext) -> bool:
    """ "A Mac", "my new Mercedes", "his Chase account"."""
    return place.before(place.past(1, place.cues.modifiers)) in OWNING


def _is_introduced(place: WordContext, kind: str) -> bool:
    """ "My friend Chase", "a man named German", "my name is Chase", "Customer: Chase"."""
    before, two, cues = place.before(), place.before(2), place.cues
    if before == "named" or (before in ("is", "s") and two in _NAMES):
        return True
    if before == "called" and place.is_person(two):
        return True
    owned = two in cues.determiners or two == "the"
    small = place.tokens.surface(place.first - 1).islower()
    if place.is_person(before) and owned and small and before not in cues.modifiers | cues.firms:
        return True
    if before in cues.calling - _GREETING - _RANKS:
        return True
    label = place.tokens.word(place.first - 1)
    labelled = place.gap_before() == ": " and (place.is_person(label) or label in _NAMES)
    return labelled and kind not in _UNNAMED and not place.gap_after().startswith(" ")


def _is_person(form: Form, place: WordContext, kind: str) -> bool:
    rules = [_is_among_names(place, kind), _is_described(place, kind), _has_family(place)]
    rules += [place.before() in _MET, _does(form, place, kind), _is_signed(place)]
    rules += [_has_work(place), _is_predicate(form, place)]
    rules += [kind not in _WORDLIKE and _is_patient(form, place)]
    if kind not in _ACTING:
        rules += [_is_addressed(place), place.after() == "who", _is_told(place)]
    elif kind == "places":
        rules += [_is_addressed(place)]
    return kind not in _SPOKEN_TO and any(rules)


def _is_addressed(place: WordContext) -> bool:
    """ "Hi Mac, ..." and "Mac, can you help?"."""
    ends = place.gap_after()[:1] in (",", "!", "\n")
    greeted = place.before() in _GREETING - {"called"} and ends
    asked = place.after() in place.cues.auxiliaries or place.after() in ("please", "can", "could")
    return greeted or (place.starts_sentence() and place.gap_after() == ", " and asked)


def _is_told(place: WordContext) -> bool:
    return place.before() in place.cues.told and place.after() in place.cues.hearing


def _is_among_names(place: WordContext, kind: str) -> bool:
    """ "Sarah and Chase", "Chase, Emily and I"."""
    if place.after() == "and" and place.after(2) in _WITH_OTHERS:
        return True
    led = place.gap_before() == ", " and place.is_name(place.first - 1)
    goes_on = place.gap_after() == ", " and place.is_name(place.last + 1)
    ends = "and" in (place.after(2), place.after(), place.before())
    listed = ends or kind not in _WHERE_PEOPLE_ARE  # not "Alice, Stanford, 5 years"
    beside = (led and goes_on) or ((led or goes_on) and listed)
    joined = place.before() == "and" and place.is_name(place.first - 2)
    return beside or joined or (place.after() == "and" and place.is_name(place.last + 2))


def _is_described(place: WordContext, kind: str) -> bool:
    """ "Chase is a nurse", "Is Chase a nurse?", "Chase, a nurse", "Chase is married"."""
    beside = place.before() in ("is", "was") or place.gap_after() == ", "
    if not beside and place.after() not in ("is", "was", "s"):
        return False
    first = 1 if beside else 2
    what = place.after(first)
    if what in place.cues.feelings:
        return kind != "places"
    nouns = (place.after(first + 1), place.after(first + 2))
    said = any(place.is_person(one) and one not in place.cues.firms for one in nouns)
    return said and (what in ("a", "an") or what in place.cues.determiners)


def _has_work(place: WordContext) -> bool:
    """ "Stanley works as a nurse"."""
    works = place.after() in _WORKS and place.after(2) == "as" and place.after(3) in ("a", "an")
    return works and any(_is_human(place, place.after(steps)) for steps in (4, 5))


def _is_predicate(form: Form, place: WordContext) -> bool:
    """ "My employee is Zara. She ...", "This is Regis. He ..."."""
    if place.before() not in ("is", "was") or place.tokens.word(place.last + 1) not in (
        _SUBJECTS & _PRONOUNS.get(form.group, _SUBJECTS)
    ):
        return False
    return place.before(2) == "this" or _is_human(place, place.before(2))


def _is_patient(form: Form, place: WordContext) -> bool:
    """ "Patient Mac reports that his knee hurts"; not "User Manual"."""
    role = place.tokens.surface(place.first - 1).istitle() and not place.before(2)
    return role and _is_human(place, place.before()) and bool(_pronouns_after(form, place))


def _is_human(place: WordContext, noun: str) -> bool:
    return place.is_person(noun) and noun not in place.cues.firms


def _has_family(place: WordContext) -> bool:
    """ "Chase's wife", not "Chase's sister company"."""
    owns = place.gap_after().startswith(("'", "’")) and place.after() == "s"
    return owns and place.after(2) in _KIN and place.after(3) not in _OF_FIRMS


def _is_subject(place: WordContext) -> bool:
    before = place.before()
    asks = (
        before in _ASKING
        and WordContext(
            place.tokens, place.first - 1, place.first - 1, place.lexicons
        ).starts_sentence()
    )
    return asks or not before or before in _JOINING or place.starts_sentence()


def _does(form: Form, place: WordContext, kind: str) -> bool:
    """ "Chase married", "Mac asked me", "Chase lost his card"."""
    after, cues = place.after(), place.cues
    if not _is_subject(place) or (kind == "words" and after.endswith("ing")):
        return False
    if after in _HUMAN or (kind not in _ACTING and after in cues.persons):
        return True
    told = _pronouns_after(form, place)
    referred = bool(told) if kind == "firms" else not _SUBJECTS.isdisjoint(told)
    if after in _BODILY:
        return bool(told)
    return referred and (after in cues.persons or (kind not in _ACTING and after in cues.weak))


def _is_signed(place: WordContext) -> bool:
    """The last line of a letter, below "Kind regards"."""
    ends = place.last + 1 >= len(place.tokens.lower)
    begins = "\n" in place.gap_before() and place.tokens.word(place.first - 1) in _CLOSING
    return ends and begins


def _may_be_referred_to(form: Form, place: WordContext, kind: str) -> bool:
    """Whether the name stands where a person's may, and a pronoun of its group follows."""
    cues, after = place.cues, place.after()
    verbs = cues.persons | cues.asked | (cues.weak if kind not in _UNNAMED else frozenset())
    subject = _is_subject(place) and (after in verbs or kind not in _WORDLIKE)
    told = _is_told(place) or after == "about"
    behind = place.before() in _BEFORE | cues.company
    named = told or (behind and kind not in _UNNAMED)
    return (subject or named) and is_spoken_of(form, place)


def is_spoken_of(form: Form, place: WordContext) -> bool:
    """Whether a pronoun of its group follows that can mean nobody else of the sentence."""
    return pronoun_follows(form, place) and not _somebody_before(form, place)


def pronoun_follows(form: Form, place: WordContext) -> bool:
    """Whether a pronoun of its group follows before anybody else is named."""
    return bool(_pronouns_after(form, place))


def _pronouns_after(form: Form, place: WordContext) -> frozenset[str]:
    """Pronouns of the group behind the name, as far as nobody else is named before them."""
    wanted = _PRONOUNS.get(form.group, _SHE | _HE)
    found: set[str] = set()
    in_full = place.in_full_name()
    surname = place.gap_after() == " " and place.tokens.surface(place.last + 1)[:1].isupper()
    for at in _words(place.last + 1 + surname, place.last + 1 + _REACH, place):
        word = place.tokens.word(at)
        if in_full and not _ENDS.isdisjoint(place.tokens.gap(at - 1)):
            break
        if place.is_name(at) or (place.is_person(word) and not found):
            break
        if word in wanted:
            found.add(word)
    return frozenset(found)


def _somebody_before(form: Form, place: WordContext) -> bool:
    """Whether somebody else of the sentence may be whom the pronoun means."""
    wanted = _PRONOUNS.get(form.group, _SHE | _HE)
    for at in _words(place.first - 1, place.first - 1 - _BACK, place):
        if not _ENDS.isdisjoint(place.tokens.gap(at)):
            return False
        if place.tokens.word(at) in wanted or place.is_name(at):
            return True
    return False


def _words(start: int, end: int, place: WordContext) -> Iterator[int]:
    step = 1 if end >= start else -1
    size = len(place.tokens.lower)
    return (at for at in range(start, end, step) if 0 <= at < size)
