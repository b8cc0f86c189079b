"""Part of the size of far-out channels of activations moved into the weights that follow.

One scale has to do for all channels of a token. A channel that runs far out widens it for all
others; weights have a scale for each column and bear it better (Xiao et al. 2023, SmoothQuant).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from guard.scoring.models import open_graph

Peaks: TypeAlias = Mapping[str, NDArray[np.float32]]
"""For each activation that is multiplied, the largest size that each of its channels takes."""

_SHARE = 0.5
_SMALLEST = 1e-5


def smooth(model: onnx.ModelProto, texts: Iterable[Sequence[int]]) -> onnx.ModelProto:
    """The same function, easier to have in 8 bits. texts: as token ids. Changes `model`."""
    products = _products(model.graph)
    sources = list(dict.fromkeys(node.input[0] for node in products))
    if sources:
        _balance(model.graph, products, _peaks(model, sources, texts))
    return model


def _products(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """With matrices of their own: one that several layers share cannot suit each of them."""
    matrices = {tensor.name for tensor in graph.initializer if len(tensor.dims) == 2}
    uses = Counter(name for node in graph.node for name in node.input if name in matrices)
    found = [n for n in graph.node if n.op_type == "MatMul" and n.input[1] in matrices]
    shared = {node.input[0] for node in found if uses[node.input[1]] > 1}
    return [node for node in found if node.input[0] not in shared]


def _peaks(model: onnx.ModelProto, sources: Sequence[str], texts: Iterable[Sequence[int]]) -> Peaks:
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    del watched.graph.output[:]
    watched.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in sources)
    run = open_graph(watched.SerializeToString())
    peaks = dict.fromkeys(sources, np.zeros(1, dtype=np.float32))
    for text in texts:
        ids = np.array([text], dtype=np.int64)
        for name, value in zip(sources, run(ids, np.ones_like(ids)), strict=True):
            highest = np.abs(value).reshape(-1, value.shape[-1]).max(axis=0)
            peaks[name] = np.maximum(peaks[name], highest)
    return peaks


def _balance(graph: onnx.GraphProto, products: Sequence[onnx.NodeProto], peaks: Peaks) -> None:
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    divided: dict[str, onnx.NodeProto] = {}
    for source, peak in peaks.items():
        mine = [node for node in products if node.input[0] == source]
        matrices = [numpy_helper.to_array(tensors[node.input[1]]) for node in mine]
        factors = _factors(peak, matrices)
        inverse, output = f"{source}/balance", f"{source}/balanced"
        graph.initializer.append(numpy_helper.from_array(1 / factors, inverse))
        divided[mine[0].output[0]] = helper.make_node("Mul", [source, inverse], [output])
        for node, matrix in zip(mine, matrices, strict=True):
            name, larger = node.input[1], matrix * factors[:, np.newaxis]
            tensors[name].CopyFrom(numpy_helper.from_array(larger, name))
            node.input[0] = output
    _insert(graph, divided)


def _factors(
    peak: NDArray[np.float32], matrices: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """By how much to divide each channel, and multiply each row of the matrices."""
    rows = np.max([np.abs(matrix).max(axis=1) for matrix in matrices], axis=0)
    factors = np.maximum(peak, _SMALLEST) ** _SHARE / np.maximum(rows, _SMALLEST) ** (1 - _SHARE)
    even: NDArray[np.float32] = (factors / np.exp(np.log(factors).mean())).astype(np.float32)
    return even


def _insert(graph: onnx.GraphProto, before: Mapping[str, onnx.NodeProto]) -> None:
    """before: nodes by the output of the one that they have to come before."""
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.output[0] in before:
            nodes.append(before[node.output[0]])
        nodes.append(node)
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)
