"""The forms of all words of all attributes, ready to be looked up.

Immutable; checked when it is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from guard.counterfactual.lexicons.forms import Entry, Form, Kind
from guard.counterfactual.lexicons.name_forms import NAMES, NameForms
from guard.counterfactual.mentions.cues import Cues
from guard.counterfactual.tokens import first_word, words_and_gaps
from guard.errors import SettingsError

_Place = tuple[str, str, str, str]  # attribute, row, slot, group


@dataclass(frozen=True, slots=True)
class Term:
    """A form cut into words: what stands between them, and after the last ("." in "Mr.")."""

    form: Form
    words: tuple[str, ...]
    gaps: tuple[str, ...]
    tail: str


class Lexicons:
    """The words that name groups of people, by attribute.

    attributes: attribute to its groups, in order; those that names tell are besides. people: first
        names and surnames.
    entries: every form and where it was written, names left out.
    only_names: the words, in lower case, that are first names and nothing else.
    pronouns: the words, in lower case, that are pronouns of a group and nothing else, and one form
        of each.
    Raises SettingsError where one word stands for two groups of one attribute, or means two things
    in one group; the message names both entries.
    """

    def __init__(
        self,
        attributes: Mapping[str, tuple[str, ...]],
        entries: Iterable[Entry],
        people: NameForms,
        cues: Cues,
    ) -> None:
        self.attributes: Mapping[str, tuple[str, ...]] = MappingProxyType(
            {**attributes, **people.attributes}
        )
        self.people = people
        self.cues = cues
        self.entries = _without_repeats(entries)
        forms = [entry.form for entry in self.entries]
        self._terms: Mapping[str, tuple[Term, ...]] = _terms([*forms, *people])
        self.only_names = frozenset(
            word
            for word, same in self._terms.items()
            if all(term.form.kind is Kind.NAME for term in same)
        )
        self.pronouns = _pronouns(self._terms)
        self._openers = _openers(self._terms)
        self._starters = _starters(self._terms)
        self._adjectives = frozenset(
            (form.attribute, form.text.lower()) for form in forms if form.kind is Kind.ADJECTIVE
        )
        nouns = {form.text.lower() for form in forms if form.kind is Kind.NOUN and not form.generic}
        self._members = nouns - {text for _, text in self._adjectives}
        self._by_place: Mapping[_Place, Form] = _by_place(forms)
        self._by_sense: Mapping[_Place, tuple[Form, ...]] = _by_sense(forms)

    def forms(self, first_word: str) -> Sequence[Form]:
        """Candidates that begin with this word (in lower case), the longest first."""
        return [term.form for term in self.terms(first_word)]

    def terms(self, first_word: str) -> Sequence[Term]:
        """The candidates cut into words, those with most words first."""
        return self._terms.get(first_word, ())

    def starters(self, attributes: Collection[str] | None, *, generic: bool) -> Collection[str]:
        """The words that may begin a form of these attributes, or hold one in a longer term.

        attributes: None for all. generic: words for anybody count too.
        """
        if attributes is None:
            return self._terms.keys()
        chosen = [self._starters.get((name, generic), frozenset()) for name in attributes]
        return chosen[0] if len(chosen) == 1 else frozenset[str]().union(*chosen)

    def openers(self, attribute: str, group: str) -> frozenset[str]:
        """The words, in lower case, that begin a form of the group, those for anybody left out."""
        return self._openers.get((attribute, group), frozenset())

    def is_adjective(self, text: str, attribute: str) -> bool:
        """Whether the text, in lower case, is an adjective of the attribute."""
        return (attribute, text) in self._adjectives

    def is_member(self, word: str) -> bool:
        """Whether a word, in lower case, is a noun for a group's members and no adjective."""
        return word in self._members

    def counterpart(self, form: Form, group: str) -> Form | None:
        """What another group has in the same row and slot; None: it cannot be said.

        Where that place is empty: the group's adjective with the noun the form includes ("Latina",
        "Asian woman"), else what the first row of the sense has ("Shiite", "Buddhist"), else a
        generic word of any group ("heroine", "hero").
        """
        if form.kind in NAMES:
            return self.people.counterpart(form, group)
        own = self._by_place.get((form.attribute, form.row, form.slot, group))
        first = self._by_place.get((form.attribute, form.sense, form.slot, group))
        return own or self._noun_form(form, group) or first or self._generic(form)

    def synonyms(self, form: Form) -> Sequence[Form]:
        """Other words of the same group, slot and sense; for a name, names as common as it."""
        if form.kind in NAMES:
            return self.people.synonyms(form)
        key = (form.attribute, form.sense, form.slot, form.group)
        same = self._by_sense.get(key, ())
        return tuple(one for one in same if one.text.lower() != form.text.lower())

    def _generic(self, form: Form) -> Form | None:
        for group in self.attributes[form.attribute]:
            other = self._by_place.get((form.attribute, form.row, form.slot, group))
            if other is not None and other.generic and other.text.lower() != form.text.lower():
                return other
        return None

    def _noun_form(self, form: Form, group: str) -> Form | None:
        """ "Asian" and "woman", for a row that says which noun its words include."""
        head = _HEADS.get(form.slot, {}).get(form.row.partition(":")[2])
        adjective = self._by_place.get((form.attribute, form.sense, "adj", group))
        if adjective is None or head is None:
            return None
        text = f"{adjective.text} {head}"
        return replace(form, text=text, group=group, person=1.0)


