"""Builds an ONNX graph node by node: the same weights always give the same bytes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

STANDARD, MICROSOFT = "", "com.microsoft"
OPSET, MICROSOFT_OPSET, IR_VERSION = 17, 1, 8


class Graph:
    """Nodes and constants in the order in which they were added."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, op: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        """Add a standard node with one output, and return the name of the output."""
        self._nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def fused(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any
    ) -> str:
        """Add a node of ONNX Runtime's own operators, and return its first output."""
        name = outputs[0]
        self._nodes.append(
            helper.make_node(op, inputs, outputs, name=name, domain=MICROSOFT, **attributes)
        )
        return name

    def spread(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any
    ) -> Sequence[str]:
        """Add a standard node with several outputs."""
        node = helper.make_node(op, inputs, outputs, name=outputs[0], **attributes)
        self._nodes.append(node)
        return outputs

    def model(self, output: str, width: int) -> ModelProto:
        """The checked model from token ids and mask to one output of [batch, width]."""
        tokens = ("input_ids", "attention_mask")
        graph = helper.make_graph(
            self._nodes,
            "evenguard",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
                for name in tokens
            ],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", width])],
            list(self._constants.values()),
        )
        opsets = [
            helper.make_opsetid(STANDARD, OPSET),
            helper.make_opsetid(MICROSOFT, MICROSOFT_OPSET),
        ]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="evenguard"
        )
        checker.check_model(model)
        return model
