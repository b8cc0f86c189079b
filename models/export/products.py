"""The matrix products of the encoder, in float32 and in 8 bits."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from export.graph import Graph
from export.quantise import Floats, Levels, Range, levels, quantised, smoothing

PARTS = ("query", "key", "value")
SMOOTHED_SHARE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Products(ABC):
    """Three kinds of products; `name` is the name of the weights in the checkpoint."""

    graph: Graph
    weights: Mapping[str, Floats]
    heads: int

    @abstractmethod
    def attention(self, hidden: str, name: str, distances: str | None) -> str:
        """Self-attention, with query, key and value in one product.

        distances: what is added to the products of queries and keys, [1, heads, tokens, tokens].
        """

    @abstractmethod
    def linear(self, source: str, name: str) -> str:
        """A product with bias."""

    @abstractmethod
    def product(self, source: str, name: str) -> str:
        """A product without bias."""

    @abstractmethod
    def activated(self, source: str, name: str) -> str:
        """A product, its bias and the activation."""

    def bias(self, name: str) -> str:
        return self.graph.constant(f"{name}.bias", self.weights[f"{name}.bias"])

    def joined(self, name: str) -> tuple[Floats, Floats]:
        """Matrix and bias of query, key and value side by side."""
        parts = [f"{name}.self.{part}" for part in PARTS]
        matrix = np.concatenate([self.weights[f"{part}.weight"] for part in parts]).T
        return matrix, np.concatenate([self.weights[f"{part}.bias"] for part in parts])


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatProducts(Products):
    """The reference."""

    def attention(self, hidden: str, name: str, distances: str | None) -> str:
        matrix, bias = self.joined(name)
        inputs = [
            hidden,
            self.graph.constant(f"{name}.qkv", matrix),
            self.graph.constant(f"{name}.qkv.bias", bias),
            "mask",
            *(["", distances] if distances else []),
        ]
        return self.graph.fused("Attention", inputs, [f"{name}/out"], num_heads=self.heads)

    def product(self, source: str, name: str) -> str:
        matrix = self.graph.constant(f"{name}.weight", self.weights[f"{name}.weight"].T)
        return self.graph.node("MatMul", [source, matrix], f"{name}/product")

    def linear(self, source: str, name: str) -> str:
        inputs = [self.product(source, name), self.bias(name)]
        return self.graph.node("Add", inputs, f"{name}/out")

    def activated(self, source: str, name: str) -> str:
        inputs = [self.product(source, name), self.bias(name)]
        return self.graph.fused("BiasGelu", inputs, [f"{name}/gelu"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Int8Products(Products):
    """Products of uint8 activations and int8 weights."""

    ranges: Mapping[str, Range]

    def attention(self, hidden: str, name: str, distances: str | None) -> str:
        matrix, bias = self.joined(name)
        factors = self.factors(f"{name}.self.query", matrix)
        passed_on = self.factors(
            f"{name}.output.dense", self.weights[f"{name}.output.dense.weight"].T
        )
        columns = np.concatenate([np.ones(len(bias) - len(passed_on), np.float32), passed_on])
        values, scales, zeros = self.small(name, matrix * factors[:, None] / columns)
        offset = self.graph.constant(f"{name}.qkv.bias", bias / columns)
        source, scale, zero = self.quantise(hidden, f"{name}.self.query", factors)
        if distances:
            inputs = [source, values, scale, scales, zero, zeros, offset]
            return self.biased_attention(inputs, name, distances)
        inputs = [source, values, offset, scale, scales, "mask", zero, zeros]
        return self.graph.fused("QAttention", inputs, [f"{name}/out"], num_heads=self.heads)

    def biased_attention(self, inputs: list[str], name: str, distances: str) -> str:
        """The same in two nodes, since QAttention has no place for what distances add."""
        graph = self.graph
        joined = graph.fused("MatMulIntegerToFloat", inputs, [f"{name}/qkv"])
        parts = graph.spread("Split", [joined], [f"{name}/{part}" for part in PARTS], axis=2)
        given = [*parts, "", "mask", distances]
        return graph.fused("MultiHeadAttention", given, [f"{name}/out"], num_heads=self.heads)

    def product(self, source: str, name: str) -> str:
        return self.multiply(source, name, [])

    def linear(self, source: str, name: str) -> str:
        return self.multiply(source, name, [self.bias(name)])

    def activated(self, source: str, name: str) -> str:
        """In the tanh form, within 1e-3 of the exact one and a little faster."""
        inputs = [self.product(source, name), self.bias(name)]
        return self.graph.fused("FastGelu", inputs, [f"{name}/gelu"])

    def multiply(self, source: str, name: str, bias: list[str]) -> str:
        matrix = self.weights[f"{name}.weight"].T
        factors = self.factors(name, matrix)
        values, scales, zeros = self.small(name, matrix * factors[:, None])
        # The attention before it has already divided its values by the factors.
        ready = name.endswith("attention.output.dense")
        level, scale, zero = self.quantise(source, name, factors, divided=ready)
        inputs = [level, values, scale, scales, zero, zeros, *bias]
        return self.graph.fused("MatMulIntegerToFloat", inputs, [f"{name}/out"])

    def factors(self, name: str, matrix: Floats) -> Floats:
        return smoothing(self.ranges[name], matrix, SMOOTHED_SHARE)

    def small(self, name: str, matrix: Floats) -> tuple[str, str, str]:
        """Values, scales and zero points of a matrix, one scale per column."""
        small, constant = quantised(matrix, axis=1), self.graph.constant
        zeros = np.zeros(len(small.scales), dtype=np.int8)
        return (
            constant(f"{name}.int8", small.values),
            constant(f"{name}.scales", small.scales),
            constant(f"{name}.zeros", zeros),
        )

    def quantise(
        self, source: str, name: str, factors: Floats, divided: bool = False
    ) -> tuple[str, str, str]:
        """An activation as uint8, with its scale and zero point."""
        fixed: Levels = levels(self.ranges[name].divided(factors))
        scale = self.graph.constant(f"{name}.in.scale", fixed.scale)
        zero = self.graph.constant(f"{name}.in.zero", fixed.zero)
        if not divided:
            inverse = self.graph.constant(f"{name}.in.factors", 1 / factors)
            source = self.graph.node("Mul", [source, inverse], f"{name}/smooth")
        return self.graph.node("QuantizeLinear", [source, scale, zero], f"{name}/in"), scale, zero
