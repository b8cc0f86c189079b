"""Forms of English verbs that agreement with "he", "she" and "they" turns on."""

from __future__ import annotations

from guard.counterfactual import english as en

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
_DROP_S = en.word_set("dies lies ties vies aches caches axes belies unties underlies hies")
_DROP_ES = en.word_set(
    "focuses canvasses biases gasses surpasses busses goes undergoes forgoes foregoes echoes "
    "vetoes does outdoes overdoes undoes redoes quizzes"
)
_NO_VERB = en.word_set(
    "always perhaps sometimes this his as us its yes besides nowadays thus less unless plus "
    "across towards afterwards ours hers theirs yours indoors outdoors upstairs downstairs "
    "overseas backwards forwards upwards downwards else's whereas alas christmas news 's mrs ms "
    "ourselves yourselves themselves is was has does"
)
_ONLY_VERBS = en.word_set(
    "goes gives gets says tells takes makes brings keeps becomes begins knows thinks wants sings "
    "writes reads teaches sells buys eats believes enjoys hates likes loves tries carries "
    "marries insists seems appears owns earns pays spends sends sits sleeps speaks stands stays "
    "lives dies arrives leaves comes enters follows forgets remembers realizes finds loses wins "
    "meets sees hears feels holds lets means allows asks refuses decides agrees admits accepts "
    "understands grows falls breaks builds catches chooses draws drives flies gathers happens "
    "helps hides hopes includes involves joins leads learns listens manages misses moves needs "
    "offers opens owes prefers prepares provides puts rides runs serves shares spreads steals "
    "suffers swims tends throws uses waits wakes wears works worries requires deserves delivers "
    "develops expects explains considers continues contains creates describes discusses receives "
    "remains returns sets shows starts stops struggles succeeds suggests travels turns watches "
    "wishes wonders repairs fails forgives cooks cleans hurries fishes packs steps pushes pulls "
    "plays grabs sighs nods stares glances whispers shouts screams blushes giggles grins leans "
    "reaches kneels kisses hugs removes complains coaches smokes lends rents"
)
_PAST = en.word_set(
    "was were had did said went came took gave got made knew thought saw found told felt left "
    "kept began became brought bought built caught chose drew drank drove ate fell fought flew "
    "forgot forgave froze grew heard held hid laid led lent lost meant met paid ran rang rode "
    "rose sang sat sold sent shook shot shone slept slid spoke spent stood stole struck swam "
    "swore taught threw understood woke wore won wrote withdrew tore sank stuck swept wept dealt "
    "leapt dreamt learnt burnt spelt spilt lit fed fled bled bred sped dug hung spun clung"
)
_SAME_IN_PAST = en.word_set(
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
    return None if verb in _NO_VERB or not verb.isalpha() else _base(verb)


def _base(verb: str) -> str:
    if verb in _DROP_S:
        return verb[:-1]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb in _DROP_ES or verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1]


def singular_form(verb: str) -> str | None:
    """What follows "she" for what follows "they"; None where the form is the same."""
    if verb in _TO_SINGULAR:
        return _TO_SINGULAR[verb]
    if verb in en.MODALS or verb in en.AUXILIARIES or in_past(verb) or not verb.isalpha():
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
    return verb in _PAST or (verb.endswith("ed") and verb not in ("need", "feed", "bleed", "speed"))


def unclear_tense(verb: str) -> bool:
    """Whether present and past look the same: "they put"."""
    return verb in _SAME_IN_PAST


def known_verb(verb: str) -> bool:
    """Whether this base form is a verb often enough to be taken for one."""
    return verb in en.BASE_VERBS or verb in _TO_SINGULAR or _third_person(verb) in _ONLY_VERBS


def only_verb(verb: str) -> bool:
    """Whether this third person is rarely a noun in the plural: "gives", and not "dogs"."""
    return verb in _ONLY_VERBS


def is_participle(verb: str) -> bool:
    """A past participle, by its form."""
    return verb in _PARTICIPLES or (verb.endswith("ed") and len(verb) > 3 and verb != "need")


def takes_have(verb: str) -> bool:
    """A participle that only "has" stands before: "she's been", "he's got"."""
    return verb in _WITH_HAVE


def is_state(participle: str) -> bool:
    """A participle that describes: "she's tired" is "she is tired"."""
    return participle in _STATES


_STATES = en.word_set(
    "tired excited married interested bored scared worried divorced engaged involved located "
    "retired pleased surprised confused concerned disappointed exhausted frightened annoyed "
    "ashamed embarrassed frustrated satisfied shocked stressed supposed used allowed based born "
    "dedicated determined devoted depressed drunk educated injured invited known locked lost "
    "overwhelmed prepared qualified related relaxed required skilled terrified convinced hurt "
    "talented trapped unemployed upset"
)
_WITH_HAVE = en.word_set(
    "been had got gotten gone become come arrived lived worked started begun tried decided "
    "learned learnt agreed promised wanted managed failed seen known heard said thought felt "
    "gained helped refused expressed sung eaten slept"
)
_PARTICIPLES = _WITH_HAVE | en.word_set(
    "done gone seen known heard said thought felt made taken given found lost left kept brought "
    "bought built caught chosen drawn driven fallen fought flown forgotten grown held hidden led "
    "met paid run sold sent shown sung spoken spent stood stolen taught thrown understood won "
    "worn written broken beaten born hurt put set cut read"
)
