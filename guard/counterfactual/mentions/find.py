"""Who is mentioned: the words of a text that name groups of people, with their places."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.context import alone, confidence
from guard.counterfactual.mentions.matching import Match, matches
from guard.counterfactual.mentions.place import Place
from guard.counterfactual.mentions.protected import inside, protected
from guard.counterfactual.tokens import Tokens, tokens_of
from guard.records import Span

SURE = 0.7
"""From this confidence on a mention is taken for a person."""
UNLIKELY = 0.3
"""Up to this confidence a word is taken for something else and is not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A word or term that names a person, or a group of people, by a protected attribute.

    confidence: in [0, 1], that people are meant, after context. sure: at or above `SURE`.
    """

    span: Span
    form: Form
    confidence: float
    sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What `find` found.

    mentions: sure ones, in order, not overlapping. unsure: between the thresholds; not to be
    rewritten, but counted. untouchable: addresses, code, tags, quoted titles, in order.
    """

    mentions: tuple[Mention, ...]
    unsure: tuple[Mention, ...]
    untouchable: tuple[Span, ...]


def find(
    text: str,
    lexicons: Lexicons,
    *,
    attributes: Collection[str] | None = None,
    generic: bool = False,
) -> Found:
    """Every mention in a text, in time linear in its length.

    attributes: which ones are wanted; None means all. generic: list words that name people of any
    group too ("parent", "they"), which by themselves are no mention of a group.
    """
    untouchable = protected(text)
    search = _Search(attributes, generic)
    found = tuple(
        mention
        for mention in _mentions(tokens_of(text), lexicons, untouchable, search)
        if search.wants(mention.form)
    )
    return Found(
        mentions=tuple(mention for mention in found if mention.sure),
        unsure=tuple(mention for mention in found if not mention.sure),
        untouchable=untouchable,
    )


def free_of_groups(text: str, lexicons: Lexicons, attribute: str) -> bool:
    """Fairness through unawareness: whether no word surely names a group of this attribute."""
    return not find(text, lexicons, attributes=(attribute,)).mentions


@dataclass(frozen=True, slots=True)
class _Search:
    attributes: Collection[str] | None
    generic: bool

    def wants(self, form: Form) -> bool:
        return self.attributes is None or form.attribute in self.attributes


def _mentions(
    tokens: Tokens, lexicons: Lexicons, untouchable: tuple[Span, ...], search: _Search
) -> Iterator[Mention]:
    starts = [span.start for span in untouchable]
    known = _Known({})
    free = 0  # the first word that no mention has taken
    pronouns = lexicons.pronouns
    for at in _candidates(tokens, lexicons, search):
        if at < free:
            continue
        pronoun = pronouns.get(tokens.lower[at])
        if pronoun is not None and not starts and tokens.stands_free(at):
            yield _mention(tokens.starts[at], tokens.ends[at], pronoun, alone(pronoun.person))
            continue
        found = matches(tokens, at, lexicons.terms(tokens.lower[at]), search.generic)
        if not found:
            continue
        if starts and inside(untouchable, starts, tokens.starts[at], found[0].end):
            continue
        free = found[0].last + 1
        best, sureness = found[0], alone(found[0].form.person)
        if best.form.kind is not Kind.PRONOUN:
            best, sureness = known.best(found, Place(tokens, at, best.last, lexicons), search)
        if sureness > UNLIKELY:
            yield _mention(tokens.starts[at], best.end, best.form, sureness)


def _mention(start: int, end: int, form: Form, sureness: float) -> Mention:
    span = Span(start=start, end=end)
    return Mention(span=span, form=form, confidence=sureness, sure=sureness >= SURE)


def _candidates(tokens: Tokens, lexicons: Lexicons, search: _Search) -> list[int]:
    """The words that may begin a form, by one look at each; names need a capital."""
    starters = lexicons.starters(search.attributes, generic=search.generic)
    text, begins, only_names = tokens.text, tokens.starts, lexicons.only_names
    return [
        at
        for at, word in enumerate(tokens.lower)
        if word in starters and (word not in only_names or text[begins[at]].isupper())
    ]


@dataclass(frozen=True, slots=True)
class _Known:
    """Readings by what stands around them, so that a text which repeats itself is read once."""

    seen: dict[tuple[Hashable, ...], tuple[int, float]]

    def best(self, found: list[Match], place: Place, search: _Search) -> tuple[Match, float]:
        """The likeliest reading and its confidence; of sure ones one that is asked for."""
        around = place.around()
        if around not in self.seen:
            self.seen[around] = _best(found, place, search)
        number, sureness = self.seen[around]
        return found[number], sureness


def _best(found: list[Match], place: Place, search: _Search) -> tuple[int, float]:
    if place.no_person():
        return 0, 0.0
    judged = [round(confidence(match.form, place), 4) for match in found]

    def order(number: int) -> tuple[bool, bool, float]:
        sureness = judged[number]
        return sureness >= SURE, search.wants(found[number].form), sureness

    best = max(range(len(found)), key=order)
    return best, judged[best]
