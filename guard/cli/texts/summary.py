"""What a run of `guard score` found, in constant memory, and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rich.console import Group
from rich.table import Table
from rich.text import Text as RichText

from guard.cli.texts.pipeline import Scored
from guard.records import Assessment, Head
from guard.scoring.highlights import heads_over_threshold


@dataclass(slots=True)
class Column:
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

    def __init__(self, heads: Mapping[str, Head]) -> None:
        self.heads = heads
        self.columns = {key: Column() for key in heads}
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

    def add(self, scored: Scored) -> None:
        """One more text."""
        self.texts += 1
        assessment = scored.assessment
        if assessment.reason is not None:
            self.unscored[assessment.reason.value] += 1
        self._add_values(assessment)

    def _add_values(self, assessment: Assessment) -> None:
        too_high = set(heads_over_threshold(assessment, self.heads))
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
        return Group(_table(self._rows()), RichText(headline, style="dim"))

    def _rows(self) -> Iterable[tuple[str, ...]]:
        for key, column in self.columns.items():
            if column.count:
                yield _row(key, column, self.heads[key])


def _row(key: str, column: Column, head: Head) -> tuple[str, ...]:
    mean = f"{column.total / column.count:.3f}"
    figures = (key, f"{column.count:,}", mean, f"{column.highest:.3f}")
    if not head.harm or head.threshold is None:
        return *figures, "", ""
    share = f"{column.over:,} ({column.over / column.count:.1%})"
    return *figures, f"{head.threshold:.2f}", share


def _table(rows: Iterable[tuple[str, ...]]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("score")
    for name in ("texts", "mean", "highest", "threshold", "at or above"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row, style="" if row[-1][:1] in {"", "0"} else "yellow")
    return table


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
