"""Results as lines of JSON, on standard output or in a file that appears whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from guard.cli.exits import Failure, discard_output
from guard.cli.texts.pipeline import ScoredText
from guard.records import Assessment, Head
from guard.scoring.assessment import Highlight, heads_over_threshold, highlight

Write = Callable[[str], None]
DIGITS: Final = 5


@contextmanager
def to_stream(stream: BinaryIO) -> Iterator[Write]:
    """Write to an open stream, every line at once."""
    with _clear_errors("standard output", discard_output):
        yield _line_writer(stream)


@contextmanager
def to_file(path: Path) -> Iterator[Write]:
    """Write to a file that takes its name when all is written.

    What is no regular file, such as a pipe or a terminal, is written to directly.
    """
    with _clear_errors(str(path)), _opened(path) as stream:
        yield _line_writer(stream)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    final = path.resolve()
    partial = final.with_name(f".{final.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as stream:
            yield stream
            os.fsync(stream.fileno())
        if final.exists():
            shutil.copymode(final, partial)
        partial.replace(final)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _line_writer(stream: BinaryIO) -> Write:
    def write(line: str) -> None:
        stream.write(line.encode("ascii") + b"\n")
        stream.flush()

    return write


@contextmanager
def _clear_errors(name: str, clean_up: Callable[[], None] = lambda: None) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        clean_up()
        raise Failure(f"cannot write results to {name}: {error.strerror}") from error


def result_line(scored: ScoredText, heads: Mapping[str, Head]) -> str:
    """The line, in ASCII, so that any text survives in it, lone surrogates included."""
    return json.dumps(_result(scored, heads), allow_nan=False)


def _result(scored: ScoredText, heads: Mapping[str, Head]) -> dict[str, object]:
    """The fields of the line.

    A key of `scores` without a value is null. `worst` counts characters of `text`. `unscored`
    says why all or a part of the text has no score.
    """
    assessment = scored.assessment
    return {
        "id": scored.text.id,
        "text": scored.text.text,
        "scores": _scores(assessment),
        "over": heads_over_threshold(assessment, heads),
        "worst": _span_fields(highlight(assessment, heads)),
        "unscored": assessment.reason and assessment.reason.value,
    }


def _scores(assessment: Assessment) -> dict[str, float | None]:
    return {
        key: None if score.value is None else round(score.value, DIGITS)
        for key, score in assessment.scores.items()
    }


def _span_fields(found: Highlight | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "head": found.head,
        "score": round(found.value, DIGITS),
        "start": found.span.start,
        "end": found.span.end,
    }
