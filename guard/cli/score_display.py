"""Progress and summary of `guard score`: a bar and a table on a terminal, errors elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import click
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from guard.cli.score_lines import Criteria, action_asked
from guard.cli.text_reader import BadLine
from guard.cli.text_scoring import ScoredText
from guard.records import Action, Assessment, Head


@dataclass(slots=True)
class ColumnFigures:
    """Running figures of one score."""

    count: int = 0
    total: float = 0.0
    highest: float = 0.0
    over: int = 0

    def add(self, value: float, *, is_over: bool) -> None:
        """One more value."""
        self.count += 1
        self.total += value
        self.highest = max(self.highest, value)
        self.over += is_over


class Summary:
    """Counts results. `failed` is how many of them are no complete score."""

    def __init__(self, criteria: Criteria) -> None:
        self.criteria = criteria
        self.columns = {key: ColumnFigures() for key in criteria.heads}
        self.actions: Counter[Action] = Counter()
        self.unscored: Counter[str] = Counter()
        self.bad = 0
        self.texts = 0

    @property
    def failed(self) -> int:
        """Bad lines, and texts of which all or a part is unscored."""
        return self.bad + self.unscored.total()

    def add_bad(self) -> None:
        """One more line without a text."""
        self.bad += 1

    def add(self, scored: ScoredText) -> None:
        """One more text."""
        self.texts += 1
        assessment = scored.outcome.assessment
        self.actions[action_asked(scored.outcome)] += 1
        if assessment.reason is not None:
            self.unscored[assessment.reason.value] += 1
        self._add_values(assessment)

    def _add_values(self, assessment: Assessment) -> None:
        too_high = self.criteria.over(assessment)
        for key, column in self.columns.items():
            value = assessment.value(key)
            if value is not None:
                column.add(value, is_over=key in too_high)

    def line(self) -> str:
        """What is missing, in one line."""
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.unscored.items()))
        unscored = f"{self.unscored.total():,} unscored" + (f" ({reasons})" if reasons else "")
        return f"{_plural(self.texts, 'text')}, {unscored}, {_plural(self.bad, 'bad line')}"

    def table(self, seconds: float) -> Group:
        """All figures, for a terminal."""
        rate = self.texts / seconds if seconds > 0 else 0.0
        headline = f"{self.line()} · {seconds:.1f} s · {rate:,.0f} texts/s"
        return Group(_table(self._rows()), Text(self.verdicts()), Text(headline, style="dim"))

    def verdicts(self) -> str:
        """What policy asked for, in one line."""
        asked = ", ".join(
            f"{self.actions[action]:,} {action.value}" for action in Action if self.actions[action]
        )
        return f"policy {self.criteria.name}, mode {self.criteria.mode}: {asked or 'no text'}"

    def _rows(self) -> Iterable[tuple[str, ...]]:
        for key, column in self.columns.items():
            if column.count:
                yield _row(key, column, self.criteria.heads[key])


def _row(key: str, column: ColumnFigures, head: Head) -> tuple[str, ...]:
    mean = f"{column.total / column.count:.3f}"
    figures = (key, f"{column.count:,}", mean, f"{column.highest:.3f}")
    if not head.harm or head.threshold is None:
        return *figures, "", ""
    share = f"{column.over:,} ({column.over / column.count:.1%})"
    return *figures, f"{head.threshold:.2f}", share


def _table(rows: Iterable[tuple[str, ...]]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("score")
    for name in ("texts", "mean", "highest", "shipped threshold", "at or above"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row, style="" if row[-1][:1] in {"", "0"} else "yellow")
    return table


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


class Display(Protocol):
    """Shows how a run goes."""

    def advance(self, consumed: int) -> None:
        """One more line, of so many bytes, is done."""

    def problem(self, bad: BadLine) -> None:
        """A line was bad."""

    def done(self, summary: Summary, seconds: float) -> None:
        """Everything is scored."""


class PlainDisplay:
    """For logs and pipes: bad lines, and at the end how many texts have no score."""

    def advance(self, consumed: int) -> None:
        pass

    def problem(self, bad: BadLine) -> None:
        click.echo(f"{bad.line.place}: {bad.problem}", err=True)

    def done(self, summary: Summary, seconds: float) -> None:
        del seconds
        if summary.failed:
            click.echo(f"guard score: {summary.line()}", err=True)


class TerminalDisplay:
    """A bar that moves with the bytes read, then a table."""

    def __init__(self, console: Console, progress: Progress, task: TaskID) -> None:
        self._console = console
        self._progress = progress
        self._task = task
        self._lines = 0

    def advance(self, consumed: int) -> None:
        self._lines += 1
        self._progress.update(self._task, advance=consumed, lines=self._lines)

    def problem(self, bad: BadLine) -> None:
        self._console.print(f"[red]{escape(bad.line.place)}[/]: {escape(bad.problem)}")

    def done(self, summary: Summary, seconds: float) -> None:
        self._progress.stop()
        self._console.print(summary.table(seconds))


@contextmanager
def on_terminal(console: Console, total_bytes: int | None) -> Iterator[TerminalDisplay]:
    """A display on `console`; without a known total the bar only pulses."""
    progress = Progress(
        SpinnerColumn(),
        TextColumn("scoring"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[lines]:,} lines"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with progress:
        task = progress.add_task("scoring", total=total_bytes, lines=0)
        yield TerminalDisplay(console, progress, task)


def total_bytes(sources: Sequence[str]) -> int | None:
    """The size of all sources, where they are files."""
    paths = [Path(source) for source in sources]
    if all(path.is_file() for path in paths):
        return sum(path.stat().st_size for path in paths)
    return None
