"""Texts that models are compared on, and on which thresholds are chosen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from guard.errors import ModelError


def shipped_texts() -> tuple[str, ...]:
    """Replies, insults, stereotypes, other languages and odd texts to compare models on."""
    content = files("guard.importing").joinpath("calibration.txt").read_text("utf-8")
    return tuple(content.splitlines())


def read_texts(path: Path) -> tuple[str, ...]:
    """Texts of a file: lines, or JSONL with `text`. Raises ModelError."""
    texts = tuple(dict.fromkeys(_texts(path)))
    if not texts:
        raise ModelError(f"{path}: holds no text")
    return texts


def _texts(path: Path) -> Iterator[str]:
    for number, row in labelled_rows(path):
        text = row.get("text")
        if not isinstance(text, str):
            raise ModelError(f"{path}:{number}: no `text` in the line")
        yield text


def labelled_rows(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """The lines of a file that are not blank, with their numbers: JSON objects, or plain texts as
    `{"text": ...}`. Raises ModelError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}: cannot be read: {error}") from error
    is_json = next((line.lstrip().startswith("{") for line in lines if line.strip()), False)
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _object(line, f"{path}:{number}") if is_json else {"text": line}


def _object(line: str, place: str) -> dict[str, object]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ModelError(f"{place}: not valid JSON: {error}") from error
    if not isinstance(found, dict):
        raise ModelError(f"{place}: not a JSON object")
    return found
