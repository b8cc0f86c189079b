"""An encoder as a fused ONNX graph, in float32 or with 8-bit products.

A BERT, or an MPNet, whose attention also depends on how far two tokens are from each other.
"""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from export.graph import Graph
from export.products import Int8Products, Products
from export.quantise import Floats, quantised
from export.weights import EncoderWeights


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """What the encoder is made of, and how its products are computed."""

    graph: Graph
    weights: EncoderWeights
    products: Products


def words(encoder: Encoder) -> str:
    """Word vectors; in the small form each word has its own scale."""
    graph, table = encoder.graph, encoder.weights.words
    if not isinstance(encoder.products, Int8Products):
        return graph.node("Gather", [graph.constant("words", table), "input_ids"], "words/out")
    small = quantised(table, axis=0)
    values = graph.constant("words.int8", small.values)
    scales = graph.constant("words.scales", small.scales.reshape(-1, 1))
    rows = graph.node("Gather", [values, "input_ids"], "words/int8")
    scale = graph.node("Gather", [scales, "input_ids"], "words/scale")
    vectors = graph.node("Cast", [rows], "words/float", to=TensorProto.FLOAT)
    return graph.node("Mul", [vectors, scale], "words/out")


def positions(encoder: Encoder) -> str:
    """Position vectors, cut to the length of the batch; texts begin at the first."""
    graph = encoder.graph
    whole = graph.constant("positions", encoder.weights.positions[np.newaxis])
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero = graph.constant("zero", np.array([0], dtype=np.int64))
    one = graph.constant("one", np.array([1], dtype=np.int64))
    return graph.node("Slice", [whole, zero, length, one], "positions/out")


def normalised(encoder: Encoder, left: str, right: str, name: str) -> str:
    """Layer normalisation of a sum.

    Spelled out, with both means as products: ONNX Runtime's own operator runs on single numbers
    and takes three times as long, a sixth of the whole encoder.
    """
    graph, gain = encoder.graph, encoder.weights.arrays[f"{name}.weight"]
    mean_of = np.full((len(gain), 1), 1 / len(gain), dtype=np.float32)
    share = graph.constant("share", mean_of)
    epsilon = graph.constant("epsilon", np.array(encoder.weights.epsilon, dtype=np.float32))
    total = graph.node("Add", [left, right], f"{name}/sum")
    mean = graph.node("MatMul", [total, share], f"{name}/mean")
    centred = graph.node("Sub", [total, mean], f"{name}/centred")
    square = graph.node("Mul", [centred, centred], f"{name}/square")
    variance = graph.node("MatMul", [square, share], f"{name}/variance")
    positive = graph.node("Add", [variance, epsilon], f"{name}/positive")
    spread = graph.node("Sqrt", [positive], f"{name}/spread")
    unit = graph.node("Div", [centred, spread], f"{name}/unit")
    scaled = graph.node("Mul", [unit, graph.constant(f"{name}.gain", gain)], f"{name}/scaled")
    shift = graph.constant(f"{name}.shift", encoder.weights.arrays[f"{name}.bias"])
    return graph.node("Add", [scaled, shift], f"{name}/out")


def distance_bias(encoder: Encoder, table: Floats) -> str:
    """What the attention adds for each pair of tokens, [1, heads, tokens, tokens]."""
    graph = encoder.graph
    length = graph.node("Squeeze", ["length"], "distance/length")
    first = graph.constant("distance.first", np.array(0, dtype=np.int64))
    step = graph.constant("distance.step", np.array(1, dtype=np.int64))
    places = graph.node("Range", [first, length, step], "distance/places")
    row = graph.constant("distance.row", np.array([0], dtype=np.int64))
    column = graph.constant("distance.column", np.array([1], dtype=np.int64))
    to = graph.node("Unsqueeze", [places, row], "distance/to")
    origin = graph.node("Unsqueeze", [places, column], "distance/from")
    signed = graph.node("Sub", [to, origin], "distance/signed")
    middle = graph.constant("distance.middle", np.array(len(table) // 2, dtype=np.int64))
    place = graph.node("Add", [signed, middle], "distance/place")
    pairs = graph.node("Gather", [graph.constant("distances", table), place], "distance/pairs")
    by_head = graph.node("Transpose", [pairs], "distance/heads", perm=[2, 0, 1])
    return graph.node("Unsqueeze", [by_head, row], "distance/bias")


def layer(encoder: Encoder, hidden: str, name: str, distances: str | None) -> str:
    """Attention, then the two products of the feed-forward part."""
    products = encoder.products
    dense, wide, narrow = (
        f"{name}.{part}" for part in ("attention.output", "intermediate.dense", "output")
    )
    mixed = products.attention(hidden, f"{name}.attention", distances)
    mixed = products.linear(mixed, f"{dense}.dense")
    hidden = normalised(encoder, mixed, hidden, f"{dense}.LayerNorm")
    active = products.activated(hidden, wide)
    return normalised(
        encoder, products.linear(active, f"{narrow}.dense"), hidden, f"{narrow}.LayerNorm"
    )


def in_second(encoder: Encoder, separator: int) -> str:
    """1 for the tokens after the first separator, 0 before them, [batch, tokens, 1]."""
    graph = encoder.graph
    mark = graph.constant("separator", np.array(separator, dtype=np.int64))
    found = graph.node("Equal", ["input_ids", mark], "types/found")
    ends = graph.node("Cast", [found], "types/ends", to=TensorProto.FLOAT)
    along = graph.constant("types.along", np.array(1, dtype=np.int64))
    before = graph.node("CumSum", [ends, along], "types/before", exclusive=1)
    one = graph.constant("types.one", np.array(1, dtype=np.float32))
    capped = graph.node("Min", [before, one], "types/capped")
    column = graph.constant("types.column", np.array([2], dtype=np.int64))
    return graph.node("Unsqueeze", [capped, column], "types/second")


def embedded(encoder: Encoder) -> str:
    """Word vectors, those of a second text moved by what tells it from the first."""
    graph, weights = encoder.graph, encoder.weights
    if weights.second is None or weights.separator is None:
        return words(encoder)
    moved = graph.constant("types.vector", weights.second.reshape(1, -1))
    types = graph.node("MatMul", [in_second(encoder, weights.separator), moved], "types/out")
    return graph.node("Add", [words(encoder), types], "words/typed")


def hidden_states(encoder: Encoder) -> str:
    """Hidden states of the last layer."""
    encoder.graph.node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
    hidden = normalised(encoder, embedded(encoder), positions(encoder), "embeddings.LayerNorm")
    table = encoder.weights.distances
    distances = None if table is None else distance_bias(encoder, table)
    for number in range(encoder.weights.layers):
        hidden = layer(encoder, hidden, f"encoder.layer.{number}", distances)
    return hidden


def mean_pooled(graph: Graph, hidden: str) -> str:
    """The mean over the tokens of the mask, as a product with the mask."""
    mask = graph.node("Cast", ["attention_mask"], "mask/float", to=TensorProto.FLOAT)
    axis = graph.constant("axis", np.array([1], dtype=np.int64))
    row = graph.node("Unsqueeze", [mask, axis], "mask/row")
    total = graph.node("MatMul", [row, hidden], "pool/total")
    summed = graph.node("Squeeze", [total, axis], "pool/sum")
    count = graph.node("ReduceSum", [mask, axis], "pool/tokens", keepdims=1)
    floor = graph.constant("floor", np.array(1, dtype=np.float32))
    return graph.node("Div", [summed, graph.node("Max", [count, floor], "pool/count")], "pooled")
