"""Surnames that stay where somebody changes, and tell the old group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import by_name
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.mentions.surnames import PARTICLES
from guard.counterfactual.tokens import Words


def surnames_left(words: Words, changing: Sequence[Mention], lexicons: Lexicons) -> Iterator[str]:
    """ "García" of "Juan López García", and the particle of "Maria de la Cruz"."""
    for one in changing:
        before, after = words.at(one.span.start) - 1, words.at(one.span.end)
        if one.form.kind is Kind.NAME and words.word(before) in PARTICLES:
            yield words.surface(before)
        name = words.surface(after)
        follows = one.form.kind is Kind.SURNAME and words.text[one.span.end :][:1] == " "
        beside = follows and name[:1].isupper() and words.starts[after] == one.span.end + 1
        if beside and lexicons.people.surnames.background(name):
            yield name


def telling_surnames(words: Words, lexicons: Lexicons, attribute: str, group: str) -> Iterator[int]:
    """Where surnames of the group follow a title or a first name: "a Jewish man, David Cohen"."""
    people, told = lexicons.people, by_name(attribute)
    if told not in people.attributes:
        return
    for at, word in enumerate(words.lower[1:], 1):
        if not people.tells(word, told, group) or not words.surface(at)[:1].isupper():
            continue
        before = words.word(at - 1 - (words.word(at - 1) == "."))  # "Mr. Washington"
        record = people.first.record(before)
        if before in lexicons.cues.titles or (record is not None and record.is_no_word):
            yield words.starts[at]
