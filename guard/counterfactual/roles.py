"""What "her" and "his" are in their sentence: an object, a determiner, a possessive pronoun."""

from __future__ import annotations

from collections.abc import Callable

from guard.counterfactual import english as en
from guard.counterfactual.words import Words, is_word

OBJECT = "object"
DETERMINER = "possessive"
PRONOUN = "possessive.pronoun"

_OPENERS = frozenset("*_\"“‘'([`~")
_PERIOD_UNITS = en.TIMES | {"now", "then"}


def role_of_her(words: Words, place: int) -> str:
    """`object` ("saw her") or `possessive` ("her dog") for the "her" at this place."""
    after = _next(words, place)
    found = _object_by_next_word(words, place, after)
    if found is None:
        found = _object_by_verb(words, place, after)
    return OBJECT if found else DETERMINER


def role_of_his(words: Words, place: int) -> str:
    """`possessive` ("his dog") or `possessive.pronoun` ("the dog is his") for this "his"."""
    after = _next(words, place)
    word = words.word(after)
    if not is_word(word):
        return PRONOUN
    if words.hyphened(after) or word in ("own", "being", "having"):
        return DETERMINER
    if word in ("and", "or"):
        return _shared(words, after)
    if _verb_of_double_genitive(words, after):
        return PRONOUN
    if word in ("will", "might", "can", "may", "like", "past", "inside", "outside"):
        return PRONOUN if _clause_follows(words, after) else DETERMINER
    return PRONOUN if word in _AFTER_HIS else DETERMINER


_AFTER_HIS = (
    (en.AUXILIARIES - {"being", "will", "can", "may", "might", "having", "must"})
    | (en.PREPOSITIONS - en.DIRECTIONS - {"past", "like", "near", "inside", "outside"})
    | en.CONJUNCTIONS - {"once", "yet"}
    | (en.DETERMINERS - {"every", "each", "no", "such", "both"})
    | (en.PRONOUNS - {"one"})
    | {"not", "too", "either", "also", "alone", "anymore", "now", "today", "first", "instead"}
) - {"first", "now", "today", "alone"}


def _shared(words: Words, after: int) -> str:
    """ "his and her dogs", "his and Mary's dogs" own what follows; "his and mine" do not."""
    other = words.word(after + 1)
    owned_by_name = words.word(after + 2) in ("'s", "'", "’")
    owner = other in en.POSSESSIVES and is_word(words.word(after + 2))
    owner = owner and words.word(after + 2) not in en.AUXILIARIES
    return DETERMINER if owner or owned_by_name else PRONOUN


def _verb_of_double_genitive(words: Words, after: int) -> bool:
    """ "a friend of his runs the bar", "her plan failed, his worked"."""
    word, follow = words.word(after), words.word(after + 1)
    verb = word in en.FINITE or (word.endswith("ed") and len(word) > 4)
    return verb and not _nounlike(follow, strict=True)


def _clause_follows(words: Words, after: int) -> bool:
    follow = words.word(after + 1)
    return follow in ("be", "have", "not", "n't", "never", "always", "the", "a", "this", "that")


def _next(words: Words, place: int) -> int:
    """The next word, looking through an opening quotation mark or bracket: `her "friend"`."""
    after = place + 1
    while after < place + 4 and words.word(after) in _OPENERS:
        if words.joined(after) or not words.joined(after + 1):  # a closing mark, or a lone one
            return after
        after += 1
    return after


def _object_by_next_word(words: Words, place: int, after: int) -> bool | None:
    """What the word after "her" says, None where it leaves both open."""
    word = words.word(after)
    if not is_word(word) or (word == "'s" and not words.joined(after)):
        return True
    if after == place + 1 and words.joined(after) and word != "'s":
        return word != "-"
    if words.hyphened(after):
        return _hyphened_state(words, place, after)
    if word in en.NEVER_OWNED:
        return not (_owned_after_adverb(words, after) or _owned_together(words, place, after))
    if word in _BY_WORD:
        return _BY_WORD[word](words, place, after)
    return None


def _hyphened_state(words: Words, place: int, after: int) -> bool:
    """ "makes her kind-hearted" against "her kind-hearted aunt"."""
    state = words.word(after + 2).endswith(("ed", "ful", "less", "free"))
    return state and words.word(place - 1) in _STATES and not _nounlike(words.word(after + 3))


def _owned_together(words: Words, place: int, after: int) -> bool:
    """ "her or his dog", "Her and my ideas"."""
    if words.word(after) not in ("and", "or", "&", "/"):
        return False
    other, owned = words.word(after + 1), words.word(after + 2)
    if other == "his" or (other == "their" and words.word(after) == "or"):
        return _nounlike(owned)
    return words.starts_sentence(place) and other in en.POSSESSIVES and _nounlike(owned)


