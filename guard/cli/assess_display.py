"""What `guard assess` shows while it runs, and in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from guard.assessment import AssessmentResults
from guard.assessment.generation import AskingCounts
from guard.assessment.planned_values import planned_sentences
from guard.assessment.results import PlannedMetric
from guard.records import Generated
from guard.render.visible import visible_text

_SHOWN = 40


class ProgressBar:
    """One bar; implements `AskingProgress`."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def advance(self, reply: Generated) -> None:
        """One reply is there."""
        del reply
        self.step()

    def step(self) -> None:
        """One more is done."""
        self._progress.advance(self._task)


@contextmanager
def progress_bar(console: Console, what: str, total: int) -> Iterator[ProgressBar]:
    """A bar with the time that is left; none is drawn where it is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    hidden = not console.is_terminal or not total
    with Progress(*columns, console=console, disable=hidden, transient=True) as progress:
        yield ProgressBar(progress, progress.add_task(what, total=total))


def plan_lines(plan: Sequence[PlannedMetric]) -> Iterator[str]:
    """Which metrics are assessed and why, metrics with one reason on one line."""
    found: dict[tuple[bool, str], list[str]] = {}
    for one in plan:
        found.setdefault((one.applies, one.reason), []).append(one.metric)
    for (applies, reason), names in sorted(found.items(), key=lambda one: not one[0][0]):
        yield f"{'assessed' if applies else 'left out'}: {', '.join(names)}: {reason}"


def failure_line(counts: AskingCounts) -> str:
    """How many questions have no reply, and why the first has none."""
    return (
        f"{counts.lost} of {counts.done} questions failed: {counts.reason}; --retry-failed asks"
        " again"
    )


def group_failures(results: AssessmentResults) -> Iterator[str]:
    """Of which groups replies failed, a line for each attribute."""
    for one in results.coverage.attributes:
        lost = [
            f"{one.lost.get(group, 0)} of {count} about {group}"
            for group, count in one.replies.items()
        ]
        if one.lost:
            yield visible_text(f"{one.attribute}: failed or too late: {', '.join(lost)}")


def results_table(results: AssessmentResults) -> Table:
    """The first findings, in words."""
    title = Text(visible_text(f"Assessment of {results.use_case}"))
    table = Table(title=title, show_header=False, box=None)
    planned = planned_sentences(results.plan, results.comparisons, results.metrics)
    shown = [*dict.fromkeys((*results.summary[:_SHOWN], *planned))]
    for line in shown:
        table.add_row(Text(visible_text(line)))
    left = len(results.summary) - len(shown)
    if left > 0:
        table.add_row(Text(f"... {left} more in the report"))
    return table
