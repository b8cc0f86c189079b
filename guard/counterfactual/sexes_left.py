"""The words male and female where they name nobody and stay beside somebody who changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.tokens import Words

OTHER_SEX: Final = {"female": "male", "male": "female"}
"""For each of two sexes the other one."""
_PLUGS: Final = word_set(
    "usb hdmi vga dvi xlr bnc sma rca jst ethernet audio plug plugs socket sockets connector"
    " connectors adapter adapters adaptor adaptors jack jacks port ports header headers pin pins"
    " terminal terminals end ends thread threads threaded coupling couplings coupler fitting"
    " fittings screw screws bolt bolts part parts side cable cables flower flowers cone cones"
)


def sexes_left(page: AnnotatedText, group: str) -> Iterator[int]:
    """Where the words male and female stand beside those who are mentioned: the first characters.

    They may speak of one who changes ("a female version", "female,34"). Not so of plugs, in
    "male to female", and in words with a hyphen ("male-dominated").
    """
    words = page.words
    wanted = {group, group + "s"} & words.vocabulary if group in OTHER_SEX else set[str]()
    spans = [one.span for one in (*page.people, *page.both, *page.staying)] if wanted else []
    for at in words.places(wanted) if wanted else ():
        start = words.starts[at]
        told = any(span.start <= start < span.end for span in spans)
        if not (told or _is_part(words, at) or _is_of_plug(words, at, OTHER_SEX[group])):
            yield start


def _is_part(words: Words, at: int) -> bool:
    return words.hyphened(at) or (words.word(at - 1) == "-" and words.joined(at))


def _is_of_plug(words: Words, at: int, other: str) -> bool:
    sides = ((words.word(at + step), words.word(at + 2 * step)) for step in (1, -1))
    return words.word(at + 1) in _PLUGS or ("to", other) in sides
