"""The weights of an encoder under one set of names, whatever its own library calls them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import nn
from transformers import BertModel, MPNetModel
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

from export.quantise import Floats

Arrays = Mapping[str, Floats]

NAMES = {
    "attention.attn.q": "attention.self.query",
    "attention.attn.k": "attention.self.key",
    "attention.attn.v": "attention.self.value",
    "attention.attn.o": "attention.output.dense",
    "attention.LayerNorm": "attention.output.LayerNorm",
}
"""What an MPNet calls the parts of its attention, and the graph, like a BERT."""

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
TYPES = "embeddings.token_type_embeddings.weight"
DISTANCES = "encoder.relative_attention_bias.weight"


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderWeights:
    """All that the graph of an encoder is made of.

    arrays: by the names of a BERT. positions: [tokens, width], from the first token of a text on.
    distances: what the attention adds by how far right the other token is, [distances, heads], with
    distance 0 in the middle; None where it adds nothing. second: what is added to the tokens of the
    second of two texts, [width], and separator: the token that ends the first; None where a text
    stands alone.
    """

    arrays: Arrays
    positions: Floats
    distances: Floats | None
    layers: int
    heads: int
    epsilon: float
    second: Floats | None = None
    separator: int | None = None

    @property
    def words(self) -> Floats:
        """Word vectors, [words, width]."""
        return self.arrays[WORDS]


def name_in_graph(name: str) -> str:
    """The name of a part of an encoder, the same for each kind of encoder."""
    for own, common in NAMES.items():
        name = name.replace(own, common)
    return name


def arrays_of(module: nn.Module) -> Arrays:
    return {
        name_in_graph(name): value.detach().float().numpy()
        for name, value in module.state_dict().items()
    }


def weights_of(encoder: BertModel | MPNetModel) -> EncoderWeights:
    arrays, config = arrays_of(encoder), encoder.config
    if isinstance(encoder, MPNetModel):
        positions = mpnet_positions(encoder, arrays)
        distances = mpnet_distances(arrays, farthest=len(positions) - 1)
    else:
        positions, distances = bert_positions(arrays), None
    return EncoderWeights(
        arrays=arrays,
        positions=positions,
        distances=distances,
        layers=config.num_hidden_layers,
        heads=config.num_attention_heads,
        epsilon=config.layer_norm_eps,
    )


def weights_of_pairs(encoder: BertModel, separator: int) -> EncoderWeights:
    """The same for an encoder that reads two texts at once."""
    weights = weights_of(encoder)
    first, second = weights.arrays[TYPES][:2]
    return replace(weights, second=second - first, separator=separator)


def bert_positions(arrays: Arrays) -> Floats:
    """With the token type of a first text folded in."""
    return arrays[POSITIONS] + arrays[TYPES][0]


def mpnet_positions(encoder: MPNetModel, arrays: Arrays) -> Floats:
    """Without those of padding, after which the positions of a text begin."""
    return arrays[POSITIONS][encoder.embeddings.padding_idx + 1 :]


def mpnet_distances(arrays: Arrays, farthest: int) -> Floats:
    """The bucket of each distance looked up; far distances share one (Raffel et al. 2020)."""
    buckets = MPNetEncoder.relative_position_bucket(torch.arange(-farthest, farthest + 1))
    return arrays[DISTANCES][buckets.numpy()]
