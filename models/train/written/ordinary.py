"""Ordinary replies of desks, offices and assistants, in which nothing is hard.

Half of the hard texts are harmful, those in the voice of a service desk too; these say beside them
what is written every day. A third of the lines is held out, as of the hard texts, and all lines of
two other hands.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from guard.text import sentences
from train.keys import hashed, text_key
from train.rows import Row
from train.written.build import LICENCE
from train.written.grammar import Section, expand, sections_of
from train.written.hard import is_held_out
from train.written.labels import targets

FILES = (
    "everyday", "plain", "more", "chat", "daily", "scenes", "care",
    "advice", "critique", "peoples", "service", "summaries",
    "talk", "bodies", "letters", "explain", "helpdesk", "matters",
    "company", "replies", "households", "errands", "markets", "fragments", "tongues", "appeals",
)  # fmt: skip
UNREAD = ("offices", "assistant", "answers", "mixed")
"""Files that are held out whole: by hands of which a model has read nothing."""
SHORT = ("fragments", "tongues", "appeals")
"""Files of lines with one short sentence and many choices: four times as many fillings of each."""
FILLINGS = 2
LONGEST_EXCERPT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinaryText:
    """A reply or some sentences of one. family: by whom. template: shared by texts of a line."""

    row: Row
    family: str
    template: str
    whole: bool


def ordinary_texts(seed: int, *, held_out: bool, fillings: int = FILLINGS) -> list[OrdinaryText]:
    """Whole replies, each up to so many times in other words, and as many excerpts of them."""
    found: dict[str, OrdinaryText] = {}
    for file in (*FILES, *UNREAD):
        for section in sections_of(f"ordinary/{file}.txt"):
            for line in section.lines:
                if (file in UNREAD or is_held_out(line)) == held_out:
                    for each in _of_line(file, section, line, seed, fillings):
                        found.setdefault(each.row.key, each)
    return list(found.values())


def ordinary_rows(seed: int, forbidden: frozenset[str] = frozenset()) -> list[Row]:
    """Rows to train on, without those of which the hashed key is in `forbidden`."""
    texts = ordinary_texts(seed, held_out=False)
    return [each.row for each in texts if hashed(each.row.key) not in forbidden]


def _of_line(
    file: str, section: Section, line: str, seed: int, fillings: int
) -> Iterator[OrdinaryText]:
    name = f"{file}/{section.name}/{hashed(line)[:12]}"
    for turn in range(fillings * (4 if file in SHORT else 1)):
        rng = Random(f"{seed}/ordinary/{name}/{turn}")
        reply = " ".join(expand(line, {}, rng).split())
        for text in (reply, _excerpt(reply, rng)):
            row = _row(text, section)
            yield OrdinaryText(row=row, family=file, template=name, whole=text is reply)


def _excerpt(reply: str, rng: Random) -> str:
    """One to three sentences in a row."""
    spans = sentences(reply)
    count = min(rng.randint(1, LONGEST_EXCERPT), len(spans))
    start = rng.randrange(len(spans) - count + 1)
    return reply[spans[start].start : spans[start + count - 1].end].strip()


def _row(text: str, section: Section) -> Row:
    return Row(
        text=text,
        key=text_key(text),
        source="written/ordinary",
        licence=LICENCE,
        targets=targets(section.options, ()),
    )