def _owned_after_adverb(words: Words, after: int) -> bool:
    """ "her always cheerful aunt", "her not replying": an adjective and a noun, or a doing."""
    if words.word(after) not in ("always", "never", "ever", "already", "even", "not", "just"):
        return False
    if words.word(after + 1).endswith("ing"):
        return words.word(after) != "just"
    return _adjective(words.word(after + 1)) and _nounlike(words.word(after + 2))


def _object_by_verb(words: Words, place: int, after: int) -> bool:
    word, before = words.word(after), _verb_before(words, place)
    if after > place + 1 and before in _SAYING:
        return True
    if word.endswith("ly") and word not in en.NOT_ADVERBS_IN_LY:
        return not _owned_after_ly(words, after)
    if word.endswith("ing") and before in _JUDGING:
        return not _nounlike(words.word(after + 1), strict=True)
    if word.endswith("ing") and word not in en.ING_NOUNS:
        return _seen_doing(words, before, after)
    if before in _STATES and _state(word, before):
        return not _noun_after_adjectives(words, after)
    if before in en.CAUSATIVES and word in en.BASE_VERBS:
        return _verb_after_causative(words, before, after)
    if before in en.PREPOSITIONS:
        return _clause_goes_on(words, before, after)
    if before in en.ELECTING and word in en.POSTS:
        return True
    return before in en.TWO_OBJECTS and _given(words, before, after)


_SAYING = en.word_set("tell tells told telling call calls called asked text texted answered")


_JUDGING = en.word_set("find finds found finding consider considers considered call called")


def _state(word: str, verb: str) -> bool:
    left = verb.startswith(("le", "mak", "made", "find", "found", "keep", "kept", "got", "get"))
    made = left and word.endswith(("ed", "en")) and len(word) > 5 and word not in en.RELATIVES
    return word in en.ADJECTIVES or word.endswith(_STATE_ENDINGS) or made


def _seen_doing(words: Words, before: str, after: int) -> bool:
    """ "heard her singing" against "her singing won a prize"."""
    follow = words.word(after + 1)
    if before in en.PREPOSITIONS:
        opens = follow in en.DETERMINERS | en.POSSESSIVES | en.PRONOUNS or before == "without"
        return opens or (before == "with" and follow in en.PREPOSITIONS)
    return before in en.PERCEIVING and not _nounlike(follow, strict=True)


def _clause_goes_on(words: Words, before: str, after: int) -> bool:
    """ "people like her know", "everyone around her smiled": the verb of the clause."""
    word, follow = words.word(after), words.word(after + 1)
    if word in en.FINITE:
        plain = word in ("arrived", "happened", "appeared") or not word.endswith("ed")
        return follow in en.DETERMINERS or (
            word not in _ALSO_NOUNS and (plain or not _nounlike(follow))
        )
    return before in ("like", "around") and word in en.BASE_VERBS and word not in en.NOUNS_FIRST


_ALSO_NOUNS = en.word_set("lay need works plays runs live lost worn wants helps")
_STATE_ENDINGS = ("less", "ful", "ous", "ive", "able", "ible")


_MAKING = en.word_set(
    "make makes made making find finds found finding keep keeps kept keeping consider considers "
    "considered get gets got getting drive drives drove leave leaves left call calls called feel "
    "render renders rendered think thinks thought want wants wanted hold holds held turn turned "
    "declare declared deem deemed believe see saw prove proved set eat burn burned buried love "
    "loves loved need bring take took"
)
_STATES = _MAKING | en.CAUSATIVES


def _verb_before(words: Words, place: int) -> str:
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
    if word in en.GIFTS:
        return not (is_word(follow) and follow == "own")
    if verb in en.GIVING:
        return _bare(word) or (_adjective(word) and (_bare(follow) or follow in en.GIFTS))
    return False


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


# Rather had than done, even after "see" and "make".
_THINGS = en.word_set(
    "love face support address process focus experience practice plan study hope point target "
    "figure voice sign place cross load shop name mark bow call wish promise visit return drink "
    "share need trust respect question challenge research master score pet shower button dress "
    "escape answer cough trip lie gaze burn stick hide catch aim worry stress sound touch"
)
_AFTER_VERB = en.word_set("away into onto through across toward towards down up off along past")


def _noun_after_adjectives(words: Words, after: int) -> bool:
    place = after
    while place < after + 4 and (_adjective(words.word(place)) or words.word(place) == ","):
        place += 1
    return _nounlike(words.word(place))


def _adjective(word: str) -> bool:
    return word in en.ADJECTIVES or word.endswith(("ed", "ful", "ous", "ive", "able", "al", "ic"))


def _owned_after_ly(words: Words, after: int) -> bool:
    """ "her deeply held beliefs": an adjective or a participle and then a noun."""
    word = words.word(after + 1)
    described = _adjective(word) or word.endswith(("ing", "en", "wn", "ld", "nt"))
    return described and _nounlike(words.word(after + 2))


