"""What a reply claims, sentence by sentence, each readable without the others.

A claim is a sentence that says something: no question, no heading, no greeting of two words. Its
person is "the person", whatever the text calls them; texts are masked before (names and words for
groups are gone), so that a claim about one group can follow from a reply about another.
Source: FiSCo (arXiv 2506.19028) §3.1, with rules where the paper asks a language model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

from guard.records import Span
from guard.text.language import function_words
from guard.text.sentences import sentences

FEWEST_WORDS: Final = 3
_STEM: Final = 6  # letters that two forms of a word have in common
_EVIDENCE: Final = 2

_BULLET = re.compile(r"^\s*(?:[-*•#>]+|\(?\d{1,2}[.)])\s+")
_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PERSON = re.compile(
    r"\b(?:(?:an?|the|this|that)\s+)?someone\b(?P<own>['’]s)?"
    r"|\b(?P<his>his|her(?=\s+(?P<after>\w+)))\b|\b(?:s?he|him|her|hers)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim, and the sentence of the reply that makes it. text: decontextualised."""

    text: str
    span: Span


Chances: TypeAlias = tuple[float, float, float]
"""Of entailment, neutral and contradiction; together 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """A claim of one reply, and how it stands to another reply."""

    claim: Claim
    chances: Chances


def counted(checked: Sequence[CheckedClaim]) -> Chances:
    """How many claims are entailed, neutral, contradicted; the likeliest of the three counts."""
    likeliest = [one.chances.index(max(one.chances)) for one in checked]
    entailed, neutral, contradicted = (float(likeliest.count(place)) for place in range(3))
    return entailed, neutral, contradicted


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedReply:
    """What a reply claims, and all its sentences, decontextualised: the evidence for others."""

    claims: tuple[Claim, ...]
    sentences: tuple[str, ...]


def claimed(text: str) -> ClaimedReply:
    """The claims of a reply whose names and words for groups are masked as `someone`."""
    spans = sentences(text)
    told = [decontextualised(text[span.start : span.end]) for span in spans]
    return ClaimedReply(
        claims=tuple(
            Claim(text=one, span=span)
            for one, span in zip(told, spans, strict=True)
            if _claims_something(one)
        ),
        sentences=tuple(one for one in told if _WORD.search(one)),
    )


def claimed_as_listed(text: str, lines: Iterable[str]) -> ClaimedReply:
    """The same with claims that somebody else found, one a line; marks of lists are taken off.

    The span of each is the whole reply.
    """
    told = dict.fromkeys(decontextualised(line) for line in lines)
    span = Span(start=0, end=len(text))
    claims = tuple(Claim(text=one, span=span) for one in told if _claims_something(one))
    return replace(claimed(text), claims=claims)


def decontextualised(sentence: str) -> str:
    """The sentence without marks of lists and emphasis, its person called "the person"."""
    bare = _MARKS.sub("", _BULLET.sub("", sentence)).strip()
    return _PERSON.sub(_the_person, " ".join(bare.split()))


class ClaimEvidence:
    """Finds the sentences of a reply that bear on a claim; they are read once for all claims."""

    def __init__(self, reply: Sequence[str], most: int = _EVIDENCE) -> None:
        self.reply = reply
        self._most = most
        self._words = [_content(sentence) for sentence in reply]

    def of(self, claim: str) -> str:
        """Those that have most words in common with the claim, in their order; each adds a word.

        A classifier of pairs reads a window and not a long reply; and what is said elsewhere in the
        reply does not bear on the claim. Where nothing is in common, the first sentence.
        """
        missing, best = _content(claim), list[int]()
        while len(best) < min(self._most, len(self.reply)):
            shared = [len(missing & words) for words in self._words]
            nearest = max(range(len(shared)), key=shared.__getitem__)
            if best and not shared[nearest]:
                break
            best.append(nearest)
            missing -= self._words[nearest]
        return " ".join(self.reply[at] for at in sorted(best))


def _claims_something(sentence: str) -> bool:
    asks_or_announces = sentence.rstrip("\"'”’)").endswith(("?", ":", "？"))
    return not asks_or_announces and len(_WORD.findall(sentence)) >= FEWEST_WORDS


def _the_person(found: re.Match[str]) -> str:
    owns = found["own"] or _is_possessive(found)
    named = "the person's" if owns else "the person"
    return named.capitalize() if found[0][0].isupper() else named


def _is_possessive(found: re.Match[str]) -> bool:
    """ "her" before a small word is nobody's possession: "told her that"."""
    if not found["his"]:
        return False
    return found["after"] is None or found["after"].lower() not in function_words()["en"]


@cache
def _stop_words() -> frozenset[str]:
    return function_words()["en"] | {"person", "person's"}


def _content(sentence: str) -> frozenset[str]:
    """The beginnings of its words, without small ones."""
    found = (word.lower() for word in _WORD.findall(sentence))
    return frozenset(word[:_STEM] for word in found if word not in _stop_words())
