"""`guard assess compare` and `guard assess gate`: what is made of runs that are there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from guard.assessment.compare import compare_runs
from guard.assessment.gate import RuleVerdict
from guard.assessment.run_folder import judge_run, read_run
from guard.bootstrap.assess_files import write_text
from guard.cli.exits import EXIT_FAILED, SettingsFailure
from guard.errors import AssessmentInputError
from guard.render.comparison_markdown import (
    NOTHING_SHARED,
    comparison_markdown,
    gate_markdown,
)
from guard.render.gate_junit import gate_junit

RUN = click.Path(exists=True, file_okay=False, path_type=Path)
OUTPUT = click.Path(dir_okay=False, path_type=Path)
EXIT_UNDECIDED = 3
_ENDINGS = {
    RuleVerdict.KEPT: 0,
    RuleVerdict.BROKEN: EXIT_FAILED,
    RuleVerdict.UNDECIDED: EXIT_UNDECIDED,
}


@click.command()
@click.argument("runs", nargs=-1, type=RUN, required=True)
@click.option("--allow-different", is_flag=True, help="Compare runs of different settings.")
@click.option("--out", type=OUTPUT, help="Write the comparison here, not to standard output.")
def compare(runs: tuple[Path, ...], *, allow_different: bool, out: Path | None) -> None:
    """Compare runs (folders of results) with the first of them, prompt by prompt.

    Writes Markdown: differences with corrected intervals, wins, losses and ties, and the prompts
    that changed most. Runs made with different settings are refused, and so are runs that have no
    figure in common.
    """
    if len(runs) < 2:
        raise SettingsFailure("two runs at least are compared")
    first, *others = map(read_run, runs)
    found = [compare_runs(first, one, allow_different=allow_different) for one in others]
    _write("\n".join(map(comparison_markdown, found)), out)
    for one in found:
        if not one.differences:
            raise SettingsFailure(f"{one.second} against {one.first}: {NOTHING_SHARED}")


@click.command()
@click.argument("run", type=RUN)
@click.option("--against", type=RUN, help="The run to compare with, prompt by prompt.")
@click.option("--rules", type=click.Path(path_type=Path), required=True, help="A TOML file.")
@click.option("--junit", type=OUTPUT, help="Write JUnit XML here.")
@click.option("--markdown", type=OUTPUT, help="Write Markdown here, not to standard output.")
@click.option("--allow-different", is_flag=True, help="Compare runs of different settings.")
@click.pass_context
def gate(
    ctx: click.Context,
    run: Path,
    *,
    against: Path | None,
    rules: Path,
    junit: Path | None,
    markdown: Path | None,
    allow_different: bool,
) -> None:
    """Judge a run by rules. Exit status 0: all are kept; 1: one is broken; 2: bad input; 3: the
    data are too few to say."""
    with _bad_input():
        result = judge_run(run, rules, against=against, allow_different=allow_different)
    if junit is not None:
        _write(gate_junit(result, run.name), junit)
    _write(gate_markdown(result, run.name), markdown)
    ctx.exit(_ENDINGS[result.verdict])


def _write(text: str, path: Path | None) -> None:
    if path is None:
        click.echo(text, nl=False)
        return
    try:
        write_text(path, text)
    except OSError as error:
        raise SettingsFailure(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def _bad_input() -> Iterator[None]:
    """Input that cannot be used ends with status 2, so that 1 always is a regression."""
    try:
        yield
    except AssessmentInputError as error:
        raise SettingsFailure(str(error)) from error
