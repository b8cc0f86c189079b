"""A model with real weights: the shipped student, in formats that `guard models import` reads."""

import json
import warnings
from pathlib import Path

import torch
import transformers

from guard.importing.texts import shipped_texts
from tests.models.made_models import CARD
from train.heads import KEYS
from train.model import Classifier
from train.restored import restored

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "guard_models"
STUDENT = SHIPPED / "toxicity-stereotype-minilm"
WINDOW = 128
LABELS = ("toxicity", "obscene", "threat", "insult", "identity_attack")
RIDGE, LINEAR = 1.0, 0.05


def student() -> Classifier:
    """In 32 bits, restored from its 8-bit file."""
    return restored(STUDENT / "model.onnx", 0.0)


def tokenizer() -> transformers.PreTrainedTokenizerFast:
    return transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(STUDENT / "tokenizer.json"),
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=WINDOW,
    )


def student_as_onnx(folder: Path) -> Path:
    """All its heads, exported by torch as other people would."""
    folder.mkdir()
    model, example = student(), torch.ones(2, 7, dtype=torch.long)
    names = ["input_ids", "attention_mask"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (example, example),
            str(folder / "model.onnx"),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names},
            opset_version=17,
            dynamo=False,
        )
    config = {
        "id2label": dict(enumerate(KEYS)),
        "problem_type": "multi_label_classification",
        "max_position_embeddings": WINDOW,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    tokenizer().backend_tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def student_as_bert(folder: Path) -> Path:
    """Its encoder as a `BertForSequenceClassification`, as `save_pretrained` writes one.

    That class reads the first token and not the mean of all: its head is fitted to give what the
    student gives on the texts that models are compared on.
    """
    teacher, reader = student(), tokenizer()
    config = teacher.encoder.config
    config.id2label = dict(enumerate(LABELS))
    config.label2id = {label: place for place, label in enumerate(LABELS)}
    config.problem_type = "multi_label_classification"
    made = transformers.BertForSequenceClassification(config).eval()
    made.bert.load_state_dict(teacher.encoder.state_dict(), strict=False)
    heads = [KEYS.index(key if key == "toxicity" else f"toxicity.{key}") for key in LABELS]
    with torch.inference_mode():
        rows = [
            reader(text, truncation=True, max_length=WINDOW, return_tensors="pt")["input_ids"]
            for text in shipped_texts()[1::3]
        ]
        hidden = [teacher.encoder(row, torch.ones_like(row)).last_hidden_state for row in rows]
        features = torch.tanh(LINEAR * torch.cat([each[:, 0] for each in hidden]))
        asked = torch.cat([teacher.heads(each.mean(1))[:, heads] for each in hidden])
        weight, bias = fitted(features, asked)
        made.bert.pooler.dense.weight.copy_(LINEAR * torch.eye(config.hidden_size))
        made.bert.pooler.dense.bias.zero_()
        made.classifier.weight.copy_(weight)
        made.classifier.bias.copy_(bias)
    made.save_pretrained(folder)
    reader.save_pretrained(folder)
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


def fitted(features: torch.Tensor, wanted: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights [outputs, features] and biases of a ridge regression."""
    means = features.mean(0), wanted.mean(0)
    left, right = features - means[0], wanted - means[1]
    scale = RIDGE * left.pow(2).mean() * torch.eye(left.shape[1])
    weight = torch.linalg.solve(left.T @ left + scale, left.T @ right).T
    return weight, means[1] - weight @ means[0]
