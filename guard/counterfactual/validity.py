"""Whether a rewrite may be used: nobody of the old group is left, and nothing else changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.people import Page, pages_of
from guard.counterfactual.records import Check, Replacement
from guard.counterfactual.words import words_of

MOST_CHANGED = 0.15
"""The largest token Jaccard dissimilarity of a text that was rewritten freely (FairPair)."""


def check(
    original: str,
    rewritten: str,
    lexicons: Lexicons,
    attribute: str,
    source: str,
    *,
    replacements: Sequence[Replacement] | None = None,
) -> tuple[Check, ...]:
    """The checks of METRICS §5 on one rewritten text, each passed or not.

    replacements: every change that was made; None for a text that somebody else rewrote (an LLM),
    which is then compared word by word. source: the group that should be gone.
    """
    (page,) = pages_of((original,), lexicons, attribute)
    return checked(page, rewritten, lexicons, attribute, source, replacements=replacements)


def checked(
    page: Page,
    rewritten: str,
    lexicons: Lexicons,
    attribute: str,
    source: str,
    *,
    replacements: Sequence[Replacement] | None,
) -> tuple[Check, ...]:
    """As `check`, for a text whose people are known already."""
    (after,) = pages_of((rewritten,), lexicons, attribute)
    gone = _nobody_left(page, after, source)
    if replacements is None:
        return gone, _little_changed(page.text, rewritten)
    names = _names_gone(after, replacements)
    return gone, names, nothing_else(page.text, rewritten, replacements)


def _nobody_left(before: Page, after: Page, source: str) -> Check:
    """No sure mention of the old group but those that name everybody ("men and women")."""
    kept = Counter(one.form.text.lower() for one in before.both if one.form.group == source)
    left = Counter(
        one.form.text.lower() for one in (*after.people, *after.both) if one.form.group == source
    )
    over = sorted((left - kept).elements())
    return Check(name="old_group_gone", passed=not over, detail=", ".join(over))


def _names_gone(after: Page, replacements: Sequence[Replacement]) -> Check:
    """No name that was exchanged stands anywhere else, in a series' title or a possessive."""
    old = {one.old.lower() for one in replacements if one.why == Kind.NAME}
    words = after.words
    left = {
        words.surface(at)
        for at, word in enumerate(words.lower if old else ())
        if word in old and words.surface(at)[0].isupper() and not words.starts_sentence(at)
    }
    new = {one.new for one in replacements}
    return Check(name="old_names_gone", passed=left <= new, detail=", ".join(sorted(left - new)))


def nothing_else(original: str, rewritten: str, replacements: Sequence[Replacement]) -> Check:
    """Putting every old word back gives the original, and the spans are in order."""
    pieces, end, last = [], 0, 0
    for one in replacements:
        in_order = end <= one.at.start and last <= one.span.start
        if not in_order or rewritten[one.at.start : one.at.end] != one.new:
            return Check(name="nothing_else_changed", passed=False, detail=one.new)
        pieces += [rewritten[end : one.at.start], one.old]
        end, last = one.at.end, one.span.end
    restored = "".join([*pieces, rewritten[end:]])
    return Check(name="nothing_else_changed", passed=restored == original)


def _little_changed(original: str, rewritten: str) -> Check:
    distance = dissimilarity(original, rewritten)
    passed = distance <= MOST_CHANGED
    detail = "" if passed else f"token Jaccard dissimilarity {distance:.2f} > {MOST_CHANGED}"
    return Check(name="little_changed", passed=passed, detail=detail)


def dissimilarity(one: str, two: str) -> float:
    """Jaccard dissimilarity of the two sets of words, in [0, 1]; 0 for two texts without words."""
    first, second = set(words_of(one).lower), set(words_of(two).lower)
    union = first | second
    return 1 - len(first & second) / len(union) if union else 0.0
