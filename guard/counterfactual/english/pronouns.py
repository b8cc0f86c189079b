"""What "her" and "his" are in their sentence: an object, a determiner, a possessive pronoun."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from guard.counterfactual.english.doubts import (
    LIKING,
    is_double_genitive,
    may_be_given,
    may_be_his_or_not,
)
from guard.counterfactual.english.marks import OwnerRole, role_before_mark
from guard.counterfactual.english.objects import object_by_verb, receives, verb_before
from guard.counterfactual.english.words import adjective, ends_as_plural, nounlike, word_set
from guard.counterfactual.english.words import english as en
from guard.counterfactual.tokens import Words, is_word

OBJECT = "object"

DETERMINER = "possessive"

PRONOUN = "possessive.pronoun"

_AFTER_MODALS = ("be", "have", "not", "n't", "never", "always")

_OPENERS = frozenset("*_\"“‘'([`~")


def role_of_her(words: Words, place: int) -> str:
    """`object` ("saw her") or `possessive` ("her dog") for the "her" at this place."""
    if words.word(place - 2) == "she" and words.word(place - 1) == "/":
        return OBJECT  # her pronouns are "she/her"
    after = _next(words, place)
    if words.word(after) == "upside" and words.word(after + 1) == "down":
        return OBJECT
    role = role_before_mark(words, place, after)
    if role is not None:
        return DETERMINER if role is OwnerRole.OWNER else OBJECT
    found = _object_by_next_word(words, place, after)
    if found is None:
        found = object_by_verb(words, place, after)
    return OBJECT if found else DETERMINER


def is_doubtful(words: Words, place: int) -> bool:
    """Whether the role of the "her" or "his" at this place cannot be told: "loves her 💳 ..."."""
    after = _next(words, place)
    if role_before_mark(words, place, after) is OwnerRole.DOUBT:
        return True
    if words.word(place) == "his":
        return may_be_his_or_not(words, place, after)
    return role_of_her(words, place) == DETERMINER and may_be_given(words, place, after)


def role_of_his(words: Words, place: int) -> str:
    """`possessive` ("his dog") or `possessive.pronoun` ("the dog is his") for this "his"."""
    after = _next(words, place)
    word, role = words.word(after), role_before_mark(words, place, after)
    if role is OwnerRole.OWNER:
        return DETERMINER
    if not is_word(word):
        return PRONOUN
    if words.hyphened(after) or _is_censored(words, after) or word in _OWNED:
        return DETERMINER
    if word in ("and", "or"):
        return _share_owner(words, after)
    if _is_lone(words, after):
        return PRONOUN
    if _verb_of_double_genitive(words, after) or _goes_on(words, place, after):
        return PRONOUN
    if word in ("will", "might", "can", "may", "like", "past", "inside", "outside"):
        return PRONOUN if _clause_follows(words, after) else DETERMINER
    return PRONOUN if word in _after_his() else DETERMINER


_LONE = word_set(
    "alone now again twice already only still today tomorrow forever entirely exclusively"
)


def _is_lone(words: Words, after: int) -> bool:
    """ "the house is his alone", "it was his again"; not "his only car", "his now old car"."""
    word, follow = words.word(after), words.word(after + 1)
    if word not in _LONE:
        return False
    described = adjective(follow) or nounlike(follow, strict=word != "alone")
    return word in ("again", "twice") or not (described or follow in en().numbers)


def _goes_on(words: Words, place: int, after: int) -> bool:
    """ "a colleague of his called Tom", "a cousin of his will come"."""
    word, follow = words.word(after), words.word(after + 1)
    if not is_double_genitive(words, place):
        return False
    verb = word in en().finite or word in ("called", "named")
    if verb and words.surface(after + 1)[:1].isupper():
        return True
    return word in en().modals and follow in en().base_verbs


_OWNED = ("own", "being", "having", "behind", "beloved", "hatred")

_DIRECTIONS = word_set(
    "back home up down over off out inside outside under above past right close first"
)


@cache
def _after_his() -> frozenset[str]:
    """Words before which "his" stands for the thing as well: "his is", "his and mine"."""
    return (
        (en().auxiliaries - word_set("being will can may might having must"))
        | (en().prepositions - _DIRECTIONS - word_set("past like near inside outside"))
        | (en().conjunctions - word_set("once yet"))
        | (en().determiners - word_set("every each no such both"))
        | (en().pronouns - word_set("one"))
        | word_set("not too either also anymore instead")
    ) - word_set("first now today alone")


def _is_censored(words: Words, after: int) -> bool:
    """ "a**": a noun, whatever its letters spell."""
    return words.word(after + 1) == "*" and words.joined(after + 1) and words.joined(after + 2)


def _share_owner(words: Words, after: int) -> str:
    """ "his and her dogs", "his and Mary's dogs" own what follows; "his and mine" do not."""
    other = words.word(after + 1)
    owned_by_name = words.word(after + 2) in ("'s", "'", "’")
    owner = other in en().possessives and is_word(words.word(after + 2))
    owner = owner and words.word(after + 2) not in en().auxiliaries | _LONE
    return DETERMINER if owner or owned_by_name else PRONOUN


def _verb_of_double_genitive(words: Words, after: int) -> bool:
    """ "a friend of his runs the bar", "her plan failed, his worked"."""
    word, follow = words.word(after), words.word(after + 1)
    if word in en().also_nouns:
        return follow in en().determiners
    verb = word in en().finite or (word.endswith("ed") and len(word) > 4 and word != "hatred")
    return verb and not nounlike(follow, strict=True)


def _clause_follows(words: Words, after: int) -> bool:
    follow = words.word(after + 1)
    return follow in _AFTER_MODALS or follow in ("the", "a", "this", "that")


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
    if _is_censored(words, after):
        return False
    if words.hyphened(after):
        return _hyphened_state(words, place, after)
    if word.endswith("er") and words.word(after + 1) == "than":
        return True
    if _is_date(words, after) or (word in en().amounts and words.word(after + 1) == "of"):
        return True
    if word in en().never_owned:
        return not (_owned_after_adverb(words, after) or _owned_together(words, place, after))
    if word in _BY_WORD:
        return _BY_WORD[word](words, place, after)
    return None


def _is_date(words: Words, after: int) -> bool:
    """ "saw her two days ago", "reached her weeks later", "called her four times"."""
    number = words.word(after) in en().numbers or words.word(after).isdigit()
    unit = after + number
    if number and words.word(unit) == "times":
        return True
    ago = words.word(unit + 1) in ("ago", "later", "earlier", "before", "afterwards")
    return ago and words.word(unit) in en().times


def _hyphened_state(words: Words, place: int, after: int) -> bool:
    """ "makes her kind-hearted" against "her kind-hearted aunt"."""
    state = words.word(after + 2).endswith(("ed", "ful", "less", "free"))
    return state and words.word(place - 1) in en().states and not nounlike(words.word(after + 3))


def _owned_together(words: Words, place: int, after: int) -> bool:
    """ "her or his dog", "Her and my ideas"."""
    if words.word(after) not in ("and", "or", "&", "/"):
        return False
    other, owned = words.word(after + 1), words.word(after + 2)
    if other == "his" or (other == "their" and words.word(after) == "or"):
        return nounlike(owned)
    return words.starts_sentence(place) and other in en().possessives and nounlike(owned)


def _owned_after_adverb(words: Words, after: int) -> bool:
    """ "her always cheerful aunt", "her not replying": an adjective and a noun, or a doing."""
    if words.word(after) not in ("always", "never", "ever", "already", "even", "not", "just"):
        return False
    if words.word(after + 1).endswith("ing"):
        return words.word(after) != "just"
    return adjective(words.word(after + 1)) and nounlike(words.word(after + 2))


def _is_time(words: Words, place: int, after: int) -> bool:
    """ "saw her last night", "served her last" against "her last night in Rome"."""
    if words.word(place - 1) in en().prepositions or words.starts_sentence(place):
        return False
    follow = words.word(after + 1)
    return follow in en().times or (words.word(after) == "last" and not is_word(follow))


def _is_direction(words: Words, place: int, after: int) -> bool:
    """ "took her home", "hold her close" against "left her home", "on her back"."""
    word, before, follow = words.word(after), words.word(place - 1), words.word(after + 1)
    if word == "home" and before in LIKING:
        return False
    if word == "out" or follow in ("last", "next"):
        return not words.starts_sentence(place)
    if word in ("off", "under", "over", "above") or follow in en().determiners:
        return not words.starts_sentence(place) and not (word == "back" and before in en().hurting)
    if before in en().prepositions or words.starts_sentence(place):
        return False
    if word == "back" and (follow in en().numbers or follow.isdigit()):
        return True
    if word in ("back", "right") and before in en().hurting:
        return False
    if word in ("right", "past", "first", "back", "home", "inside", "outside"):
        return before in en().moving and not nounlike(follow, strict=True)
    return not nounlike(follow, strict=True) or follow in en().possessives


def _is_comparison(words: Words, place: int, after: int) -> bool:
    """ "loves her more", "gave her more bread" against "her more recent work"."""
    follow = words.word(after + 1)
    if follow == "than":
        return not _more_than_owned(words, place, after + 2)
    gives = words.word(after) not in ("most", "least") and receives(words, place)
    if gives and (nounlike(follow, strict=True) or follow in en().determiners):
        return not (adjective(follow) and nounlike(words.word(after + 2)))
    if words.word(place - 1) in en().states and adjective(follow):
        return not nounlike(words.word(after + 2))
    return not (adjective(follow) or nounlike(follow, strict=True) or follow in en().adverbs)


def _more_than_owned(words: Words, place: int, after: int) -> bool:
    """ "her more than generous offer", "with her more than 20 years of work"."""
    word = words.word(after)
    amount = word.isdigit() or word in en().numbers
    if amount:
        return words.word(place - 1) in en().prepositions
    return adjective(word) and nounlike(words.word(after + 1))


def _degree(words: Words, place: int, after: int) -> bool:
    """ "loves her so much" against "her very kind aunt"."""
    follow = words.word(after + 1)
    if follow in ("much", "badly", "well", "bad", "hard", "that", "many", "far", "long", "often"):
        return True
    if words.word(place - 1) in en().states and adjective(follow):
        return not nounlike(words.word(after + 2))
    if not is_word(follow) or words.word(after) == "so":
        return not is_word(follow) or follow in en().closed
    if words.word(place - 1) in en().prepositions or not (
        adjective(follow) or follow in en().closed
    ):
        return False
    return not nounlike(words.word(after + 2)) or follow in en().closed


def _far(words: Words, place: int, after: int) -> bool:
    """ "far too late", "far too little water" against "her far too generous offer"."""
    at = after + 1
    while words.word(at) in ("too", "more", "less", "better"):
        at += 1
    amount = words.word(at) in ("little", "much", "many", "few") and receives(words, place)
    return amount or not (nounlike(words.word(at)) and nounlike(words.word(at + 1), strict=True))


def _is_marked(words: Words, place: int, after: int) -> bool:
    """ "gave her no choice", "told her all about it"; "her every move" is her own."""
    word, follow = words.word(after), words.word(after + 1)
    if word == "every":
        return follow in en().times or follow in ("single", "other", "few")
    if word == "one":
        return not nounlike(follow) or words.word(place - 1) in en().two_objects
    if word == "all":
        return follow in en().closed or follow in en().times or nounlike(follow)
    return True


def _modal(words: Words, _: int, after: int) -> bool:
    """ "those who know her will agree" against "read her will"."""
    follow = words.word(after + 1)
    return follow in en().base_verbs or follow in _AFTER_MODALS


def _is_moment(words: Words, place: int, after: int) -> bool:
    """ "miss her now", "called her early today" against "her now husband", "her early years"."""
    follow = words.word(after + 1)
    if words.word(after) in ("early", "late"):
        mid = follow in ("to", "mid") or words.word(after + 1) == "-"
        own_time = follow in en().times and words.word(place - 1) in en().prepositions
        if mid or own_time or follow in en().spans:
            return False
    return not nounlike(follow, strict=True)


def _is_pace(words: Words, place: int, after: int) -> bool:
    """ "pushed her harder", "sent her weekly reports" against "her straight hair"."""
    follow = words.word(after + 1)
    if receives(words, place) and ends_as_plural(follow):
        return words.word(after + 2) != "to"
    return follow != "," and (not nounlike(follow, strict=True) or follow in en().times)


def _is_bonus(words: Words, place: int, after: int) -> bool:
    """ "charged her extra", "gave her double points" against "her extra work"."""
    follow = words.word(after + 1)
    if receives(words, place) and (follow in en().gifts or ends_as_plural(follow)):
        return True
    return not nounlike(follow, strict=True)


def _several(words: Words, place: int, _: int) -> bool:
    """ "lost her several customers" against "in her several novels"."""
    return words.word(place - 1) not in en().prepositions and not words.starts_sentence(place)


def _being(words: Words, place: int, _: int) -> bool:
    return verb_before(words, place) in en().perceiving


def _owns(words: Words, _: int, after: int) -> bool:
    """ "let her own a car" against "has her own car"."""
    return words.word(after + 1) in en().determiners


def _best(words: Words, place: int, after: int) -> bool:
    if words.word(after) == "best" and words.word(place - 1) in en().doing:
        return False
    if words.word(after) == "only" and words.word(after + 1) in ("part", "half", "enough"):
        return True
    return not nounlike(words.word(after + 1))


_MOMENTS = word_set("early late almost now then once soon still yet later often")

_PACE = word_set(
    "hard harder hardest faster slower longer sooner earlier louder straight round halfway solo big"
    " daily weekly monthly yearly nightly"
)

_BY_WORD: dict[str, Callable[[Words, int, int], bool]] = {
    **dict.fromkeys(("last", "next"), _is_time),
    **dict.fromkeys(_DIRECTIONS, _is_direction),
    **dict.fromkeys(("more", "less", "fewer", "most", "much", "enough", "least"), _is_comparison),
    **dict.fromkeys(("so", "very", "too", "quite", "really", "pretty", "rather"), _degree),
    **dict.fromkeys(("every", "one", "all", "no", "such", "each", "both", "half"), _is_marked),
    **dict.fromkeys(("will", "can", "might", "may", "must", "ca", "wo"), _modal),
    **dict.fromkeys(_MOMENTS, _is_moment),
    **dict.fromkeys(_PACE, _is_pace),
    **dict.fromkeys(("extra", "double", "triple"), _is_bonus),
    "far": _far,
    "several": _several,
    "own": _owns,
    **dict.fromkeys(("being", "having"), _being),
    **dict.fromkeys(("better", "best", "well", "fast", "like", "online", "only"), _best),
}
