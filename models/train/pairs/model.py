"""The classifier of pairs: an encoder that reads both texts at once, three outputs."""

from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor, nn

from train.batches import marks, read_tokenizer
from train.encoders import EncoderConfig, read_config
from train.model import WHOLE, Classifier, mean_pooled, with_encoder
from train.pairs.rows import LABELS
from train.precision import reduced


def types_of(input_ids: Tensor, separator: int) -> Tensor:
    """0 up to the first separator, 1 after it: which of the two texts a token belongs to."""
    ends = (input_ids == separator).long()
    return (ends.cumsum(1) - ends).clamp(max=1)


class PairModel(Classifier):
    """Logits of entailment, neutral, contradiction from the ids of a premise and a hypothesis.

    The configuration of its encoder names the separator.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__(config)
        self.heads = nn.Linear(config.hidden_size, len(LABELS))

    @property
    def separator(self) -> int:
        return int(self.encoder.config.separator)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden = self.encoder(
            input_ids=input_ids,
            attention_mask=attention_mask,
            token_type_ids=types_of(input_ids, self.separator),
        ).last_hidden_state
        logits: Tensor = self.heads(self.dropout(mean_pooled(hidden, attention_mask)))
        return logits


def pretrained_pairs(folder: Path, dropout: float) -> PairModel:
    """The pretrained encoder under fresh outputs."""
    config = read_config(folder)
    config.separator = marks(read_tokenizer(folder))[1]
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
    model = PairModel(config)
    with_encoder(model, folder)
    return model


def load_pairs(folder: Path) -> PairModel:
    """What a run left."""
    model = PairModel(read_config(folder))
    model.load_state_dict(load_file(folder / WHOLE))
    return model.eval()


def pair_logits(model: PairModel, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    """In the numbers that it is trained in."""
    with reduced(input_ids.device):
        found: Tensor = model(input_ids, attention_mask)
    return found.float()
