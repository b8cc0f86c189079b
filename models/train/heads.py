"""The outputs of the classifier, in the order of the graph."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One output: its public key, its share in the loss, and whether a high value is harm."""

    key: str
    loss_weight: float
    harm: bool = True
    experimental: bool = False


TOXICITY_LABELS = ("toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack")
STEREOTYPE_CATEGORIES = ("gender", "race", "religion", "profession", "other")

HEADS = (
    Head(key="toxicity", loss_weight=2.0),
    Head(key="toxicity.severe_toxicity", loss_weight=0.5, experimental=True),
    Head(key="toxicity.obscene", loss_weight=0.5),
    Head(key="toxicity.threat", loss_weight=0.5, experimental=True),
    Head(key="toxicity.insult", loss_weight=0.5),
    Head(key="toxicity.identity_attack", loss_weight=1.0),
    Head(key="stereotype", loss_weight=2.0),
    *(Head(key=f"stereotype.{category}", loss_weight=0.5) for category in STEREOTYPE_CATEGORIES),
    Head(key="sentiment", loss_weight=2.0, harm=False),
)

KEYS = tuple(head.key for head in HEADS)


def index_of(key: str) -> int:
    """The column of a head in the output of the graph."""
    return KEYS.index(key)
