"""Whether a rewrite may be used: nobody of the old group is left, and nothing else changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from guard.counterfactual.display.letters import without_accents
from guard.counterfactual.display.shown import as_shown
from guard.counterfactual.kept_names import kept_names
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import NAMES
from guard.counterfactual.mentions.find import AGE
from guard.counterfactual.mentions.letters import is_letter
from guard.counterfactual.mentions.names_again import names_left
from guard.counterfactual.names_in_doubt import names_in_doubt
from guard.counterfactual.people import AnnotatedText, annotate
from guard.counterfactual.records import Check, Replacement
from guard.counterfactual.sexes_left import sexes_left
from guard.counterfactual.tokens import vocabulary, words_of
from guard.text.unigrams import english_unigrams

_FEW = 50  # words; so many are looked for sooner than a text is cut into words
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
    (page,) = annotate((original,), lexicons, attribute)
    return checked(page, rewritten, lexicons, attribute, source, replacements=replacements)


def checked(
    page: AnnotatedText,
    rewritten: str,
    lexicons: Lexicons,
    attribute: str,
    source: str,
    *,
    replacements: Sequence[Replacement] | None,
    elsewhere: Sequence[Replacement] = (),
) -> tuple[Check, ...]:
    """As `check`, for a text whose people are known already.

    elsewhere: changes of the other messages of its conversation, whose names must be gone too.
    """
    gone = Check(name="old_group_gone", passed=True)
    letters = any(is_letter(one.form) for one in page.people)
    if letters or may_name(as_shown(rewritten, lexicons).text, lexicons, attribute, source):
        (after,) = annotate((rewritten,), lexicons, attribute)
        gone = _nobody_left(page, after, source)
        if gone.passed and replacements is None and attribute == "gender":
            gone = _no_sex_left(after, source)
    doubtful = kept_names((page,), source) if attribute == "gender" else ()
    if replacements is None and attribute == "gender":
        doubtful += names_in_doubt((page,), lexicons, source)
    kept = _names_changed(doubtful, rewritten)
    if replacements is None:
        return gone, kept, _little_changed(page.shown.written, rewritten)
    return (
        gone,
        kept,
        names_gone(page, rewritten, (*replacements, *elsewhere), lexicons),
        nothing_else(page.shown.written, rewritten, replacements),
    )


def may_name(text: str, lexicons: Lexicons, attribute: str, group: str) -> bool:
    """Whether the words of a text may name somebody of the group: those of most rewrites cannot.

    text: as it is shown.
    """
    if attribute == AGE:
        return True  # numbers name ages
    small, openers = text.lower(), lexicons.openers(attribute, group)
    if len(openers) < _FEW and not any(word in small for word in openers):
        return False
    words = vocabulary(small)
    return any(
        (term.form.attribute, term.form.group) == (attribute, group)
        and words.issuperset(term.words)
        and (term.form.kind is not Kind.NAME or _with_capital(text, small, word))
        for word in words & openers
        for term in lexicons.terms(word)
        if not term.form.generic
    )


def _with_capital(text: str, small: str, word: str) -> bool:
    """Whether these letters stand anywhere with a capital first."""
    if len(text) != len(small):
        return True  # some letter is two in lower case: nothing can be said
    at = small.find(word)
    while at >= 0 and not text[at].isupper():
        at = small.find(word, at + 1)
    return at >= 0


def _nobody_left(before: AnnotatedText, after: AnnotatedText, source: str) -> Check:
    """No sure mention of the old group but of everybody ("men and women"), or of who stays."""
    remain = (*before.both, *before.staying)
    kept = Counter(one.form.text.lower() for one in remain if one.form.group == source)
    left = Counter(
        one.form.text.lower() for one in (*after.people, *after.both) if one.form.group == source
    )
    over = sorted((left - kept).elements())
    return Check(name="old_group_gone", passed=not over, detail=", ".join(over))


def _no_sex_left(after: AnnotatedText, source: str) -> Check:
    """The words male and female are gone even where they are no mention: "a female version"."""
    left = [after.words.surface(after.words.at(start)) for start in sexes_left(after, source)]
    return Check(name="old_group_gone", passed=not left, detail=", ".join(left))


def _names_changed(doubtful: Collection[str], rewritten: str) -> Check:
    """No first name stays whose pronouns have changed: "Grace ... his kitchen"."""
    left = _written_anywhere(rewritten, {name.lower() for name in doubtful})
    return Check(name="names_changed", passed=not left, detail=", ".join(sorted(left)))


def _written_anywhere(text: str, names: Collection[str]) -> set[str]:
    """Those of the names that stand in the text with a capital."""
    words = words_of(text)
    return {words.surface(at) for at in words.places(names) if words.surface(at)[0].isupper()}


def names_gone(
    page: AnnotatedText, rewritten: str, replacements: Sequence[Replacement], lexicons: Lexicons
) -> Check:
    """No name that was exchanged stands anywhere else: in a title, an address, "the Jacksons"."""
    old = {one.old.lower() for one in replacements if one.why in NAMES}
    first = {one.old.lower() for one in replacements if one.why == Kind.NAME}
    last = {one.old.lower() for one in replacements if one.why == Kind.SURNAME}
    old |= {f"{name}s" for name in last}
    old |= set(map(without_accents, old))
    left = _written_inside(rewritten, old) if old else set[str]()
    left |= names_left(rewritten, {*first, *map(without_accents, first)}, lexicons)
    left -= {one.new for one in replacements}
    left |= _in_addresses(page, old) | _in_small_letters(rewritten, first, lexicons)
    left |= _behind_titles(rewritten, last, lexicons)
    return Check(name="old_names_gone", passed=not left, detail=", ".join(sorted(left)))


def _in_small_letters(text: str, names: Collection[str], lexicons: Lexicons) -> set[str]:
    """Those of the first names that are no words and stand there as in "mary is sad", "marys"."""
    records = ((name, lexicons.people.first.record(name)) for name in names)
    alone = {name for name, record in records if record is not None and record.is_no_word}
    small = text.lower()
    words = words_of(text) if any(name in small for name in alone) else None
    if words is None:
        return set()
    known = english_unigrams().costs
    alone |= {f"{name}s" for name in alone if f"{name}s" not in known}
    return {words.lower[at] for at in words.places(alone) if words.surface(at).islower()}


def _behind_titles(text: str, surnames: Collection[str], lexicons: Lexicons) -> set[str]:
    """Those of the surnames that stand in small letters behind a title: "mr jackson"."""
    words = words_of(text) if surnames else None
    if words is None:
        return set()
    return {
        words.lower[at]
        for at in words.places(surnames)
        if words.surface(at).islower()
        and words.word(at - 1 - (words.word(at - 1) == ".")) in lexicons.cues.titles
    }


def _in_addresses(page: AnnotatedText, names: Collection[str]) -> set[str]:
    """Those of the names that are in an e-mail address or a handle, which stays as it is."""
    spans = (page.text[span.start : span.end].lower() for span in page.found.untouchable)
    words = {word for text in spans if "@" in text for word in words_of(text).lower}
    return words.intersection(names)


_AFTER_CALLS = frozenset((",", "!", ":", "-", "–", "—", "please"))


def _written_inside(text: str, names: Collection[str]) -> set[str]:
    """Those of the names that stand with a capital where none is due, or call somebody."""
    words = words_of(text)
    return {
        words.surface(at)
        for at in words.places(names)
        if words.surface(at)[0].isupper()
        and (
            words.surface(at).isupper()
            or words.word(at + 1) in _AFTER_CALLS
            or not words.starts_sentence(at)
        )
    }


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
