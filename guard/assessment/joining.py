"""Responses that stand in another file than their prompts, each brought to the row it belongs to.

Where the responses name their prompt (`id`, or the `prompt` itself) the name decides; else row n of
one file belongs to row n of the other. Bad rows and blank lines keep their number, so that none of
them shifts what comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from pathlib import Path

from guard.assessment.reader import Numbered, Row, numbered_rows, read_rows
from guard.assessment.results import BadRow
from guard.assessment.rows import InputRow
from guard.errors import AssessmentInputError


def join_responses(prompts: Path, responses: Path) -> Iterator[Row]:
    """The rows of `prompts` with the responses of the other file, whose rows stand in the same
    order.

    Responses with an `id`, or with the `prompt` where they have none, belong to the row with the
    same one, several of them one after the other; responses that belong to no row are bad rows.
    Without both, row n belongs to row n: a bad prompt drops its response as well, and files of
    different lengths raise AssessmentInputError, as do files that cannot be read.
    """
    named = next((row for row in read_rows(responses, plain="response") if _is_good(row)), None)
    if isinstance(named, InputRow) and (named.id or named.prompt):
        yield from _by_name(prompts, responses)
    else:
        yield from _by_number(prompts, responses)


def _is_good(row: Row) -> bool:
    return isinstance(row, InputRow)


def _by_number(prompts: Path, responses: Path) -> Iterator[Row]:
    counts = [0, 0]
    both = numbered_rows(prompts), numbered_rows(responses, plain="response")
    for number, rows in enumerate(zip_longest(*both), start=1):
        counts = [number if row is not None else n for row, n in zip(rows, counts, strict=True)]
        yield from _beside(*rows)
    shorter, longer = sorted(counts)
    if shorter < longer and not _ends_blank((prompts, responses), counts):
        raise AssessmentInputError(
            f"{prompts} has {counts[0]} rows and {responses} has {counts[1]}: row n of one belongs"
            " to row n of the other; give as many of both, or give both an `id`"
        )


def _ends_blank(paths: Iterable[Path], counts: list[int]) -> bool:
    """Whether the shorter file goes on with blank lines to the length of the longer."""
    shorter = min(zip(counts, paths, strict=True))[1]
    return sum(1 for _ in numbered_rows(shorter)) >= max(counts)


def _beside(row: Numbered, response: Numbered) -> Iterator[Row]:
    if isinstance(response, InputRow) and (problem := _misplaced(row, response)):
        response = BadRow(place=response.place, problem=problem)
    if isinstance(response, BadRow):
        yield response
    if row is not None:
        yield _with_responses(row, [response] if isinstance(response, InputRow) else [])


def _misplaced(row: Numbered, response: InputRow) -> str:
    if row is None:
        return "there is no prompt in this row"
    return "it names its prompt, and the first row does not" if _name(response)[1] else ""


def _by_name(prompts: Path, responses: Path) -> Iterator[Row]:
    @cache
    def names() -> frozenset[int]:
        return frozenset(
            hash(name)
            for row in read_rows(prompts)
            if isinstance(row, InputRow)
            for name in (("id", row.id), ("prompt", row.prompt))
            if name[1]
        )

    ahead = _Ahead(read_rows(responses, plain="response"), lambda name: hash(name) in names())
    for row in read_rows(prompts):
        found = ahead.take(row) if isinstance(row, InputRow) else []
        yield from ahead.strays()
        yield _with_responses(row, found)
    yield from ahead.rest()


class _Ahead:
    """The responses that no row has taken yet. is_known: whether any row has this name."""

    def __init__(self, rows: Iterator[Row], is_known: Callable[[tuple[str, str]], bool]) -> None:
        self._rows = rows
        self._is_known = is_known
        self._strays: list[BadRow] = []
        self._next: InputRow | None = None
        self._move()

    def take(self, row: InputRow) -> list[InputRow]:
        """Those that belong to this row."""
        found: list[InputRow] = []
        while self._next is not None:
            if _belongs(self._next, row):
                found.append(self._next)
            elif self._is_known(_name(self._next)):
                break
            else:
                self._strays.append(_stray(self._next))
            self._move()
        return found

    def strays(self) -> list[BadRow]:
        """Those that were passed since it was last asked."""
        found, self._strays = self._strays, []
        return found

    def rest(self) -> Iterator[BadRow]:
        """All that are left."""
        while self._next is not None:
            self._strays.append(_stray(self._next))
            self._move()
            yield from self.strays()
        yield from self.strays()

    def _move(self) -> None:
        """On to the next good row."""
        for row in self._rows:
            if isinstance(row, InputRow):
                self._next = row
                return
            self._strays.append(row)
        self._next = None


def _name(response: InputRow) -> tuple[str, str]:
    return ("id", response.id) if response.id else ("prompt", response.prompt)


def _belongs(response: InputRow, row: InputRow) -> bool:
    kind, name = _name(response)
    return bool(name) and name == (row.id if kind == "id" else row.prompt)


def _with_responses(row: Row, found: list[InputRow]) -> Row:
    if isinstance(row, BadRow) or not found:
        return row
    texts = tuple(text for one in found for text in one.responses)
    heads = sorted({head for one in found for head in one.scores})
    scores = {
        head: tuple(
            value for one in found for value in one.scores.get(head, (None,) * len(one.responses))
        )
        for head in heads
    }
    return replace(row, responses=row.responses + texts, scores=scores or row.scores)


def _stray(row: InputRow) -> BadRow:
    if not _name(row)[1]:
        return BadRow(place=row.place, problem="it does not name its prompt, as the first row does")
    told = f"id {row.id!r:.40}" if row.id else "this prompt"
    return BadRow(
        place=row.place,
        problem=f"no row of prompts with {told} is left; both files must have the same order",
    )
