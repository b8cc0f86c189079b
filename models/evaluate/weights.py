"""`python -m evaluate.weights RUN --data PATH --base DIR`: a run's weights on the development sets.

For weights that have no export: a run under way, or an encoder that is not exported. The values are
not calibrated, and `--sample` takes a part of each set, so this shows the way and no result.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from evaluate.metrics import estimate
from evaluate.sets import SETS, Predict
from evaluate.table import markdown
from export.quantise import Floats
from train.batches import Example, collate, encode, read_tokenizer
from train.keys import fraction_of, text_key
from train.loop import logits_of
from train.model import Classifier, base_folder, load
from train.recipe import RECIPES, Recipe
from train.rows import Row, targets_of

BATCH_ROWS = 32


def example_rows(texts: Sequence[str]) -> list[Row]:
    unknown = targets_of({})
    return [
        Row(text=text, key=text_key(text), source="dev", licence="", targets=unknown)
        for text in texts
    ]


def values_of(model: Classifier, examples: Sequence[Example]) -> Floats:
    """Probabilities, one line per text; texts of like length are read together."""
    order = sorted(range(len(examples)), key=lambda place: examples[place].width)
    lines: Floats = np.zeros((len(examples), model.heads.out_features))
    for start in range(0, len(order), BATCH_ROWS):
        places = order[start : start + BATCH_ROWS]
        batch = collate([examples[place] for place in places])
        lines[places] = logits_of(model, batch).sigmoid().numpy()
    return lines


def predicting(model: Classifier, tokenizer: Tokenizer, recipe: Recipe) -> Predict:
    """Texts are cut as the recipe cuts them."""

    @torch.inference_mode()
    def predict(texts: list[str]) -> Floats:
        return values_of(model, encode(example_rows(texts), tokenizer, recipe))

    return predict


def measured(predict: Predict, data: Path, sample: int | None) -> str:
    """One line per set; of each the same texts every time."""
    lines = []
    for each in SETS:
        texts, labels = each.read(data)
        places = sorted(range(len(texts)), key=lambda n: fraction_of(texts[n], "sample"))[:sample]
        found = each.score(predict([texts[place] for place in places]))
        lines.append(
            [each.name, each.metric_name, len(places), estimate(each.metric, found, labels[places])]
        )
    return markdown(["set", "metric", "texts", "float32 (95 %)"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="evaluate.weights", description=__doc__)
    parser.add_argument("run", type=Path, help="folder of the weights")
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument(
        "--base",
        type=Path,
        help="folder of another encoder, for its tokenizer and adapters",
    )
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="first")
    parser.add_argument("--sample", type=int, help="texts of each set; without it, all")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    tokenizer = read_tokenizer(options.base or base_folder())
    predict = predicting(load(options.run, options.base), tokenizer, RECIPES[options.recipe])
    print(measured(predict, options.data, options.sample))


if __name__ == "__main__":
    main()
