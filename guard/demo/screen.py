"""Where the demo shows itself: redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from guard.demo.board import WATCHED, BoardSnapshot, Finding, Share, UseCaseRow, highest
from guard.records import Evidence, Head, Outcome, Span, Verdict
from guard.scoring.assessment import highlight

NOUNS: Final = {"toxicity": "toxic", "stereotype": "stereotyped"}
STYLES: Final = {
    Verdict.RELEASED: "green",
    Verdict.FLAGGED: "yellow",
    Verdict.BLOCKED: "bold red",
    Verdict.UNSCORED: "magenta",
}
HIGHLIGHTS: Final = {"toxicity": "bold white on red", "stereotype": "black on yellow"}
STRONG: Final = 2.0
"""log10 of the evidence from which on it is shown as strong."""
ROOMY: Final = 98
"""Columns from which on the table needs no broken words."""
SHORT_FROM: Final = 100
"""Milliseconds from which on tenths do not matter."""
BEFORE, AFTER = 48, 160
"""Characters shown before and after the beginning of the worst sentence."""


class Screen(Protocol):
    """Shows snapshots. every_seconds: how often it wants one."""

    every_seconds: float

    def show(self, snapshot: BoardSnapshot, seconds: float) -> None:
        """The present state."""

    def close(self, snapshot: BoardSnapshot, seconds: float) -> None:
        """The last state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """What screens show of a session beside its figures.

    heads: of the classifier. url: of the metrics. review: where cases can be judged.
    """

    heads: Mapping[str, Head]
    url: str
    review: str


class TerminalScreen:
    """A picture that is drawn over itself."""

    every_seconds: float = 0.25

    def __init__(self, console: Console, live: Live, session: SessionInfo) -> None:
        self._console = console
        self._live = live
        self._session = session

    def show(self, snapshot: BoardSnapshot, seconds: float) -> None:
        drawn = picture(snapshot, self._session, seconds=seconds, width=self._console.width)
        self._live.update(drawn, refresh=True)

    def close(self, snapshot: BoardSnapshot, seconds: float) -> None:
        self._live.stop()
        self._console.print(closing(snapshot, seconds=seconds, width=self._console.width))


class PlainScreen:
    """A line for each use case now and then, and one for each reply that was caught."""

    every_seconds: float = 2.0

    def __init__(self, write: Callable[[str], None], session: SessionInfo) -> None:
        self._write = write
        self._heads = session.heads
        self._shown: set[str] = set()
        write(f"metrics: {session.url}")
        write(f"review: {session.review}")

    def show(self, snapshot: BoardSnapshot, seconds: float) -> None:
        for outcome in reversed(snapshot.caught):
            if outcome.call.id not in self._shown:
                self._write(plain_outcome(outcome, self._heads))
        self._shown = {outcome.call.id for outcome in snapshot.caught}
        self._rows(snapshot, seconds)

    def close(self, snapshot: BoardSnapshot, seconds: float) -> None:
        self._write(f"summary after {seconds:.1f} s")
        self._rows(snapshot, seconds)

    def _rows(self, snapshot: BoardSnapshot, seconds: float) -> None:
        for row in (*snapshot.rows, snapshot.total):
            self._write(f"[{seconds:.1f} s] {plain_row(row)}")
        for name, finding in snapshot.findings.items():
            self._write(f"[{seconds:.1f} s] shadow {plain_finding(name, finding)}")


@contextmanager
def open_screen(
    console: Console, write: Callable[[str], None], session: SessionInfo
) -> Iterator[Screen]:
    """What suits `console`; `write` gets plain lines where it is no terminal."""
    if not console.is_terminal:
        yield PlainScreen(write, session)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield TerminalScreen(console, live, session)


def picture(
    snapshot: BoardSnapshot, session: SessionInfo, *, seconds: float, width: int
) -> RenderableType:
    """The whole live picture. width: columns of the terminal."""
    return Group(
        _headline(snapshot, session, seconds),
        _table(snapshot, width),
        _findings(snapshot),
        Rule(Text("caught", style="bold"), align="left", style="dim"),
        _outcomes(snapshot.caught, session.heads),
        Rule(Text("released", style="bold"), align="left", style="dim"),
        _outcomes(snapshot.released[:3], session.heads),
        Text("end with Ctrl-C", style="dim"),  # a short last line: the echoed ^C must not wrap
    )


