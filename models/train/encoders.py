"""The encoders that a classifier can stand on, told apart by `model_type` in their `config.json`.

What ships is a BERT; its teacher is an MPNet, which has relative positions in its attention.
"""

import json
from pathlib import Path

from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

EncoderConfig = BertConfig | MPNetConfig

CONFIGS: dict[str, type[BertConfig] | type[MPNetConfig]] = {
    "bert": BertConfig,
    "mpnet": MPNetConfig,
}


def read_config(folder: Path) -> EncoderConfig:
    """Raises ValueError for an encoder of another kind."""
    record = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    kind = record.get("model_type", "bert")
    if kind not in CONFIGS:
        raise ValueError(f"the encoder in {folder} is a {kind!r}, none of {sorted(CONFIGS)}")
    return CONFIGS[kind].from_dict(record)


def encoder_of(config: EncoderConfig) -> BertModel | MPNetModel:
    """With random weights."""
    if isinstance(config, MPNetConfig):
        return MPNetModel(config, add_pooling_layer=False)
    return BertModel(config, add_pooling_layer=False)
