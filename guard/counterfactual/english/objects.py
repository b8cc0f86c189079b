"""Whether "her" is an object, told by the verb before it and the word after it."""

from __future__ import annotations

from guard.counterfactual.english.inflection import is_participle
from guard.counterfactual.english.subjects import Subject, owner_of
from guard.counterfactual.english.words import adjective, adverb_in_ly, ends_as_plural, nounlike
from guard.counterfactual.english.words import english as en
from guard.counterfactual.tokens import Words, is_word


def object_by_verb(words: Words, place: int, after: int) -> bool:
    """Whether the verb before, or what it is done with, makes "her" its object."""
    word, before = words.word(after), verb_before(words, place)
    quoted = after > place + 1 and before in en().saying
    wished = before in en().wishing and _is_done_to(words, after + adverb_in_ly(word))
    if quoted or wished:
        return True
    if adverb_in_ly(word):
        state = before in en().states and _state(words.word(after + 1), before)
        state = state and not nounlike(words.word(after + 2), strict=True)
        return state or not _owned_after_ly(words, after)
    if before in en().naming and _is_title(words, after):
        return True
    if word.endswith("ing") and (
        before in en().judging or (word == "feeling" and before == "left")
    ):
        return not nounlike(words.word(after + 1), strict=True)
    if word.endswith("ing") and word not in en().ing_nouns:
        return _seen_doing(words, before, after)
    if before in en().states and _state(word, before):
        return not _noun_after_adjectives(words, after)
    if before in en().causatives and (word in en().base_verbs or _transitive(words, before, after)):
        return _verb_after_causative(words, before, after)
    if before in en().prepositions:
        return _clause_goes_on(words, before, after)
    if _is_elected(before, word) or _alone(words, after) or _verb_of_clause(words, after):
        return True
    return is_gift(words, place, after) and owner_of(words, place - 1, after) is Subject.OTHER


def is_gift(words: Words, place: int, after: int) -> bool:
    """Whether the verb before and the word after may make "her" the one who gets something."""
    verb = verb_before(words, place)
    return verb in en().two_objects and _is_gift(words, verb, after)


def _state(word: str, verb: str) -> bool:
    left = verb.startswith(("le", "mak", "made", "find", "found", "keep", "kept", "got", "get"))
    changed = word.endswith("ed") and not word.endswith("eed") and len(word) > 4
    changed |= word.endswith("en") and len(word) > 5
    made = left and changed and word not in en().relatives
    return word in en().adjectives or word.endswith(_STATE_ENDINGS) or made


def _is_done_to(words: Words, after: int) -> bool:
    """ "want her fired", "had her tested for it"; not "need her signed and dated form"."""
    word, follow = words.word(after), words.word(after + 1)
    done = is_participle(word) or word == "missing"
    if not done or word in en().nouns_like_participles:
        return False
    if word in ("made", "named", "appointed", "elected") and follow in en().posts:
        return True
    if follow == "home" and word in en().moving | {"taken", "driven", "flown"}:
        return True
    end = after + 1
    while words.word(end) in ("and", "or", ",") and _describes(words.word(end + 1)):
        end += 2
    return not nounlike(words.word(end), strict=True) or words.word(end) in en().after_doing


def _describes(word: str) -> bool:
    return adjective(word) or is_participle(word.removeprefix("un"))


def _is_elected(before: str, word: str) -> bool:
    """ "elected her president", "called her names"."""
    return before in en().electing and (
        word in en().posts or (word == "names" and before[:4] == "call")
    )


def _alone(words: Words, after: int) -> bool:
    """ "licked her clean": an adjective without its noun."""
    word, follow = words.word(after), words.word(after + 1)
    ends = not is_word(follow) or follow in en().conjunctions
    return (
        word in en().adjectives and word not in en().adjectives_and_nouns and ends and follow != ","
    )


def _verb_of_clause(words: Words, after: int) -> bool:
    """ "seeing her made me smile": the verb of what "her" is the end of."""
    word, follow = words.word(after), words.word(after + 1)
    objects = en().openers
    return word in en().finite and word not in en().also_nouns and follow in objects


def _seen_doing(words: Words, before: str, after: int) -> bool:
    """ "heard her singing" against "her singing won a prize"."""
    follow = words.word(after + 1)
    if before in en().prepositions:
        opens = follow in en().openers or before == "without"
        return opens or (before == "with" and follow in en().prepositions)
    return before in en().perceiving and not nounlike(follow, strict=True)


def _clause_goes_on(words: Words, before: str, after: int) -> bool:
    """ "people like her know", "everyone around her smiled": the verb of the clause."""
    word, follow = words.word(after), words.word(after + 1)
    if word in en().finite:
        plain = word in ("arrived", "happened", "appeared") or not word.endswith("ed")
        return follow in en().determiners or (
            word not in en().also_nouns and (plain or not nounlike(follow))
        )
    return before in ("like", "around") and word in en().base_verbs and word not in en().nouns_first


