"""Where the demo shows itself: redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import Console
from rich.live import Live

from guard.cli.demo import view
from guard.cli.demo.board import Snapshot
from guard.records import Head


class Screen(Protocol):
    """Shows snapshots. every_seconds: how often it wants one."""

    every_seconds: float

    def show(self, snapshot: Snapshot, seconds: float) -> None:
        """The present state."""

    def close(self, snapshot: Snapshot, seconds: float) -> None:
        """The last state."""


class Terminal:
    """A picture that is drawn over itself."""

    every_seconds: float = 0.25

    def __init__(
        self, console: Console, live: Live, heads: Mapping[str, Head], url: str, *, review: str
    ) -> None:
        self._console = console
        self._live = live
        self._heads = heads
        self._url = url
        self._review = review

    def show(self, snapshot: Snapshot, seconds: float) -> None:
        """Draw again."""
        picture = view.picture(
            snapshot,
            self._heads,
            seconds=seconds,
            url=self._url,
            review=self._review,
            width=self._console.width,
        )
        self._live.update(picture, refresh=True)

    def close(self, snapshot: Snapshot, seconds: float) -> None:
        """Take the picture away and leave the summary."""
        self._live.stop()
        self._console.print(view.closing(snapshot, seconds=seconds, width=self._console.width))


class Lines:
    """A line for each use case now and then, and one for each reply that was caught."""

    every_seconds: float = 2.0

    def __init__(
        self, write: Callable[[str], None], heads: Mapping[str, Head], url: str, *, review: str
    ) -> None:
        self._write = write
        self._heads = heads
        self._shown: set[str] = set()
        write(f"metrics: {url}")
        write(f"review: {review}")

    def show(self, snapshot: Snapshot, seconds: float) -> None:
        """What is new."""
        for outcome in reversed(snapshot.caught):
            if outcome.call.id not in self._shown:
                self._write(view.plain_outcome(outcome, self._heads))
        self._shown = {outcome.call.id for outcome in snapshot.caught}
        self._rows(snapshot, seconds)

    def close(self, snapshot: Snapshot, seconds: float) -> None:
        """The summary."""
        self._write(f"summary after {seconds:.1f} s")
        self._rows(snapshot, seconds)

    def _rows(self, snapshot: Snapshot, seconds: float) -> None:
        for row in (*snapshot.rows, snapshot.total):
            self._write(f"[{seconds:.1f} s] {view.plain_row(row)}")
        for name, finding in snapshot.findings.items():
            self._write(f"[{seconds:.1f} s] shadow {view.plain_finding(name, finding)}")


@contextmanager
def screen(console: Console, heads: Mapping[str, Head], url: str, review: str) -> Iterator[Screen]:
    """What suits `console`. url: of the metrics; review: where cases can be judged."""
    if not console.is_terminal:
        yield Lines(click.echo, heads, url, review=review)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield Terminal(console, live, heads, url, review=review)
