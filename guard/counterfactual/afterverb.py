"""Whether "her" is an object, told by the verb before it and the word after it."""

from __future__ import annotations

from guard.counterfactual import english as en
from guard.counterfactual.wordclass import adjective, nounlike
from guard.counterfactual.words import Words, is_word


def object_by_verb(words: Words, place: int, after: int) -> bool:
    word, before = words.word(after), verb_before(words, place)
    if after > place + 1 and before in _SAYING:
        return True
    if word.endswith("ly") and word not in en.NOT_ADVERBS_IN_LY:
        state = before in STATES and _state(words.word(after + 1), before)
        return state or not _owned_after_ly(words, after)
    if before in _NAMING and _called(words, after):
        return True
    if word.endswith("ing") and (before in _JUDGING or (word == "feeling" and before == "left")):
        return not nounlike(words.word(after + 1), strict=True)
    if word.endswith("ing") and word not in en.ING_NOUNS:
        return _seen_doing(words, before, after)
    if before in STATES and _state(word, before):
        return not _noun_after_adjectives(words, after)
    if before in en.CAUSATIVES and (word in en.BASE_VERBS or _transitive(words, before, after)):
        return _verb_after_causative(words, before, after)
    if before in en.PREPOSITIONS:
        return _clause_goes_on(words, before, after)
    if _elected(before, word) or _alone(words, after) or _verb_of_clause(words, after):
        return True
    return before in en.TWO_OBJECTS and _given(words, before, after)


_SAYING = en.word_set(
    "calling labeled labelled tell tells told telling call calls called asked text texted answered"
)

_JUDGING = en.word_set("find finds found finding consider considers considered call called")


def _state(word: str, verb: str) -> bool:
    left = verb.startswith(("le", "mak", "made", "find", "found", "keep", "kept", "got", "get"))
    made = left and word.endswith(("ed", "en")) and len(word) > 5 and word not in en.RELATIVES
    return word in en.ADJECTIVES or word.endswith(_STATE_ENDINGS) or made


def _elected(before: str, word: str) -> bool:
    """ "elected her president", "called her names"."""
    return before in en.ELECTING and (
        word in en.POSTS or (word == "names" and before[:4] == "call")
    )


def _alone(words: Words, after: int) -> bool:
    """ "licked her clean": an adjective without its noun."""
    word, follow = words.word(after), words.word(after + 1)
    ends = not is_word(follow) or follow in en.CONJUNCTIONS
    return word in en.ADJECTIVES and word not in _ALSO_THINGS and ends and follow != ","


_ALSO_THINGS = en.word_set(
    "best worst right wrong young good cold red blue green white black blush special unconscious "
    "fat great better big dead fit true welcome open little old poor rich hard sick blind deaf"
)


def _verb_of_clause(words: Words, after: int) -> bool:
    """ "seeing her made me smile": the verb of what "her" is the end of."""
    word, follow = words.word(after), words.word(after + 1)
    objects = en.PRONOUNS | en.DETERMINERS | en.POSSESSIVES
    return word in en.FINITE and word not in ALSO_NOUNS and follow in objects


def _seen_doing(words: Words, before: str, after: int) -> bool:
    """ "heard her singing" against "her singing won a prize"."""
    follow = words.word(after + 1)
    if before in en.PREPOSITIONS:
        opens = follow in en.DETERMINERS | en.POSSESSIVES | en.PRONOUNS or before == "without"
        return opens or (before == "with" and follow in en.PREPOSITIONS)
    return before in en.PERCEIVING and not nounlike(follow, strict=True)


def _clause_goes_on(words: Words, before: str, after: int) -> bool:
    """ "people like her know", "everyone around her smiled": the verb of the clause."""
    word, follow = words.word(after), words.word(after + 1)
    if word in en.FINITE:
        plain = word in ("arrived", "happened", "appeared") or not word.endswith("ed")
        return follow in en.DETERMINERS or (
            word not in ALSO_NOUNS and (plain or not nounlike(follow))
        )
    return before in ("like", "around") and word in en.BASE_VERBS and word not in en.NOUNS_FIRST


ALSO_NOUNS = en.word_set("lay need works plays runs live lost worn wants helps")

_STATE_ENDINGS = ("less", "ful", "ous", "ive", "able", "ible")

_MAKING = en.word_set(
    "shoot shoots shot renders leaving driving takes taken taking make makes made making find "
    "finds found finding keep keeps kept keeping consider considers considered get gets got "
    "getting drive drives drove leave leaves left call calls called feel render rendered think "
    "thinks thought want wants wanted hold holds held turn turned declare declared deem deemed "
    "believe see saw prove proved set eat burn burned buried love loves loved need bring take "
    "took"
)

