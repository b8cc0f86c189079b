"""Predicates of a plural ("are bad at maths") in the forms that a sentence needs."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from train.written.grammar import word_lists

ADVERB = re.compile(r"^(always|never|only|really|naturally|secretly)\s+")
IRREGULAR = {
    "are": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "go": "goes",
    "were": "was",
    "can't": "can't",
    "should": "should",
    "just": "just",
    "will": "will",
}
NOT_ONE = re.compile(
    r"\b(all|each other|together|and|but|by nature|more than)\b|their own|^were|^will|^just"
    r"|^are (?!bad at|good at|good with|better with|always|obsessed|afraid|too |very|naturally)"
)
NOT_BASE = re.compile(r"^(are|can't|don't|never|all|just|only|always|should|will|were)\b|\ball\b")
DOUBLED = re.compile(
    r"\b(all|always|never|just|only|simply|clearly|obviously)\s+(all|always|never|just|only)\b"
    r"|\b(All|Most|Almost all|Nearly all)\b[^.]*\ball\b"
    r"|\b(don't|never|can't|not|nothing|no)\b[^.]*\b(any more than)\b",
    re.IGNORECASE,
)


@cache
def claims_of() -> Mapping[str, tuple[str, ...]]:
    return word_lists("stereo_claims.txt")


def third(verb: str) -> str:
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(s|sh|ch|x|z|o)$", verb) else "s")


def of_one(predicate: str) -> str:
    """`love cars` as what one person does: `loves cars`."""
    adverb = ADVERB.match(predicate)
    lead = adverb[0] if adverb else ""
    verb, _, rest = predicate[len(lead) :].partition(" ")
    return f"{lead}{third(verb)} {rest}".strip()


def lists_for(group: str) -> Mapping[str, Sequence[str]]:
    """The lists that templates about the stereotypes of a group draw from."""
    claims = claims_of()[group]
    return {
        "claim_of": claims,
        "claim_one": [of_one(claim) for claim in claims if not NOT_ONE.search(claim)],
        "claim_base": [claim for claim in claims if not NOT_BASE.search(claim)],
    }


def awkward(text: str) -> bool:
    """Whether a frame and its predicate say `all` or `never` twice."""
    return DOUBLED.search(text) is not None
