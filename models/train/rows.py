"""Rows of the normalised training files as texts with one target per head (None = not labelled)."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from train.heads import KEYS, STEREOTYPE_CATEGORIES, TOXICITY_LABELS
from train.keys import text_key

Target = float | None
Targets = tuple[Target, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A text, where it comes from, what is known about it, and how much it counts.

    bundle: shared by rows that differ only in who they are about; empty: named by the key.
    """

    text: str
    key: str
    source: str
    licence: str
    targets: Targets
    weight: float = 1.0
    bundle: str = ""


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def targets_of(known: dict[str, Target]) -> Targets:
    return tuple(known.get(key) for key in KEYS)


def toxicity_targets(record: dict[str, Any]) -> Targets:
    overall, *parts = TOXICITY_LABELS
    known: dict[str, Target] = {f"toxicity.{part}": record[part] for part in parts}
    return targets_of({"toxicity": record[overall], **known})


def stereotype_targets(record: dict[str, Any]) -> Targets:
    known: dict[str, Target] = {
        f"stereotype.{category}": float(category == record["category"])
        for category in STEREOTYPE_CATEGORIES
    }
    return targets_of({"stereotype": record["stereotype"], **known})


def sentiment_targets(record: dict[str, Any]) -> Targets:
    return targets_of({"sentiment": (record["valence"] + 1) / 2})


TASKS: dict[str, Callable[[dict[str, Any]], Targets]] = {
    "toxicity": toxicity_targets,
    "stereotype": stereotype_targets,
    "sentiment": sentiment_targets,
}


def read_task(data: Path, task: str) -> Iterator[Row]:
    """All rows of one training file."""
    for record in read_jsonl(data / "train" / f"{task}.jsonl.gz"):
        yield Row(
            text=record["text"].strip(),
            key=text_key(record["text"]),
            source=f"{task}/{record['src']}",
            licence=record["lic"],
            targets=TASKS[task](record),
        )


def combine(known: Target, other: Target) -> Target:
    if known is None or other is None:
        return other if known is None else known
    return (known + other) / 2


def merge_twins(rows: Iterable[Row]) -> list[Row]:
    """One row per text: what several files say about it goes into one forward pass."""
    merged: dict[str, Row] = {}
    for row in rows:
        twin = merged.get(row.key, row)
        merged[row.key] = replace(twin, targets=tuple(map(combine, twin.targets, row.targets)))
    return list(merged.values())
