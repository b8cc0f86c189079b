"""`python -m train.restored MODEL OUT`: weights to train on from, out of a model that ships.

Whoever has only the wheel can go on training. What 8 bits rounded away is gone; what the export
moved between a product and the one before it is moved back, or evened out where it was not noted.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from transformers import BertConfig

from export.products import PARTS
from export.quantise import Floats
from train.heads import KEYS
from train.model import Classifier, save

Arrays = Mapping[str, Floats]
ATTENTION = "QAttention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """The constants of an 8-bit graph, and its number of attention heads."""

    arrays: Arrays
    heads: int

    @property
    def layers(self) -> int:
        return sum(name.endswith(".attention.int8") for name in self.arrays)


def read_shipped(path: Path) -> Shipped:
    """Raises ValueError for a graph that is no 8-bit classifier of ours."""
    graph = onnx.load(path).graph
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    attention = [node for node in graph.node if node.op_type == ATTENTION]
    if not attention or "heads.weight" not in arrays:
        raise ValueError(f"{path} is not an 8-bit classifier: it has no {ATTENTION} or no heads")
    if arrays["heads.weight"].shape[1] != len(KEYS):
        raise ValueError(f"{path} has {arrays['heads.weight'].shape[1]} heads, not {len(KEYS)}")
    return Shipped(arrays=arrays, heads=int(attention[0].attribute[0].i))


def config_of(shipped: Shipped, dropout: float) -> BertConfig:
    arrays = shipped.arrays
    return BertConfig(
        vocab_size=arrays["words.int8"].shape[0],
        hidden_size=arrays["words.int8"].shape[1],
        num_hidden_layers=shipped.layers,
        num_attention_heads=shipped.heads,
        intermediate_size=arrays["encoder.layer.0.intermediate.dense.int8"].shape[1],
        max_position_embeddings=arrays["positions"].shape[1],
        layer_norm_eps=arrays["epsilon"].item(),
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )


def matrix(arrays: Arrays, name: str) -> Floats:
    """Input by output, before any channel was scaled down."""
    values: Floats = arrays[f"{name}.int8"].astype(np.float32) * arrays[f"{name}.scales"]
    source = f"{name}.self.query" if name.endswith(".attention") else name
    inverse = arrays.get(f"{source}.in.factors")
    return values if inverse is None else values * inverse[:, None]


def evenly(values: Floats, narrow: Floats) -> Floats:
    """What to divide the columns of `values` by, and the rows of `narrow` to multiply by.

    The export moved a factor per channel from one to the other and did not note it. Any split gives
    the same outputs; equal lengths are what training steps of one rate suit best.
    """
    left, right = np.linalg.norm(values, axis=0), np.linalg.norm(narrow, axis=1)
    ratio: Floats = np.sqrt(np.maximum(left, 1e-8) / np.maximum(right, 1e-8))
    return ratio.astype(np.float32)


def attention(arrays: Arrays, name: str) -> dict[str, Floats]:
    joined, bias = matrix(arrays, name), arrays[f"{name}.qkv.bias"]
    narrow = matrix(arrays, f"{name}.output.dense")
    columns = np.split(joined, len(PARTS), axis=1)
    offsets = np.split(bias, len(PARTS))
    ratio = evenly(columns[-1], narrow)
    columns[-1], offsets[-1] = columns[-1] / ratio, offsets[-1] / ratio
    found: dict[str, Floats] = {f"{name}.output.dense.weight": (narrow * ratio[:, None]).T}
    for part, column, offset in zip(PARTS, columns, offsets, strict=True):
        found[f"{name}.self.{part}.weight"] = column.T
        found[f"{name}.self.{part}.bias"] = offset
    return found


def norm(arrays: Arrays, name: str) -> dict[str, Floats]:
    return {f"{name}.weight": arrays[f"{name}.gain"], f"{name}.bias": arrays[f"{name}.shift"]}


def layer(arrays: Arrays, name: str) -> dict[str, Floats]:
    products = (
        f"{name}.attention.output.dense",
        f"{name}.intermediate.dense",
        f"{name}.output.dense",
    )
    wide, narrow = products[1:]
    return {
        **{f"{product}.bias": arrays[f"{product}.bias"] for product in products},
        **{f"{product}.weight": matrix(arrays, product).T for product in (wide, narrow)},
        **attention(arrays, f"{name}.attention"),
        **norm(arrays, f"{name}.attention.output.LayerNorm"),
        **norm(arrays, f"{name}.output.LayerNorm"),
    }


def embeddings(arrays: Arrays) -> dict[str, Floats]:
    """The one token type was folded into the positions."""
    positions, name = arrays["positions"][0], "embeddings"
    return {
        f"{name}.word_embeddings.weight": arrays["words.int8"] * arrays["words.scales"],
        f"{name}.position_embeddings.weight": positions,
        f"{name}.token_type_embeddings.weight": np.zeros((2, positions.shape[1]), np.float32),
        **norm(arrays, f"{name}.LayerNorm"),
    }


def restored(path: Path, dropout: float) -> Classifier:
    """The classifier in float32 whose export `path` is, up to rounding."""
    shipped = read_shipped(path)
    arrays, model = shipped.arrays, Classifier(config_of(shipped, dropout))
    found = embeddings(arrays)
    for number in range(shipped.layers):
        found |= layer(arrays, f"encoder.layer.{number}")
    state = {f"encoder.{name}": value for name, value in found.items()}
    state |= {"heads.weight": arrays["heads.weight"].T, "heads.bias": arrays["heads.bias"]}
    tensors = {name: torch.tensor(np.ascontiguousarray(v)).float() for name, v in state.items()}
    model.load_state_dict(tensors)
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.restored", description=__doc__)
    parser.add_argument("model", type=Path, help="model.onnx of a classifier")
    parser.add_argument("out", type=Path, help="folder for the weights")
    parser.add_argument("--dropout", type=float, default=0.1)
    options = parser.parse_args()
    save(restored(options.model, options.dropout), options.out)


if __name__ == "__main__":
    main()
