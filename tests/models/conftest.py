"""A tiny encoder, a tiny tokenizer and a few synthetic rows, made on the spot."""

import gzip
import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

MODELS = Path(__file__).resolve().parents[2] / "models"
sys.path.insert(0, str(MODELS))

from train.heads import TOXICITY_LABELS  # noqa: E402
from train.keys import text_key  # noqa: E402
from train.recipe import Recipe  # noqa: E402

NASTY, KIND = ("awful", "stupid", "nasty"), ("lovely", "helpful", "calm")
THINGS = ("tree", "river", "table", "song", "garden", "letter")
GROUPS = ("women", "muslims", "nurses", "people")
OTHERS = ("the", "is", "are", "a", "and", "they", "you", "answer", "today", "in")
SEALED = "the sealed river is awful"


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a pretrained encoder's folder holds."""
    folder = tmp_path_factory.mktemp("base")
    config = BertConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=160,
    )
    torch.manual_seed(0)
    model = BertModel(config, add_pooling_layer=False)
    save_file(model.state_dict(), folder / "model.safetensors")
    config.to_json_file(folder / "config.json")
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def tiny_tokenizer(
    marks: tuple[str, ...] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    around: tuple[str, str] = ("[CLS]", "[SEP]"),
) -> Tokenizer:
    """marks: the first of its words. around: what it puts before and after a text."""
    begin, end = around
    words = (*marks, *NASTY, *KIND, *THINGS, *GROUPS, *OTHERS)
    places = {word: place for place, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(places, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} $B:1 {end}:1",
        special_tokens=[(begin, places[begin]), (end, places[end])],
    )
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding()
    return tokenizer


@pytest.fixture(scope="session")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a pretrained encoder, with the marks that an MPNet is used to."""
    folder = tmp_path_factory.mktemp("teacher")
    config = MPNetConfig(
        vocab_size=5 + 40,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
    )
    torch.manual_seed(0)
    save_file(MPNetModel(config).state_dict(), folder / "model.safetensors")
    config.to_json_file(folder / "config.json")
    teacher_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def teacher_tokenizer() -> Tokenizer:
    """With the marks of a BERT among its words, as the published one has them."""
    names = ("<s>", "<pad>", "</s>", "[CLS]", "[SEP]", *(f"w{n}" for n in range(40)))
    vocabulary = {name: place for place, name in enumerate(names)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="w0"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
    made.enable_padding(length=30)
    return made


@pytest.fixture(scope="session")
def large_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny MPNet that knows the words of the data."""
    folder = tmp_path_factory.mktemp("large_base")
    config = MPNetConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=162,
    )
    torch.manual_seed(0)
    model = MPNetModel(config, add_pooling_layer=False)
    torch.nn.init.normal_(model.encoder.relative_attention_bias.weight, std=2.0)
    save_file(model.state_dict(), folder / "model.safetensors")
    config.to_json_file(folder / "config.json")
    tokenizer = tiny_tokenizer(("<s>", "<pad>", "</s>", "[UNK]"), around=("<s>", "</s>"))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="session")
def recipe() -> Recipe:
    return Recipe(
        batch_rows=8, pool_batches=2, max_tokens=24, epochs=6, encoder_rate=3e-3, head_rate=1e-2
    )


def write(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def rated(text: str, toxic: int, source: str, known: bool = True) -> dict[str, Any]:
    parts = dict.fromkeys(TOXICITY_LABELS[1:], toxic if known else None)
    return {"text": text, "src": source, "lic": "MIT", "toxicity": toxic, **parts}


def toxicity() -> list[dict[str, Any]]:
    nasty = [f"the {t} is {w} and {v}" for t in THINGS for w in NASTY for v in NASTY]
    kind = [f"the {t} is {w} and {v}" for t in THINGS for w in KIND for v in KIND]
    women = [f"women are {w} in the {t}" for t in THINGS for w in NASTY]
    return [
        *(rated(text, 1, "jigsaw_6label") for text in (*nasty, *women)),
        *(rated(text, 0, "wikipedia_sentences_tenp") for text in kind),
        *(rated(f"{text} today", 0, "hatexplain", known=False) for text in kind[:20]),
        *(rated(f"the answer is {text}", 0, "llm_oasst_tree") for text in kind),
        *(rated(f"women are in the {thing}", 0, "bold_wikipedia") for thing in THINGS),
        rated(SEALED, 1, "jigsaw_6label"),
        rated("you are a stupid table", 1, "jigsaw_6label"),
    ]


def stereotypes() -> list[dict[str, Any]]:
    shared = {"src": "redditbias", "lic": "MIT"}
    yes = [f"they are {w} {g} in the {t}" for w in NASTY for g in GROUPS[:2] for t in THINGS]
    no = [f"the answer is the {t} is {w} and {v}" for t in THINGS for w in KIND for v in KIND]
    return [
        *({"text": t, "stereotype": 1, "category": "gender", **shared} for t in yes),
        *({"text": t, "stereotype": 0, "category": None, **shared} for t in no),
    ]


def sentiments() -> list[dict[str, Any]]:
    return [
        {"text": f"{word} {thing}", "src": "sst5", "lic": licence, "valence": valence}
        for licence in ("none-stated", "unclear")
        for words, valence in ((KIND, 1.0), (NASTY, -1.0))
        for word in words
        for thing in THINGS
    ]


def development() -> dict[str, list[dict[str, Any]]]:
    texts = [(f"{w} {t} today", int(w in NASTY)) for w in (*NASTY, *KIND) for t in THINGS]
    labels = {
        "tox_surge": "tox",
        "tox_wikidetox_nonfuzzed": "tox",
        "tox_implicit_hate_20pct": "tox",
        "stereo_redditbias_20pct": "stereo",
        "sent_sst2_test": "sent",
    }
    made = {
        name: [{"text": text, label: value} for text, value in texts]
        for name, label in labels.items()
    }
    made["tox_surge"].append({"text": "You are a stupid table!", "tox": 1})
    return made


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The normalised files, in small."""
    folder = tmp_path_factory.mktemp("data")
    write(folder / "train" / "toxicity.jsonl.gz", toxicity())
    write(folder / "train" / "stereotype.jsonl.gz", stereotypes())
    write(folder / "train" / "sentiment.jsonl.gz", sentiments())
    for name, records in development().items():
        write(folder / "dev" / f"{name}.jsonl.gz", records)
    answers = [
        {"response": f"the answer is {w} {t} {n}", "prompt": "?", "src": source}
        for source in ("llm_xstest", "llm_oasst_sampling")
        for w in KIND
        for n, t in enumerate(THINGS)
    ]
    write(folder / "replay" / "traffic.jsonl.gz", answers)
    sealed = hashlib.sha256(text_key(SEALED).encode()).hexdigest()
    with gzip.open(folder / "heldout_keys_sha256.txt.gz", "wt", encoding="ascii") as file:
        file.write(sealed + "\n")
    return folder
