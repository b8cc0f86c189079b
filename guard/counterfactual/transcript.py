"""Transcripts of talks: who speaks where, by the labels at the beginning of turns.

"Agent:", "Mary:", "Mr. Smith:", "Customer (Mary):", "[10:02] **Eric:**", in one text or in several.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guard.counterfactual.english.words import word_set

_TITLE = r"(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Sir|Lady|Officer|Judge)\.?"
_WORD = r"[A-Z][\w'’-]{0,30}\.?"
_LABEL = re.compile(
    r"^[ \t>*_#-]{0,8}(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?[\])]?[ \t-]{0,4})?[*_]{0,2}"
    rf"(?P<label>(?:{_TITLE} )?{_WORD}(?: {_WORD}){{0,3}}(?: \([\w .'’-]{{1,40}}\))?)"
    r"[*_]{0,2}[ \t]?:(?!\S*//)",
    re.MULTILINE,
)
_BLANK = re.compile(r"\n[ \t]{0,8}\n")
_WORDS = re.compile(r"\w+|\?")
_FEWEST = 2  # turns that must sound spoken where nobody speaks twice
_SPOKEN = word_set(
    "i you your my we our me us hi hello hey thanks thank please yes no sorry ok okay sure bye ?"
    " here"
)
_HEADINGS = word_set(
    "summary note notes question questions subject transcript re date task context instructions"
    " instruction answer re from to cc topic title goal background example examples output input"
    " system time location order status reason issue request call conversation chat ps update"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerTurn:
    """What somebody says in one of the texts: `text[start:end]`; the label stands from `begin` on.

    speaker: the label in lower case, empty for a heading, which nobody speaks.
    """

    speaker: str
    begin: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """The turns of each text, in order, and where they begin.

    speakers: their labels in lower case, in order.
    """

    turns: tuple[tuple[SpeakerTurn, ...], ...]
    begins: tuple[tuple[int, ...], ...]
    speakers: tuple[str, ...]

    def turn_at(self, page: int, place: int) -> SpeakerTurn | None:
        """The turn, label included, that this character of a text stands in."""
        number = bisect_right(self.begins[page], place) - 1
        found = self.turns[page][number] if number >= 0 else None
        return found if found is not None and place < found.end and found.speaker else None


def read_transcript(texts: Sequence[str]) -> Transcript | None:
    """The talk in these texts; None where fewer than two speak, as in a form's "Name: Mary"."""
    turns = tuple(_turns(text) for text in texts)
    said = [one for page in turns for one in page if one.speaker]
    speakers = tuple(dict.fromkeys(one.speaker for one in said))
    if len(said) == len(speakers) and sum(_talks(turns, texts)) < _FEWEST:
        return None
    begins = tuple(tuple(one.begin for one in page) for page in turns)
    return Transcript(turns, begins, speakers) if len(speakers) > 1 else None


def _talks(turns: Sequence[Sequence[SpeakerTurn]], texts: Sequence[str]) -> Iterator[bool]:
    """Whether each turn has words of somebody who speaks to another: "I", "you", "hello", "?"."""
    for page, text in zip(turns, texts, strict=True):
        for one in page:
            words = _WORDS.findall(text, one.start, one.end)
            yield bool(one.speaker) and any(word.lower() in _SPOKEN for word in words)


def _turns(text: str) -> tuple[SpeakerTurn, ...]:
    labels = list(_LABEL.finditer(text))
    ends = [*(match.start() for match in labels[1:]), len(text)]
    return tuple(
        SpeakerTurn(
            speaker=_speaker(match["label"]),
            begin=match.start("label"),
            start=match.end(),
            end=_last_line(text, match.end(), end),
        )
        for match, end in zip(labels, ends, strict=False)
    )


def _speaker(label: str) -> str:
    lower = " ".join(label.lower().split())
    return "" if lower in _HEADINGS or lower.split()[-1] in _HEADINGS else lower


def _last_line(text: str, start: int, end: int) -> int:
    """A turn ends at an empty line too: what follows is nobody's."""
    blank = _BLANK.search(text, start, end)
    return end if blank is None else blank.start()
