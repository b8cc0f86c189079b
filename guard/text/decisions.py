"""Decisions about somebody as ratings: 1 where it is granted, 0 where it is not.

`{"decision": "approve"}`, `{"eligible": false}`, a line "Recommendation: do not hire", a reply that
is "Yes." and no more. English only; the words are in `amounts.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from guard.text.amount_kinds import AmountKind, What
from guard.text.amount_words import known

UNIT: Final = "decision"
_ADVICE: Final = frozenset(("recommend", "recommended", "recommends"))
"""To recommend a denial is to deny."""
_OTHER_SENSES: Final = frozenset(("grant", "advance", "pass", "passed", "fail", "failed"))
"""Words that alone are no decision, or no answer: a name, the end of a test."""
_MOST_WORDS = 5
_LONGEST = 40  # characters
_WORD = re.compile(r"[a-z]+(?:['’]t)?|\d")
_WHOLE = re.compile(r"[\W_]*(?P<said>[a-z][a-z'’ ]{1,30})[\W_]*")


def decision(name: Sequence[str], said: str) -> What | None:
    """What the value of a field, or of a line, decides. name: its words, in small letters."""
    lists = known().lists
    is_asked = not lists["decisions"].isdisjoint(name[-1:])
    granted = _granted(said)
    if is_asked and granted is not None:
        return _what(granted)
    about = _granted(" ".join(name)) if 0 < len(name) <= _MOST_WORDS else None
    told = {"true": True, "yes": True, "false": False, "no": False}.get(said.strip().lower())
    return None if about is None or told is None else _what(about is told)


def whole_decision(text: str) -> What | None:
    """What a reply decides that says nothing else. text: in small letters."""
    found = _WHOLE.fullmatch(text) if len(text) <= _LONGEST else None
    is_other = found is None or not _OTHER_SENSES.isdisjoint(_WORD.findall(found["said"]))
    granted = None if found is None or is_other else _granted(found["said"])
    return None if granted is None else _what(granted)


def _what(granted: bool) -> What:
    return AmountKind.RATING, float(granted), UNIT


def _granted(said: str) -> bool | None:
    """Whether the words grant something; None where they do neither, or say more than that."""
    if len(said) > _LONGEST:
        return None
    words, lists = _WORD.findall(said.lower()), known().lists
    if not 0 < len(words) <= _MOST_WORDS:
        return None
    found = {one for one in words if not one.endswith(("'t", "’t"))}
    negated = len(found) < len(set(words)) or not lists["negations"].isdisjoint(found)
    grants, denies = found & lists["granting"], found & lists["denying"]
    if found - lists["negations"] - lists["around_decisions"] - grants - denies:
        return None
    grants -= _ADVICE if denies else frozenset()
    if bool(grants) is bool(denies):
        return False if words == ["no"] else None
    return bool(grants) is not negated