def closing(snapshot: BoardSnapshot, *, seconds: float, width: int) -> RenderableType:
    """The summary at the end, for a terminal."""
    title = Text.assemble(("evenguard demo", "bold"), f" · {seconds:.1f} s of scripted traffic")
    explanation = Text(EXPLANATION, style="dim")
    return Group(title, _table(snapshot, width), _findings(snapshot), explanation)


EXPLANATION: Final = (
    "toxic, stereotyped: calls in which the model said something at or above the shipped\n"
    "threshold, of those scored, with the 95 % interval. added: what callers waited for scores,\n"
    "half of them no longer than the upper figure. compared: pairs of replies to one prompt about\n"
    "two groups. evidence: log10 of how much better a difference explains them than none does, of\n"
    "the test that found most; above 2 is strong. difference: the mean of what it tests, first\n"
    "group minus second, with the 95 % confidence sequence. cases: pairs of replies put before\n"
    "people, since the difference persisted. reply cases: single replies that a rule caught."
)


def plain_finding(name: str, finding: Finding) -> str:
    """What was found about a use case as one line."""
    said = f"{name}: compared={finding.compared} cases={finding.cases}"
    said += f" reply_cases={finding.reply_cases}"
    if (strongest := finding.strongest) is None:
        return f"{said} evidence=no-data"
    about = ":".join((strongest.about.metric, strongest.about.attribute, strongest.about.groups))
    said += f" evidence={highest(strongest):.2f}({about}) alarms={strongest.alarms}"
    if (estimate := strongest.estimate) is None:
        return said
    return (
        f"{said} difference={estimate.value:+.3f}"
        f"({estimate.low:+.3f}..{estimate.high:+.3f},n={estimate.n})"
    )


def plain_row(row: UseCaseRow) -> str:
    """The figures of a row as one line, for logs and pipes."""
    verdicts = " ".join(f"{verdict.value}={count}" for verdict, count in row.verdicts.items())
    shares = " ".join(f"{NOUNS[key]}={_plain_share(row.shares[key])}" for key in WATCHED)
    added = " ".join(f"added_{name}={_ms(row, at)}" for name, at in (("p50", 0.5), ("p95", 0.95)))
    return f"{row.name}: calls={row.calls} {verdicts} {shares} {added}"


def plain_outcome(outcome: Outcome, heads: Mapping[str, Head]) -> str:
    """A verdict as one line."""
    excerpt, _ = _excerpt(outcome, heads)
    said = f"{outcome.verdict.value}: {outcome.call.use_case}: {_reasons(outcome)}: {excerpt}"
    return " ".join(said.split())


def _headline(snapshot: BoardSnapshot, session: SessionInfo, seconds: float) -> RenderableType:
    address, *sign_in = session.review.partition(" ")
    rate = snapshot.total.calls / seconds if seconds > 0 else 0.0
    parts = Text.assemble(
        ("evenguard demo", "bold"),
        ("  scripted model, planted bias", "dim"),
        f"  {int(seconds) // 60}:{int(seconds) % 60:02d}  {rate:.1f} calls/s\n",
        ("metrics ", "dim"),
        (session.url, "cyan underline"),
        ("\nreview  ", "dim"),
        (address, "cyan underline"),
        *sign_in,
    )
    return Padding(parts, (0, 0, 1, 0))


def _table(snapshot: BoardSnapshot, width: int) -> Table:
    narrow = width < ROOMY
    broken, padding = ("-\n", 0) if narrow else ("-", 1)
    table = Table(
        box=box.SIMPLE_HEAD, header_style="bold", padding=(0, padding, 0, 0), pad_edge=False
    )
    table.add_column("use case", no_wrap=True)
    for name in ("calls", *(verdict.value for verdict in Verdict)):
        table.add_column(name, justify="right", no_wrap=True)
    for noun in ("toxic", "stereo-\ntyped" if narrow else "stereotyped"):
        table.add_column(noun, justify="right", no_wrap=True)
    table.add_column("added", justify="right", no_wrap=True)
    for row in snapshot.rows:
        table.add_row(Text(row.name.replace("-", broken)), *_cells(row))
    if len(snapshot.rows) > 1:
        table.add_section()
        table.add_row("all", *_cells(snapshot.total), style="bold")
    return table


