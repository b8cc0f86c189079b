"""The weights of an ONNX graph as 8-bit integers or 16-bit floats.

In 8 bits, the scale of an activation is that of its token alone: a text then has the same scores
whatever it is batched with, and no texts are needed to fix scales beforehand. A scale for each
token is also closer to the original than one for a whole layer, and as fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from guard.importing.comparison import Precision

MICROSOFT = "com.microsoft"
_SMALLEST_WEIGHT = 4096
"""Values of a matrix that are worth it: those of heads stay as they are."""


def with_precision(model: onnx.ModelProto, precision: Precision) -> onnx.ModelProto:
    """`model`, its weights in `precision`. Changes `model`."""
    if precision is Precision.INT8:
        _Int8Pass.over(model.graph)
        _use_microsoft(model)
    elif precision is Precision.FP16:
        _halve(model.graph)
    return model


@dataclass(slots=True, kw_only=True)
class _Int8Pass:
    """Rewrites the nodes of a graph one by one.

    weights: the constants of the graph by name. rows: what has been made of each activation.
    """

    weights: dict[str, TensorProto]
    rows: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def over(cls, graph: onnx.GraphProto) -> None:
        one = cls(weights={tensor.name: tensor for tensor in graph.initializer})
        nodes = [each for node in graph.node for each in one.rewritten(node)]
        used = {name for node in nodes for name in node.input}
        del graph.node[:], graph.initializer[:]
        graph.node.extend(nodes)
        graph.initializer.extend(t for name, t in one.weights.items() if name in used)

    def rewritten(self, node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
        if node.op_type == "MatMul" and self._is_large(node.input[1]):
            yield from self._product(node.input[0], node.input[1], node.output[0])
        elif node.op_type == "Gemm" and self._is_large(node.input[1]) and _is_plain(node):
            yield from self._gemm(node)
        elif node.op_type == "Gather" and self._is_large(node.input[0]):
            yield from self._rows_of_table(node)
        else:
            yield node

    def _is_large(self, name: str) -> bool:
        tensor = self.weights.get(name)
        return (
            tensor is not None
            and tensor.data_type == TensorProto.FLOAT
            and len(tensor.dims) == 2
            and tensor.dims[0] * tensor.dims[1] >= _SMALLEST_WEIGHT
        )

    def _product(self, source: str, weight: str, output: str) -> Iterator[onnx.NodeProto]:
        """A product of 8-bit integers, scaled by the peak of each token."""
        if source not in self.rows:
            yield from self._quantised_rows(source)
        levels, peak = self.rows[source]
        scale, zero = self._constant("int8.scale", np.float32(1 / 127)), self._zero()
        values, scales, zeros = self._columns(weight)
        inputs = [levels, values, scale, scales, zero, zeros]
        raw = f"{output}/int8"
        yield helper.make_node("MatMulIntegerToFloat", inputs, [raw], name=raw, domain=MICROSOFT)
        yield helper.make_node("Mul", [raw, peak], [output], name=f"{output}/scaled")

    def _gemm(self, node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
        """As a product and a sum; its weight may be stored the other way round."""
        source, weight, output = node.input[0], node.input[1], node.output[0]
        if _attribute(node, "transB", 0):
            matrix = numpy_helper.to_array(self.weights[weight]).T
            weight = self._constant(f"{weight}.transposed", np.ascontiguousarray(matrix))
        without_bias = f"{output}/product" if len(node.input) > 2 else output
        yield from self._product(source, weight, without_bias)
        if len(node.input) > 2:
            yield helper.make_node("Add", [without_bias, node.input[2]], [output], name=output)

    def _quantised_rows(self, source: str) -> Iterator[onnx.NodeProto]:
        """Each token as 1 to 255 with 0 at 128, and its peak: [..., 1]."""
        names = {part: f"{source}/{part}" for part in ("size", "highest", "peak", "unit", "levels")}
        least = self._constant("int8.least", np.float32(1e-9))
        scale, zero = self._constant("int8.scale", np.float32(1 / 127)), self._zero()
        yield helper.make_node("Abs", [source], [names["size"]])
        yield helper.make_node(
            "ReduceMax", [names["size"]], [names["highest"]], axes=[-1], keepdims=1
        )
        yield helper.make_node("Max", [names["highest"], least], [names["peak"]])
        yield helper.make_node("Div", [source, names["peak"]], [names["unit"]])
        yield helper.make_node("QuantizeLinear", [names["unit"], scale, zero], [names["levels"]])
        self.rows[source] = names["levels"], names["peak"]

    def _columns(self, weight: str) -> tuple[str, str, str]:
        """Values, scales and zero points of a matrix, one scale for each column."""
        matrix = numpy_helper.to_array(self.weights[weight])
        values, scales = _quantised(matrix, axis=0)
        return (
            self._constant(f"{weight}.int8", values),
            self._constant(f"{weight}.scales", scales.reshape(-1)),
            self._constant(f"{weight}.zeros", np.zeros(matrix.shape[1], np.int8)),
        )

    def _rows_of_table(self, node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
        """Vectors looked up in a table in which each has its own scale."""
        table, places, output = node.input[0], node.input[1], node.output[0]
        if _attribute(node, "axis", 0) != 0:
            yield node
            return
        values, scales = _quantised(numpy_helper.to_array(self.weights[table]), axis=1)
        small = self._constant(f"{table}.int8", values)
        scale = self._constant(f"{table}.scales", scales)
        yield helper.make_node("Gather", [small, places], [f"{output}/int8"])
        yield helper.make_node("Gather", [scale, places], [f"{output}/scale"])
        yield helper.make_node("Cast", [f"{output}/int8"], [f"{output}/raw"], to=TensorProto.FLOAT)
        yield helper.make_node("Mul", [f"{output}/raw", f"{output}/scale"], [output])

    def _zero(self) -> str:
        return self._constant("int8.zero", np.uint8(128))

    def _constant(self, name: str, value: Any) -> str:
        if name not in self.weights:
            self.weights[name] = numpy_helper.from_array(np.asarray(value), name)
        return name


def _quantised(
    matrix: NDArray[np.float32], axis: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A symmetric int8 matrix, and its scales, for which `axis` was reduced to one."""
    peaks = np.abs(matrix).max(axis=axis, keepdims=True)
    scales = np.where(peaks > 0, peaks / 127, 1).astype(np.float32)
    return np.clip(np.rint(matrix / scales), -127, 127).astype(np.int8), scales


def _is_plain(node: onnx.NodeProto) -> bool:
    factors = _attribute(node, "alpha", 1.0), _attribute(node, "beta", 1.0)
    return factors == (1.0, 1.0) and not _attribute(node, "transA", 0)


def _attribute(node: onnx.NodeProto, name: str, default: Any) -> Any:
    found = (helper.get_attribute_value(one) for one in node.attribute if one.name == name)
    return next(found, default)


def _halve(graph: onnx.GraphProto) -> None:
    """Keep large constants in 16 bits; they are widened once, when the model is loaded."""
    casts: list[onnx.NodeProto] = []
    for tensor in graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) < _SMALLEST_WEIGHT:
            continue
        name, half = tensor.name, f"{tensor.name}.fp16"
        values = numpy_helper.to_array(tensor)
        tensor.CopyFrom(numpy_helper.from_array(_within_half(values), half))
        casts.append(helper.make_node("Cast", [half], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)


def _within_half(values: NDArray[np.float32]) -> NDArray[np.float16]:
    largest = np.finfo(np.float16).max
    return np.clip(values, -largest, largest).astype(np.float16)


def _use_microsoft(model: onnx.ModelProto) -> None:
    if all(opset.domain != MICROSOFT for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