STATES = _MAKING | en.CAUSATIVES


def verb_before(words: Words, place: int) -> str:
    """The word before, looking through "gave only her" and "him and her"."""
    before = words.word(place - 1)
    return words.word(place - 2) if before in ("only", "even", "just", "both", "off") else before


def _given(words: Words, verb: str, after: int) -> bool:
    """Whether what follows is a thing given, and "her" the receiver."""
    word, follow = words.word(after), words.word(after + 1)
    if word in en.RELATIVES or _handed_on(words, after):
        return False
    if word in en.NUMBERS or word.isdigit():
        return len(word) != 4 or not word.isdigit()  # "her 1998 essay"
    if not is_word(word) or (verb in _YIELDING and word.endswith(("ity", "ion", "ness", "nce"))):
        return not is_word(word) or word != "existence"
    if verb in _TAKING:
        return False
    if word in ("happy", "merry") and verb[:4] == "wish":
        return True
    if word in en.GIFTS:
        return not (is_word(follow) and follow == "own")
    if verb in en.GIVING:
        return _bare(word) or (adjective(word) and (_bare(follow) or follow in en.GIFTS))
    return False


_TAKING = en.word_set(
    "take takes took taken set sets read reads reading sing sang draw drew sell sold"
)
_YIELDING = en.word_set("grant grants granted deny denied denies refused owe owes cost")


def _handed_on(words: Words, after: int) -> bool:
    """ "gave her keys to me": what is hers goes to another."""
    return (
        "to" in (words.word(after + 1), words.word(after + 2))
        and words.word(after + 1 + (words.word(after + 1) != "to") + 1) not in en.BASE_VERBS
    )


def _bare(word: str) -> bool:
    """A noun that needs no determiner: a plural."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3


def _transitive(words: Words, verb: str, after: int) -> bool:
    """ "let her banish the thought": an object follows, so it is a verb."""
    word, follow = words.word(after), words.word(after + 1)
    opens = follow in en.DETERMINERS | en.POSSESSIVES | {"it", "me", "them", "us", "you"}
    helped = verb.startswith(("help", "let", "mak", "made"))
    return helped and opens and word not in en.RELATIVES and not word.endswith("s")


def _called(words: Words, after: int) -> bool:
    """ "call her Dad", "called her handsome": what she is called and not what she has."""
    word, surface = words.word(after), words.surface(after)
    if word in en.RELATIVES or word in _CALLED_UP:
        return False
    return word in en.ADJECTIVES | _CALLED or (surface[:1].isupper() and not surface.isupper())


_NAMING = en.word_set("call calls called calling")

_CALLED_UP = en.word_set(
    "bluff office cell house home attorney agent manager therapist school names"
)

_CALLED = en.word_set(
    "dad daddy mom mommy sir ma'am madam white black racist sexist stupid handsome fat ugly "
    "bitch mister miss mr mrs boss master"
) - {"boss"}


def _verb_after_causative(words: Words, verb: str, after: int) -> bool:
    word, follow = words.word(after), words.word(after + 1)
    if verb.startswith(("let", "bid")):
        return True
    if word not in en.NOUNS_FIRST:
        return True
    if follow in en.DETERMINERS | en.POSSESSIVES | en.PRONOUNS | en.NUMBERS | _AFTER_VERB:
        return True
    if verb.startswith(("ha", "feel", "felt", "notic", "help")) or word in _THINGS:
        return False
    return word not in en.RELATIVES or verb.startswith("see")


_THINGS = en.word_set(
    "love face support address process focus experience practice plan study hope point target "
    "figure voice sign place cross load shop name mark bow call wish promise visit return drink "
    "share need trust respect question challenge research master score pet shower button dress "
    "escape answer cough trip lie gaze burn stick hide catch aim worry stress sound touch"
)

_AFTER_VERB = en.word_set("away into onto through across toward towards down up off along past")


def _noun_after_adjectives(words: Words, after: int) -> bool:
    place = after
    while place < after + 4 and (adjective(words.word(place)) or words.word(place) == ","):
        place += 1
    return nounlike(words.word(place), strict=True)


def _owned_after_ly(words: Words, after: int) -> bool:
    """ "her deeply held beliefs", "her amazingly soft coat": more than an adverb follows."""
    follow = words.word(after + 1)
    return nounlike(follow, strict=True) and follow not in en.NUMBERS and not follow.isdigit()
