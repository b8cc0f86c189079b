"""Where prompts are measured: in this process, or by others that send back what they add."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from guard.assessment.generation import KeptReplies
from guard.assessment.reader import Row
from guard.assessment.rows import InputRow
from guard.assessment.totals import UnitMeasures
from guard.assessment.unit_measure import PreparedPrompt, PromptMeasure
from guard.assessment.units import RowGroup, row_groups
from guard.shadow.comparison import Instruments

PROMPTS_AHEAD = 64
CHARACTERS_AHEAD = 4_000_000
"""What is being scored at once, so that memory stays flat whatever the file's size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuringWork:
    """What is measured and how, without open models and files, so that it can be sent elsewhere.

    rows: the input, from its beginning each time. measure: takes the `tools` to measure with, and
    the `kept` replies.
    """

    rows: Callable[[], Iterator[Row]]
    measure: Callable[..., PromptMeasure]

    def groups(self) -> Iterator[RowGroup]:
        """The good rows, those that belong together as one."""
        return row_groups(row for row in self.rows() if isinstance(row, InputRow))


class MeasuringEngine(Protocol):
    """Measures all prompts."""

    def measure(self, work: MeasuringWork) -> Iterator[UnitMeasures]:
        """What prompts add, each exactly once, in the order of the rows. Raises GuardError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEngine:
    """Measures in this process, one prompt after the other."""

    tools: Instruments
    kept: KeptReplies | None = None

    def measure(self, work: MeasuringWork) -> Iterator[UnitMeasures]:
        """See `MeasuringEngine.measure`."""
        return measure_groups(work.groups(), work.measure(tools=self.tools, kept=self.kept))


def measure_groups(groups: Iterable[RowGroup], measure: PromptMeasure) -> Iterator[UnitMeasures]:
    """What each prompt adds, those behind it being scored meanwhile."""
    return map(measure.finish, _ahead(groups, measure))


def _ahead(groups: Iterable[RowGroup], measure: PromptMeasure) -> Iterator[PreparedPrompt]:
    waiting: deque[PreparedPrompt] = deque()
    characters = 0
    for group in groups:
        waiting.append(measure.prepare(group))
        characters += waiting[-1].characters
        while len(waiting) > PROMPTS_AHEAD or (characters > CHARACTERS_AHEAD and waiting):
            characters -= waiting[0].characters
            yield waiting.popleft()
    yield from waiting
