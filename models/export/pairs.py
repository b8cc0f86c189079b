"""`python -m export.pairs --data DATA --weights RUN --out DIR`: the classifier of pairs.

8-bit products with fixed scales, as for the classifier of texts; the logits are divided by a
temperature that makes their probabilities as good as they can be on the validation split.
"""

import argparse
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer

from export.activations import Ranges, measure
from export.build import bare_tokenizer, write
from export.compare import TooFarFromOriginalError
from export.manifest import PAIRS, write_manifest
from export.outputs import pair_graph
from export.quantise import Floats
from export.scorer import open_session
from guard.scoring.pairs import PAIR_LABELS, PairClassifier
from guard.text import clean
from train.keys import fraction_of
from train.model import base_folder
from train.pairs.model import PairModel, load_pairs
from train.pairs.recipe import PAIRS as RECIPE
from train.pairs.rows import PairRow, split_pairs
from train.pairs.surrounded import surrounded_rows

log = logging.getLogger(__name__)
RANGE_ROWS, CHECKED_ROWS = 800, 600
TEMPERATURES = np.linspace(0.5, 3.0, 126)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTolerance:
    """The most that the 8-bit form may differ from float32: mean of the probabilities' differences,
    share of pairs with another likeliest label."""

    mean: float = 0.02
    flips: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMaterial:
    """ranges: rows on which scales are measured. validation: rows that were not trained on."""

    ranges: Sequence[PairRow]
    validation: Sequence[PairRow]


def gather_pairs(data: Path) -> PairMaterial:
    split = split_pairs(data, RECIPE)
    seen = surrounded_rows(first_rows(split.training, RANGE_ROWS, "ranges"), RECIPE)
    return PairMaterial(ranges=seen, validation=split.validation)


def first_rows(rows: Sequence[PairRow], count: int, salt: str) -> list[PairRow]:
    """A sample that stays the same when rows are added or removed elsewhere."""
    return sorted(rows, key=lambda row: (fraction_of(row.key, salt), row.key))[:count]


def texts_of(rows: Sequence[PairRow]) -> list[tuple[str, str]]:
    return [(row.premise, row.hypothesis) for row in rows]


def ranges_of(model: PairModel, tokenizer: Tokenizer, rows: Sequence[PairRow]) -> Ranges:
    pairs = [(clean(premise), clean(hypothesis)) for premise, hypothesis in texts_of(rows)]
    encodings = tokenizer.encode_batch_fast(pairs)
    ids = (encoding.ids[: PAIRS.window_tokens] for encoding in encodings)
    return measure(model.encoder, ids, reader=model)


def classifier_of(graph: bytes, tokenizer: Tokenizer) -> PairClassifier:
    """As the guard runs it."""
    session = open_session(graph)
    tokenizer.enable_truncation(PAIRS.window_tokens)

    def run(ids: npt.NDArray[np.int64], mask: npt.NDArray[np.int64]) -> Floats:
        found: Floats = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return found

    return PairClassifier(tokenizer=tokenizer, padding=0, session=run)


def likelihood(chances: Floats, rows: Sequence[PairRow], temperature: float) -> float:
    """Mean log probability of what is possible, at another temperature."""
    logits = np.log(np.clip(chances, 1e-9, 1)) / temperature
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    possible = np.array([row.possible for row in rows])
    right = (raised * possible).sum(axis=1) / raised.sum(axis=1)
    return float(np.log(np.clip(right, 1e-9, 1)).mean())


def best_temperature(chances: Floats, rows: Sequence[PairRow]) -> float:
    """Of the highest likelihood (Guo et al. 2017)."""
    return float(max(TEMPERATURES, key=lambda one: likelihood(chances, rows, one)))


def require_same(original: Floats, small: Floats, tolerance: PairTolerance) -> None:
    """Raises TooFarFromOriginalError."""
    mean = float(np.abs(original - small).mean())
    flips = float((original.argmax(1) != small.argmax(1)).mean())
    log.info("int8 against float32: mean %.4f, other labels %.4f", mean, flips)
    if mean > tolerance.mean or flips > tolerance.flips:
        raise TooFarFromOriginalError(
            f"mean difference {mean:.4f} (at most {tolerance.mean}), share of other labels"
            f" {flips:.4f} (at most {tolerance.flips})"
        )


def export_pairs(
    model: PairModel,
    base: Path,
    material: PairMaterial,
    folder: Path,
    tolerance: PairTolerance = PairTolerance(),
) -> None:
    """Write model, tokenizer and manifest, unless the model is too far from its original."""
    ranges = ranges_of(model, bare_tokenizer(base), material.ranges)
    checked = first_rows(material.validation, CHECKED_ROWS, "check")
    small = classifier_of(pair_graph(model, ranges).SerializeToString(), bare_tokenizer(base))
    original = classifier_of(pair_graph(model, None).SerializeToString(), bare_tokenizer(base))
    found = [each.probabilities(texts_of(checked)) for each in (original, small)]
    require_same(*found, tolerance)
    validation = list(material.validation)
    temperature = best_temperature(small.probabilities(texts_of(validation)), validation)
    log.info("temperature %.2f", temperature)
    write(pair_graph(model, ranges, temperature), bare_tokenizer(base), PAIRS, folder)
    write_manifest(PAIRS, folder, {"pair_labels": list(PAIR_LABELS)})


def main() -> None:
    parser = argparse.ArgumentParser(prog="export.pairs", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--weights", type=Path, required=True, help="folder that a run wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    parser.add_argument("--base", type=Path, help="folder of another pretrained encoder")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    base = options.base or base_folder()
    export_pairs(load_pairs(options.weights), base, gather_pairs(options.data), options.out)


if __name__ == "__main__":
    main()
