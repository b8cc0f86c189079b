"""What a person sees while texts are scored: a bar and a table on a terminal, else little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import click
from rich.console import Console
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

from guard.cli.texts.reading import BadLine
from guard.cli.texts.summary import Summary


class Display(Protocol):
    """Hears how a run goes."""

    def advance(self, consumed: int) -> None:
        """One more line, of so many bytes, is done."""

    def problem(self, bad: BadLine) -> None:
        """A line was bad."""

    def done(self, summary: Summary, seconds: float) -> None:
        """Everything is scored."""


class Plain:
    """For logs and pipes: bad lines, and at the end what is missing, if anything is."""

    def advance(self, consumed: int) -> None:
        """Says nothing."""

    def problem(self, bad: BadLine) -> None:
        """Name the line."""
        click.echo(f"{bad.line.place}: {bad.problem}", err=True)

    def done(self, summary: Summary, seconds: float) -> None:
        """Say what is missing."""
        del seconds
        if summary.failed:
            click.echo(f"guard score: {summary.line()}", err=True)


class OnTerminal:
    """A bar that moves with the bytes read, then a table."""

    def __init__(self, console: Console, progress: Progress, task: TaskID) -> None:
        self._console = console
        self._progress = progress
        self._task = task
        self._lines = 0

    def advance(self, consumed: int) -> None:
        """Move the bar."""
        self._lines += 1
        self._progress.update(self._task, advance=consumed, lines=self._lines)

    def problem(self, bad: BadLine) -> None:
        """Name the line above the bar."""
        self._console.print(f"[red]{escape(bad.line.place)}[/]: {escape(bad.problem)}")

    def done(self, summary: Summary, seconds: float) -> None:
        """Take the bar away and show the table."""
        self._progress.stop()
        self._console.print(summary.table(seconds))


@contextmanager
def on_terminal(console: Console, total_bytes: int | None) -> Iterator[OnTerminal]:
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
        yield OnTerminal(console, progress, task)


def total_bytes(sources: Sequence[str]) -> int | None:
    """The size of all sources, where they are files."""
    paths = [Path(source) for source in sources]
    if all(path.is_file() for path in paths):
        return sum(path.stat().st_size for path in paths)
    return None
