"""Whole graphs: an encoder with the heads of the classifier, or with the output of an embedder."""

from collections.abc import Mapping

import numpy as np
from onnx import ModelProto
from torch import nn
from transformers import BertConfig

from export.bert import Encoder, Weights, hidden_states, mean_pooled
from export.graph import Graph
from export.products import FloatProducts, Int8Products, Products
from export.quantise import Range
from train.encoders import EncoderConfig
from train.model import Classifier

Ranges = Mapping[str, Range]


def arrays(module: nn.Module) -> Weights:
    return {name: value.detach().float().numpy() for name, value in module.state_dict().items()}


def products(graph: Graph, weights: Weights, heads: int, ranges: Ranges | None) -> Products:
    """8-bit products where ranges are given."""
    if ranges is None:
        return FloatProducts(graph=graph, weights=weights, heads=heads)
    return Int8Products(graph=graph, weights=weights, heads=heads, ranges=ranges)


def pooled(graph: Graph, encoder: nn.Module, config: EncoderConfig, ranges: Ranges | None) -> str:
    """The mean of the hidden states. Raises TypeError for an encoder that is no BERT."""
    if not isinstance(config, BertConfig):
        raise TypeError(f"only the graph of a BERT is known, not of a {config.model_type}")
    weights = arrays(encoder)
    parts = Encoder(
        graph=graph,
        weights=weights,
        products=products(graph, weights, config.num_attention_heads, ranges),
        layers=config.num_hidden_layers,
        epsilon=config.layer_norm_eps,
    )
    return mean_pooled(graph, hidden_states(parts))


def classifier_graph(model: Classifier, ranges: Ranges | None) -> ModelProto:
    """Logits of all heads; the heads stay in float32, they are a thousandth of the work."""
    graph, heads = Graph(), arrays(model.heads)
    mean = pooled(graph, model.encoder, model.encoder.config, ranges)
    matrix = graph.constant("heads.weight", heads["weight"].T)
    product = graph.node("MatMul", [mean, matrix], "heads/product")
    graph.node("Add", [product, graph.constant("heads.bias", heads["bias"])], "scores")
    return graph.model("scores", len(heads["bias"]))


def embedder_graph(model: Classifier, ranges: Ranges | None) -> ModelProto:
    """Sentence vectors of length one."""
    graph, config = Graph(), model.encoder.config
    mean = pooled(graph, model.encoder, config, ranges)
    square = graph.node("Mul", [mean, mean], "length/square")
    axis = graph.constant("axis", np.array([1], dtype=np.int64))
    total = graph.node("ReduceSum", [square, axis], "length/total", keepdims=1)
    floor = graph.constant("length.floor", np.array(1e-24, dtype=np.float32))
    positive = graph.node("Max", [total, floor], "length/positive")
    graph.node("Div", [mean, graph.node("Sqrt", [positive], "length/root")], "embedding")
    return graph.model("embedding", config.hidden_size)
