"""The files of a run: what they are called, and how they are written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from guard.assessment import AssessmentResults, encode_results
from guard.assessment.items import ItemFigures, item_line
from guard.assessment.run_folder import ITEMS, RESULTS
from guard.counterfactual import Lexicons
from guard.errors import SettingsError
from guard.render.junit import results_junit
from guard.render.markdown import results_markdown
from guard.render.report_page import report_page

REPORT: Final = "report.html"
MARKDOWN: Final = "report.md"
JUNIT: Final = "junit.xml"
REPLIES: Final = "replies.sqlite"


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Raises SettingsError where the system does not let files be written there."""
    try:
        yield
    except OSError as error:
        file = error.filename or out
        problem = f"cannot write {file}: {error.strerror or error} (setting --out)"
        raise SettingsError(problem) from error


def make_folder(out: Path) -> None:
    """The folder of a run, made where it is not there. Raises SettingsError."""
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)


def write_results(results: AssessmentResults, out: Path, lexicons: Lexicons) -> None:
    """Results, and reports of them. Each appears whole or not at all. lexicons: of words that are
    masked on demand. Raises SettingsError where they cannot be written."""
    with writing(out):
        write_text(out / RESULTS, encode_results(results) + "\n")
        write_text(out / REPORT, report_page(results, lexicons))
        write_text(out / MARKDOWN, results_markdown(results))
        write_text(out / JUNIT, results_junit(results))
        _remove_leftovers(out)


def write_text(path: Path, text: str) -> None:
    """A file that appears whole or not at all. What is no Unicode is written with backslashes."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(text.encode("utf-8", "backslashreplace"))
        partial.replace(path)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _remove_leftovers(out: Path) -> None:
    """Files that runs were writing when they were killed."""
    for partial in out.glob(".*.partial"):
        *_, process, _ = partial.name.split(".")
        if process.isdecimal() and not Path("/proc", process).exists():
            partial.unlink(missing_ok=True)


@contextmanager
def items_file(out: Path) -> Iterator[Callable[[ItemFigures], None]]:
    """Takes the figures of prompts, one after the other; the file appears when all are there."""
    partial = out / f".{ITEMS}.{os.getpid()}.partial"

    def write(item: ItemFigures) -> None:
        with writing(out):
            print(item_line(item), file=stream)

    try:
        with writing(out):
            stream = partial.open("w", encoding="ascii")
        with closing(stream):
            yield write
            with writing(out):
                stream.flush()
        with writing(out):
            partial.replace(out / ITEMS)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