_STATE_ENDINGS = ("less", "ful", "ous", "ive", "able", "ible")


def verb_before(words: Words, place: int) -> str:
    """The word before, looking through "gave only her" and "him and her"."""
    before = words.word(place - 1)
    return words.word(place - 2) if before in ("only", "even", "just", "both", "off") else before


def receives(words: Words, place: int) -> bool:
    """Whether the verb before gives "her" something: "gave her", "charged her"."""
    verb = verb_before(words, place)
    return verb in en().two_objects and verb not in en().taking


def _is_gift(words: Words, verb: str, after: int) -> bool:
    """Whether what follows is a thing given, and "her" the receiver."""
    word, follow = words.word(after), words.word(after + 1)
    if word in en().relatives or handed_on(words, after):
        return False
    if word in en().numbers or word.isdigit():
        year = len(word) == 4 and word.isdigit()  # "her 1998 essay"
        return not year or follow in en().units
    if not is_word(word) or (
        verb in en().yielding and word.endswith(("ity", "ion", "ness", "nce"))
    ):
        return not is_word(word) or word != "existence"
    if _is_cost(words, verb, after):
        return True
    if verb in en().taking or verb in en().of_amounts:
        return False
    if word in ("happy", "merry") and verb[:4] == "wish":
        return True
    if word in en().gifts:
        return follow not in ("own", "back", "away")
    if verb in en().sending and follow == "to" and _bare(word):
        return True  # "mailed her forms to fill in"
    described = adjective(word) and follow in en().gifts
    if verb in en().giving:
        return described or _bare(word) or (adjective(word) and _bare(follow))
    return described


def _is_cost(words: Words, verb: str, after: int) -> bool:
    """ "charged her late fees", "saved her hours of work", "quoted her prices"."""
    word, follow = words.word(after), words.word(after + 1)
    if verb.startswith(("sav", "cost")) and ends_as_plural(word) and word in en().units:
        return follow == "of" or not nounlike(follow, strict=True)
    if verb.startswith("sav") and word in ("time", "trouble", "effort"):
        return True
    if verb.startswith("prescrib"):
        return word in en().gifts or _bare(word) or (adjective(word) and _bare(follow))
    cost = follow if adjective(word) else word
    charged = verb.startswith("charg") and cost in en().costs
    return charged or (verb.startswith("quot") and cost in ("prices", "rates", "premiums"))


def handed_on(words: Words, after: int) -> bool:
    """Whether what is hers goes to another: "gave her keys to me"."""
    return (
        "to" in (words.word(after + 1), words.word(after + 2))
        and words.word(after + 1 + (words.word(after + 1) != "to") + 1) not in en().base_verbs
    )


def _bare(word: str) -> bool:
    """A noun that needs no determiner: a plural."""
    return ends_as_plural(word) and len(word) > 3


def _transitive(words: Words, verb: str, after: int) -> bool:
    """ "let her banish the thought": an object follows, so it is a verb."""
    word, follow = words.word(after), words.word(after + 1)
    opens = follow in en().determiners | en().possessives | {"it", "me", "them", "us", "you"}
    helped = verb.startswith(("help", "let", "mak", "made"))
    return helped and opens and word not in en().relatives and not word.endswith("s")


def _is_title(words: Words, after: int) -> bool:
    """ "call her Dad", "called her handsome": what she is called and not what she has."""
    word, surface = words.word(after), words.surface(after)
    if word in en().relatives or word in en().called_up:
        return False
    return word in en().adjectives | en().called or (
        surface[:1].isupper() and not surface.isupper()
    )


def _verb_after_causative(words: Words, verb: str, after: int) -> bool:
    word, follow = words.word(after), words.word(after + 1)
    if verb.startswith(("let", "bid")):  # not "lets her work suffer"
        return word not in en().nouns_first | en().also_nouns or follow not in en().base_verbs
    if word not in en().nouns_first:
        return True
    if follow in en().openers | en().numbers | en().after_verb:
        return True
    if verb.startswith(("mak", "made")) and follow in ("on", "at", "until", "all"):
        return True
    if (
        verb.startswith(("ha", "feel", "felt", "notic", "help"))
        or word in en().things_after_causatives
    ):
        return False
    return word not in en().relatives or verb.startswith("see")


def _noun_after_adjectives(words: Words, after: int) -> bool:
    place = after
    while place < after + 4 and (adjective(words.word(place)) or words.word(place) == ","):
        place += 1
    return nounlike(words.word(place), strict=True)


def _owned_after_ly(words: Words, after: int) -> bool:
    """ "her deeply held beliefs", "her amazingly soft coat": more than an adverb follows."""
    follow = words.word(after + 1)
    amount = follow in en().numbers or follow.isdigit() or follow in ("double", "half", "twice")
    return nounlike(follow, strict=True) and not amount
