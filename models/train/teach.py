"""`python -m train.teach --examples FILE --weights RUN --base DIR --out FILE`: a teacher's labels.

Of rows that were prepared for its encoder (`train.prepared --base DIR`), read as they are in a
training run: minutes on a GPU. Without one `python -m export.labelling` is faster, with the 8-bit
products that ship.
"""

import argparse
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from train.batches import Example, collate
from train.loop import logits_of
from train.model import Classifier, load, weights_sha256
from train.precision import device
from train.prepared import read_examples
from train.soft_labels import SoftLabels, coded, write_soft_labels

log = logging.getLogger("train.teach")

BATCH_TOKENS = 65_536


def batches_of(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Those of like length together, the longest first."""
    batch: list[Example] = []
    windows = 0
    for each in sorted(examples, key=lambda e: (e.width, len(e.windows)), reverse=True):
        if batch and (windows + len(each.windows)) * batch[0].width > BATCH_TOKENS:
            yield batch
            batch, windows = [], 0
        batch, windows = [*batch, each], windows + len(each.windows)
    if batch:
        yield batch


@torch.no_grad()
def labels_of(model: Classifier, examples: Sequence[Example]) -> dict[int, bytes]:
    """Codes of the logits by the key of each row."""
    found: dict[int, bytes] = {}
    for batch in batches_of(examples):
        lines = coded(logits_of(model, collate(batch).to(model.device)).cpu().numpy())
        found |= {e.key: line.tobytes() for e, line in zip(batch, lines, strict=True)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.teach", description=__doc__)
    parser.add_argument("--examples", type=Path, required=True, help="file of the rows")
    parser.add_argument("--weights", type=Path, required=True, help="folder of the teacher")
    parser.add_argument("--base", type=Path, help="folder of its encoder")
    parser.add_argument("--out", type=Path, required=True, help="file of the labels")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    model = load(options.weights, options.base).to(device())
    found = labels_of(model, read_examples(options.examples))
    labels = SoftLabels(teacher=weights_sha256(options.weights), found=found)
    write_soft_labels(labels, options.out)
    log.info("%d texts", len(found))


if __name__ == "__main__":
    main()
