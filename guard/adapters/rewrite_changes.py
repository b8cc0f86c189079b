"""What a chat model changed in a text, and whether it is the group alone."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from guard.counterfactual import Kind, Lexicons, Replacement, Rewrite, find
from guard.records import Span

_START = attrgetter("start")
_PIECE = re.compile(r"\w+|[^\w\s]")
NEUTRAL = "neutral"
"""The one group whose pronoun takes verbs of another form: they are, she is."""

_VERBS = "is/are was/were has/have does/do s/re s/ve isn/aren wasn/weren hasn/haven doesn/don"
_AGREEING = frozenset(frozenset(pair.split("/")) for pair in _VERBS.split())


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word or sign that stays, or an empty one at the end of the text."""

    word: str
    span: Span


def changes(
    original: str, rewritten: str, lexicons: Lexicons, blank: Rewrite
) -> tuple[Replacement, ...] | None:
    """The replacements that lead from one text to the other, None if something else changed too.

    What may change are sure mentions of the source group of `blank`, and words that agree with
    them: a/an and verbs.
    """
    seen, made = _Seen.of(original, lexicons, blank), _Seen.of(rewritten, lexicons, blank)
    if len(seen.kept) != len(made.kept):
        return None
    pairs = list(zip(seen.kept, made.kept, strict=True))
    verbs = NEUTRAL in {blank.source_group, blank.target_group}
    if not all(
        one.word == two.word or _agree(one.word, two.word, verbs=verbs) for one, two in pairs
    ):
        return None
    found = tuple(_replacements(original, rewritten, pairs))
    by_model = [one for one in found if one.why == "model"]
    meant = all(seen.allows(one) and _as_many_pronouns(one, lexicons) for one in by_model)
    return found if meant else None


@dataclass(frozen=True, slots=True)
class _Seen:
    """A text as far as two groups are concerned.

    kept: the words and signs outside mentions of either; the empty one that ends the text is last.
    people: sure mentions of the source group. others: words of the target group, also
    those that need not mean a group ("they", "person").
    """

    kept: tuple[_Piece, ...]
    people: tuple[Span, ...]
    others: tuple[_Piece, ...]

    @classmethod
    def of(cls, text: str, lexicons: Lexicons, blank: Rewrite) -> _Seen:
        """Look at `text`."""
        found = find(text, lexicons, attributes={blank.attribute})
        source, to = (
            [m.span for m in (*found.mentions, *found.unsure) if m.form.group == group]
            for group in (blank.source_group, blank.target_group)
        )
        pieces = [_Piece(m[0], Span(start=m.start(), end=m.end())) for m in _PIECE.finditer(text)]
        to += [one.span for one in pieces if _says(one.word, lexicons, blank)]
        outside = _outside(pieces, sorted((*source, *to), key=_START))
        return cls(
            kept=(*outside, _Piece("", Span(start=len(text), end=len(text)))),
            people=tuple(m.span for m in found.mentions if m.form.group == blank.source_group),
            others=_inside(pieces, to),
        )

    def allows(self, change: Replacement) -> bool:
        """Whether it names a person of the source group, and keeps those of the target group."""
        place = bisect_right(self.people, change.span.start, key=lambda person: person.end)
        named = place < len(self.people) and self.people[place].start < change.span.end
        first = bisect_left(self.others, change.span.start, key=lambda other: other.span.start)
        last = bisect_left(self.others, change.span.end, key=lambda other: other.span.start)
        new = Counter(_words(change.new))
        return named and Counter(other.word.lower() for other in self.others[first:last]) <= new


def _says(word: str, lexicons: Lexicons, blank: Rewrite) -> bool:
    """Whether this word, alone and whatever is around it, is one for the target group."""
    lower = word.lower()
    wanted = blank.attribute, blank.target_group, lower
    return any((f.attribute, f.group, f.text.lower()) == wanted for f in lexicons.forms(lower))


def _as_many_pronouns(change: Replacement, lexicons: Lexicons) -> bool:
    """Whether pronouns became pronouns: none more, as in "he he said", and none less."""
    old, new = (
        sum(any(f.kind is Kind.PRONOUN for f in lexicons.forms(word)) for word in _words(text))
        for text in (change.old, change.new)
    )
    return old == new


def _words(text: str) -> list[str]:
    return [match[0] for match in _PIECE.finditer(text.lower())]


def _outside(pieces: Sequence[_Piece], spans: Sequence[Span]) -> Iterator[_Piece]:
    """The pieces that no span touches; both are in order."""
    place = 0
    for piece in pieces:
        while place < len(spans) and spans[place].end <= piece.span.start:
            place += 1
        if place == len(spans) or piece.span.end <= spans[place].start:
            yield piece


def _inside(pieces: Sequence[_Piece], spans: Iterable[Span]) -> tuple[_Piece, ...]:
    """The pieces that a span touches."""
    outside = set(_outside(pieces, sorted(spans, key=_START)))
    return tuple(piece for piece in pieces if piece not in outside)


def _agree(one: str, two: str, *, verbs: bool) -> bool:
    """Whether two words are an article or, if `verbs` may change, the same verb in two forms."""
    short, long = sorted((one.lower(), two.lower()), key=len)
    if {short, long} == {"a", "an"}:
        return True
    return verbs and (frozenset((short, long)) in _AGREEING or _is_verb_form(short, long))


def _is_verb_form(short: str, long: str) -> bool:
    """Whether `long` is the third person of `short`."""
    return len(short) > 1 and long in {f"{short}s", f"{short}es", f"{short[:-1]}ies"}


def _replacements(
    original: str, rewritten: str, pairs: Sequence[tuple[_Piece, _Piece]]
) -> Iterator[Replacement]:
    """What differs between the pieces that stay, and the pieces that were made to agree."""
    start, at = 0, 0
    for one, two in pairs:
        if original[start : one.span.start] != rewritten[at : two.span.start]:
            gap = Span(start=start, end=one.span.start), Span(start=at, end=two.span.start)
            yield _replacement(original, rewritten, *gap, why="model")
        if one.word != two.word:
            yield _replacement(original, rewritten, one.span, two.span, why="agreement")
        start, at = one.span.end, two.span.end


def _replacement(original: str, rewritten: str, span: Span, at: Span, *, why: str) -> Replacement:
    old, new = original[span.start : span.end], rewritten[at.start : at.end]
    lead = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b or a > " "), 0)
    tail = _same_space_at_end(old[lead:], new[lead:])
    return Replacement(
        span=Span(start=span.start + lead, end=span.end - tail),
        at=Span(start=at.start + lead, end=at.end - tail),
        old=old[lead : len(old) - tail],
        new=new[lead : len(new) - tail],
        why=why,
    )


def _same_space_at_end(old: str, new: str) -> int:
    """How much white space both end in."""
    length = 0
    while length < min(len(old), len(new)) and old[-1 - length] == new[-1 - length] <= " ":
        length += 1
    return length
