"""Small classifiers with random weights, saved in the formats of their own libraries."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from guard.importing.texts import shipped_texts

WORDS = 320
COMPARED = shipped_texts()[::6]
"""Texts that are enough to compare small models on."""
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 66,
}
BERT_MARKS = {"pad": "[PAD]", "unk": "[UNK]", "begin": "[CLS]", "end": "[SEP]"}
ROBERTA_MARKS = {"begin": "<s>", "pad": "<pad>", "end": "</s>", "unk": "<unk>"}


def wordpiece() -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def byte_level() -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token=None))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made


def unigram() -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return made


TRAINERS: dict[Any, Callable[..., Any]] = {
    wordpiece: trainers.WordPieceTrainer,
    byte_level: trainers.BpeTrainer,
    unigram: trainers.UnigramTrainer,
}


def trained(kind: Callable[[], Tokenizer], marks: dict[str, str]) -> Tokenizer:
    """A tokenizer of a few hundred words, learnt from the calibration texts."""
    made = kind()
    options = {"unk_token": marks["unk"]} if kind is unigram else {}
    trainer = TRAINERS[kind](
        vocab_size=WORDS, special_tokens=list(marks.values()), show_progress=False, **options
    )
    made.train_from_iterator(shipped_texts(), trainer)
    begin, end = marks["begin"], marks["end"]
    places = [(mark, made.token_to_id(mark)) for mark in (begin, end)]
    made.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", pair=f"{begin} $A {end} $B:1 {end}:1", special_tokens=places
    )
    return made


ARCHITECTURES: dict[str, tuple[Any, dict[str, Any], Any, dict[str, str]]] = {
    "bert": (transformers.BertConfig, {}, wordpiece, BERT_MARKS),
    "distilbert": (
        transformers.DistilBertConfig,
        {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
        wordpiece,
        BERT_MARKS,
    ),
    "roberta": (transformers.RobertaConfig, {"pad_token_id": 1}, byte_level, ROBERTA_MARKS),
    "xlm-roberta": (transformers.XLMRobertaConfig, {"pad_token_id": 1}, unigram, ROBERTA_MARKS),
    "deberta": (
        transformers.DebertaConfig,
        {
            "relative_attention": True,
            "pos_att_type": ["c2p", "p2c"],
            "position_biased_input": False,
            "max_relative_positions": -1,
        },
        byte_level,
        BERT_MARKS,
    ),
    "deberta-v2": (
        transformers.DebertaV2Config,
        {
            "relative_attention": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_biased_input": False,
            "position_buckets": 8,
            "max_relative_positions": -1,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
        },
        unigram,
        BERT_MARKS,
    ),
    "mpnet": (transformers.MPNetConfig, {"pad_token_id": 1}, wordpiece, ROBERTA_MARKS),
    "albert": (transformers.AlbertConfig, {"embedding_size": 16}, unigram, BERT_MARKS),
    "electra": (transformers.ElectraConfig, {"embedding_size": 16}, wordpiece, BERT_MARKS),
    "modernbert": (
        transformers.ModernBertConfig,
        {"num_hidden_layers": 3, "local_attention": 8, "pad_token_id": 0},
        byte_level,
        BERT_MARKS,
    ),
}
TOXICITY = ("toxicity", "obscene", "insult")
STEREOTYPE = ("unrelated", "stereotype_gender", "anti-stereotype_gender", "stereotype_race")
CARD = "---\nlicense: mit\nlanguage: en\n---\n# A model\n"


def config_of(architecture: str, labels: Sequence[str], *, exclusive: bool) -> Any:
    kind, options, _, _ = ARCHITECTURES[architecture]
    size = {} if architecture == "distilbert" else SMALL
    return kind(
        **{**size, "max_position_embeddings": 66, "vocab_size": WORDS + 80, **options},
        id2label=dict(enumerate(labels)),
        label2id={label: place for place, label in enumerate(labels)},
        problem_type="single_label_classification" if exclusive else "multi_label_classification",
    )


def tokenizer_of(architecture: str) -> Any:
    _, _, kind, marks = ARCHITECTURES[architecture]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained(kind, marks),
        pad_token=marks["pad"],
        unk_token=marks["unk"],
        cls_token=marks["begin"],
        sep_token=marks["end"],
        model_max_length=64,
    )


def classifier(
    architecture: str, labels: Sequence[str] = TOXICITY, *, exclusive: bool = False
) -> Any:
    """With weights large enough that texts have different scores."""
    torch.manual_seed(7)
    config = config_of(architecture, labels, exclusive=exclusive)
    made = transformers.AutoModelForSequenceClassification.from_config(config)
    with torch.no_grad():
        for weight in made.parameters():
            if weight.ndim == 2:
                weight.mul_(0.25 / weight.std())
    return made.eval()


def saved(
    folder: Path,
    architecture: str = "bert",
    labels: Sequence[str] = TOXICITY,
    *,
    exclusive: bool = False,
) -> Path:
    """What `save_pretrained` makes of model and tokenizer, with a card."""
    classifier(architecture, labels, exclusive=exclusive).save_pretrained(folder)
    tokenizer_of(architecture).save_pretrained(folder)
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


def edited(file: Path, **changes: Any) -> None:
    """Other values in a JSON file; None takes a key out."""
    data = json.loads(file.read_text(encoding="utf-8")) | changes
    kept = {key: value for key, value in data.items() if value is not None}
    file.write_text(json.dumps(kept), encoding="utf-8")
