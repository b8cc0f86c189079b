"""Which terms of a lexicon stand at a place of a text, whole words only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.lexicons.index import Term
from guard.counterfactual.tokens import Tokens, same_gap

_CONTRACTIONS = frozenset(("s", "ll", "d", "re", "ve", "m"))
_JOINED_BEFORE = frozenset(("ex", "co", "vice", "great", "grand", "then", "now", "soon"))
_JOINED_AFTER = frozenset(("to", "turned", "elect", "owned", "led", "only", "born"))


class Match(NamedTuple):
    """A form that stands in the text: its last word, and the character where it ends."""

    form: Form
    last: int
    end: int


def matches(tokens: Tokens, at: int, terms: Sequence[Term], generic: bool) -> list[Match]:
    """The longest forms that begin at this word; several if one spelling has several readings."""
    if tokens.gap(at - 1) != " " and not _free_before(tokens, at):
        return []
    apart = tokens.gap(at) == " "
    found: list[Match] = []
    for term in terms:
        size = len(term.words)
        if found and size < found[0].last - at + 1:
            break
        if not generic and term.form.person == 0.0:
            continue  # it names people of any group
        if (apart and size == 1 and not term.tail) or _stands(tokens, at, term):
            last = at + size - 1
            found.append(Match(term.form, last, tokens.ends[last] + len(term.tail)))
    return found


def _stands(tokens: Tokens, at: int, term: Term) -> bool:
    size = len(term.words)
    if size > 1 and tuple(tokens.lower[at : at + size]) != term.words:
        return False
    gaps = (tokens.gap(at + step) for step in range(size - 1))
    if not all(map(same_gap, gaps, term.gaps)):
        return False
    after = tokens.gap(at + size - 1)
    return after.startswith(term.tail) and _free_after(tokens, at + size - 1, after, term.tail)


def _free_before(tokens: Tokens, at: int) -> bool:
    """No part of a compound, a path, a handle, or a word with an apostrophe in it."""
    start = tokens.starts[at]
    if start == 0:
        return True
    mark = tokens.gap(at - 1)[-1:]
    if mark == "-" and _is_compound(tokens, at - 1):
        return tokens.word(at - 1) in _JOINED_BEFORE
    if mark == "'" and at and tokens.ends[at - 1] == start - 1:
        return False
    if mark == "/" and at and tokens.ends[at - 1] == start - 1:
        return len(tokens.word(at - 1)) > 1  # "s/he"
    return mark not in "@#$\\="


def _free_after(tokens: Tokens, last: int, gap: str, tail: str) -> bool:
    attached = last + 1 < len(tokens.starts) and tokens.starts[last + 1] == tokens.ends[last] + 1
    if not attached or tail:
        return not gap.startswith(("\\", "()"))
    following = tokens.word(last + 1)
    if gap == "-":
        return following in _JOINED_AFTER
    if gap == "'":
        return following in _CONTRACTIONS or not tokens.word(last).isalpha()
    if gap == ".":
        return tokens.surface(last + 1)[:1].isupper()
    return gap not in "=\\@:"


def _is_compound(tokens: Tokens, before: int) -> bool:
    return before >= 0 and tokens.gap(before) == "-"
