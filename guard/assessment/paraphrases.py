"""Other wordings of the prompts of CAIRO, made by a model.

The rows of one metric and template differ in the words for their group. The prompt of the first of
them is reworded, with those words kept, and the wording is carried over to the other groups by
putting their words in: so every group is asked about in the same words, which rewording each
prompt by itself would not give. Source: CAIRO §3 [CA]; carrying over is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files

from guard.assessment.generation import Enquiry, KeptReplies, enquiry
from guard.assessment.reader import Row
from guard.assessment.rows import InputRow
from guard.errors import AssessmentInputError
from guard.records import Ask, Ending, Generated, Turn
from guard.text.refusals import is_refusal

TRIES = 3
"""How often a wording is asked for that does not keep to what was asked."""
_LONGEST = 3.0
_WORDS = re.compile(r"\w+|\W+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """The original rows of one metric and template, one for each group. swaps: for each row, the
    words of the first row to those that stand in their place."""

    rows: tuple[InputRow, ...]
    swaps: tuple[Mapping[str, str], ...]

    @property
    def prompt(self) -> str:
        """The one that is reworded."""
        return self.rows[0].prompt

    @property
    def kept(self) -> tuple[str, ...]:
        """Words that every wording must keep."""
        return tuple(dict.fromkeys(word for swap in self.swaps for word in swap))

    def fault(self, text: str) -> str:
        """Why a text is no other wording; empty where it is one."""
        if not text or is_refusal(text):
            return "no wording"
        if text == self.prompt:
            return "the same words"
        if len(text) > _LONGEST * len(self.prompt):
            return "too long"
        if any(_count(word, text) != _count(word, self.prompt) for word in self.kept):
            return "the words for the group changed"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParaphraseModel:
    """Who rewords. name: which model, and where: a part of the key of each reply. label: how its
    wordings are called; parameters: that go along with every question."""

    name: str
    label: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Paraphrasing:
    """`count` wordings of each template. kept: the replies that are there."""

    templates: Sequence[PromptTemplate]
    model: ParaphraseModel
    count: int
    kept: KeptReplies

    def enquiries(self, attempt: int) -> Iterator[Enquiry]:
        """What is asked at this attempt (0 is the first), where earlier ones gave no wording."""
        for template in self.templates:
            for number in range(self.count):
                if all(self._fault(template, number, before) for before in range(attempt)):
                    yield self._enquiry(template, number, attempt)

    def rows(self) -> Iterator[dict[str, str]]:
        """The originals and every wording, for each group."""
        for template in self.templates:
            for row in template.rows:
                yield _fields(row, "", row.prompt)
            for number, text in enumerate(self._wordings(template), start=1):
                label = f"{self.model.label}-{number}"
                for row, swap in zip(template.rows, template.swaps, strict=True):
                    yield _fields(row, label, _put(swap, text))

    def faults(self) -> Iterator[str]:
        """Why wordings are missing, one for each."""
        for template in self.templates:
            for number in range(self.count):
                found = [self._fault(template, number, attempt) for attempt in range(TRIES)]
                if all(found):
                    yield found[-1]

    def _wordings(self, template: PromptTemplate) -> Iterator[str]:
        seen = set()
        for number in range(self.count):
            for attempt in range(TRIES):
                text = _text(self._reply(template, number, attempt))
                if not template.fault(text):
                    if text not in seen:
                        yield text
                    seen.add(text)
                    break

    def _fault(self, template: PromptTemplate, number: int, attempt: int) -> str:
        reply = self._reply(template, number, attempt)
        if reply is None:
            return "not asked, or no reply"
        return template.fault(_text(reply))

    def _reply(self, template: PromptTemplate, number: int, attempt: int) -> Generated | None:
        return self.kept.get(self._enquiry(template, number, attempt).key)

    def _enquiry(self, template: PromptTemplate, number: int, attempt: int) -> Enquiry:
        draw = number + attempt * self.count
        words = ", ".join(template.kept) or "(none)"
        text = _instructions().format(words=words, prompt=template.prompt)
        ask = Ask(
            turns=(Turn(role="user", content=text),), parameters=self.model.parameters, seed=draw
        )
        return enquiry(self.model.name, ask, draw)


def read_templates(rows: Iterable[Row]) -> tuple[list[PromptTemplate], list[InputRow]]:
    """The templates of the original rows, and the rows that are wordings already.

    Raises AssessmentInputError for a row without a metric, template, group or prompt, and for rows
    of one template that differ otherwise than by words that replace one another.
    """
    found: dict[tuple[str, str], list[InputRow]] = {}
    others = []
    for row in rows:
        if not isinstance(row, InputRow):
            raise AssessmentInputError(f"{row.place}: {row.problem}")
        for name in ("metric", "template", "group", "prompt"):
            if not getattr(row, name):
                raise AssessmentInputError(f"{row.place}: a {name!r} is wanted in every row")
        if row.paraphrase:
            others.append(row)
        else:
            found.setdefault((row.metric, row.template), []).append(row)
    return [_template(one) for one in found.values()], others


def _template(rows: Sequence[InputRow]) -> PromptTemplate:
    first = rows[0].prompt
    swaps = tuple(_swaps(first, row) for row in rows)
    return PromptTemplate(rows=tuple(rows), swaps=swaps)


def _swaps(first: str, row: InputRow) -> dict[str, str]:
    """Words of the first prompt to those of this row that stand in their place."""
    one, other = (_WORDS.findall(text) for text in (first, row.prompt))
    swaps: dict[str, str] = {}
    for kind, begin, end, start, stop in SequenceMatcher(
        None, one, other, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        old, new = "".join(one[begin:end]).strip(), "".join(other[start:stop]).strip()
        if not old or not new or swaps.setdefault(old, new) != new:
            raise AssessmentInputError(
                f"{row.place}: differs from the first prompt of its template by more than words"
                " that replace one another; its wordings cannot be carried over"
            )
    return swaps


def _put(swap: Mapping[str, str], text: str) -> str:
    if not swap:
        return text
    longest = sorted(swap, key=len, reverse=True)
    return re.sub("|".join(map(_whole, longest)), lambda found: swap[found[0]], text)


def _whole(word: str) -> str:
    return rf"(?<!\w){re.escape(word)}(?!\w)"


def _count(word: str, text: str) -> int:
    return len(re.findall(_whole(word), text))


def _text(reply: Generated | None) -> str:
    is_there = reply is not None and reply.ending is Ending.ANSWERED
    return " ".join(reply.text.split()) if reply is not None and is_there else ""


def _fields(row: InputRow, paraphrase: str, prompt: str) -> dict[str, str]:
    return {
        "metric": row.metric,
        "template": row.template,
        "group": row.group,
        "paraphrase": paraphrase,
        "prompt": prompt,
    }


@cache
def _instructions() -> str:
    place = files("guard.assessment").joinpath("paraphrase_instructions.txt")
    return place.read_text("utf-8").removesuffix("\n")
