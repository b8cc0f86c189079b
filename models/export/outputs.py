"""Whole graphs: an encoder with the heads of the classifier, or with the output of an embedder."""

import numpy as np
from onnx import ModelProto

from export.activations import Ranges
from export.encoder import Encoder, hidden_states, mean_pooled
from export.graph import Graph
from export.products import FloatProducts, Int8Products, Products
from export.weights import Arrays, EncoderWeights, arrays_of, weights_of, weights_of_pairs
from train.model import Classifier
from train.pairs.model import PairModel


def products(graph: Graph, weights: EncoderWeights, ranges: Ranges | None) -> Products:
    """8-bit products where ranges are given."""
    arrays, heads = weights.arrays, weights.heads
    if ranges is None:
        return FloatProducts(graph=graph, weights=arrays, heads=heads)
    return Int8Products(graph=graph, weights=arrays, heads=heads, ranges=ranges)


def pooled(graph: Graph, weights: EncoderWeights, ranges: Ranges | None) -> str:
    """The mean of the hidden states."""
    made = products(graph, weights, ranges)
    return mean_pooled(graph, hidden_states(Encoder(graph=graph, weights=weights, products=made)))


def classifier_graph(model: Classifier, ranges: Ranges | None) -> ModelProto:
    """Logits of all heads; the heads stay in float32, they are a thousandth of the work."""
    graph = Graph()
    mean = pooled(graph, weights_of(model.encoder), ranges)
    return with_heads(graph, mean, arrays_of(model.heads), "scores")


def pair_graph(model: PairModel, ranges: Ranges | None, temperature: float = 1.0) -> ModelProto:
    """Logits of entailment, neutral and contradiction, divided by a temperature."""
    graph = Graph()
    mean = pooled(graph, weights_of_pairs(model.encoder, model.separator), ranges)
    heads = {name: array / temperature for name, array in arrays_of(model.heads).items()}
    return with_heads(graph, mean, heads, "logits")


def with_heads(graph: Graph, mean: str, heads: Arrays, output: str) -> ModelProto:
    matrix = graph.constant("heads.weight", heads["weight"].T)
    product = graph.node("MatMul", [mean, matrix], "heads/product")
    graph.node("Add", [product, graph.constant("heads.bias", heads["bias"])], output)
    return graph.model(output, len(heads["bias"]))


def embedder_graph(model: Classifier, ranges: Ranges | None) -> ModelProto:
    """Sentence vectors of length one."""
    graph = Graph()
    mean = pooled(graph, weights_of(model.encoder), ranges)
    square = graph.node("Mul", [mean, mean], "length/square")
    axis = graph.constant("axis", np.array([1], dtype=np.int64))
    total = graph.node("ReduceSum", [square, axis], "length/total", keepdims=1)
    floor = graph.constant("length.floor", np.array(1e-24, dtype=np.float32))
    positive = graph.node("Max", [total, floor], "length/positive")
    graph.node("Div", [mean, graph.node("Sqrt", [positive], "length/root")], "embedding")
    return graph.model("embedding", model.encoder.config.hidden_size)