def _nounlike(word: str, *, strict: bool = False) -> bool:
    """A word that no closed class holds; strict: and that is no adverb either."""
    if not is_word(word) or word in _CLOSED:
        return False
    return not word.endswith("ly") and not (strict and (word in en.ADVERBS or word in en.TIMES))


_CLOSED = (
    en.DETERMINERS
    | en.PRONOUNS
    | en.POSSESSIVES
    | en.PREPOSITIONS
    | en.CONJUNCTIONS
    | en.AUXILIARIES
    | en.word_set("not here there today yesterday tomorrow tonight again now then too")
)


def _timed(words: Words, place: int, after: int) -> bool:
    """ "saw her last night" against "her last night in Rome"."""
    if words.word(place - 1) in en.PREPOSITIONS or words.starts_sentence(place):
        return False
    return words.word(after + 1) in en.TIMES


def _moved(words: Words, place: int, after: int) -> bool:
    """ "took her home", "hold her close" against "left her home", "on her back"."""
    word, before, follow = words.word(after), words.word(place - 1), words.word(after + 1)
    if word in ("off", "under", "over", "above") or follow in en.DETERMINERS:
        return not words.starts_sentence(place) and not (word == "back" and before in en.HURTING)
    if before in en.PREPOSITIONS or words.starts_sentence(place):
        return False
    if word == "back" and (follow in en.NUMBERS or follow.isdigit()):
        return True
    if word in ("back", "right") and before in en.HURTING:
        return False
    if word in ("right", "past", "first", "back", "home", "inside", "outside"):
        return before in en.MOVING and not _nounlike(follow, strict=True)
    return not _nounlike(follow, strict=True) or follow in en.POSSESSIVES


def _compared(words: Words, place: int, after: int) -> bool:
    """ "loves her more" against "her more recent work"."""
    follow = words.word(after + 1)
    if words.word(place - 1) in _STATES and _adjective(follow):
        return not _nounlike(words.word(after + 2))
    return not (_adjective(follow) or _nounlike(follow, strict=True) or follow in en.ADVERBS)


def _degree(words: Words, place: int, after: int) -> bool:
    """ "loves her so much" against "her very kind aunt"."""
    follow = words.word(after + 1)
    if follow in ("much", "badly", "well", "bad", "hard", "that", "many", "far", "long", "often"):
        return True
    if words.word(place - 1) in en.PREPOSITIONS or not (_adjective(follow) or follow in _CLOSED):
        return False
    return not _nounlike(words.word(after + 2)) or follow in _CLOSED


def _marked(words: Words, place: int, after: int) -> bool:
    """ "gave her no choice", "told her all about it"; "her every move" is her own."""
    word, follow = words.word(after), words.word(after + 1)
    if word == "every":
        return follow in en.TIMES or follow in ("single", "other", "few")
    if word == "one":
        return not _nounlike(follow) or words.word(place - 1) in en.TWO_OBJECTS
    if word == "all":
        return follow in _CLOSED or follow in en.TIMES or _nounlike(follow)
    return True


def _modal(words: Words, _: int, after: int) -> bool:
    """ "those who know her will agree" against "read her will"."""
    follow = words.word(after + 1)
    return follow in en.BASE_VERBS or follow in ("be", "have", "not", "n't", "never", "always")


def _dated(words: Words, _: int, after: int) -> bool:
    """ "miss her now" against "her now husband", "her once famous face"."""
    return not _nounlike(words.word(after + 1), strict=True)


def _being(words: Words, place: int, _: int) -> bool:
    return _verb_before(words, place) in en.PERCEIVING


def _best(words: Words, _: int, after: int) -> bool:
    return not _nounlike(words.word(after + 1))


_MOMENTS = [
    "early",
    "late",
    "almost",
    "now",
    "then",
    "once",
    "soon",
    "still",
    "yet",
    "later",
    "often",
]
_BY_WORD: dict[str, Callable[[Words, int, int], bool]] = {
    **dict.fromkeys(("last", "next"), _timed),
    **dict.fromkeys(en.DIRECTIONS, _moved),
    **dict.fromkeys(("more", "less", "most", "much", "enough", "least"), _compared),
    **dict.fromkeys(("so", "very", "too", "quite", "really", "pretty", "rather"), _degree),
    **dict.fromkeys(("every", "one", "all", "no", "such", "each", "both", "half"), _marked),
    **dict.fromkeys(("will", "can", "might", "may", "must", "ca", "wo"), _modal),
    **dict.fromkeys(_MOMENTS, _dated),
    **dict.fromkeys(("being", "having"), _being),
    **dict.fromkeys(("better", "best", "well", "fast", "like", "online", "only"), _best),
}
