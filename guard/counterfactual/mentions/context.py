"""Where a candidate stands, and what can be asked about its neighbours."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from guard.counterfactual.english.words import english
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.cues import Around, Cues, Pair
from guard.counterfactual.tokens import Tokens

_NEAR = 6  # how many words away a neighbour is looked for
_REACH = 12  # how many words away anything is looked for
_AROUND = 8  # how many words away a topic is looked for
_BETWEEN = frozenset(" \u00a0-*_\t,")
_MORE = frozenset(("more", "less", "fewer", "most", "enough", "much", "many", "several", "some"))
_TIGHT = frozenset("'\"“”‘()[]*_ \t\u00a0,-/&")


@dataclass(frozen=True, slots=True)
class WordContext:
    """The words `first` to `last` (included) of a text, and the words around them."""

    tokens: Tokens
    first: int
    last: int
    lexicons: Lexicons

    @property
    def cues(self) -> Cues:
        """The word lists."""
        return self.lexicons.cues

    @property
    def surface(self) -> str:
        """The first word as it is written."""
        return self.tokens.surface(self.first)

    @property
    def word(self) -> str:
        """The first word in lower case."""
        return self.tokens.word(self.first)

    def before(self, steps: int = 1) -> str:
        """The word so many steps before, in lower case; empty across the end of a clause."""
        return self._near(range(self.first - 1, self.first - 1 - steps, -1), self.first - steps)

    def after(self, steps: int = 1) -> str:
        """The word so many steps after, in lower case; empty across the end of a clause."""
        return self._near(range(self.last, self.last + steps), self.last + steps)

    def past(self, steps: int, words: frozenset[str]) -> int:
        """The first number of steps before, from this one on, at which none of the words stands."""
        while steps < _NEAR and self.before(steps) in words:
            steps += 1
        return steps

    def _near(self, gaps: range, at: int) -> str:
        if not 0 <= at < len(self.tokens.lower) or not all(map(self._is_joined, gaps)):
            return ""
        return self.tokens.word(at)

    def _is_joined(self, gap: int) -> bool:
        return _TIGHT.issuperset(self.tokens.gap(gap))

    def _together(self, gap: int) -> bool:
        return self._is_joined(gap) and "," not in self.tokens.gap(gap)

    def gap_before(self) -> str:
        """What stands before it."""
        return self.tokens.gap(self.first - 1)

    def gap_after(self) -> str:
        """What stands after it."""
        return self.tokens.gap(self.last)

    def following(self) -> Iterator[int]:
        """Numbers of the words after it, as far as only blanks and commas divide them."""
        for at in range(self.last, min(self.last + _NEAR, len(self.tokens.lower) - 1)):
            if not _BETWEEN.issuperset(self.tokens.gap(at)):
                return
            yield at + 1

    def around(self) -> tuple[Hashable, ...]:
        """All that any question about this place can depend on: the text a dozen words about."""
        starts, first, last = self.tokens.starts, self.first - _REACH, self.last + _REACH
        begin = starts[first] if first > 0 else 0
        end = starts[last] if last < len(starts) else len(self.tokens.text)
        size = self.last - self.first
        return (
            self.tokens.text[begin:end],
            starts[self.first] - begin,
            size,
            first > 0,
            last < len(starts),
        )

    def is_person(self, word: str) -> bool:
        """Whether a word, in lower case, is a noun for persons, or for a group's members."""
        return self.cues.is_person(word) or self.lexicons.is_member(word)

    def is_name(self, at: int) -> bool:
        """Whether the word of this number is a first name, and little else, with a capital."""
        record = self.lexicons.people.first.record(self.tokens.word(at))
        known = record is not None and record.is_no_word
        return known and self.tokens.surface(at)[:1].isupper()

    def is_surname(self, at: int) -> bool:
        """Whether the word of this number ends a person's name: "Emily Carter", "Mr. Jackson",
        "Applicant A"."""
        surface, before = self.tokens.surface(at), self.tokens.word(at - 1)
        if not surface[:1].isupper() or self.tokens.gap(at - 1) not in (" ", ". "):
            return False
        titled = before in self.cues.titles or self.is_name(at - 1)
        return titled or (len(surface) == 1 and self.is_person(before))

    def is_adjective(self, form: Form) -> bool:
        """Whether the same word is an adjective of its attribute, too: "a Muslim", "Muslim art"."""
        return self.lexicons.is_adjective(form.text.lower(), form.attribute)

    def is_group(self) -> bool:
        """Whether the word names a group as well, with a capital ("Christian")."""
        readings = self.lexicons.terms(self.word)
        return any(
            one.form.kind is Kind.ADJECTIVE and one.form.text[:1].isupper() for one in readings
        )

    def capital(self) -> bool:
        """Whether the first word begins with a capital."""
        return self.surface[:1].isupper()

    def starts_sentence(self) -> bool:
        """Whether the capital says nothing: a sentence, line or quotation begins here."""
        if self.first == 0:
            return True
        return bool(set(self.gap_before()) & set('.!?:\n…"“#>•*;'))

    def shouting(self) -> bool:
        """Whether it is all capitals and a neighbour is, too."""
        near = (self.tokens.surface(self.first - 1), self.tokens.surface(self.last + 1))
        return any(len(word) > 1 and word.isupper() for word in near)

    def off_topic(self) -> bool:
        """Whether a word nearby belongs to a topic in which this one means no person."""
        near = self.cues.topics.get(self.word)
        if near is None or self._royal():
            return False
        around = range(max(0, self.first - _AROUND), self.last + _AROUND + 1)
        return any(self.tokens.word(at) in near for at in around)

    def _royal(self) -> bool:
        """Whether it is a title with a country: "the Queen of Denmark"."""
        of_whom = self.tokens.surface(self.last + 2)[:1]
        return self.capital() and self.after() == "of" and of_whom.isupper()

    def verb_at(self, steps: int) -> bool:
        """Whether the word so many steps after is a finite verb, as far as its form tells."""
        word, cues = self.after(steps), self.cues
        known = word in cues.verbs or word in cues.speech or word in cues.weak
        return known or word in cues.copulas or (len(word) > 4 and word.endswith("ed"))

    def before_noun(self) -> bool:
        """Whether a noun for a thing follows: two verbs never do ("the mother dough is fed")."""
        word = self.after() if self.gap_after().isspace() else ""
        if not word or word in self.cues.function or word.endswith(("ly", "ing", "ed")):
            return False
        if word in english().past_forms | english().only_verbs | _MORE:
            return False  # "my sister got fired", "gave my sister more work"
        following = self.tokens.surface(self.last + 1)
        return following.islower() and not self.is_person(word) and self.verb_at(2)

    def in_expression(self) -> bool:
        """Whether the words around it make a fixed expression of it."""
        return self._is_part(self.cues.expressions)

    def in_full_name(self) -> bool:
        """Whether it is part of the full name of a company or a thing: "Edward Jones"."""
        return self._is_part(self.cues.full_names)

    def _is_part(self, terms: Mapping[Pair, tuple[Around, ...]]) -> bool:
        if self.first != self.last:
            return False
        sides = ((self.tokens.word(self.first + side), side) for side in (-1, 1))
        return any(
            self._stands_in(before, after)
            for neighbour, side in sides
            for before, after in terms.get((self.word, neighbour, side), ())
        )

    def _stands_in(self, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
        lower, first, last = self.tokens.lower, self.first, self.last
        return (
            first >= len(before)
            and tuple(lower[first - len(before) : first]) == before
            and tuple(lower[last + 1 : last + 1 + len(after)]) == after
            and all(map(self._together, range(first - len(before), last + len(after))))
        )