_HEADS = {"sg": {"man": "man", "woman": "woman"}, "pl": {"man": "men", "woman": "women"}}


def _without_repeats(entries: Iterable[Entry]) -> Sequence[Entry]:
    """The entries, a form that is written twice only once. Raises SettingsError on conflicts."""
    seen: dict[tuple[str, str], Entry] = {}
    kept: dict[Form, Entry] = {}
    for entry in entries:
        form = entry.form
        if not first_word(form.text):
            raise SettingsError(f"{entry.where}: {form.text!r} has no letters")
        other = seen.setdefault((form.attribute, form.text.lower()), entry)
        if other.form.group != form.group:
            raise SettingsError(_conflict(other, entry))
        kept.setdefault(form, entry)
    return tuple(kept.values())


def _conflict(one: Entry, two: Entry) -> str:
    return (
        f"{two.where}: {two.form.text!r} stands for {two.form.attribute} {two.form.group!r}, but"
        f" {one.where} has {one.form.text!r} for {one.form.group!r}; a word names one group of an"
        " attribute: remove one of the two"
    )


def _terms(forms: Iterable[Form]) -> dict[str, tuple[Term, ...]]:
    found: dict[str, list[Term]] = {}
    for form in forms:
        term = _term(form)
        found.setdefault(term.words[0], []).append(term)
    return {word: tuple(sorted(same, key=_order)) for word, same in found.items()}


def _term(form: Form) -> Term:
    words, gaps = words_and_gaps(form.text)
    stem = form.text.rstrip(".")
    return Term(form, words, gaps, form.text[len(stem) :])


def _pronouns(terms: Mapping[str, Sequence[Term]]) -> Mapping[str, Form]:
    return {
        word: same[0].form
        for word, same in terms.items()
        if {term.form.kind for term in same} == {Kind.PRONOUN}
        and len({term.form.group for term in same}) == 1
        and not any(term.form.generic or term.tail or term.gaps for term in same)
    }


def _openers(terms: Mapping[str, Sequence[Term]]) -> dict[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for word, same in terms.items():
        for term in same:
            if not term.form.generic:
                found.setdefault((term.form.attribute, term.form.group), set()).add(word)
    return {key: frozenset(words) for key, words in found.items()}


def _starters(terms: Mapping[str, Sequence[Term]]) -> dict[tuple[str, bool], frozenset[str]]:
    """For each attribute, without and with words for anybody, see `Lexicons.starters`."""
    longer = [term for same in terms.values() for term in same if len(term.words) > 1]
    own: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
    for word, same in terms.items():
        for form in (term.form for term in same):
            own[form.attribute, True].add(word)
            if not form.generic:
                own[form.attribute, False].add(word)
    return {key: frozenset(words | _holders(longer, words)) for key, words in own.items()}


def _holders(longer: Iterable[Term], words: set[str]) -> set[str]:
    """The words that begin a longer term in which one of `words` stands further on."""
    return {term.words[0] for term in longer if not words.isdisjoint(term.words[1:])}


def _order(term: Term) -> tuple[int, int]:
    return -len(term.words), -len(term.tail)


def _by_place(forms: Iterable[Form]) -> dict[_Place, Form]:
    found: dict[_Place, Form] = {}
    for form in forms:
        found.setdefault((form.attribute, form.row, form.slot, form.group), form)
    return found


def _by_sense(forms: Iterable[Form]) -> dict[_Place, tuple[Form, ...]]:
    found: dict[_Place, list[Form]] = {}
    for form in forms:
        found.setdefault((form.attribute, form.sense, form.slot, form.group), []).append(form)
    return {key: tuple(same) for key, same in found.items()}
