"""`guard score`: texts in, one line of JSON per text out, in the same order."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TextIO

import click
from rich.console import Console

from guard.bootstrap import open_scorer
from guard.cli.exits import EXIT_FAILED
from guard.cli.score_display import Display, PlainDisplay, Summary, on_terminal, total_bytes
from guard.cli.text_reader import STDIN, InputFormat, read
from guard.cli.text_scoring import (
    Result,
    ScoredText,
    Write,
    result_line,
    score_texts,
    to_file,
    to_stream,
)
from guard.errors import GuardError, ModelError, ScoresInputError
from guard.scoring import Engine
from guard.settings import ModelSettings

BOUNDED_ELSEWHERE: Final = 1 << 40
"""The queue of the engine may hold what this command has under way, which is bounded."""


@click.command()
@click.argument(
    "files", nargs=-1, type=click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
)
@click.option(
    "--format",
    "format_",
    type=click.Choice([one.value for one in InputFormat]),
    default=InputFormat.AUTO.value,
    help="How lines hold their text; auto decides per file by its first line.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write results to this file, which appears when all are there, not to standard output.",
)
@click.option("--model", default="bundled", help="A classifier by name, or its folder.")
@click.pass_context
def score(
    ctx: click.Context, files: tuple[str, ...], *, format_: str, out: Path | None, model: str
) -> None:
    """Score texts: plain lines, or JSONL with "text" or "response" and an optional "id".

    Reads FILES, or standard input without any or for "-". Writes one line of JSON per text, in
    the order of the input: id (the line number unless given), text, scores, over (scores at or
    above their shipped threshold), worst (the sentence it comes from) and unscored (why a text
    has no score, else null). A blank line is an empty text, unscored; in JSONL it is skipped.
    Bad lines are named on standard error and left out. Exit status 1 if a line was bad or a text
    unscored.
    """
    sources = files or (STDIN,)
    items = read(sources, InputFormat(format_), _standard_input)
    with ExitStack() as stack:
        engine = stack.enter_context(closing(_open_engine(model)))
        write, display = stack.enter_context(_output(out, sources))
        summary = Summary(engine.heads)
        found = stack.enter_context(closing(score_texts(items, engine.submit)))
        began = time.monotonic()
        run(found, write, display, summary)
        display.done(summary, time.monotonic() - began)
    if summary.failed:
        ctx.exit(EXIT_FAILED)


def run(found: Iterable[Result], write: Write, display: Display, summary: Summary) -> None:
    """Write, show and count every result."""
    for result in found:
        if isinstance(result, ScoredText):
            summary.add(result)
            write(result_line(result, summary.heads))
            display.advance(result.text.line.consumed)
        else:
            summary.add_bad()
            display.problem(result)
            display.advance(result.line.consumed)


def _open_engine(model: str) -> Engine:
    if not model:
        raise ModelError("--model is empty; name a classifier or its folder")
    return open_scorer(ModelSettings(model=model, max_open_tokens=BOUNDED_ELSEWHERE))


def _standard_input() -> BinaryIO:
    """A reader of our own: the process's may not be held by a thread when the process ends."""
    stdin: TextIO | None = sys.stdin
    if stdin is None:
        raise ScoresInputError("standard input is closed; name the FILES to score")
    try:
        return open(stdin.fileno(), "rb", closefd=False)
    except OSError:
        return stdin.buffer


@contextmanager
def _output(out: Path | None, sources: Sequence[str]) -> Iterator[tuple[Write, Display]]:
    stdout: TextIO | None = sys.stdout
    stderr: TextIO | None = sys.stderr
    if out is None and stdout is None:
        raise GuardError("standard output is closed; name a file with --out")
    sink = to_stream(sys.stdout.buffer) if out is None else to_file(out)
    with sink as write:
        if stderr is None or not stderr.isatty():
            yield write, PlainDisplay()
            return
        shared = out is None and sys.stdout.isatty()
        console = Console(stderr=not shared)
        with on_terminal(console, total_bytes(sources)) as display:
            yield (_above_bar(console) if shared else write), display


def _above_bar(console: Console) -> Write:
    def write(line: str) -> None:
        console.print(line, markup=False, highlight=False, emoji=False, soft_wrap=True)

    return write
