"""Texts with every word of an attribute masked, so that two groups' texts can be compared."""

from __future__ import annotations

from collections.abc import Iterator

from guard.counterfactual.edits import Edit, applied
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.find import Mention, find
from guard.counterfactual.tokens import Words, words_of

MARK = "someone"


def masked(text: str, lexicons: Lexicons, attribute: str, *, mark: str = MARK) -> str:
    """The text with each word of the attribute replaced by `mark`, unsure ones too.

    A text and its rewrite are the same when masked, but for verbs that agree with "they": an
    article before a masked word is always "a".
    """
    found = find(text, lexicons, attributes=(attribute,))
    words = words_of(text)
    mentions = (*found.mentions, *found.unsure)
    return applied(text, [edit for one in mentions for edit in _masking(words, one, mark)])[0]


def _masking(words: Words, mention: Mention, mark: str) -> Iterator[Edit]:
    start, end = mention.span.start, mention.span.end
    yield Edit(start=start, end=end, new=mark, why="mask")
    before = words.at(start) - 1
    if words.word(before) == "an" and words.text[words.ends[before] : start].isspace():
        yield Edit(start=words.starts[before] + 1, end=words.ends[before], new="", why="article")
