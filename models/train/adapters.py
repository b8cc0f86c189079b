"""Low-rank adapters (LoRA, Hu et al. 2021): an encoder that stays as it is, with small corrections.

Each product of the upper layers, `x W'`, becomes `x W' + (x A') B'` with A and B of a low rank.
Only A, B and the heads are trained. The lower layers then need no backward pass at all, and what a
run leaves is a few megabytes, from which the published weights of the encoder give the whole again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptation:
    """Which adapters there are, and on which file of weights they stand.

    layers: the upper ones that have adapters. kept: which of the layers in the file there are, by
    number from below; all without any.
    """

    rank: int
    layers: int
    base_sha256: str
    kept: tuple[int, ...] = ()


class Adapted(nn.Module):
    """A frozen product with a correction that begins at nothing.

    down: [rank, inputs]. up: [outputs, rank].
    """

    def __init__(self, product: nn.Linear, rank: int) -> None:
        super().__init__()
        self.product = product
        self.down = nn.Parameter(torch.empty(rank, product.in_features))
        self.up = nn.Parameter(torch.zeros(product.out_features, rank))
        nn.init.normal_(self.down, std=product.in_features**-0.5)

    def forward(self, values: Tensor) -> Tensor:
        whole = self.product(values).flatten(0, -2)
        low = linear(values, self.down).flatten(0, -2)
        corrected = torch.addmm(whole, low, self.up.t())
        return corrected.view(*values.shape[:-1], -1)

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """One product that gives the same."""
        self.product.weight += self.up @ self.down
        return self.product


def upper_layers(layers: nn.ModuleList, count: int) -> nn.ModuleList:
    """Raises ValueError where there are not as many."""
    if not 0 < count <= len(layers):
        raise ValueError(f"{count} layers to adapt of an encoder of {len(layers)}")
    return layers[len(layers) - count :]


def places_of(root: nn.Module, kind: type[nn.Module]) -> Iterator[tuple[nn.Module, str]]:
    """The modules of a kind, each as its parent and its name there."""
    for parent in root.modules():
        for name, child in parent.named_children():
            if isinstance(child, kind):
                yield parent, name


def adapt(encoder: nn.Module, layers: nn.ModuleList, adaptation: Adaptation) -> None:
    """Freeze the encoder, and put adapters on all products of the upper ones of its layers."""
    encoder.requires_grad_(requires_grad=False)
    upper = upper_layers(layers, adaptation.layers)
    for parent, name in list(places_of(upper, nn.Linear)):
        setattr(parent, name, Adapted(getattr(parent, name), adaptation.rank))


def hold_in_bfloat16(encoder: nn.Module) -> None:
    """Keep the frozen products as autocast reads them, or it converts them at every step."""
    for module in encoder.modules():
        if isinstance(module, nn.Linear) and not module.weight.requires_grad:
            module.bfloat16()


def merge(encoder: nn.Module) -> None:
    """Make plain products again, which an export or a further stage knows."""
    for parent, name in list(places_of(encoder, Adapted)):
        setattr(parent, name, getattr(parent, name).merged())
