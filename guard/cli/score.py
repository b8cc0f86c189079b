"""`guard score`: texts in, what the guard would do with each out, in the same order."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, TypedDict, Unpack

import click
from rich.console import Console

from guard.bootstrap.offline import open_offline
from guard.bootstrap.use_cases import UNDECLARED
from guard.cli.exits import EXIT_FAILED
from guard.cli.options import settings_option
from guard.cli.score_display import Display, PlainDisplay, Summary, on_terminal, total_bytes
from guard.cli.score_lines import Criteria, json_line, text_line
from guard.cli.score_verdicts import judging
from guard.cli.text_reader import STDIN, InputFormat, read
from guard.cli.text_scoring import Result, ScoredText, Write, score_texts, to_file, to_stream
from guard.errors import GuardError, ModelError, ScoresInputError, SettingsError
from guard.settings import Settings, load_settings
from guard.wrap.facade import Guard


class ScoreOptions(TypedDict):
    """What was given on the command line."""

    format_: str
    out: Path | None
    file: Path | None
    use_case: str | None
    in_words: bool
    model: str | None


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
@settings_option("Judge by the policy of this guard.yaml; left out: by the default policy.")
@click.option("--use-case", help="Whose policy there; can be left out where none is declared.")
@click.option("--text", "in_words", is_flag=True, help="Say verdicts in words, not in JSON.")
@click.option("--model", help="A classifier by name, or its folder, instead of that of settings.")
@click.pass_context
def score(ctx: click.Context, files: tuple[str, ...], **options: Unpack[ScoreOptions]) -> None:
    """Score texts, and say what the guard would do with each.

    Reads plain lines, or JSONL with either "text" or "response" and an optional "id", of FILES, or
    of standard input without any or for "-". Writes one line of JSON per text, in the order of the
    input: id (the line number unless given), text, scores, policy and mode it was judged by,
    verdict (what becomes of it), action (what policy asks for, in mode observe too), fired (rules
    with threshold, value and the passages that made them fire), allowed (entries of `allow` without
    which more would fire), second_looks (result of each, and the scores of both models), candidate
    (what the candidate policy would have asked for, null without one), over (scores that the text
    or a sentence of it has at or above their shipped threshold), worst (the sentence with the
    highest score) and unscored (why a text has no score, else null).

    A text is judged whole, as `Guard.check` judges it, and without a deadline. What a policy would
    generate again counts as blocked. A blank line is an empty text, unscored; in JSONL it is
    skipped. Bad lines are named on standard error and left out. Exit status 1 if a line was bad or
    a text unscored.
    """
    sources = files or (STDIN,)
    items = read(sources, InputFormat(options["format_"]), _standard_input)
    with ExitStack() as stack:
        guard = Guard(open_offline(_settings(options)))
        stack.callback(guard.close, drain_seconds=0.0)
        criteria = _criteria(guard, options)
        judge = stack.enter_context(judging(guard, options["use_case"] or UNDECLARED))
        write, display = stack.enter_context(_output(options["out"], sources))
        summary = Summary(criteria)
        found = stack.enter_context(closing(score_texts(items, judge)))
        began = time.monotonic()
        lines = text_line if options["in_words"] else json_line
        run(found, lambda one: write(lines(one, criteria)), display, summary)
        display.done(summary, time.monotonic() - began)
    if summary.failed:
        ctx.exit(EXIT_FAILED)


def run(
    found: Iterable[Result],
    write: Callable[[ScoredText], None],
    display: Display,
    summary: Summary,
) -> None:
    """Write, show and count every result."""
    for result in found:
        if isinstance(result, ScoredText):
            summary.add(result)
            write(result)
            display.advance(result.text.line.consumed)
        else:
            summary.add_bad()
            display.problem(result)
            display.advance(result.line.consumed)


def _settings(options: ScoreOptions) -> Settings:
    settings = load_settings(options["file"]) if options["file"] else Settings()
    model = options["model"]
    if model is None:
        return settings
    if not model:
        raise ModelError("--model is empty; name a classifier or its folder")
    scoring = settings.scoring.model_copy(update={"model": model})
    return settings.model_copy(update={"scoring": scoring})


def _criteria(guard: Guard, options: ScoreOptions) -> Criteria:
    """Raises SettingsError, UnknownUseCase."""
    file, use_case, runtime = options["file"], options["use_case"], guard.runtime
    declared = ", ".join(sorted(runtime.settings.use_cases))
    if declared and use_case is None:
        raise SettingsError(f"{file}: say with --use-case whose policy is meant: {declared}")
    policy = runtime.flow.policy(use_case or UNDECLARED)
    name = use_case if declared and use_case else "defaults" if file else "default"
    return Criteria(heads=runtime.engine.heads, name=name, policy=policy)


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
