"""What range each channel takes before each product, measured on texts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle
from transformers import BertModel, MPNetModel

from export.quantise import Range
from export.weights import name_in_graph

INPUTS = ("attention.self.query", "attention.output.dense", "intermediate.dense", "output.dense")


Ranges = Mapping[str, Range]


@dataclass(slots=True)
class Watch:
    """Widens the range of a product's input with every text that passes."""

    seen: dict[str, Range] = field(default_factory=dict)

    def on(self, name: str, module: nn.Module) -> RemovableHandle:
        def widen(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            values = inputs[0].detach().flatten(0, -2)
            new = Range(low=values.amin(0).numpy(), high=values.amax(0).numpy())
            self.seen[name] = new.joined(self.seen.get(name, new))

        return module.register_forward_pre_hook(widen)


def measure(
    model: BertModel | MPNetModel, texts: Iterable[list[int]], reader: nn.Module | None = None
) -> Ranges:
    """Texts go through one by one, so that padding leaves no trace.

    reader: what texts are given to, where the encoder needs to be told more than their tokens.
    """
    watch = Watch()
    modules = {name_in_graph(name): module for name, module in model.named_modules()}
    handles = [watch.on(name, modules[name]) for name in modules if name.endswith(INPUTS)]
    with torch.inference_mode():
        for ids in texts:
            tokens = torch.tensor([ids])
            (reader or model)(input_ids=tokens, attention_mask=torch.ones_like(tokens))
    for handle in handles:
        handle.remove()
    return watch.seen
