"""What a teacher labels: the texts that a student is trained on, those first that tell most.

`python -m export.labelling` has the exported teacher read them.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from train.keys import fraction_of
from train.rows import Row
from train.sampling import rate_of
from train.soft_labels import SoftLabels, read_soft_labels, short, write_soft_labels

log = logging.getLogger("train.labelling")

FIRST = {
    "": 1.0,
    "joined": 0.05,
    "toxicity/implicit_hate": 3.0,
    "toxicity/toxigen_annotated": 2.0,
    "toxicity/civil_comments_houma": 2.0,
    "toxicity/sbic_dev": 2.0,
    "stereotype/redditbias": 3.0,
    "sentiment/sst2_phrases": 2.0,
    "sentiment/sst5": 2.0,
    "replay/sentence": 1.5,
    "written/hard_": 20.0,
}
"""How much earlier than others the rows of a source are read: where labels are noisy or few."""

SAVED_EVERY = 2 * 60.0


def turn(row: Row) -> float:
    """A place in the order of reading, random within a source."""
    return fraction_of(row.key, "labelling") / rate_of(row.source, FIRST)


def waiting(rows: Sequence[Row], labels: SoftLabels) -> list[Row]:
    """Each text that has no labels yet once, those first that tell most."""
    left = {row.key: row for row in rows if short(row.key) not in labels.found}
    return sorted(left.values(), key=turn)


def earlier(path: Path, teacher: str) -> SoftLabels:
    """What was written so far. Raises ValueError where another teacher wrote it."""
    if not path.exists():
        return SoftLabels(teacher=teacher, found={})
    labels = read_soft_labels(path)
    if labels.teacher != teacher:
        raise ValueError(f"the labels in {path} are of another teacher; write to another file")
    return labels


def write_on(
    labels: SoftLabels, chunks: Iterator[Mapping[int, bytes]], out: Path, minutes: float
) -> SoftLabels:
    """Take chunks until there are none or the time is up, and save now and then."""
    began = saved = time.monotonic()
    for chunk in chunks:
        labels = labels.joined(chunk)
        now = time.monotonic()
        if now - saved > SAVED_EVERY:
            write_soft_labels(labels, out)
            saved = now
        log.info("%d texts, %.1f minutes", len(labels.found), (now - began) / 60)
        if now - began > 60 * minutes:
            break
    write_soft_labels(labels, out)
    return labels