def _findings(snapshot: BoardSnapshot) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("shadowed", no_wrap=True)
    for name in ("compared", "evidence", "difference"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("of", overflow="fold")
    for name in ("cases", "reply\ncases"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, finding in snapshot.findings.items():
        table.add_row(name, *_describe_finding(finding))
    return table if table.row_count else Text("shadowed: nothing yet\n", style="dim")


def _describe_finding(finding: Finding) -> Iterator[Text]:
    strongest = finding.strongest
    yield Text(f"{finding.compared:,}")
    if strongest is None:
        yield from (Text("no data", style="dim"), Text(""), Text(""))
    else:
        strong = highest(strongest) >= STRONG
        yield Text(f"{highest(strongest):.1f}", style="bold red" if strong else "")
        yield _difference(strongest)
        about = strongest.about
        yield Text(f"{about.metric} {about.groups}".replace("_", " "), style="dim")
    yield Text(f"{finding.cases:,}")
    yield Text(f"{finding.reply_cases:,}")


def _difference(evidence: Evidence) -> Text:
    estimate = evidence.estimate
    if estimate is None:
        return Text("new epoch", style="dim")
    interval = f"\n{estimate.low:+.2f}–{estimate.high:+.2f}"
    return Text.assemble(f"{estimate.value:+.2f}", (interval, "dim"))


def _cells(row: UseCaseRow) -> Iterator[Text]:
    yield Text(f"{row.calls:,}")
    for verdict, count in row.verdicts.items():
        yield Text(f"{count:,}", style=STYLES[verdict] if count else "dim")
    for key in WATCHED:
        yield _share(row.shares[key])
    yield _format_added(row)


def _format_added(row: UseCaseRow) -> Text:
    half, most = row.added_ms(0.5), row.added_ms(0.95)
    if half is None or most is None:
        return Text("no data", style="dim")
    return Text.assemble(f"{_short(half)} ms", (f"\np95 {_short(most)}", "dim not bold"))


def _short(number: float) -> str:
    return f"{number:.1f}" if number < SHORT_FROM else f"{number:,.0f}"


def _share(share: Share) -> Text:
    if not share.of:
        return Text("no data", style="dim")
    interval = f"{100 * share.low:.1f}–{100 * share.high:.1f}"
    return Text.assemble(f"{share.value:.1%}", (f"\n{interval}", "dim not bold"))


def _plain_share(share: Share) -> str:
    if not share.of:
        return "no-data"
    return f"{share.value:.1%}({share.count}/{share.of},{share.low:.1%}..{share.high:.1%})"


def _ms(row: UseCaseRow, share: float) -> str:
    value = row.added_ms(share)
    return "no-data" if value is None else f"{value:.1f}ms"


def _outcomes(outcomes: Iterable[Outcome], heads: Mapping[str, Head]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(ratio=1)
    for outcome in outcomes:
        badge = Text(outcome.verdict.value, style=STYLES[outcome.verdict])
        table.add_row(badge, _reasons(outcome), _highlight(outcome, heads))
    return table if table.row_count else Text("nothing yet", style="dim")


def _reasons(outcome: Outcome) -> str:
    strongest = {one.score: one.value for one in reversed(outcome.fired)}
    reasons = [f"{NOUNS.get(key, key)} {value:.2f}" for key, value in strongest.items()]
    if outcome.unscored is not None:
        reasons.append(outcome.unscored.value)
    return ", ".join(reasons) or outcome.call.use_case


def _highlight(outcome: Outcome, heads: Mapping[str, Head]) -> Text:
    excerpt, span = _excerpt(outcome, heads)
    text = Text(excerpt, overflow="ellipsis")
    if outcome.fired and span is not None:
        family = outcome.fired[0].score.partition(".")[0]
        text.stylize(HIGHLIGHTS.get(family, "reverse"), span.start, span.end)
    return text


def _excerpt(outcome: Outcome, heads: Mapping[str, Head]) -> tuple[str, Span | None]:
    """The reply around its worst sentence, in one line, and where in it that sentence is."""
    reply = outcome.reply.replace("\n", " ")
    found = highlight(outcome.assessment, heads)
    if found is None:
        return reply[: BEFORE + AFTER], None
    begin = max(0, found.span.start - BEFORE)
    end = min(len(reply), found.span.start + AFTER)
    before, after = "…" if begin else "", "…" if end < len(reply) else ""
    shift = len(before) - begin
    span = Span(start=found.span.start + shift, end=min(found.span.end, end) + shift)
    return before + reply[begin:end] + after, span
