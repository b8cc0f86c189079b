"""ONNX graphs: from torch, with our inputs, and with our heads at their end."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, compose, helper, numpy_helper

from guard.errors import ModelError
from guard.importing.export.original import clear_errors
from guard.importing.labels import LabelHead
from guard.scoring.whole_file import require_whole

OPSET = 17
IR_VERSION = 8
TOKENS = ("input_ids", "attention_mask")
TYPES = "token_type_ids"
_AXES_ARE_INPUTS = 18
"""The opset from which on reductions take their axes as an input."""
_NOTHING = np.float32(-1e4)
"""The logarithm of no weight: e to its power is 0, and sums with it stay finite."""


class _Logits(torch.nn.Module):  # type: ignore[misc]
    """What is exported: token ids and mask to one tensor."""

    def __init__(self, model: torch.nn.Module, read: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.model = model
        self.read = read

    def forward(self, *tokens: torch.Tensor) -> torch.Tensor:
        """tokens: in the order of the inputs."""
        return self.read(self.model, *tokens)


def export_torch(
    model: torch.nn.Module,
    read: Callable[..., torch.Tensor],
    *,
    output: str,
    inputs: Sequence[str] = TOKENS,
) -> onnx.ModelProto:
    """The graph of `read(model, *inputs)`, for any number of texts of any length.

    Raises ModelError where torch cannot export it.
    """
    example = torch.randint(5, 20, (2, 7))
    mask = torch.ones_like(example)
    mask[1, 5:] = 0
    given = {"input_ids": example, "attention_mask": mask, TYPES: torch.zeros_like(example)}
    axes = {name: {0: "batch", 1: "tokens"} for name in inputs} | {output: {0: "batch"}}
    stream = io.BytesIO()
    with (
        clear_errors("torch cannot export the model to ONNX"),
        torch.no_grad(),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # of tracing: the result is compared with the original
        torch.onnx.export(
            _Logits(model, read).eval(),
            tuple(given[name] for name in inputs),
            stream,
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    graph = onnx.load_from_string(stream.getvalue())
    graph.ir_version = IR_VERSION
    return graph


def read_graph(content: bytes, name: str) -> onnx.ModelProto:
    """An ONNX file made by somebody else, with one output at least. Raises ModelError."""
    try:
        model = onnx.load_from_string(content)
    except Exception as error:  # protobuf raises what it likes
        raise ModelError(f"{name}: not an ONNX model, or cut off ({error})") from error
    require_whole(content, name)
    if not model.graph.output:
        raise ModelError(f"{name}: gives no output; export it again")
    return model


def with_our_inputs(model: onnx.ModelProto, name: str) -> onnx.ModelProto:
    """`model` with nothing to feed but token ids and mask, as int64. Raises ModelError."""
    graph = model.graph
    weights = {tensor.name for tensor in graph.initializer}
    inputs = {one.name: one for one in graph.input if one.name not in weights}
    if not set(TOKENS) <= inputs.keys() or inputs.keys() - {*TOKENS, TYPES}:
        raise ModelError(
            f"{name}: its inputs are {', '.join(inputs)}; expected {' and '.join(TOKENS)},"
            f" and {TYPES} or not"
        )
    for one in inputs.values():
        if one.type.tensor_type.elem_type != TensorProto.INT64:
            raise ModelError(f"{name}: its input {one.name} is not int64; export it again")
    if TYPES in inputs:
        graph.input.remove(inputs[TYPES])
        graph.node.insert(0, helper.make_node("Sub", ["input_ids", "input_ids"], [TYPES]))
    return model


def with_heads(
    model: onnx.ModelProto, heads: Sequence[LabelHead], *, exclusive: bool
) -> onnx.ModelProto:
    """`model`, whose output [batch, labels] is read as the log odds of `heads`: [batch, heads].

    exclusive: the odds of a head are those of its labels against all others (softmax); else they
    are the highest of its labels' (sigmoid). Changes `model`, unless it has names of ours already.
    """
    model = _with_room_for_ours(model)
    graph = model.graph
    logits = graph.output[0].name
    weights = np.array([head.weights for head in heads], dtype=np.float32)
    constants = {
        "heads/labels": np.array([1], dtype=np.int64),
        "heads/last": np.array([-1], dtype=np.int64),
    }
    opset = next(one.version for one in model.opset_import if not one.domain)
    nodes = [helper.make_node("Unsqueeze", [logits, "heads/labels"], ["heads/each"])]
    if exclusive:
        constants |= {"heads/in": _logarithm(weights), "heads/out": _logarithm(1 - weights)}
        for part in ("in", "out"):
            nodes += _pooled(part, "ReduceLogSumExp", opset)
        nodes.append(helper.make_node("Sub", ["heads/in/all", "heads/out/all"], ["scores"]))
    else:
        constants["heads/in"] = np.where(weights > 0, np.float32(0), np.float32(-1e30))
        nodes += _pooled("in", "ReduceMax", opset)
        nodes.append(helper.make_node("Identity", ["heads/in/all"], ["scores"]))
    graph.initializer.extend(numpy_helper.from_array(v, name) for name, v in constants.items())
    graph.node.extend(nodes)
    return with_output(model, "scores", len(heads))


def _with_room_for_ours(model: onnx.ModelProto) -> onnx.ModelProto:
    """A model that an import made has heads already, and keeps them under other names."""
    made = {output for node in model.graph.node for output in node.output}
    if "scores" not in made and not any(name.startswith("heads/") for name in made):
        return model
    return compose.add_prefix(model, "original/", rename_inputs=False)


def with_output(model: onnx.ModelProto, name: str, width: int) -> onnx.ModelProto:
    """`model` with the tensor `name` as its only output: float32 [batch, width]."""
    del model.graph.output[:]
    shape = ["batch", width]
    model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    return model


def _pooled(part: str, reduction: str, opset: int) -> list[onnx.NodeProto]:
    """A reduction over the labels, each with the constant of its part: [batch, heads]."""
    name = f"heads/{part}"
    added = helper.make_node("Add", ["heads/each", name], [f"{name}/each"])
    inputs, output = [f"{name}/each"], [f"{name}/all"]
    if opset < _AXES_ARE_INPUTS:
        return [added, helper.make_node(reduction, inputs, output, axes=[-1], keepdims=0)]
    return [added, helper.make_node(reduction, [*inputs, "heads/last"], output, keepdims=0)]


def _logarithm(weights: Any) -> Any:
    known = np.log(np.maximum(weights, np.float32(1e-30)))
    return np.where(weights > 0, known, _NOTHING).astype(np.float32)[np.newaxis]
