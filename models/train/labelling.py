"""`python -m train.labelling --data DATA --weights RUN --base DIR --out FILE`: a teacher's labels.

It reads the rows that a student is trained on, and recorded answers and their sentences, those
first that tell most. What it has is written now and then; the same command goes on with the rest.
"""

import argparse
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from train.adapters import hold_in_bfloat16
from train.batches import Example, collate, encode, filled, read_tokenizer, size
from train.keys import fraction_of
from train.loop import logits_of
from train.model import Classifier, load, weights_sha256
from train.recipe import RECIPES, Recipe
from train.rows import Row
from train.sampling import rate_of, split_rows
from train.soft_labels import (
    Logits,
    SoftLabels,
    coded,
    read_soft_labels,
    short,
    write_soft_labels,
)

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
}
"""How much earlier than others the rows of a source are read: where labels are noisy or few."""

CHUNK, BATCH_ROWS = 1024, 256
SAVED_EVERY = 2 * 60.0


def turn(row: Row) -> float:
    """A place in the order of reading, random within a source."""
    return fraction_of(row.key, "labelling") / rate_of(row.source, FIRST)


def waiting(rows: Sequence[Row], labels: SoftLabels) -> list[Row]:
    """Each text that has no labels yet once, those first that tell most."""
    left = {row.key: row for row in rows if short(row.key) not in labels.found}
    return sorted(left.values(), key=turn)


@torch.inference_mode()
def judged(model: Classifier, examples: Sequence[Example], recipe: Recipe) -> Logits:
    """Logits, [texts, heads]; texts of like length are read together."""
    lines: Logits = np.zeros((len(examples), model.heads.out_features), np.float32)
    order = sorted(([n] for n in range(len(examples))), key=lambda place: size(place, examples))
    for places in filled(order, examples, recipe):
        lines[places] = logits_of(model, collate([examples[n] for n in places])).numpy()
    return lines


def labelled(
    model: Classifier, rows: Sequence[Row], base: Path, recipe: Recipe
) -> Iterator[dict[int, bytes]]:
    """Codes by the hash of the text, a chunk of rows at a time. The model is frozen for that."""
    model.encoder.requires_grad_(requires_grad=False)
    hold_in_bfloat16(model.encoder)
    tokenizer = read_tokenizer(base)
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        codes = coded(judged(model, encode(chunk, tokenizer, recipe), recipe))
        yield {short(row.key): code.tobytes() for row, code in zip(chunk, codes, strict=True)}


def earlier(path: Path, teacher: str) -> SoftLabels:
    """What was written so far. Raises ValueError where another teacher wrote it."""
    if not path.exists():
        return SoftLabels(teacher=teacher, found={})
    labels = read_soft_labels(path)
    if labels.teacher != teacher:
        raise ValueError(f"the labels in {path} are of another teacher; write to another file")
    return labels


def write_on(
    labels: SoftLabels, chunks: Iterator[dict[int, bytes]], out: Path, minutes: float
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


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="train.labelling", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--weights", type=Path, required=True, help="folder of the teacher")
    parser.add_argument("--base", type=Path, required=True, help="folder of its encoder")
    parser.add_argument("--out", type=Path, required=True, help="file of the labels")
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="distilling")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="when to stop")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(options.threads)
    recipe = replace(RECIPES[options.recipe], batch_rows=BATCH_ROWS)
    labels = earlier(options.out, weights_sha256(options.weights))
    rows = waiting(split_rows(options.data, recipe).training, labels)
    log.info("%d texts to read", len(rows))
    chunks = labelled(load(options.weights, options.base), rows, options.base, recipe)
    write_on(labels, chunks, options.out, options.minutes)


if __name__ == "__main__":
    main()
